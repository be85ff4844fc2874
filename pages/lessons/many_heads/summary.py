"""The end of the lesson: what was seen, in the learner's numbers, and a question that needs all of it."""

from dataclasses import replace
from typing import Any

import torch

from attention import MultiHeadTrace, multi_head_attention
from pages.ask import questions
from pages.draw import arithmetic, inputs, live, placing, steps
from pages.draw.page import Page
from pages.model.compute import mask_of, needed, options_of, tensors_of
from pages.model.settings import Settings
from pages.picture import Matrix

from . import ablation, sharing
from .overview import most_different
from .scene import percent


def lines(page: Page) -> list[str]:
    """What was seen, in three sentences; with a single head, what there is to see with more."""
    t, settings = page.t, page.settings
    if settings.num_heads == 1:
        return [t("summary.alone")]
    shares = ablation.loss_shares(page)
    head = max(range(settings.num_heads), key=shares.__getitem__)
    costs = sharing.all_costs(page)
    facts = {
        "head": head + 1,
        "share": percent(shares[head]),
        "full": costs[0].cache,
        "least": costs[-1].cache,
    }
    sizes = {"heads": settings.num_heads, "d_k": settings.head_dim}
    opening = most_different(page, "summary.one", "summary.one_alike", **sizes)
    return [opening, *(t(f"summary.{line}", **facts) for line in ("two", "three"))]


def question(page: Page) -> None:
    """Two heads change places in W_Q, W_K and W_V. What else has to change for the output to stay?"""
    settings = page.settings
    several = settings.num_heads > 1 and settings.kv_heads == settings.num_heads
    names = ("w_q", "w_k", "w_v", "w_o") if several else ()
    matrices = [inputs.matrix(page, name).to_read() for name in names]
    if questions.ask(page, "many_heads_end", matrices=matrices) and several and settings.position == "none":
        live.picture(page, _exchanged)


def _exchanged(page: Page) -> None:
    placing.draw(page, "end_answered", _exchange_matrices(page), sources=[steps.of(page).find])


def _exchange_matrices(page: Page) -> list[Matrix]:
    """Z, and Z with two heads exchanged: in W_Q, W_K and W_V alone, then also in the rows of W_O."""
    t, computation, settings = page.t, steps.of(page), page.settings
    output = computation["output"]
    ways = {"columns": swap_heads(settings, rows_too=False), "rows": swap_heads(settings, rows_too=True)}
    more = [
        replace(
            output,
            id=f"end_{name}",
            title=t(f"summary.{name}"),
            values=trace.output.tolist(),
            recipe=arithmetic.products(
                trace.concatenated, needed(w_o), trace.output, tensors_of(settings)["b_o"]
            ),
        )
        for name, (trace, w_o) in ways.items()
    ]
    return [replace(matrix, step_name=None).looking(subtitle="") for matrix in (output, *more)]


def swap_heads(settings: Settings, *, rows_too: bool) -> tuple[MultiHeadTrace, torch.Tensor | None]:
    """The trace and W_O with the first two heads exchanged in W_Q, W_K, W_V and, rows_too, the rows of W_O.

    For several heads that do not share keys and values.
    """
    order = [1, 0, *range(2, settings.num_heads)]

    def exchanged(name: str, matrix: torch.Tensor | None) -> torch.Tensor | None:
        if matrix is None or name == "b_o" or (name == "w_o" and not rows_too):
            return matrix
        dim = 0 if name == "w_o" else -1
        blocks = matrix.chunk(settings.num_heads, dim)
        return torch.cat([blocks[head] for head in order], dim)

    x = torch.tensor(settings.x, dtype=torch.float64)
    matrices: dict[str, Any] = {
        name: exchanged(name, matrix) for name, matrix in tensors_of(settings).items()
    }
    trace = multi_head_attention(x, **matrices, mask=mask_of(settings), **options_of(settings))
    return trace, matrices["w_o"]
