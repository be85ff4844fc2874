"""Random numbers and sizes for tests of the core, the same in every run. Sizes are different primes."""

import torch
from torch import Tensor

from attention import AttentionTrace, scaled_dot_product_attention

BATCH, HEADS, Q_LEN, KV_LEN, HEAD_DIM, VALUE_DIM = 2, 3, 5, 7, 11, 13
EMBED_DIM = HEADS * HEAD_DIM


def normal(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def random_mask(*shape: int) -> Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(11)) > 0.3


def head(n: int = 3, d: int = 4, *, seed: int = 0, **options: object) -> AttentionTrace:
    """Attention of n tokens with normal queries, keys and values; the options are those of the core."""
    return scaled_dot_product_attention(*normal(3, n, d, seed=seed), **options)
