"""Three checks that people write for their masks, and which mistakes each of them finds."""

from dataclasses import replace

import torch
from torch import Tensor

from attention.checking.mistakes import MISTAKES
from attention.checking.runs import Inputs
from attention.lab.masks.masking import renormalised

CHECKS = ("sums", "zeros", "change")
# Names of the catalogue, and two ways that are no mistake by these checks.
WAYS = ("right", "after_softmax", "renormalised", "times_zero", "inverted", "query_rows")
TOLERANCE = 1e-9
MOVE = 1.0  # by how much the padded tokens' keys and values are changed


def found_by(query: Tensor, key: Tensor, value: Tensor, valid: int) -> dict[str, dict[str, bool]]:
    """way → check → whether the rows of the real queries pass it, masked in each of WAYS.

    All tensors (n, ·), float64; only the first `valid` tokens are real. sums: each row sums to 1.   zeros:
    the weights of padded keys are 0.   change: the output stays as it is when the padded tokens' keys and
    values change.
    """
    sizes = [tensor.shape[-1] for tensor in (query, key, value)]
    w_q, w_k, w_v = torch.eye(sum(sizes), dtype=query.dtype).split(sizes, dim=1)
    inputs = Inputs(torch.cat((query, key, value), -1), w_q, w_k, w_v, real=valid)
    other = inputs.x.clone()
    other[valid:, sizes[0] :] += MOVE
    moved = replace(inputs, x=other)

    def passes(way: str) -> dict[str, bool]:
        weights, changed = (weights_of(way, sample)[:valid] for sample in (inputs, moved))
        return {
            "sums": _same(weights.sum(-1), torch.ones(valid, dtype=weights.dtype)),
            "zeros": bool((weights[:, valid:] == 0).all()),
            "change": _same(weights @ value, changed @ (other @ w_v)),
        }

    return {way: passes(way) for way in WAYS}


def weights_of(way: str, inputs: Inputs) -> Tensor:
    """The weights (n, n) of one head, masked in one of WAYS."""
    if way == "renormalised":
        return renormalised(weights_of("after_softmax", inputs))
    run = inputs.run if way == "right" else MISTAKES[way].run(inputs)
    return run.weights[0]


def _same(first: Tensor, second: Tensor) -> bool:
    return bool(torch.isfinite(first - second).all()) and bool((first - second).abs().max() <= TOLERANCE)
