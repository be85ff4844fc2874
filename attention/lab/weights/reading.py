"""What follows from attention weights, for all queries, keys, values and matrices that give them.

What does not follow has a counterexample; the tests have some. Weights are (n, n) and values (n, d_v) unless
it is said.
"""

import torch
from torch import Tensor

from attention import AttentionTrace, scaled_dot_product_attention

ALIKE = 1e-9


def attend(weights: Tensor, value: Tensor, mask: Tensor | None = None) -> AttentionTrace:
    """A run of the core with just these weights: the scores are their logarithms.

    weights: (..., n, n), rows sum to 1, above 0 wherever `mask` (n, n; True = visible) is not False.
    value: (..., n, d_v).
    """
    scores = weights.log() if mask is None else weights.masked_fill(~mask, 1.0).log()
    keys = torch.eye(weights.shape[-1], dtype=weights.dtype)
    return scaled_dot_product_attention(scores, keys, value, mask=mask, scale=1.0)


def top_key(weights: Tensor, query: int, margin: float = ALIKE) -> int | None:
    """The key with the largest weight in the query's row; None where another one is within the margin."""
    best = weights[query].topk(2)
    return int(best.indices[0]) if best.values[0] - best.values[1] > margin else None


def is_one_hot(weights: Tensor, query: int, key: int) -> bool:
    """All weight of the query is on this key."""
    return bool((weights[query, key] - 1).abs() <= ALIKE)


def is_uniform(weights: Tensor, query: int) -> bool:
    """All keys that have any weight in the query's row have the same, and there are several."""
    visible = weights[query][weights[query] > 0]
    return len(visible) > 1 and bool((visible - visible[0]).abs().max() <= ALIKE)


def same_row(weights: Tensor, first: int, second: int) -> bool:
    """Two queries have the same weights in all heads: weights (..., n, n)."""
    return bool((weights[..., first, :] - weights[..., second, :]).abs().max() <= ALIKE)


def parts(weights: Tensor, value: Tensor, query: int, col: int) -> Tensor:
    """What each key adds to a cell of the output: weight times value, (n,); they sum to the cell."""
    return weights[query] * value[:, col]


def top_part(weights: Tensor, value: Tensor, query: int, col: int, margin: float = ALIKE) -> int | None:
    """The key whose part of the cell is largest in absolute value; None where another is within `margin`."""
    best = parts(weights, value, query, col).abs().topk(2)
    return int(best.indices[0]) if best.values[0] - best.values[1] > margin else None


def reach(mask: Tensor, layers: int) -> Tensor:
    """(n, n), whether a token's output after so many layers with this mask can depend on another's input."""
    step = mask | torch.eye(len(mask), dtype=torch.bool)  # the residual connection keeps each token's own row
    result = step
    for _ in range(layers - 1):
        result = (result.double() @ step.double()) > 0
    return result
