"""Matrices in brackets: literals and prints of Python, NumPy, PyTorch, TensorFlow, JAX, Matlab, Julia, R.

`cut_out` puts one character in the place of each literal, so that a line is short whatever its matrices are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from pages.model.entries import SettingsError, short_text

from .numbers import BLANK, DOTS, is_blank, is_number, standing

MOST = 2_000  # literals
DEEPEST = 6
FIRST = 0xF0000  # the characters in the places of literals
MARK = "\U000f0000-\U000fffff"
LITERAL = re.compile(f"[{MARK}]")

# A call whose argument is the matrix itself.
NAME = (
    r"(?:tensor|(?:as|nd)?array|DeviceArray|constant|Variable|Parameter|(?:Float|Double|Long)?Tensor|matrix|Matrix"
    r"|rbind|cbind|c|list|tuple|t|mat)"
)
BEGIN = re.compile(rf"(?<![\w.])(?:[a-z]{{1,9}}\.){{0,2}}(?P<call>{NAME}) ?\(|[\[({{]", re.I)
# What is no matrix: x[0, 1], x[:, i], and the names of rows and columns in R's prints.
INDEX = re.compile(r"\[[0-9a-z: ]{0,9}(?:,[0-9a-z: ]{0,9}){0,3}\]", re.I)
LABEL = re.compile(r"\[[0-9]{0,5},[0-9]{0,5}\]")
COUNT = re.compile(r"\[[0-9]{1,5}\](?= +[-+\d\"])")
TOKEN = re.compile(
    rf"(?P<call>(?:[a-z]{{1,9}}\.){{0,2}}{NAME} ?\()|(?P<open>[\[({{])|(?P<close>[\])}}])|(?P<mark>[,;\n|&])"
    r"|(?P<option>(?:nrow|ncol|byrow|nr|nc) ?= ?\w{1,9})"
    r"|(?P<quoted>\"[^\"\n]*\"|'[^'\n]*')|(?P<word>[^\s,;|&\[\](){}\"'=:]+)",
    re.I,
)
GAP = re.compile(r"[^\S\n]*(?:#[^\n]*)?")
# After a line's end: no part of a matrix any more, so its end is missing.
OTHER_LINE = re.compile(r"\n[^\S\n]{0,99}(?:[^\W\d][\w ^·]{0,40} ?[=:(]|\n[^\S\n]{0,99}[^\W\d_]{2,})")
ENDS = {"[": "]", "(": ")", "{": "}"}
WIDTH = 60  # characters: a longer line of a vector was wrapped by the print

Rows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Literal:
    """The rows of a literal; or the reason why it has none, or texts in place of numbers."""

    rows: Rows = ()
    flat: bool = False  # one row, without brackets around it
    batch: int = 0  # leading dimensions of size 1 that were left out
    fault: SettingsError | None = None
    texts: tuple[str, ...] = ()


class Level(NamedTuple):
    """An open bracket: its end, its entries, and where rows end."""

    end: str
    call: str
    start: int
    entries: list
    breaks: list[int]
    lines: list[int]
    options: dict[str, str]


def cut_out(text: str) -> tuple[str, list[Literal]]:
    """The text with a character in place of each literal, and the literals. Reads each character once."""
    parts: list[str] = []
    literals: list[Literal] = []
    at = 0
    while match := BEGIN.search(text, at):
        start = match.start()
        literal, end = _read_at(text, match)
        parts.append(text[at:start])
        if literal is None:
            parts.append(text[start:end])
        elif len(literals) == MOST:
            raise SettingsError("text_too_many", limit=MOST)
        else:
            parts.append(chr(FIRST + len(literals)))
            literals.append(literal)
        at = end
    return "".join([*parts, text[at:]]), literals


def _read_at(text: str, match: re.Match) -> tuple[Literal | None, int]:
    """The literal that begins there, and its end; None for another bracket."""
    start = match.start()
    before = text[start - 1 : start]
    follows = before.isascii() and (before.isalnum() or before in ("_", ")", "]"))  # x[0], f(x)
    if match[0] == "[":
        begins = not before.strip() and not text[text.rfind("\n", 0, start) + 1 : start].strip()
        label = LABEL.match(text, start) or (begins and COUNT.match(text, start))
        label = label or (follows and INDEX.match(text, start))
        if label:
            return None, label.end()
    elif not match["call"] and (follows or before == "^"):
        return None, match.end()
    return _parse(text, match)


def _parse(text: str, first: re.Match) -> tuple[Literal | None, int]:
    """Reads up to the end of the first bracket."""
    levels = [_level(first)]
    at = first.end()
    numbers = texts = words = 0
    wrong = ""
    shortened = False
    while levels:
        gap = GAP.match(text, at)
        at = gap.end() if gap else at
        token = TOKEN.match(text, at)
        level = levels[-1]
        if token is None or (numbers and token[0] == "\n" and OTHER_LINE.match(text, at)):
            is_cut = at == len(text) or text[at] == "\n"  # and no sentence in brackets
            is_cut = is_cut and first[0] not in ("(", "{") and numbers > (len(levels) == 1)
            return (Literal(fault=SettingsError("text_cut")) if is_cut else None), max(at, first.end())
        kind = token.lastgroup
        at = token.end()
        if kind in ("call", "open"):
            if len(levels) == DEEPEST:
                return None, at
            levels.append(_level(token))
        elif kind == "close":
            if token[0] != level.end:
                return None, at
            levels.pop()
            value = _closed(level)
            if levels:
                levels[-1].entries.append(value)
        elif kind == "mark":
            if token[0] == ";":
                level.breaks.append(len(level.entries))
            elif token[0] == "\n":
                level.lines.append(len(level.entries))
        elif kind == "option":
            name, _, meaning = token[0].partition("=")
            level.options[name.strip().lower()] = meaning.strip().lower()
        elif kind == "quoted" and not is_number(token[0][1:-1]):
            texts += 1
            level.entries.append(token[0][1:-1])
        else:
            entry = token[0].strip("\"'")
            if is_number(entry):
                numbers += 1
            elif entry in DOTS:
                shortened = True
                continue
            elif not is_blank(entry):
                if not numbers:
                    return None, at
                words += 1
                wrong = wrong or entry
            level.entries.append(entry)
    if texts and not numbers:
        flat = value if all(isinstance(entry, str) for entry in value) else ()
        return (Literal(texts=tuple(flat)) if flat else None), at
    if not numbers or words > numbers:
        return None, at
    if shortened:
        return Literal(fault=SettingsError("text_shortened")), at
    if not isinstance(value, list) or (first[0] == "(" and len(value) < 2):
        return None, at
    if wrong:
        return Literal(fault=SettingsError("not_a_number", entry=short_text(wrong))), at
    return _literal(value), at


def _level(token: re.Match) -> Level:
    call = (token["call"] or "").rpartition(".")[2].rstrip(" (").lower()
    return Level(ENDS[token[0][-1]], call, token.start(), [], [], [], {})


def _closed(level: Level) -> list | str:
    """The value of a closed bracket. Parentheses around a value say nothing."""
    entries, call = level.entries, level.call
    nested = any(isinstance(entry, list) for entry in entries)
    if level.options and len(entries) == 1 and nested:
        return _of_r(entries[0], level.options)
    if call == "rbind" or call == "cbind":
        return [list(row) for row in zip(*entries, strict=False)] if call == "cbind" else entries
    if len(entries) == 1 and level.end == ")" and call != "c":
        return entries[0]
    if not nested and level.breaks:
        return _split(entries, level.breaks)
    if not nested and level.end == "]":
        rows = [row for row in _split(entries, level.lines) if row]
        if len(rows) > 1 and len({len(row) for row in rows}) == 1 and _is_block(level, rows):
            return rows
    return entries


def _is_block(level: Level, rows: list[list[str]]) -> bool:
    """Lines that are too short to have been wrapped are rows, as in Matlab."""
    return max(sum(map(len, row)) + 2 * len(row) for row in rows) < WIDTH


def _split(entries: list, breaks: list[int]) -> list[list]:
    edges = [0, *breaks, len(entries)]
    return [entries[start:end] for start, end in pairwise(edges) if end > start]


def _of_r(entries: list, options: dict[str, str]) -> list:
    """matrix(c(1, 2, 3, 4), nrow = 2): column by column, unless byrow is TRUE."""
    nrow = options.get("nrow", options.get("nr", ""))
    ncol = options.get("ncol", options.get("nc", ""))
    count = len(entries)
    rows = int(nrow) if nrow.isdecimal() else count // int(ncol) if ncol.isdecimal() and int(ncol) else 1
    if not 1 <= rows <= count or count % rows:  # the text may say any number of rows
        return entries
    if options.get("byrow", "") in ("true", "t"):
        width = count // rows
        return [entries[at : at + width] for at in range(0, count, width)]
    return [entries[row::rows] for row in range(rows)]


def _literal(value: list) -> Literal:
    """The rows of nested lists; leading dimensions of size 1 are left out."""
    shape = _shape(value)
    if shape is None:
        return _uneven(value)
    batch = 0
    while len(shape) > 2 and shape[0] == 1:
        value, shape, batch = value[0], shape[1:], batch + 1
    if len(shape) > 2:
        facts = {"count": len(shape), "shape": " × ".join(map(str, shape))}
        return Literal(fault=SettingsError("text_dimensions", **facts))
    if 0 in shape:
        return Literal(fault=SettingsError("file_empty"))
    rows = value if len(shape) == 2 else [value]
    return Literal(tuple(tuple(map(standing, row)) for row in rows), len(shape) == 1, batch)


def of_lists(value: list) -> Literal | None:
    """The matrix in nested lists of JSON; None if they hold no number, or are nested too deeply."""
    numbers = 0
    result: list = []
    stack = [(value, result, 1)]
    while stack:
        entries, copy, depth = stack.pop()
        for entry in entries:
            if isinstance(entry, list):
                if depth == DEEPEST:
                    return None
                inner: list = []
                copy.append(inner)
                stack.append((entry, inner, depth + 1))
            else:
                text = BLANK if entry is None else entry if isinstance(entry, str) else str(entry)
                numbers += is_number(text)
                copy.append(text)
    if not numbers:
        return None
    return _literal(result)


def _shape(value: object) -> tuple[int, ...] | None:
    """The sizes of nested lists; None if they differ."""
    if not isinstance(value, list):
        return ()
    shapes = {_shape(entry) for entry in value}
    if len(shapes) > 1 or None in shapes:
        return None
    return (len(value), *(shapes.pop() if shapes else ()))  # type: ignore[misc]


def _uneven(value: list) -> Literal:
    while len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    rows = [row if isinstance(row, list) else [row] for row in value]
    lengths = [len(row) for row in rows]
    number = next((i for i, length in enumerate(lengths) if length != lengths[0]), 0)
    facts = {
        "row": number + 1,
        "expected": lengths[0] if lengths else 0,
        "got": lengths[number] if lengths else 0,
    }
    return Literal(fault=SettingsError("file_uneven", **facts))
