"""The state as JSON, which can be loaded again; all numbers as NumPy arrays, under the trace's names."""

import io
from typing import Any

import numpy as np
import torch

from attention.multi_head import BEFORE_SCORES
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.model import files
from pages.model.compute import needed, tensors_of
from pages.model.state import State

from . import program


def json(page: Page, link: str) -> str:
    return files.write_state(page.lesson.name, State(page.numbers.own, page.settings), page.view, page.place)


def npz(page: Page, link: str) -> bytes:
    file = io.BytesIO()
    state = np.frombuffer(json(page, link).encode(), np.uint8)
    numbers = program_arrays(page, program.of(page) or program.of_settings(page))
    results: dict[str, Any] = numbers | {files.STATE: state}
    np.savez(file, **results)
    return file.getvalue()


def arrays(c: Steps) -> dict[str, np.ndarray]:
    """The arrays of all steps. The first dimension of the steps with several heads is the head."""
    settings, trace = c.settings, c.trace
    results = {"tokens": np.array(settings.tokens), "x": np.array(settings.x)}
    if c.cross:
        results |= {"source": np.array(settings.source), "y": np.array(settings.y)}
    results |= {name: tensor.numpy() for name, tensor in tensors_of(settings).items() if tensor is not None}
    if c.head.mask is not None:
        results["mask"] = c.head.mask.expand_as(c.head.scores).numpy()
    if c.head.bias is not None:
        results["bias"] = needed(trace.heads.bias).numpy()
    return results | {name: step(c, name) for name in c.rows}


def program_arrays(page: Page, whole: program.Program) -> dict[str, np.ndarray]:
    """The inputs and the steps of a lesson's own computation. The settings' names are for their matrices."""
    c, others = whole.attention, list(files.LISTS.values())
    if c is not None:
        others = [name for name in others if getattr(c.settings, name) != getattr(page.settings, name)]
        results = arrays(c)
    else:
        matrices = dict(whole.inputs) | {step.panel.name: step.matrix for step in whole.steps}
        results = {name: np.array(matrix.known) for name, matrix in matrices.items()}
        results |= {"names": np.array(whole.tokens)} if whole.tokens else {}
    return {f"model_{name}" if name in others else name: array for name, array in results.items()}


def step(c: Steps, name: str) -> np.ndarray:
    """The numbers of a step, of all heads."""
    trace = c.trace
    if name in ("output", "concatenated"):
        return getattr(trace, name).numpy()
    if name == "x_p":
        return trace.query_input.numpy()
    if name in ("query", "key"):
        width = c.settings.head_dim
        tensor = _of_each_head(c, getattr(trace, name).unflatten(-1, (-1, width)).transpose(-3, -2))
    elif name in BEFORE_SCORES:
        tensor = _of_each_head(c, getattr(trace, name))
    else:
        tensor = getattr(trace.heads, name.replace("head_output", "output"))
    return (tensor if c.several else tensor[..., 0, :, :]).numpy()


def _of_each_head(c: Steps, tensor: torch.Tensor) -> torch.Tensor:
    """A key/value head as often as it serves a query head."""
    return tensor.repeat_interleave(c.settings.num_heads // tensor.shape[-3], dim=-3)
