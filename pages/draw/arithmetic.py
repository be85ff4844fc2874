"""Arithmetic in words, for cells whose sources are not in the picture."""

import math

import torch
from torch import Tensor

from .numbers import bracketed, confirmed


def softmax(scores: Tensor, weights: Tensor, by: float = 1.0) -> list[list[str]]:
    """How each attention weight follows from its row of scores, which are divided by `by` and may be −∞."""
    tops = scores.max(dim=-1, keepdim=True).values
    totals = torch.exp((scores - tops) / by).sum(dim=-1).tolist()

    def text(value: float, top: float, total: float, weight: float) -> str:
        if not math.isfinite(value):
            return f"{weight:.4f}"
        score, less, divisor, below = confirmed(_weight, (value, top, by, total), weight)
        exponent = f"{score} − {bracketed(less)}"
        exponent = exponent if by == 1 else f"({exponent}) / {divisor}"
        return f"exp({exponent}) / {below} = {weight:.4f}"

    rows = zip(scores.tolist(), tops.squeeze(-1).tolist(), totals, weights.tolist(), strict=True)
    return [
        [text(value, top, total, weight) for value, weight in zip(values, answers, strict=True)]
        for values, top, total, answers in rows
    ]


def _weight(value: float, top: float, by: float, total: float) -> float:
    return math.exp((value - top) / by) / total
