"""Softmax of a few scores: temperature, bounds, Jacobian, axes, dropout; in float64."""

import math
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from typing import NamedTuple

import torch
from torch import Tensor

from attention import AttentionTrace
from attention.lab.heads.again import again
from attention.scaled_dot_product import latest

TIE = 1e-12
AXES = {"keys": -1, "queries": -2, "all": None}
# The example of a lecture note: its scores, and the weights it prints.
NOTE_SCORES = (2.0, 1.0, 0.1)
NOTE_WEIGHTS = (0.65, 0.24, 0.11)


class Softmax(NamedTuple):
    """exp(s), their sum, and the weights."""

    exps: list[float]
    total: float
    weights: list[float]


class Spread(NamedTuple):
    """How weights are shared out: the largest; their entropy in bits, as a share of log₂ n; 2^entropy."""

    largest: float
    entropy: float
    share: float
    effective: float


class Draws(NamedTuple):
    """Many draws of dropout: their mean, its standard error as measured, and as it should be."""

    mean: Tensor  # (n, m)
    measured_error: Tensor  # (n, m)
    expected_error: Tensor  # (n, m)


def tensor(values) -> Tensor:
    """Numbers, or rows of them, in float64."""
    return torch.tensor(values, dtype=torch.float64)


def softmax(logits: tuple[float, ...], temperature: float = 1.0, shift: float = 0.0) -> list[float]:
    """The weights of (scores + shift) / temperature."""
    return torch.softmax((tensor(logits) + shift) / temperature, dim=-1).tolist()


def written_out(logits: tuple[float, ...]) -> Softmax:
    """As the formula says it, not shifted: exps and sum may be infinite. The weights are right anyway."""
    exps = torch.exp(tensor(logits))
    return Softmax(exps.tolist(), exps.sum().item(), softmax(logits))


def hard_maximum(logits: tuple[float, ...]) -> list[float]:
    """What low temperatures lead to: all weight on the largest score, shared equally where it is tied."""
    best = [logit >= max(logits) - TIE for logit in logits]
    return [yes / sum(best) for yes in best]


def ties(logits: tuple[float, ...]) -> int:
    """How many scores are the largest."""
    return sum(logit >= max(logits) - TIE for logit in logits)


def gap(logits: tuple[float, ...]) -> float:
    """How far the largest score lies above the second."""
    first, second = sorted(logits, reverse=True)[:2]
    return first - second


def largest_bounds(gaps: list[float], n: int, temperature: float) -> tuple[list[float], list[float]]:
    """The least and the most that the largest of n weights can be, for each gap to the second score.

    Least: all the others are as large as the second. Most: all but the second are far below.
    """
    ratio = torch.exp(-tensor(gaps) / temperature)
    return (1 / (1 + (n - 1) * ratio)).tolist(), (1 / (1 + ratio)).tolist()


def entropy(weights: Tensor) -> Tensor:
    """Of each row of weights, in bits, (…, n) → (…); a weight of 0 adds nothing."""
    return torch.special.entr(weights).sum(dim=-1) / math.log(2)


def spread(weights: list[float]) -> Spread:
    """Of one row of weights."""
    bits = entropy(tensor(weights)).item()
    share = bits / math.log2(len(weights)) if len(weights) > 1 else 0.0
    return Spread(max(weights), bits, share, 2**bits)


def by_temperature(
    logits: tuple[float, ...], temperatures: list[float]
) -> tuple[list[list[float]], list[float]]:
    """The weights at each temperature, one row a temperature, and their entropies in bits."""
    weights = torch.softmax(tensor(logits) / tensor(temperatures).unsqueeze(-1), dim=-1)
    return weights.tolist(), entropy(weights).tolist()


class Doubled(NamedTuple):
    """The weights before and after all scores are doubled; the weights above the threshold grow."""

    before: list[float]
    after: list[float]
    threshold: float  # Σ p²


def doubling(logits: tuple[float, ...], temperature: float = 1.0) -> Doubled:
    """exp(2s) = exp(s)², so p becomes p² / Σ p²: it grows where p > Σ p² and falls where p < Σ p².

    The largest weight never falls, for Σ p² is a mean of the weights. Relative to it every smaller weight
    falls, from p / p_max to its square; but a close runner-up may grow all the same.
    """
    before = softmax(logits, temperature)
    return Doubled(before, softmax(logits, temperature / 2), sum(p * p for p in before))


def along(
    logits: tuple[float, ...], index: int, grid: list[float], temperature: float = 1.0
) -> list[list[float]]:
    """All weights while score `index` takes the values of the grid: one row a value."""
    scores = tensor(logits).repeat(len(grid), 1)
    scores[:, index] = tensor(grid)
    return torch.softmax(scores / temperature, dim=-1).tolist()


def half_way(logits: tuple[float, ...], index: int, temperature: float = 1.0) -> float:
    """The value of score `index` that gives it the weight ½: T·logsumexp of the others divided by T."""
    others = tensor(logits[:index] + logits[index + 1 :])
    return temperature * torch.logsumexp(others / temperature, dim=-1).item()


