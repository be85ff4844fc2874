"""Number tables: CSV with any separator, columns of spaces, Markdown; prints of pandas, R, Matlab, Julia."""

from __future__ import annotations

import csv
import re
from typing import NamedTuple

from pages.model.entries import SettingsError, short_text

from .literals import LITERAL
from .names import place_of
from .numbers import DOTS, is_blank, is_number, standing

Row = list[str]

RULE = re.compile(r"[\s|+:=─═╌┄╪╞╡┌┬┐└┴┘┼├┤╭╮╰╯-]+")  # a line that only draws
TYPE = re.compile(r"(?:[fiu](?:8|16|32|64)|str|-{3}|<[a-z]{3}>)?")  # of a column, as polars prints it
FOOT = re.compile(r"dtype: |Name: |\[[0-9]+ rows")
COUNTED = re.compile(
    r"(?:#|id|idx|index|row|rows|i|n|no\.?|nr\.?|unnamed.{0,9}|step|token|position|词元|行|位置)?", re.I
)
TOTAL = re.compile(r"(?:row ?)?(?:sum|total)s?|Σ.*|∑.*|合计|总和|和|行和", re.I)
NAME_OF_R = re.compile(r"\[[0-9]{0,5},[0-9]{0,5}\]")
ROW_NAME = re.compile(r"\[[0-9]*,?\]")  # of R
THOUSAND = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
LONGEST = 1_000  # rows: a longer table is not read to its end


class NumberTable(NamedTuple):
    """Rows of entries, the names of rows and columns, what was left out, and the line after the table."""

    rows: list[Row]
    labels: Row
    heads: Row
    corner: str  # the head of the names of the rows
    totals: dict[str, Row]  # columns of sums, by their heads
    notes: tuple[SettingsError, ...]
    fault: SettingsError | None
    end: int
    continued: bool = False  # the print has more columns below


def grid_at(lines: list[str], i: int, *, titled: bool) -> NumberTable | None:
    """The table that begins in line i. titled: a name is above it, so that it may have a single row."""
    mark = _mark(lines, i)
    if mark == "|":
        cells, end = _ruled(lines, i)
        if all(len(row) == 1 for row in cells):  # |1 2|
            cells = [row[0].split() for row in cells]
    else:
        cells, end = _plain(lines, i, mark)
    # Lines that are read together are not read again, or the time would grow with their square.
    nothing = NumberTable([], [], [], "", {}, (), None, end) if end - i > 3 else None
    cells = _without_ends(cells) if cells else cells
    if not cells:
        return nothing
    header, body = _header(cells, mark)
    if header[:1] != [""] and mark is None and header and _is_indented(lines[i : i + 2]):
        header = ["", *header]
    if not body or not any(is_number(cell) or LITERAL.fullmatch(cell) for row in body for cell in row):
        return nothing
    if mark is None and not header and not titled and any(not is_number(row[0]) for row in body):
        lonely = len(body) == 1 or (
            len(body[0]) < 3 and not FOOT.match(lines[end].strip() if end < len(lines) else "")
        )
        if lonely and not ROW_NAME.fullmatch(body[0][0]):
            return nothing
    if mark == "," and not header and not titled and len(body) == 1 and not is_number(body[0][0]):
        return None
    foot = end < len(lines) and FOOT.match(lines[end].strip())
    table = _grid(header, body, end, mark, bool(foot))
    return table._replace(continued=lines[i].endswith("\\"))


def _mark(lines: list[str], i: int) -> str | None:
    """What is between the cells of a line; None for spaces."""
    line = lines[i]
    for mark in "|\t;":
        if mark in line:
            return mark
    if "," in (line := NAME_OF_R.sub("", line)):
        spaced = line.split()
        decimal = len(spaced) > 1 and all(is_number(cell) for cell in spaced)
        return None if decimal else ","
    return None


def _split(line: str, mark: str | None) -> Row:
    if mark is None:
        return line.split()
    if mark == "|":
        line = line.strip().removeprefix("|").removesuffix("|")
    if '"' in line:
        try:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=mark, skipinitialspace=True))]
        except csv.Error:
            return line.split(mark)
    return [cell.strip(" *'") for cell in line.split(mark)]


