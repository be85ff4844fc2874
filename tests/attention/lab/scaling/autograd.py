"""The tests' reference: gradients of attention weights at W_Q and W_K, by autograd."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.lab.scaling import learning
from attention.lab.scaling.divisors import HEADS, divisors


@dataclass(frozen=True)
class Drawn:
    """A start: X with entries N(0, 1), W with N(0, 1/d_model), so that those of q and k have variance 1."""

    x: Tensor  # (tokens, d_model)
    w_q: Tensor  # (d_model, d_k)
    w_k: Tensor
    arriving: Tensor  # (tokens, tokens): the gradient that arrives at the weights, the same for all scalings


def drawn(d_k: int, seed: int, draw: int) -> Drawn:
    generator = torch.Generator().manual_seed((seed << 16) + (draw << 10) + d_k)
    d_model = HEADS * d_k

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator, dtype=torch.float64)

    x, w_q, w_k = normal(learning.TOKENS, d_model), normal(d_model, d_k), normal(d_model, d_k)
    root = math.sqrt(d_model)
    return Drawn(x, w_q / root, w_k / root, normal(learning.TOKENS, learning.TOKENS))


def gradient_norms(start: Drawn, scaling: str) -> dict[str, Tensor]:
    """By autograd, for each metric: a number for each query, or one for all of them.

    Gradients at W are divided by W's own length, so that widths can be compared. Query i's part of the
    gradient at W_Q is the outer product of x_i and what reaches q_i; of that at W_K, of Xᵀ times what reaches
    the row of scores, and q_i. So the norms of the parts follow from the gradients at Q and at the scores.
    """
    w_q, w_k = start.w_q.requires_grad_(), start.w_k.requires_grad_()
    query = start.x @ w_q
    scores = query @ (start.x @ w_k).T / divisors(w_q.shape[-1])[scaling]  # (tokens, tokens)
    weights = scores.softmax(dim=-1)
    wanted = (w_q, w_k, query, scores)
    at_q, at_k, at_query, at_scores = torch.autograd.grad((weights * start.arriving).sum(), wanted)
    query_part = start.x.norm(dim=1) * at_query.norm(dim=1)
    by = divisors(w_q.shape[-1])[scaling]
    key_part = (at_scores @ start.x).norm(dim=1) * query.detach().norm(dim=1) / by
    long_q, long_k = w_q.detach().norm(), w_k.detach().norm()
    return {
        "jacobian": learning.jacobian_norm(weights.detach()),
        "query_part": query_part / long_q,
        "key_part": key_part / long_k,
        "query_all": (at_q.norm() / long_q)[None],
        "key_all": (at_k.norm() / long_k)[None],
    }
