"""Softmax of scores (n,) in four precisions: naive and shifted, each step really done in that dtype."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

DTYPES = {name: getattr(torch, name) for name in ("float64", "float32", "float16", "bfloat16")}


class SoftmaxForm(NamedTuple):
    """One way of computing softmax, step by step; `scores` are what goes into exp."""

    scores: Tensor
    exps: Tensor
    total: Tensor
    weights: Tensor
    logsumexp: Tensor


def fixed_gaps(top: float, precision: str, count: int = 4) -> Tensor:
    """top, top − 1, …, (count,), rounded to the dtype: exactly, their softmax is the same for every top.

    So what goes wrong as top grows is overflow, or underflow below 0, and not that the softmax saturates. In
    16-bit formats large scores are rounded to a coarse grid, and the gaps themselves are lost; see
    rounding_loss.
    """
    return (top - torch.arange(count, dtype=torch.float64)).to(DTYPES[precision])


def rounding_loss(top: float, precision: str) -> float:
    """The largest change of a weight of fixed_gaps that rounding the scores alone brings about."""
    exact, rounded = (fixed_gaps(top, name) for name in ("float64", precision))
    return (truth(rounded) - truth(exact)).abs().max().item()


def naive(s: Tensor) -> SoftmaxForm:
    """exp(s) / Σ exp(s) as it is."""
    exps = torch.exp(s)
    total = exps.sum()
    return SoftmaxForm(s, exps, total, exps / total, torch.log(total))


def shifted(s: Tensor) -> SoftmaxForm:
    """The largest score is taken off first: no exponent is above 0, and the sum is at least 1."""
    top = s.max()
    less = s - top
    exps = torch.exp(less)
    total = exps.sum()
    return SoftmaxForm(less, exps, total, exps / total, top + torch.log(total))


def largest_exponent(precision: str) -> float:
    """log of the largest number: exp of anything above is ∞."""
    return math.log(torch.finfo(DTYPES[precision]).max)


def smallest_exponent(precision: str) -> float:
    """log of half the smallest number above 0, subnormal ones too: exp of anything below rounds to 0."""
    return math.log(torch.finfo(DTYPES[precision]).smallest_normal) - _fraction_bits(precision) * math.log(2)


def _fraction_bits(precision: str) -> int:
    return round(-math.log2(torch.finfo(DTYPES[precision]).eps)) + 1


def verdict(form: SoftmaxForm, truth: Tensor) -> str:
    """right; broken: a weight is NaN or infinite; lost: numbers, but not the numbers of the exact softmax."""
    if not bool(torch.isfinite(form.weights).all()):
        return "broken"
    tolerance = 4 * torch.finfo(form.weights.dtype).eps
    return "right" if error(form, truth) <= tolerance else "lost"


def error(form: SoftmaxForm, truth: Tensor) -> float:
    """The largest error of the weights; NaN where a weight is NaN."""
    return (form.weights.double() - truth).abs().max().item()


def truth(s: Tensor) -> Tensor:
    """The softmax of exactly these scores, in float64."""
    return shifted(s.double()).weights


def far_below(precision: str) -> float:
    """The weight of a score that lies 1000 below the only other one."""
    return torch.softmax(torch.tensor([0.0, -1000.0], dtype=DTYPES[precision]), dim=-1)[1].item()


# ---- −∞ and −10⁹


def nan_cause(form: SoftmaxForm) -> str | None:
    """Where the weights' first NaN comes from, None where no weight is NaN.

    "inf - inf": a score of −∞ (or +∞) less a maximum that is the same, in the shifted form.
    "inf / inf": exp overflowed.   "0 / 0": every exp is 0, in the naive form.
    """
    if form.scores.isnan().any():
        return "inf - inf"
    if not form.weights.isnan().any():
        return None
    return "inf / inf" if form.total.isinf() else "0 / 0"


def holds_infinity(dtype: torch.dtype) -> bool:
    """Whether the dtype has an ∞. Some 8-bit formats have no ∞: float8_e4m3fn turns it into NaN."""
    return bool(torch.tensor(-math.inf, dtype=torch.float32).to(dtype).float().isneginf())


def half_precision_error(dtype: torch.dtype = torch.float16) -> str | None:
    """What PyTorch says when masked_fill is to write −1e9 among scores of this dtype; None where it fits.

    float16 ends at 65504. Right: −∞, where the dtype has it, or its most negative number.
    """
    try:
        torch.zeros(1, dtype=dtype).masked_fill(torch.tensor([True]), -1e9)
    except RuntimeError as error:
        return str(error)
    return None


def arithmetic_mask(scores: Tensor, mask: Tensor, *, factor_in_dtype: bool = False) -> Tensor:
    """A mask written as arithmetic, scores + (1 − mask)·(−1e9), which no dtype refuses.

    In float16 −1e9 becomes −∞ without a word. Where the factor itself is a tensor of the scores' dtype
    (factor_in_dtype), a visible key gets 0·(−∞), which is NaN.
    """
    factor = torch.tensor(-1e9, dtype=scores.dtype) if factor_in_dtype else -1e9
    return scores + (1 - mask.to(scores.dtype)) * factor
