"""Softmax in four precisions: the naive and the shifted form, each step really done in that dtype."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor

DTYPES = {name: getattr(torch, name) for name in ("float64", "float32", "float16", "bfloat16")}
# The scores are the size times this: all above 0, or the same scores moved below 0.
PATTERN = (1.0, 0.9, 0.5, 0.1)
BELOW = 2.0


class Form(NamedTuple):
    """One way of computing softmax, step by step; `scores` are what goes into exp."""

    scores: Tensor
    exps: Tensor
    total: Tensor
    weights: Tensor
    logsumexp: Tensor


def scores(size: float, precision: str, *, below: bool = False) -> Tensor:
    """The scores of that size, rounded to the dtype."""
    moved = BELOW if below else 0.0
    return torch.tensor([size * (p - moved) for p in PATTERN], dtype=torch.float64).to(DTYPES[precision])


def naive(s: Tensor) -> Form:
    """exp(s) / Σ exp(s) as it stands."""
    exps = torch.exp(s)
    total = exps.sum()
    return Form(s, exps, total, exps / total, torch.log(total))


def shifted(s: Tensor) -> Form:
    """The largest score is taken off first: no exponent is above 0, and the sum is at least 1."""
    top = s.max()
    less = s - top
    exps = torch.exp(less)
    total = exps.sum()
    return Form(less, exps, total, exps / total, top + torch.log(total))


def largest_exponent(precision: str) -> float:
    """log of the largest number: exp of anything above is ∞."""
    return math.log(torch.finfo(DTYPES[precision]).max)


def smallest_exponent(precision: str) -> float:
    """log of half the smallest number above 0, subnormal ones too: exp of anything below rounds to 0."""
    return math.log(torch.finfo(DTYPES[precision]).smallest_normal) - _fraction_bits(precision) * math.log(2)


def _fraction_bits(precision: str) -> int:
    return round(-math.log2(torch.finfo(DTYPES[precision]).eps)) + 1


def fate(form: Form, truth: Tensor) -> str:
    """right; broken: no number at all; lost: numbers, but not those of the exact softmax."""
    if not bool(torch.isfinite(form.weights).all()):
        return "broken"
    tolerance = 4 * torch.finfo(form.weights.dtype).eps
    return "right" if error(form, truth) <= tolerance else "lost"


def error(form: Form, truth: Tensor) -> float:
    """The largest error of the weights; NaN where a weight is NaN."""
    return (form.weights.double() - truth).abs().max().item()


def truth(s: Tensor) -> Tensor:
    """The softmax of exactly these scores, in float64."""
    return shifted(s.double()).weights


def far_below(precision: str, gap: float = 1000.0) -> float:
    """The weight of a score that lies so far below the only other one."""
    return torch.softmax(torch.tensor([0.0, -gap], dtype=DTYPES[precision]), dim=-1)[1].item()
