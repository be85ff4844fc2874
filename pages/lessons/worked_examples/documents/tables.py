"""Markdown tables: the numbers of one step with headings, or rows or vectors of several steps."""

import re
from typing import NamedTuple

from .names import NamedPlace, place_of, step_of

NUMBER = re.compile(r"[-+−–.,0-9√][-+−–.,/0-9√eE%]*|[-−–—?…]|")
VECTOR = re.compile(r"[\[(][^\[\]()]*[\])]")
ROWS = re.compile(r"token|word|query|queries|row|position|step|\bi\b|#|词元|词|查询|行|位置", re.I)
KEYS = ("scores", "scaled_scores", "exponentials", "weights")  # their columns are keys
LABEL = re.compile(r"(?:[qkvxosa]? ?_? ?|(?:token|query|key|value|row|词元|查询|键) ?)[0-9]+", re.I)
TOTAL = re.compile(r"(?:row ?)?(?:sum|total)s?|Σ.*|∑.*|合计|总和|和|行和", re.I)
COMMA = re.compile(r"\A[-+−]?[0-9]*,[0-9]+")  # a decimal comma
MOST_NAMES = 100  # of rows or columns: more belong to no table whose rows or columns are named by steps

Row = list[str]


class MarkdownTable(NamedTuple):
    """A Markdown table as it is in the text."""

    header: Row
    rows: list[Row]
    end: int  # the line after it


class Read(NamedTuple):
    """What a table says: rows of entries and where they belong, the tokens, and columns that are left out."""

    blocks: list[tuple[NamedPlace, list[Row]]]
    tokens: Row
    left_out: Row


def table_at(lines: list[str], i: int) -> MarkdownTable | None:
    """The table that begins in this line: a row of headings, a rule, and rows."""
    if i + 1 >= len(lines) or "|" not in lines[i] or not _is_rule(lines[i + 1]):
        return None
    end = i + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    header, *rows = (_cells(line) for line in (lines[i], *lines[i + 2 : end]))
    return MarkdownTable(header, rows, end) if rows else None


def _is_rule(line: str) -> bool:
    """The line between headings and rows: |---|:--:|"""
    return {"|", "-"} <= set(line) <= set(" |:-")


def _cells(line: str) -> Row:
    """Without emphasis and quotes; a decimal comma becomes a point."""
    cells = [cell.strip(" \t*_\"'“”") for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    return [cell.replace(",", ".") if COMMA.fullmatch(cell) else cell for cell in cells]


def read_table(table: MarkdownTable, title: NamedPlace | None, first: int) -> Read | None:
    """What the table says under this title; None where its numbers belong to no step."""
    header, rows = table.header, table.rows
    if any(len(row) != len(header) for row in rows):
        return None
    if max(len(header), len(rows)) > MOST_NAMES:
        return _numbers(header, rows, title)
    if vectors := _vectors(header, rows):
        return vectors
    steps = {step_of(name) for name in header[1:] if len(name) > 1 and not TOTAL.fullmatch(name)} - {None}
    if len(steps) > 1:
        return None  # a column for each step
    return (None if steps else _named_rows(rows, first)) or _numbers(header, rows, title)


def _vectors(header: Row, rows: list[Row]) -> Read | None:
    """Columns that are named by a step, with a vector in each cell: | token | Q | K | V |."""
    blocks = []
    for name, *cells in zip(header, *rows, strict=True):
        step = step_of(name)
        if step and all(VECTOR.fullmatch(cell) for cell in cells):
            blocks.append((NamedPlace(step), [_entries(cell) for cell in cells]))
        elif any(re.search("[0-9]", cell) and not LABEL.fullmatch(cell) for cell in cells):
            return None
    return Read(blocks, _labels([row[0] for row in rows]), []) if blocks else None


def _entries(vector: str) -> Row:
    return [entry for entry in re.split(r"[\s,;，；]+", vector[1:-1]) if entry]


def _named_rows(rows: list[Row], first: int) -> Read | None:
    """Rows that are called q_1, k_2, …: each is a row of its step."""
    named = (place_of(row[0], first) for row in rows)
    places = [place for place in named if place and place.numbered and place.col is None]
    if len(places) < len(rows):
        return None
    numbers = [row[1:] for row in rows]
    if not all(NUMBER.fullmatch(entry) for row in numbers for entry in row):
        return None
    return Read([(place, [row]) for place, row in zip(places, numbers, strict=True)], [], [])


def _numbers(header: Row, rows: list[Row], title: NamedPlace | None) -> Read | None:
    """The numbers of one step. Its name is the title, or is in the corner."""
    headed = _is_corner(header, rows)
    corner = place_of(header[0]) if headed else None
    place = title or (corner if corner and corner.row is None else None)
    if place is None or place.step in ("tokens", "d_k"):
        return None
    names = [row[0] for row in rows] if headed else []
    body = [row[headed:] for row in rows]
    heads = header[headed:]
    if all(NUMBER.fullmatch(cell) and cell for cell in heads) and not headed:  # no headings: the first row
        body, heads = [heads, *body], []
    totals = [i for i, name in enumerate(heads) if TOTAL.fullmatch(name)]
    blocks = [(place, [[cell for i, cell in enumerate(row) if i not in totals] for row in body])]
    left_out = [header[headed + i] for i in totals]
    if totals and place.step == "exponentials":
        blocks.append((NamedPlace("sums"), [[row[totals[0]]] for row in body]))
        left_out = left_out[1:]
    if not all(NUMBER.fullmatch(cell) for _, block in blocks for row in block for cell in row):
        return None
    if place.step in KEYS:
        names = [name for i, name in enumerate(heads) if i not in totals]
    return Read(blocks, _labels(names) if place.step in (*KEYS, "x", "key", "value") else [], left_out)


def _is_corner(header: Row, rows: list[Row]) -> bool:
    """Whether the first column has the headings of the rows."""
    first = [row[0] for row in rows]
    if any(not NUMBER.fullmatch(cell) for cell in first):
        return True
    counted = [str(i) for i in range(len(rows) + 1)]
    return first in (counted[1:], counted[:-1]) and (not header[0] or bool(ROWS.search(header[0])))


def _labels(names: Row) -> Row:
    """Tokens; none where the headings only count."""
    return [] if any(not name or LABEL.fullmatch(name) for name in names) else names
