"""The arrays of NumPy's files. Nothing is unpickled, and a header with more than there is is refused."""

from __future__ import annotations

import ast
import io
import math
import sys
import zipfile
from collections.abc import Collection
from typing import TYPE_CHECKING

from .entries import FILE_LIMIT, SettingsError, refusing, short_text

if TYPE_CHECKING:  # NumPy takes a moment to import: the first visitor of a server need not wait for it
    import numpy as np

HEADER = 2_000  # characters of an array's header
KINDS = "biufSU"  # of NumPy's types: numbers and texts
MOST_ARRAYS = 1_000  # of an NPZ file
ENTRY = b"PK\x01\x02"  # before each name in the list of an archive
PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # NumPy's; others may expand without limit


def read_array(data: bytes) -> np.ndarray:
    """The array of an NPY file. Raises SettingsError."""
    with refusing("NumPy"):
        return _array(data)


def read_arrays(data: bytes, names: Collection[str]) -> tuple[dict[str, np.ndarray], tuple[str, ...]]:
    """The arrays of an NPZ file with these names, and the names of its other arrays. Raises SettingsError."""
    if data.count(ENTRY) > MOST_ARRAYS:
        raise SettingsError("file_entries", limit=MOST_ARRAYS)
    with refusing("NumPy"), zipfile.ZipFile(io.BytesIO(data)) as file:
        infos = {info.filename.removesuffix(".npy"): info for info in file.infolist()}
        wanted = [name for name in names if name in infos]
        if sum(infos[name].file_size for name in wanted) > FILE_LIMIT:
            raise SettingsError("file_too_large", limit=FILE_LIMIT)
        arrays = {name: _array(_unpack(file, infos[name])) for name in wanted}
        return arrays, tuple(name for name in infos if name not in arrays)


def _unpack(file: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    if info.compress_type not in PACKED:
        raise ValueError("not packed by NumPy")
    with file.open(info) as member:
        return member.read(info.file_size)  # no more, for the declared size may be wrong


def _array(data: bytes) -> np.ndarray:
    """The array, if all its entries are there: entries without width take no space, so that a header could
    promise any number of them. NumPy would try to repair a wrong header, which is slow.
    """
    import numpy as np

    file = io.BytesIO(data)
    first = np.lib.format.read_magic(file) == (1, 0)
    start = file.tell()
    size = int.from_bytes(file.read(2 if first else 4), "little")
    ast.literal_eval(file.read(min(size, HEADER)).decode("latin1"))
    file.seek(start)
    read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
    shape, _, kind = read(file, max_header_size=HEADER)
    if kind.kind not in KINDS or not kind.itemsize:
        raise SettingsError("file_type", type=short_text(kind))
    if math.prod(shape) * kind.itemsize > len(data) - file.tell():
        raise ValueError("more than there is")
    array = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False, max_header_size=HEADER)
    if kind.kind == "U" and (array.tobytes() and _letters(array).max() > sys.maxunicode):
        raise ValueError("a text with a number that is no character, which NumPy lets pass")
    return array


def _letters(array: np.ndarray) -> np.ndarray:
    """The numbers of the characters of its texts."""
    import numpy as np

    return np.frombuffer(array.tobytes(), np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
