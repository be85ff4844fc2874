"""Tables of numbers: CSV with any separator, columns of spaces as print shows them, Markdown."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pages.model.entries import SettingsError, short_text

from .arrays import ARRAY, uneven
from .names import place_of
from .numbers import DOTS, is_blank, is_number, is_word, with_point

Row = list[str]

RULE = re.compile(r"[\s|+:=-]+")  # a line that only draws
FOOT = re.compile(r"dtype: |Name: |\[[0-9]+ rows")  # of pandas
COUNTED = re.compile(
    r"(?:#|id|idx|index|row|rows|i|n|no\.?|nr\.?|unnamed.{0,9}|step|token|position|词元|行|位置)?", re.I
)
TOTAL = re.compile(r"(?:row ?)?(?:sum|total)s?|Σ.*|∑.*|合计|总和|和|行和", re.I)
THOUSAND = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
YEAR = 1_900
LONGEST = 1_000  # rows: a longer table is not read to its end


class NumberTable(NamedTuple):
    """Rows of entries, the names of rows and columns, what was left out, and the line after the table."""

    rows: list[Row]
    end: int
    labels: Sequence[str] = ()
    heads: Sequence[str] = ()
    corner: str = ""  # the head of the names of the rows
    totals: Mapping[str, Row] = MappingProxyType({})  # columns of sums, by their heads
    notes: tuple[SettingsError, ...] = ()
    fault: SettingsError | None = None


def table_at(lines: list[str], i: int, *, titled: bool) -> NumberTable | None:
    """The table that begins in line i. titled: a name is above it, so that it may have a single row."""
    mark = _mark(lines[i])
    cells, end = _cells(lines, i, mark)
    # Lines that are read together are not read again, or the time would grow with their square.
    nothing = NumberTable([], end) if end - i > 3 else None
    header, body = _header(_without_ends(cells), mark)
    if mark is None and header[:1] not in ([], [""]) and lines[i][:1] == " ":
        indent, first = (len(line) - len(line.lstrip()) for line in (lines[i], lines[end - 1]))
        header = ["", *header] if indent >= first + len(body[-1][0]) else header
    numbers = sum(is_number(cell) or bool(ARRAY.fullmatch(cell)) for row in body for cell in row)
    if not numbers:
        return nothing
    foot = FOOT.match(lines[end].strip()) if end < len(lines) else None
    words = any(not is_number(row[0]) for row in body)
    lonely = len(body) == 1 or (mark is None and len(body[0]) < 3)
    if words and lonely and mark in (None, ",") and not (header or titled or foot):
        return nothing
    return _table(header, body, end, bool(foot), wrapped=lines[i].endswith("\\"))


def _mark(line: str) -> str | None:
    """What is between the cells of a line; None for spaces."""
    mark = next((mark for mark in "|\t;," if mark in line), None)
    decimal = mark == "," and " " in line.strip() and all(map(is_number, line.split()))
    return None if decimal else mark


def _split(line: str, mark: str | None) -> Row:
    if mark is None:
        return line.removesuffix("\\").split()
    if mark == "|":
        line = line.strip().removeprefix("|").removesuffix("|")
    cells = next(csv.reader([line], delimiter=mark, skipinitialspace=True), [])
    return [cell.strip(" *'_") for cell in cells]


def _cells(lines: list[str], i: int, mark: str | None) -> tuple[list[Row], int]:
    """The rows up to a line that is none of the table's. The line below Markdown's headings is a rule."""
    rows: list[Row] = []
    end, ruled = i, False
    while end < len(lines) and len(rows) < LONGEST:
        line, after = lines[end].strip(), lines[end + 1] if end + 1 < len(lines) else ""
        cells = _split(lines[end], mark)
        if mark == "|" and "|" in line and RULE.fullmatch(line):
            ruled = ruled or len(rows) == 1
        elif not line:  # copies of web pages have an empty line after each row
            following = _split(after, mark) if end - i == 2 * len(rows) - 1 else []
            if not _is_row(following) or len(following) != len(rows[-1]):
                break
        elif "|" in line if mark == "|" else _is_part(cells, mark, rows, line, lines[end + 1 : end + 3]):
            rows.append(cells)
        else:
            break
        end += 1
    return (rows if mark != "|" or ruled or len(rows) > 1 else []), end


def _is_part(cells: Row, mark: str | None, rows: list[Row], line: str, after: list[str]) -> bool:
    """Whether the line is a row, the names of the columns or, below them, the name of pandas' index."""
    of_index = len(rows) == 1 and mark is None and len(cells) == 1 and _is_row("".join(after[:1]).split())
    is_head = of_index or (not rows and _heads(cells, after, mark))
    return not FOOT.match(line) and (_is_row(cells) or _is_damaged(cells, mark, rows) or is_head)


def _is_row(cells: Row) -> bool:
    """Numbers, with or without a name in front."""
    if not any(map(is_number, cells)):
        return False
    return all(is_number(cell) or is_blank(cell) or cell in DOTS for cell in cells[1:]) and (
        len(cells) > 1 or is_number(cells[0])
    )


def _is_damaged(cells: Row, mark: str | None, rows: list[Row]) -> bool:
    """A row of which something is no number: the reason to refuse the table, and not its end."""
    if all(cell in DOTS for cell in cells):
        return True
    numbers = sum(map(is_number, cells))
    if mark is not None:
        return len(cells) > 1 and numbers > 0
    most = 2 * numbers > len(cells) if not rows else is_number(cells[0])
    return most and numbers > (not rows) and (not rows or len(cells) == len(rows[-1]))


