"""A matrix as text in the link, in letters, digits, `-`, `.` and `_` alone: no browser writes these as %2C.

    1-4_9.5_2-3_-1       the cells that differ from the example: row-column, number
    1_0.5__0.3_1.2       all numbers, `__` between rows
    pCmA.1.-1.2          packed, if this is shorter and the others are long

Packed numbers are whole ones: each number × 10^places − low is a digit of one large number, whose base is the
count of whole numbers from low to high. The text is `p`, the large number's bytes, places, low, high.
"""

import re
from decimal import Decimal

from .entries import parse_number
from .fields import write_number
from .fresh import Numbers
from .packing import letters, octets

READABLE = 100  # characters of a text that is not packed
MAX_PLACES = 15
_CELL = re.compile(r"([0-9]{1,3})-([0-9]{1,3})")
_PACKED = re.compile(r"p([\w-]*)\.([0-9]{1,2})\.(-?[0-9]{1,22})\.(-?[0-9]{1,22})", re.ASCII)


def write_matrix(matrix: Numbers, start: Numbers) -> str:
    """The text of a matrix. start: the reader's numbers without this part of the link, in the same shape."""
    readable = min(_write_cells(matrix, start), _write_all(matrix), key=len)
    if len(readable) <= READABLE:
        return readable
    return min(readable, _pack(matrix) or readable, key=len)


def read_matrix(text: str, start: Numbers) -> Numbers:
    """The matrix in the text, with the shape of `start`. Raises ValueError."""
    if text.startswith("p"):
        return _unpack(text, start)
    if re.match(r"[0-9]+-", text):
        return _read_cells(text, start)
    lines = [line.split("_") for line in text.split("__")]
    if [len(line) for line in lines] != [len(row) for row in start]:
        raise ValueError("wrong shape")
    return tuple(tuple(map(parse_number, line)) for line in lines)


def _write_all(matrix: Numbers) -> str:
    return "__".join("_".join(map(write_number, row)) for row in matrix)


def _write_cells(matrix: Numbers, start: Numbers) -> str:
    return "_".join(
        f"{i}-{j}_{write_number(value)}"
        for i, (row, before) in enumerate(zip(matrix, start, strict=True), 1)
        for j, (value, old) in enumerate(zip(row, before, strict=True), 1)
        if value != old
    )


def _read_cells(text: str, start: Numbers) -> Numbers:
    words = text.split("_")
    if len(words) > 2 * sum(map(len, start)):
        raise ValueError("more cells than there are")
    rows = [list(row) for row in start]
    for place, value in zip(words[::2], words[1::2], strict=True):
        match = _CELL.fullmatch(place)
        i, j = (int(number) - 1 for number in match.groups()) if match else (-1, -1)
        if not (0 <= i < len(rows) and 0 <= j < len(rows[i])):
            raise ValueError("no such cell")
        rows[i][j] = parse_number(value)
    return tuple(map(tuple, rows))


def _pack(matrix: Numbers) -> str | None:
    """The packed text; None if a number has too many decimal places."""
    exact = [Decimal(repr(value)).normalize() for row in matrix for value in row]
    places = max(0, *(-int(number.as_tuple().exponent) for number in exact))
    if places > MAX_PLACES:
        return None
    numbers = [int(number.scaleb(places)) for number in exact]
    low, high = min(numbers), max(numbers)
    whole = 0
    for number in numbers:
        whole = whole * (high - low + 1) + number - low
    data = whole.to_bytes(_bytes(high - low + 1, len(numbers)), "big")
    return f"p{letters(data)}.{places}.{low}.{high}"


def _unpack(text: str, start: Numbers) -> Numbers:
    """Unpacks a text, whose number of bytes must fit the shape before any of them is read."""
    match = _PACKED.fullmatch(text)
    if match is None:
        raise ValueError("not packed")
    data, (places, low, high) = match[1], map(int, match.groups()[1:])
    base, count, width = high - low + 1, len(start) * len(start[0]), len(start[0])
    if base < 1 or len(data) != (4 * _bytes(base, count) + 2) // 3:
        raise ValueError("wrong shape")
    whole = int.from_bytes(octets(data), "big")
    numbers: list[float] = []
    for _ in range(count):
        whole, number = divmod(whole, base)
        numbers.append(parse_number(f"{number + low}e-{places}"))
    if whole:
        raise ValueError("too large")
    numbers.reverse()
    return tuple(tuple(numbers[at : at + width]) for at in range(0, count, width))


def _bytes(base: int, count: int) -> int:
    """The number of bytes for `count` digits of that base."""
    return ((base**count - 1).bit_length() + 7) // 8
