"""Files and texts that are damaged, or made to do harm: good ones with bytes changed, or with other sizes."""

from __future__ import annotations

import io
import re
import struct
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from hypothesis import strategies as st

# What has stopped a reader before, or nearly.
PIECES = (
    *(b"0e999", b"1e999/1e999", b"0\xe2\x88\x9a1e999", b"1e400", b"-inf", b"nan", b"NaN", b"Infinity"),
    *(b"9" * 5_000, b"[" * 3_000, b"(" * 1_500, b"-" * 1_500, b"{" * 200, b'"', b'"' + b"x" * 200_000),
    *(b"\xd9\xa3", b"\xef\xbc\x93", b"\xf0\x9d\x9f\x9b", b"\xff\xfe", b"\xed\xa0\x80", b"\0", b"\r", b"\x1c"),
    *(b"<f8", b"|O", b"<U9", b"<c16", b"V0", b"'shape': (1000000000,)", b"True", b"-1", b"(3L, 4L)", b"()"),
    *(b"1,2\n", b"\t", b";", b"],[", b"1/0", b"1" * 41, b"", b"None", b"null", b"{}", b"=", b":"),
)


MANY = "20000000"  # as many entries take more than is allowed, and less than ends the process
BRACKETS = re.compile(r"[\[({]([^\[\](){}]+)[\])}]")


@dataclass(frozen=True)
class Change:
    """A change at a place, which is a share of the length. value: a byte, a count, or which piece."""

    kind: str
    place: float
    end: float
    value: int

    def __call__(self, data: bytes, other: bytes) -> bytes:
        first, last = sorted(int(share * len(data)) for share in (self.place, self.end))
        last = min(last, first + 64) if self.kind in ("cut out", "repeat") else last
        before, inside, after = data[:first], data[first:last], data[last:]
        return {
            "set": lambda: before + bytes([self.value]) + data[first + 1 :],
            "flip": lambda: before + bytes(b ^ (1 << self.value % 8) for b in inside[:1]) + data[first + 1 :],
            "end": lambda: before,
            "cut out": lambda: before + after,
            "repeat": lambda: before + inside * (self.value % 40) + after,
            "insert": lambda: before + PIECES[self.value % len(PIECES)] + data[first:],
            "replace": lambda: before + PIECES[self.value % len(PIECES)] + after,
            "splice": lambda: before + other[int(self.end * len(other)) :],
        }[self.kind]()


KINDS = ("set", "flip", "end", "cut out", "repeat", "insert", "replace", "splice")
share = st.floats(0, 1, exclude_max=True)
change = st.builds(Change, st.sampled_from(KINDS), share, share, st.integers(0, 255))
changes = st.lists(change, min_size=1, max_size=4)


def damaged(samples: dict[str, bytes]) -> st.SearchStrategy[bytes]:
    """One of these with a few changes."""
    some = st.sampled_from(sorted(samples.values()))

    def changed(data: bytes, other: bytes, todo: list[Change]) -> bytes:
        for one in todo:
            data = one(data, other)
        return data

    return st.builds(changed, some, some, changes)


def exaggerated(text: str) -> list[str]:
    """The text with huge numbers, and with nothing in its brackets: what it says of its size is not so."""
    emptied = [text[: one.start(1)] + text[one.end(1) :] for one in BRACKETS.finditer(text)]
    result = []
    for one in (text, *emptied[:6]):
        parts = re.split("([0-9]+)", one)
        numbers = range(1, len(parts), 2)[:6]
        changes = [dict.fromkeys(numbers, MANY), *({i: MANY} for i in numbers)]
        changes += [{i: "0", j: MANY} for i, j in permutations(numbers, 2)]
        result += ["".join(new.get(i, part) for i, part in enumerate(parts)) for new in changes]
    return list(dict.fromkeys(result))


def zipped(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return file.getvalue()


def repacked(archive: bytes, name: str, change: Callable[[bytes], bytes], method: int) -> bytes:
    """The archive with one changed member, whose checksum is right."""
    file: Any = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(file, "w", method) as new:
        for info in old.infolist():
            data = old.read(info)
            new.writestr(info.filename, change(data) if info.filename == name else data)
    return file.getvalue()


def quietly(read: Callable[[], object]) -> None:
    """NumPy warns of some headers that it can read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        read()


def npy(header: bytes) -> bytes:
    """A file of NumPy that says this of its array."""
    header = header[:65_000]
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\0" * 64
