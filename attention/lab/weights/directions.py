"""Queries and keys as arrows: the plane that shows most of them, and the weights of a query that turns."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from attention import AttentionTrace
from attention.lab.heads.again import again


def principal_directions(*vectors: Tensor) -> tuple[Tensor, float]:
    """The two directions that hold most of the vectors (…, d), as rows of (2, d), and the share held.

    The share is of the sum of the squared lengths; 1 where all vectors are 0. These are the first two right
    singular vectors. Nothing is centred, because an arrow begins at 0. Where d is 2, the directions are the
    axes themselves; where it is 1, the second direction is 0. The larger numbers of a direction are positive.
    """
    rows = torch.cat([part.reshape(-1, part.shape[-1]) for part in vectors])
    size = rows.shape[-1]
    if size <= 2:
        return torch.eye(2, size, dtype=rows.dtype), 1.0
    _, lengths, directions = torch.linalg.svd(rows, full_matrices=True)
    largest = directions[:2].gather(-1, directions[:2].abs().argmax(-1, keepdim=True))
    total = lengths.square().sum().item()
    share = lengths[:2].square().sum().item() / total if total else 1.0
    return directions[:2] * largest.sign(), share


def turned_weights(head: AttentionTrace, row: int, angles: Sequence[float]) -> Tensor:
    """The weights (len(angles), kv_len) of one query of a head (n, 2), turned by each angle, in degrees.

    The query keeps its length; keys, mask, bias and scale stay. Counter-clockwise, from where the query is.
    """
    query = head.query
    if query.shape[-1] != 2:
        raise ValueError(f"expected queries with 2 numbers, got {query.shape[-1]}")
    turns = torch.tensor(angles, dtype=query.dtype) * (math.pi / 180)
    cos, sin = turns.cos(), turns.sin()
    x, y = query[row]
    turned = query.expand(len(angles), *query.shape).clone()
    turned[:, row] = torch.stack((cos * x - sin * y, sin * x + cos * y), -1)
    return again(head, query=turned).weights[:, row]
