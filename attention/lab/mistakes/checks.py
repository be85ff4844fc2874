"""The checks that find mistakes in a run of attention, each with the number that it looks at."""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from attention.checking.runs import Inputs, Run
from attention.lab.masks import masking
from attention.lab.mistakes import forms

TOLERANCE = 1e-9


class Checked(NamedTuple):
    """What a check found."""

    value: float  # the number it looked at
    expected: float  # what that must be
    holds: bool


def check(name: str, inputs: Inputs, run: Run) -> Checked:
    """One of CHECKS on a run."""
    return CHECKS[name](inputs, run)


def _checked(value: float, expected: float = 0.0) -> Checked:
    return Checked(value, expected, abs(value - expected) <= TOLERANCE * max(1.0, abs(expected)))


def _apart(tensor: Tensor, wanted: Tensor) -> Checked:
    """The largest difference, which must be 0 but for rounding."""
    difference = (tensor - wanted).abs().max().item()
    largest = max(1.0, wanted.abs().max().item())
    return Checked(difference, 0.0, difference <= TOLERANCE * largest)


def _row_sums(inputs: Inputs, run: Run) -> Checked:
    """Each row of weights sums to 1 where it may attend to something: the sum that is furthest from it."""
    sums = run.weights.sum(-1)
    if inputs.visible is not None:
        sums = sums[inputs.visible.any(-1).expand_as(sums)]
    return _checked(sums.flatten()[(sums - 1).abs().argmax()].item(), 1.0)


def _masked_weights(inputs: Inputs, run: Run) -> Checked:
    """A masked key has weight 0: the largest weight of one."""
    largest = 0.0 if inputs.visible is None else masking.largest_masked_weight(run.weights, inputs.visible)
    return Checked(largest or 0.0, 0.0, not largest)


def _mask_pattern(inputs: Inputs, run: Run) -> Checked:
    """The number of cells in which −∞ and the mask disagree."""
    masked = run.masked_scores.isneginf()
    wanted = torch.zeros_like(masked) if inputs.visible is None else ~inputs.visible
    return _checked(float((masked != wanted).sum().item()))


def _dot_products(inputs: Inputs, run: Run) -> Checked:
    """Row i, column j of the scores is query i times key j: the largest difference from it."""
    return _apart(run.scores, torch.einsum("hik,hjk->hij", run.query, run.key))


def _divisor(inputs: Inputs, run: Run) -> Checked:
    """The scores are divided by √d_k: what they were divided by."""
    return _checked(divisor_of(run), math.sqrt(inputs.d_k))


def _projection(inputs: Inputs, run: Run) -> Checked:
    """Each head's Q, K and V are X times its columns of W_Q, W_K and W_V: the largest difference."""
    wanted = [
        forms.split(inputs.x @ weight, inputs.num_heads) for weight in (inputs.w_q, inputs.w_k, inputs.w_v)
    ]
    return max(_apart(projection, expected) for projection, expected in zip(run[:3], wanted, strict=True))


def _symmetric(inputs: Inputs, run: Run) -> Checked:
    """Scores are as a rule not symmetric: the largest difference between S and its transpose is not 0."""
    difference = (run.scores - run.scores.mT).abs().max().item()
    largest = max(1.0, run.scores.abs().max().item())
    return Checked(difference, math.nan, difference > TOLERANCE * largest)


def _torch_output(inputs: Inputs, run: Run) -> Checked:
    """PyTorch's own function gives the same from these Q, K and V: the largest difference.

    Rows that may attend to nothing are left out.
    """
    mask = inputs.visible
    theirs = F.scaled_dot_product_attention(run.query, run.key, run.value, attn_mask=mask)
    rows = slice(None) if mask is None else mask.any(-1)
    return _apart(run.head_output[:, rows], theirs[:, rows])


def _finite(inputs: Inputs, run: Run) -> Checked:
    """No weight is NaN: how many are."""
    return _checked(float(run.weights.isnan().sum().item()))


def _columns(inputs: Inputs, run: Run) -> Checked:
    """Row i of the concatenation holds row i of each head, side by side: the largest difference."""
    return _apart(run.concatenated, torch.cat(list(run.head_output), dim=-1))


def _projected_output(inputs: Inputs, run: Run) -> Checked:
    """The output is the concatenation times W_O: the largest difference."""
    return _apart(run.output, forms.project(run.concatenated, inputs.w_o, None))


CHECKS: dict[str, Callable[[Inputs, Run], Checked]] = {
    "projection": _projection,
    "symmetric": _symmetric,
    "dot_products": _dot_products,
    "divisor": _divisor,
    "mask_pattern": _mask_pattern,
    "masked_weights": _masked_weights,
    "row_sums": _row_sums,
    "finite": _finite,
    "torch_output": _torch_output,
    "columns": _columns,
    "projected_output": _projected_output,
}


# ---- what two runs differ in


def first_difference(wrong: Run, run: Run) -> str | None:
    """The first step in which the two runs differ by more than rounding; None where none does."""
    for step in Run._fields:
        numbers, expected = getattr(wrong, step), getattr(run, step)
        largest = max(
            1.0, expected[expected.isfinite()].abs().max().item() if expected.isfinite().any() else 0.0
        )
        if numbers.shape != expected.shape or not torch.allclose(
            numbers, expected, rtol=0, atol=TOLERANCE * largest
        ):
            return step
    return None


def divisor_of(run: Run) -> float:
    """What the scores were divided by, read off the largest of them; NaN where all are 0."""
    place = run.scores.abs().argmax()
    score, scaled = run.scores.flatten()[place].item(), run.scaled_scores.flatten()[place].item()
    return score / scaled if scaled else math.nan
