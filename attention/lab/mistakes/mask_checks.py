"""Three checks that people write for their masks, and which mistakes each of them finds."""

import math

import torch
from torch import Tensor

from attention import padding_mask
from attention.lab.mistakes.forms import (
    mask_after_softmax,
    multiply_by_zero,
    padding_on_query_rows,
    plain_softmax,
)

CHECKS = ("sums", "zeros", "change")
WAYS = ("right", "after_softmax", "renormalised", "times_zero", "turned", "query_rows")
TOLERANCE = 1e-9
MOVED = 1.0  # by how much the padded tokens' keys and values are changed


def masked_weights(way: str, scores: Tensor, valid: int) -> Tensor:
    """Weights (n, n) of scaled scores (n, n) where only the first `valid` tokens are real, in one of WAYS."""
    n = scores.shape[-1]
    mask = padding_mask([valid], n).expand(n, n)
    if way in ("after_softmax", "renormalised"):
        weights = mask_after_softmax(scores, mask)
        return weights / weights.sum(-1, keepdim=True) if way == "renormalised" else weights
    if way == "times_zero":
        return multiply_by_zero(scores, mask)
    used = {"right": mask, "turned": ~mask, "query_rows": padding_on_query_rows(valid, n)}[way]
    return plain_softmax(scores.masked_fill(~used, -math.inf))


def passes(way: str, query: Tensor, key: Tensor, value: Tensor, valid: int) -> dict[str, bool]:
    """Which of CHECKS the rows of the real queries pass, masked in one of WAYS. All tensors (n, ·), float64.

    sums: each row sums to 1.   zeros: the weights of padded keys are 0.   change: the output stays as it is
    when the padded tokens' keys and values change.
    """

    def attend(key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
        scores = query @ key.mT / math.sqrt(query.shape[-1])
        weights = masked_weights(way, scores, valid)[:valid]
        return weights, weights @ value

    def moved(tensor: Tensor) -> Tensor:
        return torch.cat((tensor[:valid], tensor[valid:] + MOVED))

    weights, output = attend(key, value)
    _, changed = attend(moved(key), moved(value))
    return {
        "sums": _same(weights.sum(-1), torch.ones(valid, dtype=weights.dtype)),
        "zeros": bool((weights[:, valid:] == 0).all()),
        "change": _same(output, changed),
    }


def _same(first: Tensor, second: Tensor) -> bool:
    return bool(torch.isfinite(first - second).all()) and bool((first - second).abs().max() <= TOLERANCE)


def found_by(query: Tensor, key: Tensor, value: Tensor, valid: int) -> dict[str, dict[str, bool]]:
    """way → check → whether it passes."""
    return {way: passes(way, query, key, value, valid) for way in WAYS}
