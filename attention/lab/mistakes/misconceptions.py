"""Five things that learners write and mean something else by, each beside the right form."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from attention import AttentionTrace, scaled_dot_product_attention


def divisors(d_k: int, n: int, d_model: int) -> dict[str, float]:
    """What the scores are divided by: the right √d_k, and what it is confused with. n counts the keys."""
    return {
        "sqrt_d_k": math.sqrt(d_k),
        "sqrt_n": math.sqrt(n),
        "sqrt_d_model": math.sqrt(d_model),
        "d_k": float(d_k),
        "none": 1.0,
    }


def score_deviation(d_k: int, divisor: float) -> float:
    """Standard deviation of q·k / divisor, for independent entries of mean 0 and variance 1: √d_k / divisor.

    It is 1 for every d_k with √d_k only. With √n it depends on how many keys there are.
    """
    return math.sqrt(d_k) / divisor


def scaled_by(query: Tensor, key: Tensor, value: Tensor, d_model: int) -> dict[str, AttentionTrace]:
    """Attention under each of the divisors; query (n_q, d_k), key (n, d_k), value (n, ·)."""
    n, d_k = key.shape
    return {
        name: scaled_dot_product_attention(query, key, value, scale=1 / divisor)
        for name, divisor in divisors(d_k, n, d_model).items()
    }


def transposed_weights(weights: Tensor, value: Tensor) -> Tensor:
    """Wrong: AᵀV, (n, value_dim). Right: weights @ value.

    On a square the shapes agree and no error comes. But row j of the result weighs the values with column j
    of A, by how much each token attends to j, and a column need not sum to 1.
    """
    return weights.mT @ value


def one_projection(x: Tensor, w: Tensor) -> AttentionTrace:
    """Attention with the same W for queries, keys and values: x (n, d_model), w (d_model, d_k).

    Then S = X·W·Wᵀ·Xᵀ is symmetric: i's score for j is j's for i. S_ii = |q_i|² ≥ 0, and |S_ij| is never
    above √(S_ii·S_jj) (Cauchy and Schwarz). The weights need not be symmetric: each row has its own sum.
    """
    q = x @ w
    return scaled_dot_product_attention(q, q, q)


def same_query_and_key(x: Tensor, w_q: Tensor, w_v: Tensor) -> AttentionTrace:
    """Attention with W_K = W_Q, W_V its own: the scores are symmetric as in one_projection."""
    q = x @ w_q
    return scaled_dot_product_attention(q, q, x @ w_v)


class Columns(NamedTuple):
    """Attention written with tokens as columns."""

    scores: Tensor  # (kv_len, q_len), KᵀQ / √d_k
    weights: Tensor  # (kv_len, q_len)
    output: Tensor  # (value_dim, q_len), V·weights


def in_columns(query: Tensor, key: Tensor, value: Tensor, *, softmax_over: str = "keys") -> Columns:
    """Attention as some courses write it: query (d_k, q_len), key (d_k, kv_len), value (d_v, kv_len).

    A token is a column, so the scores are KᵀQ, a query is a column of them, and the softmax goes down the
    columns: each of the results is the transpose of what rows give. softmax_over="queries" is the mistake of
    taking over the softmax over the last dimension from the form with rows.
    """
    scores = key.mT @ query / math.sqrt(query.shape[-2])  # (kv_len, q_len)
    weights = torch.softmax(scores, dim={"keys": -2, "queries": -1}[softmax_over])
    return Columns(scores, weights, value @ weights)
