"""A picture's data as bytes, in pieces: what the browser holds is not sent again.

A piece is named after what is in it, so that the same name is the same piece in every process. With each edit
the browser says which pieces it holds (see pieces.js), and the answer leaves these out. The server keeps
nothing: where a message was lost or the server is another one, the answer has all pieces.
"""

import hashlib
from array import array
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Any

import orjson

from .data import USUAL, Matrix

ALIGNED = 8  # bytes: where the browser can read a number in place


def packed(
    frame: Mapping[str, Any],
    matrices: Sequence[Matrix],
    there: Collection[str] = (),
    sources: Sequence[Matrix] = (),
) -> bytes:
    """The length of the head in 8 bytes, the head in JSON, and the numbers in double precision.

    In the head, `frame` has the plain fields, and `named` the pieces of the others: a name, or the names of a
    list's entries. `looks` is the piece with the look of a matrix that says nothing else. Each of the
    `matrices` and of the `sources` is the piece with its own look, the piece with its values, and its bound.
    `pieces` are those that are not numbers; `blocks` says which numbers follow: their piece, and how many
    rows and columns.
    """
    parcel = _Parcel(there)
    short = {name: part for name, part in frame.items() if not isinstance(part, dict | list | tuple)}
    named = {name: parcel.add_field(part) for name, part in frame.items() if name not in short}
    specs = {"matrices": [*map(parcel.add_matrix, matrices)], "sources": [*map(parcel.add_matrix, sources)]}
    return parcel.closed({"frame": short, "named": named, "looks": parcel.add(USUAL)} | specs)


class _Parcel:
    """The pieces of an answer, without the pieces that the browser holds."""

    def __init__(self, there: Collection[str]):
        self.there = set(there)
        self.texts: list[bytes] = []  # entries of a JSON object
        self.blocks: list[tuple[str, int, int]] = []  # names of numbers, their rows and columns
        self.numbers: list[bytes] = []

    def add_field(self, part: object) -> str | list[str]:
        """The name of a field's piece, or the names of its entries': often only one of them has changed."""
        return [*map(self.add, part)] if isinstance(part, list) else self.add(part)

    def add(self, part: object) -> str:
        """The name of a piece that is JSON."""
        text = orjson.dumps(part)
        name = _name(text)
        if name not in self.there:
            self.there.add(name)
            self.texts.append(b'"%b":%b' % (name.encode(), text))
        return name

    def add_matrix(self, matrix: Matrix) -> tuple[str, str | None, float]:
        """The names of the pieces with a matrix's look and with its values, and its bound."""
        return self.add(matrix.still), self.add_values(matrix), matrix.full_colour

    def add_values(self, matrix: Matrix) -> str | None:
        """The name of the piece with a matrix's values; None where they are not known."""
        values, numbers = matrix.values, _numbers(matrix)
        if values is None:
            return None
        if numbers is None:
            return self.add(matrix.written)
        name = _name(numbers, len(values[0]))
        if name not in self.there:
            self.there.add(name)
            self.blocks.append((name, len(values), len(values[0])))
            self.numbers.append(numbers)
        return name

    def closed(self, head: dict) -> bytes:
        text = orjson.dumps(head | {"blocks": self.blocks})
        written = b'%b,"pieces":{%b}}' % (text[:-1], b",".join(self.texts))
        written += b" " * (-len(written) % ALIGNED)
        return b"".join([len(written).to_bytes(ALIGNED, "little"), written, *self.numbers])


def _name(content: bytes, width: int = 0) -> str:
    """So long that two pieces of a visit do not get the same name."""
    return b64encode(hashlib.blake2b(content, digest_size=9, salt=width.to_bytes(2)).digest()).decode()


def _numbers(matrix: Matrix) -> bytes | None:
    """The values in double precision, row by row; None where one of them is no number."""
    if matrix.kind in ("mask", "text") or not matrix.values or not len(matrix.values[0]):
        return None
    try:
        flat = array("d", chain.from_iterable(matrix.values))
    except TypeError:
        return None
    return flat.tobytes() if len(flat) == len(matrix.values) * len(matrix.values[0]) else None
