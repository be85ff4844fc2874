"""Matrices and formulas as HTML. Typed texts are escaped."""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from html import escape

from pages.draw.numbers import entered, short
from pages.draw.picture import Matrix, nice_bound
from pages.draw.texts import plain

COLUMNS = 16  # of one table; a wider matrix takes several
SCRIPTS = re.compile(r"([_^])(?:\{([^{}]*)\}|([^\W_]))")  # as in the picture's markup.js
TAGS = {"_": "sub", "^": "sup"}


def markup(text: str) -> str:
    """A formula or a symbol: `W_Q` and `K^T` get a subscript and a superscript."""

    def script(match: re.Match) -> str:
        return f"<{TAGS[match[1]]}>{match[2] or match[3] or ''}</{TAGS[match[1]]}>"

    return SCRIPTS.sub(script, escape(text))


def element(tag: str, inside: str, **attributes: str | int) -> str:
    """An element of HTML. inside: HTML; `class_` is the attribute class."""
    written = (f' {name.rstrip("_").replace("_", "-")}="{escape(str(v))}"' for name, v in attributes.items())
    return f"<{tag}{''.join(written)}>{inside}</{tag}>"


def as_html(text: str) -> str:
    """A text of the screen as HTML."""
    return escape(plain(text))


def of_head(matrix: Matrix) -> Matrix:
    """The matrix with the shown head's columns only."""
    if matrix.look.marked is None:
        return matrix
    start, stop = matrix.look.marked
    return _part(matrix, start - matrix.offset, stop - matrix.offset).looking(marked=None)


def _part(matrix: Matrix, start: int, stop: int) -> Matrix:
    values = [row[start:stop] for row in matrix.known]
    return replace(matrix, cols=matrix.cols[start:stop], values=values, offset=matrix.offset + start)


def tables(matrix: Matrix, blank: range = range(0), *, sums: bool = False) -> str:
    """The matrix in one or several tables. blank: empty columns; sums: add a column of row sums."""
    starts = range(0, len(matrix.cols), COLUMNS)
    return "".join(_table(_part(matrix, start, start + COLUMNS), blank, sums) for start in starts)


def _table(matrix: Matrix, blank: range, sums: bool) -> str:
    write = _writer(matrix)
    cols = [*map(escape, matrix.cols), *(["Σ"] if sums else [])]
    body = []
    for name, row in zip(matrix.rows, matrix.known, strict=True):
        cells = [_cell("" if matrix.offset + col in blank else write(value)) for col, value in enumerate(row)]
        if sums:
            cells.append(_cell("" if blank else short(sum(row)), class_="sum"))
        body.append(_row(element("th", escape(name), scope="row"), *cells))
    head = element("thead", "".join(_heads(matrix, cols)))
    kind = "mask" if matrix.kind == "mask" else "numbers"
    return element("table", head + element("tbody", "".join(body)), class_=kind, data_matrix=matrix.id)


def _heads(matrix: Matrix, cols: list[str]) -> Iterable[str]:
    """The names of the columns, below the names of the axes if the matrix has any."""
    names = [element("th", name, scope="col") for name in cols]
    if not matrix.look.row_axis:
        return [_row("<td></td>", *names)]
    rows = element("th", f"{escape(matrix.look.row_axis)} ↓", class_="axis", rowspan=2)
    above = element("th", f"{escape(matrix.look.col_axis)} →", class_="axis", colspan=len(cols))
    return [_row(rows, above), _row(*names)]


def _row(*cells: str) -> str:
    return element("tr", "".join(cells))


def _cell(text: str, **attributes: str) -> str:
    return element("td", escape(text), **({"class_": "blank"} if not text else attributes))


def _writer(matrix: Matrix) -> Callable[[float | bool], str]:
    """The function that writes this matrix's cells as the picture does."""
    if matrix.kind == "mask":
        return lambda visible: "✓" if visible else "×"
    if matrix.editing:
        return entered
    bound = matrix.bound or nice_bound(matrix.known)
    decimals = 3 if matrix.kind == "signed" and bound < 0.1 else 2
    return lambda value: short(value, decimals)
