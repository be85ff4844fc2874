"""One step of attention worked by hand: how far rounding leads off, and what usual slips give instead.

    computed(step, given)   the step by itself, from what stands before it
    rounding(step, given)   how far a cell may be off where what stands before it is rounded to what is shown
    SLIPS[step][name]       the step with a slip, a function of `given`; NaN where the slip cannot be made

The catalogue has whole runs with a mistake that code makes; a slip is made in one step, by a hand.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.lab.mistakes.forms import mask_after_softmax, multiply_by_zero
from attention.lab.mistakes.misconceptions import divisors, transposed_weights
from attention.lab.softmax.lines import over_queries
from attention.scaled_dot_product import fill_masked, softmax_rows

STEPS = ("scores", "scaled_scores", "weights", "output")
DECIMALS = 2  # that are shown, and that an answer has
HALF = 0.5 * 10**-DECIMALS  # half a unit of the last one
HALF_EXP = 0.5e-3  # exponentials are written with three decimals


@dataclass(frozen=True, eq=False)
class Given:
    """One head, every step of it: whichever step is computed, what stands before it is taken from here."""

    query: Tensor  # (n, d_k)
    key: Tensor  # (n, d_k)
    value: Tensor  # (n, d_v)
    scores: Tensor  # (n, n)
    scaled_scores: Tensor  # (n, n)
    weights: Tensor  # (n, n)
    mask: Tensor | None = None  # (n, n), True = may attend
    d_model: int | None = None  # where there is an X

    @property
    def d_k(self) -> int:
        return self.query.shape[-1]

    @property
    def visible(self) -> Tensor:
        """The mask, all True where there is none."""
        return torch.ones_like(self.scores, dtype=torch.bool) if self.mask is None else self.mask

    @property
    def masked_scores(self) -> Tensor:
        return fill_masked(self.scaled_scores, self.mask, -math.inf)


def computed(step: str, given: Given) -> Tensor:
    """The step from the ones before it; the shape of the step."""
    if step == "scores":
        return given.query @ given.key.mT
    if step == "scaled_scores":
        return given.scores / math.sqrt(given.d_k)
    if step == "weights":
        return softmax_rows(given.masked_scores)
    return given.weights @ given.value


# ---- rounding


def off(tensor: Tensor) -> float:
    """The most that a number is off after rounding: half a unit, or 0 where the decimals say all of them."""
    exact = torch.allclose(tensor, torch.round(tensor, decimals=DECIMALS), rtol=0, atol=1e-9)
    return 0.0 if exact else HALF


def rounding(step: str, given: Given) -> Tensor:
    """How far each cell may be off where what stands before it is rounded; the shape of the step.

    Every number x before the step is taken to lie within a = off(x) of what is shown. The bounds hold for all
    such numbers at once:

    scores          Σ_k (a_q·|k| + a_k·|q|) + d_k·a_q·a_k
    scaled scores   a/(r − ρ) + |s|·ρ/(r·(r − ρ)), where √d_k = r is written with two decimals, ρ off
    weights         a weight w is largest where its own score is a too large and all others a too small:
                    w·e^2a / (1 − w + w·e^2a); the other way round it is smallest. To that comes the rounding
                    of m exponentials, ε = HALF_EXP each: ε·(1 + m)/(Z − m·ε), with Z the smaller of Σ exp(s)
                    and Σ exp(s − max). Infinite where nothing of the sum would be left.
    output          Σ_j (a_w·|v| + a_v·|w|) + n·a_w·a_v

    The rounding of the answer itself is not in it: HALF more.
    """
    if step == "scores":
        return _of_product(given.query, given.key.mT)
    if step == "output":
        return _of_product(given.weights, given.value)
    a = off(getattr(given, {"scaled_scores": "scores", "weights": "scaled_scores"}[step]))
    if step == "scaled_scores":
        root = math.sqrt(given.d_k)
        lost = abs(root - round(root, DECIMALS))
        return a / (root - lost) + given.scores.abs() * lost / (root * (root - lost))
    return _of_softmax(given, a)


def _of_product(left: Tensor, right: Tensor) -> Tensor:
    a, b = off(left), off(right)
    most = left.abs() @ torch.full_like(right, b) + torch.full_like(left, a) @ right.abs()
    return most + left.shape[-1] * a * b


def _of_softmax(given: Given, a: float) -> Tensor:
    scores, weights = given.masked_scores, computed("weights", given)
    most, least = math.exp(2 * a), math.exp(-2 * a)
    up = weights * most / (1 - weights + weights * most) - weights
    down = weights - weights * least / (1 - weights + weights * least)
    exps = torch.exp(scores).sum(-1, keepdim=True)
    shifted = torch.exp(scores - scores.amax(-1, keepdim=True)).sum(-1, keepdim=True)
    count = given.visible.sum(-1, keepdim=True)
    left = torch.minimum(exps, shifted) - count * HALF_EXP
    written = torch.where(left > 0, HALF_EXP * (1 + count) / left, math.inf)
    bound = torch.maximum(up, down) + written
    return torch.where(given.visible, bound, 0.0)


def tolerance(step: str, given: Given) -> Tensor:
    """How far a right answer may be off: by rounding before the step, and of the answer itself."""
    return rounding(step, given) + HALF + 1e-9


# ---- slips; each gives the whole step, NaN where it cannot be made

Slip = Callable[[Given], Tensor]


def _nowhere(like: Tensor) -> Tensor:
    return torch.full_like(like, math.nan)


def _only(where: Tensor, wrong: Tensor) -> Tensor:
    return torch.where(where, wrong, math.nan)


def key_not_transposed(given: Given) -> Tensor:
    """q with a column of K in place of a row, Q·K: shapes allow it only where n = d_k."""
    n, d_k = given.key.shape
    return given.query @ given.key if n == d_k else _nowhere(given.scores)


def query_and_key_exchanged(given: Given) -> Tensor:
    """The key's row of Q with the query's row of K: K·Qᵀ, the scores transposed. No slip on the diagonal."""
    off_diagonal = ~torch.eye(len(given.query), dtype=torch.bool)
    return _only(off_diagonal, given.key @ given.query.mT)


def _signs_lost(left: Tensor, right: Tensor) -> Tensor:
    """All numbers of a product without their signs; NaN where no term is negative."""
    negative = torch.minimum(left[..., :, :, None] * right[..., None, :, :], torch.zeros(())).sum(-2) < 0
    return _only(negative, left.abs() @ right.abs())


def _last_left_out(left: Tensor, right: Tensor) -> Tensor:
    """A product without its last term; NaN where that is 0, or the only one."""
    last = left[..., :, -1:] @ right[..., -1:, :]
    some = last != 0 if left.shape[-1] > 1 else torch.zeros_like(last, dtype=torch.bool)
    return _only(some, left @ right - last)


def score_signs_lost(given: Given) -> Tensor:
    """|q|·|k|."""
    return _signs_lost(given.query, given.key.mT)


def score_term_left_out(given: Given) -> Tensor:
    """q·k without its last product."""
    return _last_left_out(given.query, given.key.mT)


def scaled_too_early(given: Given) -> Tensor:
    """q·k / √d_k, where the score itself is asked for."""
    scores = computed("scores", given)
    return scores / math.sqrt(given.d_k) if given.d_k > 1 else _nowhere(scores)


def divided_by(name: str) -> Slip:
    """The scores divided by another of misconceptions.divisors."""

    def slip(given: Given) -> Tensor:
        n = given.scores.shape[-1]
        known = divisors(given.d_k, n, given.d_model or given.d_k)
        wrong = known[name] != known["sqrt_d_k"]
        return given.scores / known[name] if wrong else _nowhere(given.scores)

    return slip


def multiplied(given: Given) -> Tensor:
    """The scores times √d_k."""
    return given.scores * math.sqrt(given.d_k) if given.d_k > 1 else _nowhere(given.scores)


def scaled_sign_lost(given: Given) -> Tensor:
    """|s| / √d_k."""
    return _only(given.scores < 0, given.scores.abs() / math.sqrt(given.d_k))


def exp_only(given: Given) -> Tensor:
    """exp(s), not divided by the sum of its row; 0 where masked."""
    return torch.exp(given.masked_scores)


def exp_below_largest(given: Given) -> Tensor:
    """exp(s − max), not divided by the sum."""
    return torch.exp(given.masked_scores - given.masked_scores.amax(-1, keepdim=True))


def no_exp(given: Given) -> Tensor:
    """s / Σ s over the visible keys of the row, without exponentials; NaN where the sum is 0."""
    visible = given.scaled_scores.masked_fill(~given.visible, 0.0)
    total = visible.sum(-1, keepdim=True)
    return _only(total != 0, visible / total)


def over_column(given: Given) -> Tensor:
    """Softmax down each column, over the queries."""
    return over_queries(given.masked_scores).masked_fill(~given.visible, 0.0)


def scaled_again(given: Given) -> Tensor:
    """Softmax of the scaled scores divided by √d_k once more."""
    again = softmax_rows(given.masked_scores / math.sqrt(given.d_k))
    return again if given.d_k > 1 else _nowhere(again)


def _where_masked(given: Given, wrong: Tensor) -> Tensor:
    """In rows without a masked key there is no slip with the mask."""
    return _only((~given.visible).any(-1, keepdim=True), wrong)


def mask_forgotten(given: Given) -> Tensor:
    """Softmax over all keys, the masked ones too."""
    return _where_masked(given, softmax_rows(given.scaled_scores))


def mask_after(given: Given) -> Tensor:
    """Masked weights set to 0 after the softmax, and the rest left as it is."""
    return _where_masked(given, mask_after_softmax(given.scaled_scores, given.visible))


def masked_score_zero(given: Given) -> Tensor:
    """A masked score set to 0 in place of −∞: it still gets exp(0) = 1 into the sum."""
    return _where_masked(given, multiply_by_zero(given.scaled_scores, given.visible))


def mask_inverted(given: Given) -> Tensor:
    """Softmax over the masked keys in place of the visible ones."""
    return _where_masked(given, softmax_rows(fill_masked(given.scaled_scores, ~given.visible, -math.inf)))


def weights_transposed(given: Given) -> Tensor:
    """AᵀV: a column of A in place of its row."""
    return transposed_weights(given.weights, given.value)


def value_not_transposed_back(given: Given) -> Tensor:
    """A·Vᵀ: the weights with a row of V in place of a column. Shapes allow it only where n = d_v."""
    n, d_v = given.value.shape
    return given.weights @ given.value.mT if n == d_v else _nowhere(given.value)


def plain_mean(given: Given) -> Tensor:
    """All visible values alike, whatever they weigh."""
    visible = given.visible.to(given.value.dtype)
    return visible @ given.value / visible.sum(-1, keepdim=True)


def plain_sum(given: Given) -> Tensor:
    """The visible values added up without weights."""
    return given.visible.to(given.value.dtype) @ given.value


def largest_only(given: Given) -> Tensor:
    """The value of the key with the largest weight, alone."""
    return given.value[given.weights.argmax(-1)]


def output_signs_lost(given: Given) -> Tensor:
    """Σ w·|v|."""
    return _signs_lost(given.weights, given.value)


def output_term_left_out(given: Given) -> Tensor:
    """The weighted sum without its last term."""
    return _last_left_out(given.weights, given.value)


SLIPS: dict[str, dict[str, Slip]] = {
    "scores": {
        "key_not_transposed": key_not_transposed,
        "exchanged": query_and_key_exchanged,
        "score_signs": score_signs_lost,
        "score_term": score_term_left_out,
        "scaled_early": scaled_too_early,
    },
    "scaled_scores": {
        "not_scaled": divided_by("none"),
        "by_d_k": divided_by("d_k"),
        "by_root_n": divided_by("sqrt_n"),
        "by_root_d_model": divided_by("sqrt_d_model"),
        "multiplied": multiplied,
        "scaled_sign": scaled_sign_lost,
    },
    "weights": {
        "exp_only": exp_only,
        "exp_below": exp_below_largest,
        "no_exp": no_exp,
        "column": over_column,
        "scaled_again": scaled_again,
        "mask_forgotten": mask_forgotten,
        "mask_after": mask_after,
        "masked_zero": masked_score_zero,
        "mask_inverted": mask_inverted,
    },
    "output": {
        "transposed": weights_transposed,
        "value_row": value_not_transposed_back,
        "mean": plain_mean,
        "sum": plain_sum,
        "largest": largest_only,
        "output_signs": output_signs_lost,
        "output_term": output_term_left_out,
    },
}