def _ruled(lines: list[str], i: int) -> tuple[list[Row], int]:
    """The rows of a table with bars. The line below its headings is a rule."""
    rows: list[Row] = []
    end, ruled = i, False
    while (
        end < len(lines)
        and ("|" in lines[end] or (rows and RULE.fullmatch(lines[end])))
        and len(rows) < LONGEST
    ):
        if RULE.fullmatch(lines[end]):
            ruled = ruled or len(rows) == 1
        else:
            cells = [cell.strip(' _“”"*') for cell in _split(lines[end], "|")]
            if not all(map(TYPE.fullmatch, cells)):
                rows.append(cells)
        end += 1
    return (rows if ruled or len(rows) > 1 else []), end


def _plain(lines: list[str], i: int, mark: str | None) -> tuple[list[Row], int]:
    """The rows of a table without bars: up to a line that is no row of it."""
    rows: list[Row] = []
    end = i
    while end < len(lines) and len(rows) < LONGEST:
        line = lines[end]
        if not line.strip():
            # Copies of web pages have an empty line after each row.
            after = lines[end + 1] if end + 1 < len(lines) else ""
            if (
                end - i == 2 * len(rows) - 1
                and rows
                and _is_row(_split(after, mark), mark)
                and len(rows[-1]) == len(_split(after, mark))
            ):
                end += 1
                continue
            break
        cells = _split(line.removesuffix("\\") if not rows else line, mark)
        if not rows:
            damaged = mark is None and _is_damaged(line, cells, mark, [cells])
            if not damaged and not _is_row(cells, mark) and not _heads(lines, end, cells, mark):
                return [], i
        elif not (
            _is_row(cells, mark)
            or _is_damaged(line, cells, mark, rows)
            or (
                len(rows) == 1
                and len(cells) == 1
                and end + 1 < len(lines)
                and _is_row(_split(lines[end + 1], mark), mark)
                and mark is None
                and not is_number(rows[0][-1])
            )
        ):
            break
        if FOOT.match(line.strip()):
            break
        rows.append(cells)
        end += 1
    return rows, end


def _heads(lines: list[str], i: int, cells: Row, mark: str | None) -> bool:
    """Whether the line has the names of columns: the next line is a row with as many cells, or one more."""
    after = [line for line in lines[i + 1 : i + 3] if line.strip()]
    if len(after) > 1 and len(_split(after[0], mark)) == 1:
        after = after[1:]
    if not after or any(len(cell) > 40 for cell in cells):
        return False
    row = _split(after[0], mark)
    if mark is None and _mark(after, 0) is not None:
        return False
    if not _is_row(row, mark) or (mark is None and len(row) < 2):
        return False
    return len(row) - len(cells) in (0, 1) or mark is not None


def _is_row(cells: Row, mark: str | None) -> bool:
    """Numbers, with or without a name in front."""
    rest = cells[1:]
    numbers = sum(map(is_number, cells))
    if not numbers or not all(is_number(cell) or is_blank(cell) or cell in DOTS for cell in rest):
        return False
    return bool(rest) or is_number(cells[0])


def _is_damaged(line: str, cells: Row, mark: str | None, rows: list[Row]) -> bool:
    """A row of which something is no number: the reason to refuse the table, and not its end."""
    if all(cell in DOTS for cell in cells):
        return True
    numbers = sum(map(is_number, cells))
    if mark is not None:
        return mark in line and numbers > 0
    most = (numbers >= 2 and 2 * numbers > len(cells)) or (rows[0] is not cells and is_number(cells[0]))
    return most and len(cells) == len(rows[-1])


def _without_ends(rows: list[Row]) -> list[Row]:
    """Without the empty cells that separators at the ends of all rows leave."""
    filled = (max((i for i, cell in enumerate(row) if cell), default=0) + 1 for row in rows)
    empty = min(len(row) - width for row, width in zip(rows, filled, strict=True))
    return [row[: len(row) - empty] for row in rows if any(row)]


def _header(rows: list[Row], mark: str | None) -> tuple[Row, list[Row]]:
    """The names of the columns, and the other rows."""
    first, rest = rows[0], rows[1:]
    if not rest:
        return [], rows
    index = len(rest) > 1 and mark is None and len(rest[0]) == 1 and rest[0][0] not in DOTS
    if index and not any(map(is_number, (*first, *rest[0]))):
        return ["", *first], rest[1:]  # the name of pandas' index has a line
    cells = [cell for cell in first if not is_blank(cell)]
    words = sum(not is_number(cell) for cell in cells if cell not in DOTS)
    if not cells:
        return [], rest
    if mark is not None and first[0] == "" and len(first) == len(rest[0]):
        return first, rest  # the corner is empty: the rows have names
    if len(first) == len(rest[0]) - 1 and (words == len(cells) or _counts(first) is not None):
        return ["", *first], rest
    if words and words >= len(cells) - (is_number(cells[0]) or 0) and words > len(cells) / 2:
        return first, rest
    counts = mark is not None and not is_number(first[0]) and _counts(first[1:]) is not None
    if counts and len(first) == len(rest[0]) and not all(place_of(row[0]) for row in rows):
        return first, rest
    return [], rows


