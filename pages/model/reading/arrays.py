"""Nested lists of numbers: literals and prints of Python, NumPy and PyTorch, and lists of JSON.

`cut_out` puts one character in the place of each array, so that a line is short whatever its arrays are.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pages.model.entries import SettingsError, short_text

from .numbers import DOTS, is_blank, is_number, is_word, with_point

MOST = 2_000  # arrays
MOST_MATRICES = 24  # of an array with more than two dimensions
DEEPEST = 6
FIRST = 0xF0000  # the characters in the places of arrays
MARK = "\U000f0000-\U000fffff"
ARRAY = re.compile(f"[{MARK}]")
# A call whose argument is the array itself.
CALL = re.compile(
    r"(?<![\w.])(?:[a-z]{1,9}\.){0,2}"
    r"(?:(?:as_?)?tensor|(?:as|nd)?array|DeviceArray|matrix|Parameter|(?:Float|Double)Tensor|list|tuple) ?\(",
    re.I,
)
BEGIN = re.compile(r"[\[(]")
INDEX = re.compile(r"\[[0-9a-z:, ]{0,40}\]", re.I)  # x[0, 1], x[:, i]
TOKEN = re.compile(
    r"[\s,]*(?:#[^\n]*\n\s*)?"
    r"(?:([\[(])|([\])])|(\"[^\"\n]*\"|'[^'\n]*')|([^\s,\[\]()\"'=:;|{}&#]+))"
)
# Another statement or paragraph begins: the end of the array is missing.
BREAK = re.compile(r"[\s,]*\n[^\S\n]*(?:[^\W\d][\w ^·]{0,40} ?[=:]|\n[^\S\n]*[^\W\d_]{2})")
LIKE_NUMBER = re.compile(r"[+-]?[0-9]|(?:True|False)\Z")
ENDS = {"[": "]", "(": ")"}

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Array:
    """What an array has: rows; its matrices, by their indices; texts; or a fault, in place of them all."""

    rows: Rows = ()
    flat: bool = False  # one row, without brackets around it
    batch: int = 0  # leading dimensions of size 1 that were left out
    fault: SettingsError | None = None
    texts: tuple[str, ...] = ()
    parts: tuple[tuple[str, Rows], ...] = ()


def cut_out(text: str) -> tuple[str, list[Array]]:
    """The text with a character in place of each array, and the arrays. Reads each character once."""
    text = CALL.sub("(", text)
    parts: list[str] = []
    arrays: list[Array] = []
    at = 0
    while match := BEGIN.search(text, at):
        start = match.start()
        array, end = _read_at(text, start)
        if array is not None and len(arrays) == MOST:
            raise SettingsError("text_too_many", limit=MOST)
        parts += [text[at:start], text[start:end] if array is None else chr(FIRST + len(arrays))]
        arrays += [] if array is None else [array]
        at = end
    return "".join([*parts, text[at:]]), arrays


def _read_at(text: str, start: int) -> tuple[Array | None, int]:
    """The array that begins there, and its end; None for another bracket."""
    before = text[start - 1 : start]
    if before == "^" or (before.isascii() and (before.isalnum() or before in ("_", ")", "]"))):  # f(x), x[0]
        index = INDEX.match(text, start)
        return None, index.end() if index else start + 1
    levels: list[tuple[str, list]] = []
    value: list | str = ""
    at, numbers, texts, wrong, shortened = start, 0, 0, "", False
    while at == start or levels:
        token = None if numbers and BREAK.match(text, at) else TOKEN.match(text, at)
        if token is None:
            is_list = text[start] == "[" or text.startswith("([", start)
            is_cut = is_list and numbers > (len(levels) == 1) and text[at : at + 1] in " \n,"
            return Array(fault=SettingsError("text_cut")) if is_cut else None, max(at, start + 1)
        at = token.end()
        opened, closed, quoted, word = token.groups()
        if opened:
            if len(levels) == DEEPEST:
                return None, at
            levels.append((ENDS[opened], []))
        elif closed:
            end, entries = levels.pop()
            if end != closed:
                return None, at
            if any(isinstance(entry, list) for entry in entries):  # (output, None)
                entries = [entry for entry in entries if entry != "None"]
            value = entries[0] if closed == ")" and len(entries) == 1 else entries
            if levels:
                levels[-1][1].append(value)
        else:
            entry = word or quoted[1:-1]
            is_text = word is None and not is_number(entry)
            if entry in DOTS:
                shortened = True
                continue
            texts += is_text
            numbers += is_number(entry)
            if not is_text and not is_number(entry) and not is_blank(entry):
                if not numbers and not LIKE_NUMBER.match(entry):
                    return None, at
                wrong = wrong or entry
            levels[-1][1].append(entry)
    if texts and not numbers and isinstance(value, list):
        flat = all(isinstance(entry, str) for entry in value)
        return Array(texts=tuple(value)) if flat else None, at
    if shortened and not texts and (numbers or any(isinstance(entry, list) for entry in value)):
        return Array(fault=SettingsError("text_shortened")), at
    if not isinstance(value, list) or not (numbers or wrong):
        return None, at
    array = of_lists(value)
    too_many = Array(fault=SettingsError("text_too_many", limit=MOST_MATRICES))
    return too_many if len(array.parts) > MOST_MATRICES else array, at


def of_lists(value: list) -> Array:
    """The matrix in nested lists of texts and numbers; leading dimensions of size 1 are left out."""
    wrong = next(filter(is_word, entries_of(value)), None)
    if wrong is not None:
        return Array(fault=SettingsError("not_a_number", entry=short_text(wrong)))
    shape, batch = _shape(value), 0
    while shape and len(shape) > 2 and shape[0] == 1:
        value, shape, batch = value[0], shape[1:], batch + 1
    if shape is not None and len(shape) <= 2:
        return Array(_rows(value if len(shape) == 2 else [value]), len(shape) == 1, batch)
    if not all(len(_shape(entry) or ()) > 1 for entry in value):
        return _uneven(value)
    every = enumerate(map(of_lists, value))  # of more dimensions, or of a tuple: (output, weights)
    named = ((i, index, rows) for i, array in every for index, rows in array.parts or (("", array.rows),))
    return Array(parts=tuple((f"[{i}]{index}", rows) for i, index, rows in named), batch=batch)


def entries_of(value: object) -> list:
    """The numbers and texts in nested lists."""
    return list(itertools.chain.from_iterable(map(entries_of, value))) if isinstance(value, list) else [value]


def _rows(value: list) -> Rows:
    return tuple(tuple(map(with_point, row)) for row in value)


def _shape(value: object) -> tuple[int, ...] | None:
    """The sizes of nested lists; None if they differ."""
    if not isinstance(value, list):
        return ()
    shapes = {_shape(entry) for entry in value}
    if len(shapes) > 1 or None in shapes:
        return None
    return (len(value), *(shapes.pop() if shapes else ()))  # type: ignore[misc]


def _uneven(value: list) -> Array:
    while all(isinstance(entry, list) for entry in value):
        if (fault := uneven(value)) is not None:
            return Array(fault=fault)
        value = list(itertools.chain.from_iterable(value))
    return Array(fault=SettingsError("text_cut"))  # numbers next to lists


def uneven(rows: Sequence[Sequence]) -> SettingsError | None:
    """The first row whose length differs from the first row's."""
    lengths = list(map(len, rows))
    for number, length in enumerate(lengths, 1):
        if length != lengths[0]:
            return SettingsError("file_uneven", row=number, expected=lengths[0], got=length)
    return None
