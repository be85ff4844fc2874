"""The rows of one matrix in a text: printed by NumPy or PyTorch, written as lists, or as CSV."""

import csv
import re

from .entries import SettingsError, parse_number, refusing, short_text

LIMIT = 1_000_000  # characters, and bytes of a file, unpacked as well
# The ends of PyTorch's and NumPy's printed arrays.
OPTIONS = re.compile(
    r"\b(?:dtype|device|grad_fn|requires_grad)\s*=\s*(?:<[^<>]{0,100}>|[\w.:'\"]{1,100})", re.ASCII
)
ROW = re.compile(r"\[([^\[\]]+)\]")
END = re.compile(r"\][\s,]*\]")  # of a matrix
BETWEEN = re.compile(r"[\s,;]+")
EDGE = " \t\r\n,;"

Shape = tuple[int, int]
Rows = list[list[str]]


def read_rows(text: str, name: str, room: Shape) -> tuple[Rows, list[SettingsError]]:
    """The rows of entries, and the ignored part of the text. Raises SettingsError.

    room: the most rows and columns of the matrix of that name. If the text has more, its entries are not
    read as numbers.
    """
    if len(text) > LIMIT:
        raise SettingsError("text_too_long", length=len(text), limit=LIMIT)
    text = OPTIONS.sub("", text.strip())
    notes: list[SettingsError] = []
    if "[" in text:
        rows = _split(ROW.findall(text), name, room)
        if rows and (count := len(END.findall(text))) > 1:
            raise dimensions(name, (count, len(rows) // count, len(rows[0])))
    else:
        lines = [line for line in text.splitlines() if line.strip()]
        mark = next((mark for mark in "\t;," if lines and mark in lines[0]), None)
        if mark is None:
            rows = _split(lines, name, room)
        else:
            rows, notes = _without_names(_cells(lines, mark, name, room))
    if not rows or not rows[0]:
        raise SettingsError("file_empty")
    check_size(name, (len(rows), len(rows[0])), room)
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise SettingsError("file_uneven", row=number, expected=len(rows[0]), got=len(row))
    return rows, notes


def check_size(name: str, shape: Shape, room: Shape) -> None:
    """Raises SettingsError if there are more rows or columns than the matrix of that name can have."""
    if shape[0] > room[0] or shape[1] > room[1]:
        facts = {"rows": shape[0], "cols": shape[1], "room_rows": room[0], "room_cols": room[1]}
        raise SettingsError("file_size", name=name, **facts)


def dimensions(name: str, shape: tuple[int, ...]) -> SettingsError:
    """The error for an array that is no matrix."""
    return SettingsError(
        "file_dimensions", name=name, count=len(shape), shape=" × ".join(map(str, shape)) or "1"
    )


def _split(lines: list[str], name: str, room: Shape) -> Rows:
    """The entries of each line, if all lines have as many as the first."""
    lines = [line.strip(EDGE) for line in lines]
    if lines:
        check_size(name, (len(lines), len(BETWEEN.split(lines[0]))), room)
    return [BETWEEN.split(line) for line in lines]


def _cells(lines: list[str], mark: str, name: str, room: Shape) -> Rows:
    """The cells of a CSV file, which may have a row and a column of names."""
    rows: Rows = []
    with refusing("CSV"):
        for row in filter(None, csv.reader(lines, delimiter=mark)):
            if len(rows) > room[0] or len(row) > room[1] + 1:
                check_size(name, (len(lines), len(row)), room)
            rows.append([cell.strip() for cell in row])
    return rows


def _without_names(rows: Rows) -> tuple[Rows, list[SettingsError]]:
    """The rows without a column of names and a line of names, and these names."""
    notes = []
    if len(rows) > 1 and not any(_is_number(row[0]) for row in rows[1:]):
        header = not rows[0][0]
        notes = [_header(rows[0])] if header else []
        rows = rows[header:]
        notes.append(SettingsError("file_labels", names=tuple(short_text(row[0]) for row in rows)))
        rows = [row[1:] for row in rows]
    if len(rows) > 1 and not any(map(_is_number, rows[0])):
        notes.append(_header(rows[0]))
        rows = rows[1:]
    return rows, notes


def _header(row: list[str]) -> SettingsError:
    return SettingsError("file_header", line=short_text(", ".join(filter(None, row))))


def _is_number(text: str) -> bool:
    try:
        parse_number(text)
    except SettingsError as problem:
        return problem.code == "too_large"
    return True
