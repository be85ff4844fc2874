"""Three checks that people write for their masks, and which mistakes each of them finds."""

from dataclasses import replace

import torch
from torch import Tensor

from attention.lab.masks.masking import renormalised
from attention.lab.mistakes.catalogue import MISTAKES
from attention.lab.mistakes.runs import Given, right

CHECKS = ("sums", "zeros", "change")
# Names of the catalogue, and two ways that are no mistake by these checks.
WAYS = ("right", "after_softmax", "renormalised", "times_zero", "inverted", "query_rows")
TOLERANCE = 1e-9
MOVED = 1.0  # by how much the padded tokens' keys and values are changed


def weights_of(way: str, given: Given) -> Tensor:
    """The weights (n, n) of one head, masked in one of WAYS."""
    if way == "renormalised":
        return renormalised(weights_of("after_softmax", given))
    run = right(given) if way == "right" else MISTAKES[way].run(given)
    return run.weights[0]


def passes(way: str, query: Tensor, key: Tensor, value: Tensor, valid: int) -> dict[str, bool]:
    """Which of CHECKS the rows of the real queries pass, masked in one of WAYS. All tensors (n, ·), float64.

    Only the first `valid` tokens are real. sums: each row sums to 1.   zeros: the weights of padded keys are
    0.   change: the output stays as it is when the padded tokens' keys and values change.
    """
    sizes = [tensor.shape[-1] for tensor in (query, key, value)]
    w_q, w_k, w_v = torch.eye(sum(sizes), dtype=query.dtype).split(sizes, dim=1)
    given = Given(torch.cat((query, key, value), -1), w_q, w_k, w_v, real=valid)
    moved = given.x.clone()
    moved[valid:, sizes[0] :] += MOVED
    weights, changed = (weights_of(way, one)[:valid] for one in (given, replace(given, x=moved)))
    return {
        "sums": _same(weights.sum(-1), torch.ones(valid, dtype=weights.dtype)),
        "zeros": bool((weights[:, valid:] == 0).all()),
        "change": _same(weights @ value, changed @ (moved @ w_v)),
    }


def _same(first: Tensor, second: Tensor) -> bool:
    return bool(torch.isfinite(first - second).all()) and bool((first - second).abs().max() <= TOLERANCE)


def found_by(query: Tensor, key: Tensor, value: Tensor, valid: int) -> dict[str, dict[str, bool]]:
    """passes for each of WAYS, of the same tensors (n, ·): way → check → whether it passes."""
    return {way: passes(way, query, key, value, valid) for way in WAYS}
