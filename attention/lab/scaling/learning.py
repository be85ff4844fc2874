"""What scaling does to gradients at the start of training, and what it does not mend."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.lab.scaling.divisors import HEADS, divisors
from attention.lab.softmax.scores import entropy, jacobian

TOKENS = 8
GRADIENT_SIZES = tuple(2**i for i in range(10))  # d_k: 1 … 512
# The softmax's Jacobian; one query's part of the gradient at W_Q and at W_K, the middle one; all of it.
METRICS = ("jacobian", "query_part", "key_part", "query_all", "key_all")

WIDTHS = tuple(2**i for i in range(3, 10))  # 8 … 512
STARTS = ("raw", "divided", "linear", "normalised")
LIMIT_TOKENS = 64


def jacobian_norm(weights: Tensor) -> Tensor:
    """The Frobenius norm of each row's Jacobian."""
    return jacobian(weights).flatten(-2).norm(dim=-1)


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

    x, w_q, w_k = normal(TOKENS, d_model), normal(d_model, d_k), normal(d_model, d_k)
    root = math.sqrt(d_model)
    return Drawn(x, w_q / root, w_k / root, normal(TOKENS, TOKENS))


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
        "jacobian": jacobian_norm(weights.detach()),
        "query_part": query_part / long_q,
        "key_part": key_part / long_k,
        "query_all": (at_q.norm() / long_q)[None],
        "key_all": (at_k.norm() / long_k)[None],
    }


@dataclass(frozen=True)
class Quartiles:
    """A quarter of the values lie below `low`, half below `median`, three quarters below `high`."""

    low: float
    median: float
    high: float


def quartiles(values: Tensor) -> Quartiles:
    marks = torch.tensor([0.25, 0.5, 0.75], dtype=values.dtype)
    return Quartiles(*values.quantile(marks).tolist())


# ---- what √d_k does not mend


@dataclass(frozen=True)
class Start:
    """Scores divided by √d_k at one width, d_model = d_k = width: means over the draws."""

    width: int
    deviation: float
    top: float
    share: float  # of the largest entropy


def theory_deviation(start: str, width: int) -> float:
    """Of the scaled scores of two different tokens: exact, for each start."""
    return {"raw": float(width), "divided": 1.0, "linear": 1 / 3, "normalised": 1.0}[start]


def start_weights(start: str, width: int, seed: int) -> Tensor:
    """The attention weights (tokens, tokens) of a few tokens; X is the same for all starts."""
    generator = torch.Generator().manual_seed((seed << 12) + width)
    return start_scores(start, width, generator, 1, TOKENS)[0].softmax(dim=-1)


def start_scores(start: str, width: int, generator: torch.Generator, draws: int, tokens: int) -> Tensor:
    """Scaled scores (draws, tokens, tokens) of X ~ N(0, 1) with weights drawn in that way."""

    def normal(*shape: int) -> Tensor:
        return torch.randn(draws, *shape, generator=generator, dtype=torch.float64)

    def weight() -> Tensor:
        if start == "linear":  # nn.Linear's own start: uniform from −1/√d to 1/√d
            uniform = torch.rand(draws, width, width, generator=generator, dtype=torch.float64)
            return (2 * uniform - 1) / math.sqrt(width)
        return normal(width, width) / (math.sqrt(width) if start == "divided" else 1.0)

    x = normal(tokens, width)
    q, k = x @ weight(), x @ weight()
    if start == "normalised":
        q, k = (rows / rows.square().mean(dim=-1, keepdim=True).sqrt() for rows in (q, k))
    return q @ k.mT / math.sqrt(width)


def start_of(start: str, width: int, seed: int) -> Start:
    """Measured at one width. Narrow ones are drawn more often, for there chance weighs more."""
    generator = torch.Generator().manual_seed((seed << 12) + width)
    scores = start_scores(start, width, generator, max(6, 2048 // width), LIMIT_TOKENS)
    weights = scores.softmax(dim=-1)
    others = ~torch.eye(LIMIT_TOKENS, dtype=torch.bool)
    return Start(
        width,
        scores[:, others].square().mean().sqrt().item(),
        weights.amax(dim=-1).mean().item(),
        entropy(weights).mean().item() / math.log2(LIMIT_TOKENS),
    )
