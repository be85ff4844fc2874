"""How a cell is computed, written out: where the matrices that it is made from are not in the picture."""

import functools
import math
import operator
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from .numbers import as_read, bracketed, confirmed, fewest, read, short
from .picture import written

CellText = Callable[[int, int], str]
CellSource = Callable[[int, int], tuple[int, int]]


def cells(values: Tensor, text: CellText, of: Sequence[str] = ()) -> dict:
    """The text of every cell. of: matrices whose same cell is lit."""
    rows, cols = values.shape
    return written([[text(r, c) for c in range(cols)] for r in range(rows)], of)


def shares(scores: Tensor, weights: Tensor, sign: str = "=") -> dict:
    """The softmax of each row, the largest score subtracted; without a visible key 0 / 0, or 0 by agreement.

    sign: before the result, which is approximate in a short format.
    """
    lines, results = scores.tolist(), weights.tolist()
    rows = [_Exponentials(line) for line in lines]

    def text(r: int, c: int) -> str:
        score, weight = lines[r][c], results[r][c]
        if math.isnan(weight):
            return "exp(−∞) / 0 = 0 / 0 = NaN"
        if score == -math.inf:
            return "exp(−∞) = 0"
        digits = fewest(lambda digits: rows[r].share(score, digits), weight)
        return f"{rows[r].written(score, digits)} {sign} {short(weight, 4)}"

    return cells(weights, text)


class _Exponentials:
    """The exponentials of a row of scores, the largest score subtracted, for all of its cells."""

    def __init__(self, scores: Sequence[float]):
        self.top = max(scores)
        self.values = [math.exp(score - self.top) for score in scores if score > -math.inf]
        self.total = functools.cache(lambda digits: sum(read(value, digits) for value in self.values))
        self.terms = functools.cache(lambda digits: " + ".join(as_read(self.values, digits)))

    def share(self, score: float, digits: int) -> float:
        """The softmax of a score, from numbers with so many decimals."""
        return math.exp(read(score, digits) - read(self.top, digits)) / self.total(digits)

    def written(self, score: float, digits: int | None) -> str:
        above, less = as_read((score, self.top), digits)
        return f"exp({above} − {bracketed(less)}) / ({self.terms(digits)})"


def products(
    left: Tensor, right: Tensor, values: Tensor, bias: Tensor | None = None, root: int | None = None
) -> dict:
    """Each row of one matrix times each column of another one.

    bias: what is added to each cell. root: the sum is divided by its square root.
    """
    rows, columns, results = left.tolist(), right.mT.tolist(), values.tolist()
    added = None if bias is None else bias.expand_as(values).tolist()
    count, divisor = 2 * left.shape[-1], math.sqrt(root or 1)

    def compute(*numbers: float) -> float:
        total = sum(map(operator.mul, numbers[:count:2], numbers[1:count:2])) + sum(numbers[count:])
        return total / divisor

    def text(r: int, c: int) -> str:
        numbers = [number for pair in zip(rows[r], columns[c], strict=True) for number in pair]
        numbers += [] if added is None else [added[r][c]]
        texts = list(map(bracketed, confirmed(compute, numbers, results[r][c])))
        pairs = zip(texts[:count:2], texts[1:count:2], strict=True)
        terms = " + ".join([*(f"{a} · {b}" for a, b in pairs), *texts[count:]])
        return f"{terms if root is None else f'({terms}) / √{root}'} = {short(results[r][c], 4)}"

    return cells(values, text)


def sums(terms: Sequence[Tensor], values: Tensor, of: Sequence[str] = (), least: int = 2) -> dict:
    """The sum of the same cell of several matrices. least: decimals."""
    numbers, results = [term.expand_as(values).tolist() for term in terms], values.tolist()

    def compute(*terms: float) -> float:
        return sum(terms)

    def text(r: int, c: int) -> str:
        texts = confirmed(compute, [term[r][c] for term in numbers], results[r][c], least=least)
        return f"{' + '.join(map(bracketed, texts))} = {short(results[r][c], 4)}"

    return cells(values, text, of)


def mean(terms: Sequence[Tensor], values: Tensor, of: Sequence[str] = ()) -> dict:
    """The mean of the same cell of several matrices."""
    numbers, results = [term.tolist() for term in terms], values.tolist()

    def text(r: int, c: int) -> str:
        texts = confirmed(
            lambda *terms: sum(terms) / len(terms), [term[r][c] for term in numbers], results[r][c]
        )
        return f"({' + '.join(map(bracketed, texts))}) / {len(texts)} = {short(results[r][c], 4)}"

    return cells(values, text, of)


def largest(terms: Sequence[Tensor], values: Tensor, of: Sequence[str] = ()) -> dict:
    """The largest of the same cell of several matrices."""
    numbers, results = [term.tolist() for term in terms], values.tolist()

    def text(r: int, c: int) -> str:
        texts = confirmed(max, [term[r][c] for term in numbers], results[r][c])
        return f"max({', '.join(texts)}) = {short(results[r][c], 4)}"

    return cells(values, text, of)


def copies(symbol: str, rows: Sequence[str], cols: Sequence[str], values: Tensor, place: CellSource) -> dict:
    """Numbers of another matrix at another place: place(row, column) of the cell that each comes from."""
    results = values.tolist()

    def text(r: int, c: int) -> str:
        row, col = place(r, c)
        return f"{symbol}[{rows[row]}, {cols[col]}] = {short(results[r][c], 4)}"

    return cells(values, text)


def waves(values: Tensor, first: int, base: float) -> dict:
    """The sines and cosines of each position times the frequency of its pair of columns."""
    results, width = values.tolist(), values.shape[-1]

    def text(r: int, c: int) -> str:
        name, wave = ("cos", math.cos) if c % 2 else ("sin", math.sin)
        frequency = base ** (-(c - c % 2) / width)
        (text,) = confirmed(lambda frequency: wave((first + r) * frequency), (frequency,), results[r][c])
        return f"{name}({first + r} · {text}) = {short(results[r][c], 4)}"

    return cells(values, text)


def distances(bias: Tensor) -> dict:
    """Minus the slope times the distance between query and key."""
    results = bias.tolist()
    slope = -results[0][1] if len(results) > 1 else 0.0

    def text(r: int, c: int) -> str:
        (text,) = confirmed(lambda slope: -slope * abs(r - c), (slope,), results[r][c])
        return f"−{bracketed(text)} · {abs(r - c)} = {short(results[r][c], 4)}"

    return cells(bias, text)


def quotients(above: Tensor, below: Tensor, values: Tensor, of: Sequence[str] = ()) -> dict:
    """Each number divided by the number of its row."""
    numbers, totals, results = above.tolist(), below.flatten().tolist(), values.tolist()

    def text(r: int, c: int) -> str:
        value = results[r][c]
        texts = confirmed(operator.truediv, (numbers[r][c], totals[r]), value)
        return f"{' / '.join(texts)} = {short(value, 4)}"

    return cells(values, text, of)


def softmax_texts(scores: Tensor, weights: Tensor, by: float) -> list[list[str]]:
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
