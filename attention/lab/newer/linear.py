"""Linear attention (Katharopoulos et al. 2020): without the softmax, the order of the products is free.

The paper also maps queries and keys to positive numbers, φ(x) = elu(x) + 1, and divides each row by its sum.
Both are left out here: they change the numbers, but not what may be multiplied first.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class Recurrent(NamedTuple):
    """The state after each token, and each token's output."""

    states: Tensor  # (n, head_dim, value_dim)
    output: Tensor  # (n, value_dim)


def recurrent(query: Tensor, key: Tensor, value: Tensor) -> Recurrent:
    """S_t = S_{t−1} + k_tᵀ·v_t and o_t = q_t·S_t: causal linear attention, one token after another."""
    state, states, rows = key.new_zeros(key.shape[-1], value.shape[-1]), [], []
    for q, k, v in zip(query, key, value, strict=True):
        state = state + k[:, None] * v
        states.append(state)
        rows.append(q @ state)
    return Recurrent(torch.stack(states), torch.stack(rows))


def multiply_adds(n: int, head_dim: int, value_dim: int) -> tuple[int, int]:
    """Of (Q·Kᵀ)·V, n²·(d_k + d_v), and of Q·(Kᵀ·V), 2n·d_k·d_v."""
    return n * n * (head_dim + value_dim), 2 * n * head_dim * value_dim
