"""The numbers of a matrix as print shows it: of PyTorch, of NumPy, of lists, or in plain rows."""

import math
import re
from typing import NamedTuple

from attention.lab.worked_examples.document import DECIMAL, half_unit
from pages.model.entries import TYPED, Refusal, short_text

MAX_TEXT = 5_000  # characters
MAX_NUMBER = 80  # characters of a number
NUMBER = re.compile(rf"[-+]?(?:{DECIMAL}|inf)|nan")
MARKS = TYPED | str.maketrans("，；（）［］", ",;()[]")
APART = " \t\r\n,;"
# code → the names of its facts
CODES = {
    "too_long": ("limit", "length"),
    "nothing": (),
    "shortened": (),
    "not_a_number": ("entry",),
    "too_large": ("entry",),
    "ragged": ("row", "got", "expected"),
}


class PrintedError(Refusal):
    """Something that is no printed matrix."""

    codes = CODES


class Printed(NamedTuple):
    """A matrix, and half a unit of its last printed digit."""

    rows: tuple[tuple[float, ...], ...]
    half_unit: float


def read(text: str) -> Printed:
    """The first matrix in the text; leading dimensions only add brackets. Raises PrintedError."""
    if len(text) > MAX_TEXT:
        raise PrintedError("too_long", limit=MAX_TEXT, length=len(text))
    text = text.translate(MARKS).replace("∞", "inf").lower()
    if "..." in text or "…" in text:
        raise PrintedError("shortened")
    rows = [re.split(r"[\s,;]+", row.strip(APART)) for row in _rows(text) if row.strip(APART)]
    if not rows:
        raise PrintedError("nothing")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise PrintedError("ragged", row=number, got=len(row), expected=len(rows[0]))
    values = tuple(tuple(map(_value, row)) for row in rows)
    units = (half_unit(entry) for row in rows for entry in row if entry[-1].isdecimal() or entry[-1] == ".")
    return Printed(values, min(units, default=0.0))


def _value(entry: str) -> float:
    """The value of a number that print shows, which may be nan or inf."""
    if len(entry) > MAX_NUMBER or not NUMBER.fullmatch(entry):
        raise PrintedError("not_a_number", entry=short_text(entry))
    if entry[-1] not in "fn" and not (math.isfinite(float(entry)) and math.isfinite(half_unit(entry))):
        raise PrintedError("too_large", entry=short_text(entry))
    return float(entry)


def _rows(text: str) -> list[str]:
    """The innermost brackets of the first matrix; without brackets, the lines."""
    if "[" not in text:
        return text.splitlines()
    start, depth = text.index("["), 0
    for end in range(start, len(text)):
        depth += {"[": 1, "]": -1}.get(text[end], 0)
        if depth == 0:
            return re.findall(r"\[([^\[\]]*)\]", text[start : end + 1])
    return re.findall(r"\[([^\[\]]*)", text[start:])  # the last brackets were not copied
