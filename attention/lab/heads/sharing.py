"""Key/value heads pooled into groups (Ainslie et al. 2023): what that does to weights and output."""

import math
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from attention import MultiHeadTrace, multi_head_attention
from attention.lab.scaling.variance import total_variation


def pooled(matrix: Tensor, num_heads: int, groups: int) -> Tensor:
    """The mean of each group's neighbouring heads: columns (…, num_heads · dim) -> (…, groups · dim).

    As in Ainslie et al. 2023, section 2.1, where a trained model is converted before it is trained further.
    Takes w_k and w_v, or b_k and b_v. groups must divide num_heads.
    """
    heads = matrix.unflatten(-1, (groups, num_heads // groups, -1))  # (…, groups, heads in it, dim)
    return heads.mean(dim=-2).flatten(-2)


@dataclass(frozen=True)
class Shared:
    """The same inputs and queries with all key/value heads, and with fewer."""

    full: MultiHeadTrace
    shared: MultiHeadTrace
    moved: Tensor  # (num_heads, n): total variation of each row of weights, 0 … 1
    output_change: float  # norm of the difference of the outputs, relative to the full output's norm


def share(
    x: Tensor,  # (n, embed_dim)
    weights: dict[str, Any],
    *,
    num_heads: int,
    groups: int,
    mask: Tensor | None = None,
    scale: float | None = None,
    masked_score: float = -math.inf,
) -> Shared:
    """Attention with as many key/value heads as heads, and with those pooled into `groups`.

    weights holds w_q, w_k, w_v and, where there are any, w_o, b_q, b_k, b_v, b_o. The weights of heads whose
    keys are alike stay as they are; how far the others move depends on how far their keys differ.
    """
    small: dict[str, Any] = {
        name: pooled(matrix, num_heads, groups) if name[2] in "kv" and matrix is not None else matrix
        for name, matrix in weights.items()
    }
    options: dict[str, Any] = {
        "num_heads": num_heads,
        "mask": mask,
        "scale": scale,
        "masked_score": masked_score,
    }
    full = multi_head_attention(x, **weights, **options)
    shared = multi_head_attention(x, **small, num_kv_heads=groups, **options)
    moved = total_variation(full.heads.weights, shared.heads.weights)
    norm = full.output.norm()
    change = ((shared.output - full.output).norm() / norm).item() if norm > 0 else 0.0
    return Shared(full, shared, moved, change)
