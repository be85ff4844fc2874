"""Matrices as text and as HTML: numbers as they are printed, and the colours of their cells.

Colours mean what they mean in the dashboard: attention weights from white to purple on a scale fixed to
0 … 1, signed numbers from blue over white to orange on a scale centred at 0, and grey for what is masked.
"""

import html
import itertools
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

DIVERGING = ("#2166ac", "#67a9cf", "#d1e5f0", "#f7f7f7", "#fee0b6", "#f1a340", "#b35806")
SEQUENTIAL = ("#fcfbfd", "#dadaeb", "#9e9ac8", "#6a51a3", "#3f007d")
MASKED = "#6b7079"
# A tensor with more numbers than THRESHOLD is shortened to EDGE rows and columns at each end, as torch does.
THRESHOLD, EDGE = 1000, 3
LONGEST = 24  # characters of a token
CUT = None  # in place of the rows, columns or matrices that are left out


@dataclass(frozen=True, eq=False)
class Table:
    """A matrix (rows, columns) to be shown."""

    title: str
    values: Tensor
    weights: bool = False  # from 0 to 1; else signed
    masked: Tensor | None = None  # bool, True = the cell is masked
    bound: float = 0.0  # the size that has the full colour of a signed scale
    shortened: bool = False
    tokens: tuple[str, ...] = ()  # names of the rows; empty: they are numbered
    column_tokens: tuple[str, ...] = ()

    @property
    def rows(self) -> list[int | None]:
        return indices(self.values.shape[0], self.shortened)

    @property
    def columns(self) -> list[int | None]:
        return indices(self.values.shape[1], self.shortened)

    def number(self, row: int | None, column: int | None) -> str:
        """The text of a cell."""
        return "…" if row is CUT or column is CUT else number_text(float(self.values[row, column]))


def indices(count: int, shortened: bool) -> list[int | None]:
    """The indices of the rows, columns or matrices to show, of `count`; CUT in place of what is left out."""
    if not shortened or count <= 2 * EDGE + 1:
        return list(range(count))
    return [*range(EDGE), CUT, *range(count - EDGE, count)]


def number_text(value: float) -> str:
    """A number with four decimals; a very large or small one with its exponent."""
    if math.isinf(value):
        return "-inf" if value < 0 else "inf"
    if value != value:
        return "nan"
    size = abs(value)
    if size >= 1e5 or 0 < size < 5e-5:
        return f"{value:.1e}"
    return f"{value + 0.0:.4f}"


def bound_of(values: Tensor, masked: Tensor | None) -> float:
    """The largest size of a number that is finite and not masked."""
    kept = values.isfinite() if masked is None else values.isfinite() & ~masked
    return float(values[kept].abs().max()) if bool(kept.any()) else 0.0


# ---- text