def _is_indented(lines: list[str]) -> bool:
    """Whether the heads begin to the right of the first column, which then has the names of the rows."""
    head, row = (re.match(r"\s*(?:\S+)?", line) for line in lines)
    return bool(head and row) and len(lines[0]) - len(lines[0].lstrip()) >= row.end()  # type: ignore[union-attr]


def _counts(cells: Row) -> int | None:
    """The number from which the cells count; None if they do not."""
    for start in (0, 1):
        if cells and cells == [str(number) for number in range(start, start + len(cells))]:
            return start
    return None


def _grid(header: Row, body: list[Row], end: int, mark: str | None, foot: bool) -> NumberTable:
    notes: list[SettingsError] = []
    fault = None
    labels: Row = []
    corner = header[0] if header and (mark == "|" or header[0]) else ""
    rows = [row for row in body if not all(cell in DOTS for cell in row)]
    if len(rows) < len(body) or any(cell in DOTS for row in (header, *rows) for cell in row):
        fault = SettingsError("text_shortened")
    if rows and _named(header, rows, foot):
        labels = [row[0] for row in rows]
        rows = [row[1:] for row in rows]
        notes.append(SettingsError("file_labels", names=tuple(short_text(label) for label in labels)))
        header = header[1:]
    totals: dict[str, Row] = {}
    for i in reversed(range(len(header))):
        if TOTAL.fullmatch(header[i]) and len(header) > 1 and all(len(row) == len(header) for row in rows):
            totals[header[i]] = [row[i] for row in rows]
            rows = [row[:i] + row[i + 1 :] for row in rows]
            header = header[:i] + header[i + 1 :]
    if any(header):
        notes.append(SettingsError("file_header", line=short_text(", ".join(filter(None, header)))))
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            fault = fault or SettingsError("file_uneven", row=number, expected=len(rows[0]), got=len(row))
    rows, problem = _decimal(rows, mark)
    return NumberTable(
        rows, labels, header, corner if labels else "", totals, tuple(notes), fault or problem, end
    )


def _named(header: Row, rows: list[Row], foot: bool) -> bool:
    """Whether the first column has the names of the rows."""
    first = [row[0] for row in rows]
    if any(len(row) < 2 for row in rows):
        return False
    if any(not is_number(cell) and not is_blank(cell) for cell in first):
        return True
    if header and header[0] == "" and len(header) >= len(rows[0]):
        return True
    return (foot or bool(header and COUNTED.fullmatch(header[0]))) and _counts(first) is not None


def _decimal(rows: list[Row], mark: str | None) -> tuple[list[Row], SettingsError | None]:
    """The rows with decimal points, and the reason why a comma may mean two things."""
    cells = [cell for row in rows for cell in row]
    points = any("." in cell for cell in cells)
    commas = [cell for cell in cells if cell.count(",") == 1 and "." not in cell and is_number(cell)]
    grouped = bool(commas) and all(map(THOUSAND.fullmatch, commas))
    doubtful = grouped and not points and mark != ";" and len(commas) > 0

    def number(cell: str) -> str:
        if not is_number(cell):
            return standing(cell) if is_blank(cell) else cell
        cell = cell.replace("'", "").replace("\u2009", "")
        if "," in cell and "." in cell:
            last = "," if cell.rfind(",") > cell.rfind(".") else "."
            cell = cell.replace("," if last == "." else ".", "").replace(",", ".")
        elif cell.count(",") > 1 or ("," in cell and grouped and points):
            cell = cell.replace(",", "")
        elif cell.count(".") > 1:
            cell = cell.replace(".", "")
        return standing(cell.replace(",", "."))

    result = [[number(cell) for cell in row] for row in rows]
    wrong = next(
        (
            cell
            for row in result
            for cell in row
            if not is_number(cell) and not is_blank(cell) and not LITERAL.fullmatch(cell) and cell not in DOTS
        ),
        None,
    )
    if wrong is not None:
        return result, SettingsError("not_a_number", entry=short_text(wrong))
    return result, SettingsError("text_comma", entry=commas[0]) if doubtful else None
