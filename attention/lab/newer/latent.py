"""Multi-head latent attention: keys and values from one short row (DeepSeek-AI 2024, DeepSeek-V2).

c = X·W_D is kept in place of keys and values; K = c·W_UK and V = c·W_UV. Its rotary part is left out here.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class Latent(NamedTuple):
    """A down-projection, and an up-projection for the keys and for the values."""

    down: Tensor  # (embed_dim, rank)
    up_k: Tensor  # (rank, columns of w_k)
    up_v: Tensor  # (rank, columns of w_v)


def compressed(w_k: Tensor, w_v: Tensor, rank: int) -> Latent:
    """Matrices of that rank whose products are nearest to w_k and w_v (Eckart & Young 1936).

    No others have a smaller sum of squared differences. DeepSeek trains its matrices instead.
    The columns of `down` are orthonormal; the largest number of each, by absolute value, is positive.
    """
    joint = torch.cat((w_k, w_v), dim=-1)
    down = torch.linalg.svd(joint).U[:, :rank]
    largest = down.gather(0, down.abs().argmax(dim=0, keepdim=True))
    down = down * torch.where(largest < 0, -1.0, 1.0)
    up_k, up_v = (down.mT @ joint).split([w_k.shape[-1], w_v.shape[-1]], dim=-1)
    return Latent(down, up_k, up_v)


def numbers_of_heads(num_kv_heads: int, head_dim: int, value_dim: int) -> int:
    """What the cache holds for a token and a layer with keys and values of their own for each head."""
    return num_kv_heads * (head_dim + value_dim)


def numbers_of_latent(rank: int, rotary_dim: int = 0) -> int:
    """What it holds in their place: c, and one key part with rotary positions that all heads share."""
    return rank + rotary_dim
