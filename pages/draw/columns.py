"""A chart's columns as Arrow has them.

To look into Python's lists, Arrow would import pandas: 70 MB of memory, and 0.4 s before the first chart of a
server. Here the lists become Arrow's buffers directly.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # takes a while, and many a page has no chart
    import pyarrow


def table(columns: Mapping[str, Sequence[Any]]) -> pyarrow.Table:
    """The columns, each of texts or of numbers, with None where a value is missing.

    ValueError if the columns are not equally long.
    """
    import pyarrow

    return pyarrow.Table.from_arrays([*map(_column, columns.values())], names=[*columns])


def _column(values: Sequence[Any]) -> pyarrow.Array:
    import pyarrow

    count, known = len(values), [value is not None for value in values]
    valid = None if all(known) else pyarrow.py_buffer(_bits(known))
    if any(isinstance(value, str) for value in values):
        texts = [b"" if value is None else value.encode() for value in values]
        ends = array("i", accumulate(map(len, texts), initial=0))
        buffers = [valid, pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(texts))]
        return pyarrow.Array.from_buffers(pyarrow.string(), count, buffers)
    numbers = array("d", (0.0 if value is None else value for value in values))
    return pyarrow.Array.from_buffers(pyarrow.float64(), count, [valid, pyarrow.py_buffer(numbers)])


def _bits(flags: Sequence[bool]) -> bytes:
    """One bit for each, the first one lowest."""
    number = sum(flag << place for place, flag in enumerate(flags))
    return number.to_bytes(len(flags) // 8 + 1, "little")