def as_text(matrix: Table) -> str:
    """The numbers in aligned columns, with the tokens of rows and columns where they have names."""
    cells = [[matrix.number(row, column) for column in matrix.columns] for row in matrix.rows]
    if matrix.tokens:
        cells = [[name_at(matrix.tokens, row), *line] for row, line in zip(matrix.rows, cells, strict=True)]
    if matrix.column_tokens:
        names = [name_at(matrix.column_tokens, column) for column in matrix.columns]
        cells.insert(0, [""] * bool(matrix.tokens) + names)
    widths = [max(map(cells_of, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  " + "  ".join(map(_right, line, widths)) for line in cells)


def _right(text: str, width: int) -> str:
    return " " * (width - cells_of(text)) + text


def cells_of(text: str) -> int:
    """How many columns of a terminal the text fills: two for each Chinese character."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) > 0 for letter in text)


def printable(token: object) -> str:
    """A token on one line: what does not print is written as in code, and a long one is cut."""
    text = str(token)
    text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def name_at(tokens: Sequence[str], index: int | None) -> str:
    return "…" if index is CUT else tokens[index] if tokens else str(index)


# ---- HTML

TABLE = "border-collapse:collapse;display:inline-table;margin:0 1em 1em 0;color:inherit;background:none"
CAPTION = "text-align:left;caption-side:top;padding:0;color:inherit;white-space:nowrap"
CELL = "padding:.2em .5em;text-align:right;font:13px monospace;border:1px solid rgba(128,128,128,.35)"
HEAD = "padding:.1em .5em;text-align:right;font:11px monospace;border:0;color:inherit;opacity:.7"


def as_html(matrix: Table) -> str:
    """A table with coloured cells; rows and columns without names are numbered as in code, from 0."""
    columns = "".join(
        f'<th scope="col" style="{HEAD}">{html.escape(name_at(matrix.column_tokens, column))}</th>'
        for column in matrix.columns
    )
    rows = "".join(
        f'<tr style="background:none"><th scope="row" style="{HEAD}">'
        f"{html.escape(name_at(matrix.tokens, row))}</th>"
        + "".join(_cell(matrix, row, column) for column in matrix.columns)
        + "</tr>"
        for row in matrix.rows
    )
    caption = f'<caption style="{CAPTION}">{html.escape(matrix.title)}</caption>' if matrix.title else ""
    return (
        f'<table style="{TABLE}">{caption}<tr style="background:none"><td></td>{columns}</tr>{rows}</table>'
    )


def _cell(matrix: Table, row: int | None, column: int | None) -> str:
    text = html.escape(matrix.number(row, column).replace("-inf", "−∞").replace("-", "−"))
    if row is CUT or column is CUT:
        return f'<td style="{CELL}">{text}</td>'
    colour = colour_of(matrix, row, column)
    return f'<td style="{CELL};background:{colour};color:{ink_on(colour)}">{text}</td>'


def colour_of(matrix: Table, row: int, column: int) -> str:
    """The colour of a cell, #rrggbb."""
    value = float(matrix.values[row, column])
    if value == -math.inf or (matrix.masked is not None and bool(matrix.masked[row, column])):
        return MASKED
    if value != value:
        return "#000000"
    if matrix.weights:
        return _mixed(SEQUENTIAL, value)
    share = math.copysign(1.0, value) if math.isinf(value) else value / matrix.bound if matrix.bound else 0.0
    return _mixed(DIVERGING, (share + 1) / 2)


def _mixed(stops: tuple[str, ...], share: float) -> str:
    """The colour at that share, 0 … 1, of the way along the stops."""
    place = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    low = min(int(place), len(stops) - 2)
    channels = zip(_parts(stops[low]), _parts(stops[low + 1]), strict=True)
    return "#" + "".join(f"{round(start + (end - start) * (place - low)):02x}" for start, end in channels)


def _parts(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def ink_on(colour: str) -> str:
    """Black or white: at least 4.5 to 1 on every colour."""
    shares = [part / 255 for part in _parts(colour)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares)
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "#ffffff"


# ---- from tensors


def slices(
    name: str,
    values: Tensor,
    masked: Tensor | None = None,
    tokens: tuple[str, ...] = (),
    column_tokens: tuple[str, ...] = (),
    *,
    weights: bool = False,
    names: tuple[str, ...] = (),
) -> list[Table | None]:
    """The matrices of a tensor (..., rows, columns), each titled with its place on the leading dimensions.

    names: what the last leading dimensions count, such as ("batch", "head"). CUT represents those left out.
    masked broadcasts to the tensor. All matrices share the scale of their colours.
    """
    values = values.detach().cpu()
    masked = None if masked is None else masked.detach().cpu().expand(values.shape)
    bound, shortened = bound_of(values, masked), values.numel() > THRESHOLD
    places = list(itertools.product(*map(range, values.shape[:-2])))

    def matrix(place: tuple[int, ...]) -> Table:
        hidden = None if masked is None else masked[place]
        return Table(
            titled(name, place, names),
            values[place],
            weights,
            hidden,
            bound,
            shortened,
            tokens,
            column_tokens,
        )

    return [CUT if at is CUT else matrix(places[at]) for at in indices(len(places), shortened)]


def titled(name: str, place: tuple[int, ...], names: tuple[str, ...]) -> str:
    """The place as in code, and in words where they are known: weights[0, 1], batch 0, head 1."""
    counted = zip(reversed(names), reversed(place), strict=False)
    words = [f"{count} {index}" for count, index in reversed(list(counted))]
    index = f"{name}[{', '.join(map(str, place))}]" if place else name
    return ", ".join([index, *words])
