"""Local layers with a sliding window, and global layers in turn (Gemma Team 2025, Gemma 3, section 2).

A window of r keys has the query's own key and the r − 1 before it; a global layer, None, has no window.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention.masks import causal_mask, sliding_window_mask

Windows = Sequence[int | None]  # one for each layer, from the input up


def in_turn(layers: int, window: int, local: int) -> list[int | None]:
    """After each `local` local layers a global one, beginning with a local layer; 0: all are global."""
    return [None if layer % (local + 1) == local else window for layer in range(layers)]


def mask_of(n: int, window: int | None) -> Tensor:
    """Which keys each query of such a layer attends to: (n, n), bool."""
    return causal_mask(n) if window is None else sliding_window_mask(n, left=window - 1, right=0)


def attended(n: int, windows: Windows) -> Tensor:
    """Which keys the last of n queries attends to in each layer: (layers, n), bool.

    These keys and values have to be in the cache.
    """
    return torch.stack([mask_of(n, window)[-1] for window in windows])


def reach(n: int, windows: Windows) -> Tensor:
    """The tokens on which the last row of each layer's output can depend: (layers, n), bool.

    A layer's row depends on the rows of the layer below that it attends to, and on what these depend on.
    """
    rows, reached = [], torch.eye(n, dtype=torch.bool)
    for window in windows:
        reached = (mask_of(n, window).double() @ reached.double()) > 0
        rows.append(reached[-1])
    return torch.stack(rows)


def tokens_reached(n: int, windows: Windows) -> int:
    """How many of n tokens the last row can depend on after these layers: 1 + Σ (r − 1), at most n."""
    return n if None in windows else min(n, 1 + sum(r - 1 for r in windows if r is not None))


def rows_kept(n: int, windows: Windows) -> int:
    """Keys, each with its value, that the cache of all layers holds for n tokens: Σ min(n, r)."""
    return sum(n if r is None else min(n, r) for r in windows)
