"""How a cell is computed, written out: where the matrices that it is made from are not in the picture."""

import math
import operator
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from .numbers import bracketed, confirmed, short
from .picture import written

Cell = Callable[[int, int], str]


def cells(values: Tensor, text: Cell, of: Sequence[str] = ()) -> dict:
    """The text of every cell, none where the value is not a number. of: matrices whose same cell is lit."""
    known = values.isfinite().tolist()
    rows, cols = values.shape
    return written([[text(r, c) if known[r][c] else "" for c in range(cols)] for r in range(rows)], of)


def shares(scores: Tensor, weights: Tensor) -> dict:
    """The softmax of each row, the largest score subtracted; nothing where a row has no visible key."""
    lines, results = scores.tolist(), weights.tolist()

    def text(r: int, c: int) -> str:
        line, top = lines[r], max(lines[r])
        if not math.isfinite(top):
            return ""
        if line[c] == -math.inf:
            return "exp(−∞) = 0"
        exps = [math.exp(score - top) for score in line if score > -math.inf]
        return _share(line[c], top, exps, results[r][c])

    return cells(weights, text)


def _share(score: float, top: float, exps: Sequence[float], weight: float) -> str:
    def compute(score: float, top: float, *exps: float) -> float:
        return math.exp(score - top) / sum(exps)

    score_text, top_text, *terms = confirmed(compute, (score, top, *exps), weight)
    return f"exp({score_text} − {bracketed(top_text)}) / ({' + '.join(terms)}) = {short(weight, 4)}"


def products(left: Tensor, right: Tensor, values: Tensor) -> dict:
    """Each row of one matrix times each column of another one."""
    rows, columns, results = left.tolist(), right.mT.tolist(), values.tolist()

    def compute(*factors: float) -> float:
        return sum(map(operator.mul, factors[::2], factors[1::2]))

    def text(r: int, c: int) -> str:
        factors = [number for pair in zip(rows[r], columns[c], strict=True) for number in pair]
        texts = list(map(bracketed, confirmed(compute, factors, results[r][c])))
        pairs = zip(texts[::2], texts[1::2], strict=True)
        return f"{' + '.join(f'{a} · {b}' for a, b in pairs)} = {short(results[r][c], 4)}"

    return cells(values, text)


def quotients(above: Tensor, below: Tensor, values: Tensor, of: Sequence[str] = ()) -> dict:
    """Each number divided by the number of its row."""
    numbers, totals, results = above.tolist(), below.flatten().tolist(), values.tolist()

    def text(r: int, c: int) -> str:
        value = results[r][c]
        texts = confirmed(operator.truediv, (numbers[r][c], totals[r]), value)
        return f"{' / '.join(texts)} = {short(value, 4)}"

    return cells(values, text, of)


def divided(scores: Tensor, weights: Tensor, by: float) -> list[list[str]]:
    """How each attention weight follows from its row of scores, which are divided by `by` and may be −∞."""
    tops = scores.max(dim=-1, keepdim=True).values
    totals = torch.exp((scores - tops) / by).sum(dim=-1).tolist()

    def text(value: float, top: float, total: float, weight: float) -> str:
        if not math.isfinite(value):
            return f"{weight:.4f}"
        score, less, divisor, below = confirmed(_divided_share, (value, top, by, total), weight)
        return f"exp(({score} − {bracketed(less)}) / {divisor}) / {below} = {weight:.4f}"

    rows = zip(scores.tolist(), tops.squeeze(-1).tolist(), totals, weights.tolist(), strict=True)
    return [
        [text(value, top, total, weight) for value, weight in zip(values, answers, strict=True)]
        for values, top, total, answers in rows
    ]


def _divided_share(value: float, top: float, by: float, total: float) -> float:
    return math.exp((value - top) / by) / total