def exact_weights(
    logits: tuple[float, ...], shift: float, digits: int = 30, temperature: float = 1.0
) -> list[Decimal]:
    """The weights of (scores + shift) / T, in decimals of so many digits: no binary rounding on the way."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = digits + 20, MAX_EMAX, MIN_EMIN
        moved, cooled = Decimal(repr(shift)), Decimal(repr(temperature))
        exps = [((Decimal(repr(logit)) + moved) / cooled).exp() for logit in logits]
        total = sum(exps)
        context.prec = digits
        return [value / total for value in exps]


def jacobian(weights: Tensor) -> Tensor:
    """∂p_i / ∂s_j = p_i (δ_ij − p_j) for each row p of weights: (…, n, n)."""
    return torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)


class ScoreChange(NamedTuple):
    """What a change of one score does to every weight: really, and by the Jacobian."""

    real: list[float]
    predicted: list[float]

    @property
    def errors(self) -> list[float]:
        return [a - b for a, b in zip(self.real, self.predicted, strict=True)]

    @property
    def error(self) -> float:
        return max(map(abs, self.errors))


def answer(logits: tuple[float, ...], index: int, nudge: float) -> ScoreChange:
    """The change of every weight where `nudge` is added to score `index`."""
    scores = tensor(logits)
    weights = torch.softmax(scores, dim=-1)
    nudged = scores.clone()
    nudged[index] += nudge
    real = torch.softmax(nudged, dim=-1) - weights
    return ScoreChange(real.tolist(), (jacobian(weights)[:, index] * nudge).tolist())


def errors_along(logits: tuple[float, ...], index: int, nudges: list[float]) -> list[float]:
    """The largest error of the Jacobian's prediction for each change of score `index`."""
    weights, changes = torch.softmax(tensor(logits), dim=-1), tensor(nudges).unsqueeze(-1)
    nudged = tensor(logits).repeat(len(nudges), 1)
    nudged[:, index] += changes[:, 0]
    predicted = jacobian(weights)[:, index] * changes
    return (torch.softmax(nudged, dim=-1) - weights - predicted).abs().amax(dim=-1).tolist()


def over(scores: Tensor, axis: str) -> Tensor:
    """PyTorch's softmax of scores (n, m): over the keys of each query, over queries, over all cells."""
    dim = AXES[axis]
    if dim is None:
        return torch.softmax(scores.flatten(), dim=0).view_as(scores)
    return torch.softmax(scores, dim=dim)


def row_sum_tolerance(dtype: torch.dtype, keys: int) -> float:
    """How far from 1 the sum of a right row of so many keys may lie by rounding.

    Rounding each weight moves the sum by at most eps / 2, rounding the sum by as much again: together eps,
    and twice that to be safe. Each of the two sums, the softmax's own and this one, adds at most
    keys · eps / 2 of the format they are added up in, which is float32 for 16-bit weights.
    """
    added_in = torch.promote_types(dtype, torch.float32)
    return 2 * torch.finfo(dtype).eps + keys * torch.finfo(added_in).eps


def rows_sum_to_one(weights: Tensor) -> bool:
    """Whether every row (…, n) sums to 1. Fully masked rows (sum 0) and dropped weights fail it, rightly.

    torch.allclose's own tolerance, about 1e-5, rejects right rows in float16 and bfloat16; see false_alarms.
    """
    tolerance = row_sum_tolerance(weights.dtype, weights.shape[-1])
    sums = weights.sum(dim=-1)
    return torch.allclose(sums, torch.ones_like(sums), rtol=0.0, atol=tolerance)


def false_alarms(dtype: torch.dtype, keys: int) -> float:
    """The share of right rows that torch.allclose rejects with its default tolerances, one row at a time.

    The 2000 rows are softmaxes, computed in the dtype, of normal scores.
    """
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(2000, keys, generator=generator, dtype=torch.float64).to(dtype)
    sums = torch.softmax(scores, dim=-1).sum(dim=-1)
    return 1 - torch.isclose(sums, torch.ones_like(sums)).double().mean().item()


def _draws(head: AttentionTrace, p: float, seed: int, draws: int = 1) -> AttentionTrace:
    """The same attention with dropout on its weights; several draws in one go."""
    query = head.query.expand(draws, *head.query.shape)
    return again(head, query=query, dropout_p=p, generator=torch.Generator().manual_seed(seed))


def drop_weights(head: AttentionTrace, p: float, seed: int) -> AttentionTrace:
    """The same attention with one draw of dropout on its weights."""
    return _draws(head, p, seed).head(0)


def many_draws(head: AttentionTrace, p: float, seed: int, count: int) -> Draws:
    """The mean of `count` draws. A kept weight w becomes w / (1 − p): variance w²·p / (1 − p)."""
    trace = _draws(head, p, seed, count)
    drawn = latest(trace.weights, trace.dropped_weights)
    expected = head.weights * math.sqrt(p / (1 - p) / count)
    return Draws(drawn.mean(0), drawn.std(0) / math.sqrt(count), expected)


def in_errors(weights: Tensor, draws: Draws) -> Tensor:
    """How far the mean is from the weights (n, m), in standard errors; 0 where nothing is random."""
    apart = (draws.mean - weights) / draws.expected_error
    return apart.where(draws.expected_error > 0, 0.0)
