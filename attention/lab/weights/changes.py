"""What changes in the weights and the output when one thing is changed: a row of V, or all scores alike."""

import torch
from torch import Tensor

from attention import AttentionTrace
from attention.lab.heads.again import again

TOLERANCE = 1e-12


def with_value_row(head: AttentionTrace, row: int, by: float) -> AttentionTrace:
    """The trace of one head (n, ·) with `by` added to every number of one row of V.

    Queries and keys stay, and so do the weights. Row i of the output moves by weights[i, row]·by: every row
    that may attend to that key, and no other.
    """
    value = head.value.clone()
    value[row] += by
    return again(head, value=value)


def with_shifted_scores(head: AttentionTrace, by: float) -> AttentionTrace:
    """The trace with `by` added to every scaled score before the mask: exp(by) cancels in each quotient."""
    shift = torch.full_like(head.scaled_scores, by)
    return again(head, bias=shift if head.bias is None else shift + head.bias)


def moved_rows(before: Tensor, after: Tensor) -> list[int]:
    """The rows of (n, ·) in which some number differs by more than rounding, relative to the largest one."""
    largest = max(1.0, before.abs().max().item())
    return ((after - before).abs().amax(-1) > TOLERANCE * largest).nonzero().flatten().tolist()
