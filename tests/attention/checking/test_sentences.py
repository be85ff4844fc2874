"""Each sentence that a report can have is caused by code. Mistakes: see test_check.py."""

import ast
import functools
from pathlib import Path

import torch

import attention.checking
from attention import check

from .public import (
    alibi,
    flipped_batch,
    four_dimensions,
    in_bfloat16,
    lower_right,
    transformers_mask,
    zero_is_masked,
)
from .repositories import annotated
from .test_check import KINDS, OTHERWISE, arrays, merged, of_numpy
from .test_modules import PROPERTIES
from .written import STEPS, WRITTEN, always_causal, attend, scaled_twice, written

SOURCES = ("report", "readings", "run", "modules", "calls")
LETTERS = 8  # of the shortest part of a sentence


def steeper(query, key, value):
    return attend(2 * query - query.detach(), key, value)


def without_gradient(query, key, value):
    with torch.no_grad():
        return attend(query, key, value)


def through_numpy(query, key, value):
    return attend(torch.from_numpy(query.numpy()), key, value)


def unscaled(query, key, value):
    if query.ndim == 3:
        raise KeyError
    return attend(query, key, value, scale=1.0)


def of_equal_sizes(query, key, value):
    return always_causal(query, key, value.reshape(key.shape), columns=query.shape[-2])


def shifted(query, key, value, attn_mask=None, is_causal=False):
    """It takes any mask, and is right in no reading."""
    return zero_is_masked(query, key, value, attn_mask) + 1


# As few as cause all sentences: where no mistake explains the numbers, a report takes long.
FUNCTIONS = (
    *(KINDS[kind] for kind in ("gradient", "no_tensor", "dtype", "changed", "not_finite", "numbers")),
    *(OTHERWISE[name][0] for name in ("(batch, length, heads, dim)", "sequence first", "a layout")),
    WRITTEN["always causal, not scaled"][0],
    written(scaled=scaled_twice, **STEPS["scale_divides"]),
    *(functools.partial(merged, back=lambda output: output), of_numpy),
    *(flipped_batch, shifted, alibi, annotated, four_dimensions, in_bfloat16, lower_right, transformers_mask),
    *(steeper, without_gradient, through_numpy, unscaled, of_equal_sizes),
    *(module for module, *_ in PROPERTIES.values()),
)


def parts(name):
    """The parts of sentences in a module, without docstrings."""
    tree = ast.parse((Path(attention.checking.__file__).parent / f"{name}.py").read_text("utf-8"))
    told = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in told:
            yield from (part for part in [node.value] if part.count(" ") > 1 and len(part.strip()) >= LETTERS)


def test_each_sentence_of_a_report_is_caused_by_code():
    reports = [str(check(function)) for function in FUNCTIONS]
    said = "\n".join([*reports, str(check(arrays, arrays="numpy"))])
    expected = [part for name in SOURCES for part in parts(name)]
    assert len(expected) > 30
    assert [part for part in expected if part not in said] == []
