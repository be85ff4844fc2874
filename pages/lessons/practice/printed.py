"""The numbers of a matrix as print shows it: of PyTorch, of NumPy, of lists, or in plain rows."""

import math
import re
from typing import NamedTuple

from attention.lab.worked_examples.document import half_unit
from pages.model.entries import Refusal, said

MAX_TEXT = 5_000  # characters
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d{1,3})?|nan|[-+]?inf")
TYPED = str.maketrans("−–，；（）［］", "--,;()[]")
# code → the names of its facts
CODES = {
    "too_long": ("limit", "length"),
    "nothing": (),
    "shortened": (),
    "not_a_number": ("entry",),
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
    text = text.translate(TYPED).replace("∞", "inf").lower()
    if "..." in text or "…" in text:
        raise PrintedError("shortened")
    rows = [re.split(r"[\s,;]+", row.strip(" \t\r\n,;")) for row in _rows(text) if row.strip(" \t\r\n,;")]
    if not rows:
        raise PrintedError("nothing")
    for number, row in enumerate(rows, 1):
        wrong = next((entry for entry in row if not NUMBER.fullmatch(entry)), None)
        if wrong is not None:
            raise PrintedError("not_a_number", entry=said(wrong))
        if len(row) != len(rows[0]):
            raise PrintedError("ragged", row=number, got=len(row), expected=len(rows[0]))
    finite = [entry for row in rows for entry in row if math.isfinite(float(entry))]
    units = map(half_unit, finite)
    return Printed(tuple(tuple(map(float, row)) for row in rows), min(units, default=0.0))


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
