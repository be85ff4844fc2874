"""The columns of a chart as an Arrow table.

Arrow would import pandas to inspect Python's lists: 70 MB of memory, and 0.4 s before the first chart of a
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
    """The columns, each of texts or of numbers; a number that is missing is NaN.

    ValueError if the columns are not equally long.
    """
    import pyarrow

    return pyarrow.Table.from_arrays([*map(_column, columns.values())], names=[*columns])


def _column(values: Sequence[Any]) -> pyarrow.Array:
    import pyarrow

    if values and isinstance(values[0], str):
        texts = [value.encode() for value in values]
        ends = array("i", accumulate(map(len, texts), initial=0))
        buffers = [None, pyarrow.py_buffer(ends), pyarrow.py_buffer(b"".join(texts))]
        return pyarrow.Array.from_buffers(pyarrow.string(), len(values), buffers)
    buffers = [None, pyarrow.py_buffer(array("d", values))]
    return pyarrow.Array.from_buffers(pyarrow.float64(), len(values), buffers)
