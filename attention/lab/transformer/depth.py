"""How alike the rows become from block to block (Dong et al. 2021, "Attention is not all you need")."""

import math
from typing import Any

import torch
from torch import Tensor

from attention import transformer_block

DEPTH = 12


def spread(rows: Tensor) -> float:
    """How far the rows are from equal: the norm of rows − their mean, as a share of the norm of rows.

    0 where all rows are equal, so that their matrix has the rank 1; at most 1.
    """
    norm = rows.norm().item()
    return (rows - rows.mean(dim=-2, keepdim=True)).norm().item() / norm if norm else 0.0


def spread_by_depth(
    seed: int, *, residual: bool = False, feed_forward: bool = False, count: int = 4, width: int = 4
) -> list[float]:
    """The spread of `count` normal rows, and after each of 12 blocks with matrices drawn from the seed.

    Every query may attend to every key, and there is no norm: "pure attention" without the options.
    """
    generator = torch.Generator().manual_seed(seed)

    def normal(rows: int, cols: int) -> Tensor:
        return torch.randn((rows, cols), generator=generator, dtype=torch.float64) / math.sqrt(rows)

    x = torch.randn((count, width), generator=generator, dtype=torch.float64)
    spreads = [spread(x)]
    for _ in range(DEPTH):
        own: dict[str, Any] = {name: normal(width, width) for name in ("w_q", "w_k", "w_v", "w_o")}
        more: dict[str, Any] = {"w_1": normal(width, 2 * width), "w_2": normal(2 * width, width)}
        block = transformer_block(
            x, **own, **(more if feed_forward else {}), norm="none", residual=residual, activation="relu"
        )
        x = block.output
        spreads.append(spread(x))
    return spreads
