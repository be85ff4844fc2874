"""What scaling does to gradients at the start of training, and what it does not correct."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.lab.scaling.variance import normal
from attention.lab.softmax.scores import entropy, jacobian

TOKENS = 8
GRADIENT_SIZES = tuple(2**i for i in range(10))  # d_k: 1 … 512

WIDTHS = tuple(2**i for i in range(3, 10))  # 8 … 512
STARTS = ("raw", "divided", "linear", "normalised")
LIMIT_TOKENS = 64


def jacobian_norm(weights: Tensor) -> Tensor:
    """The Frobenius norm of the Jacobian of each row of weights: (…, n) → (…)."""
    return jacobian(weights).flatten(-2).norm(dim=-1)


@dataclass(frozen=True)
class Quartiles:
    """A quarter of the values lie below `low`, half below `median`, three quarters below `high`."""

    low: float
    median: float
    high: float


def quartiles(values: Tensor) -> Quartiles:
    """Of values (count,), by linear interpolation."""
    marks = torch.tensor([0.25, 0.5, 0.75], dtype=values.dtype)
    return Quartiles(*values.quantile(marks).tolist())


# ---- what √d_k does not correct


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


def few_scores(start: str, width: int, seed: int) -> Tensor:
    """The scaled scores (tokens, tokens) of a few tokens; X is the same for all starts."""
    generator = torch.Generator().manual_seed((seed << 12) + width)
    return start_scores(start, width, generator, 1, TOKENS)[0]


def start_scores(start: str, width: int, generator: torch.Generator, draws: int, tokens: int) -> Tensor:
    """Scaled scores (draws, tokens, tokens) of X ~ N(0, 1) with weights drawn in that way."""

    def weight() -> Tensor:
        if start == "linear":  # nn.Linear's own start: uniform from −1/√d to 1/√d
            uniform = torch.rand(draws, width, width, generator=generator, dtype=torch.float64)
            return (2 * uniform - 1) / math.sqrt(width)
        return normal((draws, width, width), generator) / (math.sqrt(width) if start == "divided" else 1.0)

    x = normal((draws, tokens, width), generator)
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