def _heads(cells: Row, after: list[str], mark: str | None) -> bool:
    """Whether the line has the names of columns: the next one is a row with as many cells, or one more."""
    if len(after) > 1 and mark is None and len(_split(after[0], mark)) == 1:  # the name of pandas' index
        after = after[1:]
    row = _split(after[0], mark) if after and after[0].strip() else []
    if not _is_row(row) or any(len(cell) > 40 for cell in cells) or (mark is None and len(row) < 2):
        return False
    return mark is not None or (len(row) - len(cells) in (0, 1) and _mark(after[0]) is None)


def _without_ends(rows: list[Row]) -> list[Row]:
    """Without the empty cells that separators at the ends of all rows leave."""
    filled = (max((i for i, cell in enumerate(row) if cell), default=0) + 1 for row in rows)
    empty = min((len(row) - width for row, width in zip(rows, filled, strict=True)), default=0)
    return [row[: len(row) - empty] for row in rows if any(row)]


def _header(rows: list[Row], mark: str | None) -> tuple[Row, list[Row]]:
    """The names of the columns, and the other rows."""
    if len(rows) < 2:
        return [], rows
    first, rest = rows[0], rows[1:]
    if mark is None and len(rest) > 1 and len(rest[0]) == 1 and not any(map(is_number, (*first, *rest[0]))):
        return ["", *first], rest[1:]
    names = [cell for cell in first if not is_blank(cell)]
    words = sum(not is_number(cell) for cell in names if cell not in DOTS)
    if not names:
        return [], rest
    if mark is not None and first[0] == "" and len(first) == len(rest[0]):
        return first, rest  # the corner is empty: the rows have names
    if len(first) == len(rest[0]) - 1 and (words == len(names) or _counts(first)):
        return ["", *first], rest
    if 2 * words > len(names) and words >= len(names) - is_number(names[0]):
        return first, rest
    named = all(place_of(row[0]) for row in rows)  # Q,1,2
    corner = mark == "|" or COUNTED.fullmatch(first[0]) or place_of(first[0])
    if mark is not None and corner and not named and not is_number(first[0]) and _counts(first[1:]):
        return first, rest
    # A frame that was written without its index: 0, 1, 2, or years, above numbers with a point.
    counts = _counts(first, int(first[0]) if first[0].isdecimal() and int(first[0]) >= YEAR else 0)
    points = all("." in cell for row in rest for cell in row if is_number(cell))
    return (first, rest) if counts and points and len(first) > 2 else ([], rows)


def _counts(cells: Row, *starts: int) -> bool:
    """Whether the cells count from one of the starts, by default from 0 or 1."""
    return bool(cells) and any(
        cells == [str(number) for number in range(start, start + len(cells))] for start in starts or (0, 1)
    )


def _table(header: Row, rows: list[Row], end: int, foot: bool, *, wrapped: bool) -> NumberTable:
    shortened = any(cell in DOTS for row in (header, *rows) for cell in row)
    fault = SettingsError("text_shortened") if shortened else SettingsError("text_cut") if wrapped else None
    notes: list[SettingsError] = []
    labels: Row = []
    corner = ""
    if _named(header, rows, foot):
        labels, rows = [row[0] for row in rows], [row[1:] for row in rows]
        notes.append(SettingsError("file_labels", names=tuple(map(short_text, labels))))
        corner, header = header[0] if header else "", header[1:]
    totals: dict[str, Row] = {}
    for i in reversed(range(len(header))):
        if len(header) > 1 and TOTAL.fullmatch(header[i]) and all(len(row) == len(header) for row in rows):
            totals[header[i]] = [row[i] for row in rows]
            header, *rows = (row[:i] + row[i + 1 :] for row in (header, *rows))
    if any(header):
        notes.append(SettingsError("file_header", line=short_text(", ".join(filter(None, header)))))
    fault = fault or uneven(rows) or _wrong(rows) or _doubtful(rows)
    rows = [[cell if is_word(cell) else with_point(cell) for cell in row] for row in rows]
    return NumberTable(rows, end, labels, header, corner, totals, tuple(notes), fault)


def _named(header: Row, rows: list[Row], foot: bool) -> bool:
    """Whether the first column has the names of the rows."""
    first = [row[0] for row in rows]
    if any(len(row) < 2 for row in rows):
        return False
    if any(not is_number(cell) and not is_blank(cell) for cell in first) or (header and header[0] == ""):
        return True
    return (foot or bool(header and COUNTED.fullmatch(header[0]))) and _counts(first)


def _wrong(rows: list[Row]) -> SettingsError | None:
    for cell in (cell for row in rows for cell in row):
        if is_word(cell) and not ARRAY.fullmatch(cell):
            is_part = "[" in cell or "]" in cell
            wrong = SettingsError("not_a_number", entry=short_text(cell))
            return SettingsError("text_cut") if is_part else wrong
    return None


def _doubtful(rows: list[Row]) -> SettingsError | None:
    """A comma that may mean two things."""
    cells = [cell for row in rows for cell in row]
    commas = [cell for cell in cells if "," in cell]
    doubtful = any("." in cell for cell in cells) or all(map(THOUSAND.fullmatch, commas))
    return SettingsError("text_comma", entry=short_text(commas[0])) if commas and doubtful else None
