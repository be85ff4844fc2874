"""The arithmetic of cells as text, for matrices whose sources are not in the picture."""

import math
import operator
from collections.abc import Callable, Sequence

from torch import Tensor

from pages.picture import written

from .numbers import bracketed, confirmed, short

CellText = Callable[[int, int], str]
CellSource = Callable[[int, int], tuple[int, int]]


def cells(values: Tensor, text: CellText, of: Sequence[str] = ()) -> dict:
    """The text of every cell. of: matrices in which the same cell is lit."""
    rows, cols = values.shape
    return written([[text(r, c) for c in range(cols)] for r in range(rows)], of)


def products(
    left: Tensor, right: Tensor, values: Tensor, bias: Tensor | None = None, root: int | None = None
) -> dict:
    """Each row of one matrix times each column of another one.

    bias: added to each cell. root: its square root divides the sum.
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
    """Copies of another matrix's cells. place: (row, column) → the copied cell."""
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
