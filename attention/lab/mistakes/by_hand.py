"""One step of attention worked by hand, and how far rounding leads off.

    computed(step, worked)   the step by itself, from what is before it
    SLIPS[step][name](worked)   the step with a mistake of a hand in it, NaN where it cannot be made
    rounding(step, worked)   how far a cell may be off where what is before it is rounded to what is shown
    tolerance(step, worked)  how far a right answer may be off

Numbers are shown and entered with DECIMALS decimals.
"""

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.checking.mistakes import MISTAKES, Mistake
from attention.checking.programs import ONE_HEAD, evaluate, execute
from attention.scaled_dot_product import fill_masked

DECIMALS = 2  # that are shown, and that an answer has
HALF = 0.5 * 10**-DECIMALS  # half a unit of the last one
HALF_EXP = 0.5e-3  # exponentials are written with three decimals


@dataclass(frozen=True, eq=False)
class Worked:
    """One head, every step of it: whichever step is computed, what is before it is taken from here."""

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
        """The mask, all True where no mask is set."""
        return torch.ones_like(self.scores, dtype=torch.bool) if self.mask is None else self.mask

    @property
    def masked_scores(self) -> Tensor:
        return fill_masked(self.scaled_scores, self.mask, -math.inf)


# The lines of each step. There is no step of a mask: a masked weight is written down as 0 at once.
COMPUTED: Mapping[str, tuple[str, ...]] = {
    "scores": ("scores",),
    "scaled_scores": ("scaled_scores",),
    "weights": ("masked_scores", "weights"),
    "output": ("head_output",),
}


def computed(step: str, worked: Worked) -> Tensor:
    """One of COMPUTED: (n, n), or (n, d_v) for the output."""
    lines = COMPUTED[step]
    return execute(ONE_HEAD, lines, _names(step, worked))[lines[-1]]


def _names(step: str, worked: Worked) -> dict[str, object]:
    """The variables of the lines of a step."""
    names = {name: getattr(worked, name) for name in ("query", "key", "value", "weights", "d_k")}
    scores = worked.scaled_scores if step == "weights" else worked.scores
    sizes = {"n": len(worked.key), "d_v": worked.value.shape[-1], "d_model": worked.d_model or worked.d_k}
    return names | sizes | {"scores": scores, "mask": worked.visible}


# ---- mistakes


def slip(mistake: Mistake, worked: Worked) -> Tensor:
    """The step mistake.by_hand with the mistake; NaN in the cells in which it cannot be made."""
    lines, names = COMPUTED[mistake.by_hand], _names(mistake.by_hand, worked)
    value = torch.as_tensor(evaluate(mistake.hand, names))
    if not value.any():
        return torch.full_like(worked.value if mistake.by_hand == "output" else worked.scores, math.nan)
    wrong = execute(ONE_HEAD | dict(mistake.wrong), lines, names, empty_rows=False)[lines[-1]]
    return torch.where(value & wrong.isfinite(), wrong, math.nan)


# The mistakes that a hand makes in each step.
SLIPS: Mapping[str, Mapping[str, Callable[[Worked], Tensor]]] = {
    step: {
        name: functools.partial(slip, mistake)
        for name, mistake in MISTAKES.items()
        if mistake.hand and mistake.by_hand == step
    }
    for step in COMPUTED
}


# ---- rounding


def rounded_off(tensor: Tensor) -> float:
    """The most that rounding takes from a number of the tensor: HALF, or 0 where all have so few decimals."""
    exact = torch.allclose(tensor, torch.round(tensor, decimals=DECIMALS), rtol=0, atol=1e-9)
    return 0.0 if exact else HALF


def rounding(step: str, worked: Worked) -> Tensor:
    """How far each cell may lie from the exact one where what is before it is rounded; shape of the step.

    Every number x before the step is taken to lie within a = rounded_off(x) of what is shown. The bounds hold
    for all the numbers at once:

    scores          Σ_k (a_q·|k| + a_k·|q|) + d_k·a_q·a_k
    scaled scores   a/(r − ρ) + |s|·ρ/(r·(r − ρ)), where √d_k = r is written with two decimals, wrong by ρ
    weights         a weight w is largest where its own score is a too large and all others a too small:
                    w·e^2a / (1 − w + w·e^2a); the other way round it is smallest. To that comes the rounding
                    of m exponentials, ε = HALF_EXP each: ε·(1 + m)/(Z − m·ε), with Z the smaller of Σ exp(s)
                    and Σ exp(s − max). Infinite where nothing of the sum would be left.
    output          Σ_j (a_w·|v| + a_v·|w|) + n·a_w·a_v

    The rounding of the answer itself is not in it: HALF more.
    """
    if step == "scores":
        return _of_product(worked.query, worked.key.mT)
    if step == "output":
        return _of_product(worked.weights, worked.value)
    a = rounded_off(getattr(worked, {"scaled_scores": "scores", "weights": "scaled_scores"}[step]))
    if step == "scaled_scores":
        root = math.sqrt(worked.d_k)
        lost = abs(root - round(root, DECIMALS))
        return a / (root - lost) + worked.scores.abs() * lost / (root * (root - lost))
    return _of_softmax(worked, a)


def _of_product(left: Tensor, right: Tensor) -> Tensor:
    a, b = rounded_off(left), rounded_off(right)
    most = left.abs() @ torch.full_like(right, b) + torch.full_like(left, a) @ right.abs()
    return most + left.shape[-1] * a * b


def _of_softmax(worked: Worked, a: float) -> Tensor:
    scores, weights = worked.masked_scores, computed("weights", worked)
    most, least = math.exp(2 * a), math.exp(-2 * a)
    up = weights * most / (1 - weights + weights * most) - weights
    down = weights - weights * least / (1 - weights + weights * least)
    exps = torch.exp(scores).sum(-1, keepdim=True)
    shifted = torch.exp(scores - scores.amax(-1, keepdim=True)).sum(-1, keepdim=True)
    count = worked.visible.sum(-1, keepdim=True)
    left = torch.minimum(exps, shifted) - count * HALF_EXP
    written = torch.where(left > 0, HALF_EXP * (1 + count) / left, math.inf)
    bound = torch.maximum(up, down) + written
    return torch.where(worked.visible, bound, 0.0)


def tolerance(step: str, worked: Worked) -> Tensor:
    """How far a right answer may lie from the exact one: rounding, and HALF for itself. Shape of the step."""
    return rounding(step, worked) + HALF + 1e-9
