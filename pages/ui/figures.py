"""A figure: heatmaps side by side, the last one the result, and the table of cells its chart draws."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

from .heatmaps import Axis, Panel
from .numbers import short


@dataclass(frozen=True)
class StepView:
    """One step as it is shown. `arithmetic(row, col)` writes out how that cell of the result came about."""

    name: str
    panels: list[Panel]
    arithmetic: Callable[[int, int], str]

    @property
    def result(self) -> Panel:
        return self.panels[-1]


def nice_bound(values: list[list[float]]) -> float:
    """The value that gets the full colour: 1, 2, 5, 10, … so that it holds still while a number moves."""
    top = max((abs(v) for row in values for v in row if math.isfinite(v)), default=0.0)
    if top == 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(top))
    return next(power * step for step in (1, 2, 5, 10) if top <= power * step * (1 + 1e-12))


def signed(title: str, tensor: torch.Tensor, rows: Axis, cols: Axis, lit: str = "", **extra) -> Panel:
    values = tensor.tolist()
    return Panel(title, rows, cols, "signed", lit, values=values, bound=nice_bound(values), **extra)


def mask_panel(title: str, mask: torch.Tensor, rows: Axis, cols: Axis, lit: str = "", **extra) -> Panel:
    """A boolean mask: ✓ where the query may attend to the key, grey where it may not."""
    return Panel(title, rows, cols, "mask", lit, values=mask.tolist(), masked=(~mask).tolist(), **extra)


def weights(title: str, tensor: torch.Tensor, rows: Axis, cols: Axis, lit: str = "", masked=None) -> Panel:
    return Panel(title, rows, cols, "weights", lit, values=tensor.tolist(), masked=masked)


def product(a: Panel, b: Panel, result: Panel, bias: tuple[float, ...] | None = None):
    """Writes out the dot product of a row of `a` and a column of `b`, term by term."""

    @functools.cache
    def texts() -> tuple[list[list[str]], list[list[str]]]:
        factors = [[short(v) for v in row] for row in a.values]
        columns = [
            [short(v) if v >= 0 else f"({short(v)})" for v in col] for col in zip(*b.values, strict=True)
        ]
        return factors, columns

    def arithmetic(row: int, col: int) -> str:
        factors, columns = texts()
        terms = [f"{x}·{y}" for x, y in zip(factors[row], columns[col], strict=True)]
        if bias is not None:
            terms.append(short(bias[col]))
        return " + ".join(terms) + f" = {short(result.values[row][col], 4)}"

    return arithmetic


def places(view: StepView, chosen: tuple[int, int] | None) -> dict[str, list]:
    """The columns of a step's table that hold still while a number moves (see heatmaps)."""
    last = len(view.panels) - 1
    spots = [
        (number, r, c, bool(panel.masked and panel.masked[r][c]))
        for number, panel in enumerate(view.panels)
        for r in panel.rows.indices
        for c in panel.cols.indices
    ]
    return {
        "i": list(range(len(spots))),
        "p": [number for number, _, _, _ in spots],
        "r": [r for _, r, _, _ in spots],
        "c": [c for _, _, c, _ in spots],
        "k": [int(hidden) for _, _, _, hidden in spots],
        "s": [int(number == last and chosen == (r, c)) for number, r, c, _ in spots],
    }


def numbers(view: StepView) -> dict[str, list]:
    """The columns that follow every edit: the cells' texts and colours."""
    texts, colours = [], []
    for panel in view.panels:
        cols, bound = panel.cols.indices, panel.bound
        for r in panel.rows.indices:
            row = [panel.values[r][c] for c in cols]
            hides = panel.masked[r] if panel.masked else ()
            texts += map(_written, row)
            colours += [
                0.0 if hides and hides[c] else _colour(v, bound) for c, v in zip(cols, row, strict=True)
            ]
    return {"t": texts, "u": colours}


def _written(value: float | bool) -> str:
    return ("✓" if value else "×") if isinstance(value, bool) else short(value)


def _colour(value: float, bound: float) -> float:
    """A cell's share of the full colour; what is no number has none, what is infinite has all of it."""
    return value / bound if math.isfinite(value) else 0.0 if value != value else math.copysign(1.0, value)


def spoken(view: StepView) -> dict[str, list]:
    """The column with what a screen reader says of each result: its row, its column, its number."""
    panel = view.result
    said = [
        f"{panel.rows.labels[r]}, {panel.cols.labels[c]}: {_written(panel.values[r][c])}"
        for r in panel.rows.indices
        for c in panel.cols.indices
    ]
    return {"d": [""] * _cells_before_result(view) + said}


def _cells_before_result(view: StepView) -> int:
    return sum(len(panel.rows.indices) * len(panel.cols.indices) for panel in view.panels[:-1])


def arithmetic(view: StepView, line: int) -> dict[str, list]:
    """The column with each result's arithmetic, broken into lines of about `line` characters."""
    rows, cols = view.result.rows.indices, view.result.cols.indices
    before = _cells_before_result(view)
    return {"a": [""] * before + [wrap(view.arithmetic(r, c), line) for r in rows for c in cols]}


def wrap(text: str, line: int) -> str:
    """Breaks at the spaces, so that no line is longer than `line` characters where it can be helped."""
    lines, current = [], ""
    for word in text.split(" "):
        if current and len(current) + 1 + len(word) > line:
            lines.append(current)
            current = word
        else:
            current = f"{current} {word}" if current else word
    return "\n".join([*lines, current])
