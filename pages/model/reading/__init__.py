"""One reader for text: the matrices in it, with the names in front of them. All other text is ignored.

1. `markup` removes prompts, numbers of lines, comments and the options of prints; LaTeX becomes lists.
2. `arrays` puts one character in the place of each array, `tables` reads CSV, columns of spaces and Markdown.
3. This module reads the lines that are left: names and one value. `Q[0] = … = ▯` is row 0 of Q, as of a chain
   the side after the last = counts; `Q = K = ▯` is both. A name alone in a line belongs to the numbers below
   it, and a token and its row are a row. Where a name follows a value, another statement begins.
4. Rows and numbers of one step become one matrix. If it is printed again with other numbers, both are kept.

What was left out is in the notes of a table. Its fault is the reason why it cannot be read as meant: it is
shortened or cut, its rows differ in length, words are among its numbers. The other tables stay. The time to
read grows with the length. Only a text that is too long, or has too many brackets, raises a SettingsError.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from pages.model.entries import SettingsError, read_json, short_text

from .arrays import ARRAY, FIRST, MARK, Array, Rows, cut_out, uneven
from .markup import plain
from .names import COUNT, NAMES, ORDINAL, OTHER, NamedPlace, place_of, step_of
from .numbers import BLANK, DOTS, is_blank, is_number, is_word, with_point
from .tables import NumberTable, table_at

MOST = 60_000  # characters
MOST_CELLS = 4_096  # of a matrix whose rows and numbers are named one by one
LONGEST_NAME = 200  # characters


@dataclass(frozen=True)
class ReadTable:
    """A matrix of the text. step: the meaning of its name, or ""; labels, heads: of rows, of columns."""

    step: str
    name: str
    rows: Rows = ()
    labels: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    notes: tuple[SettingsError, ...] = ()
    fault: SettingsError | None = None
    in_parts: bool = False  # its rows or numbers were named one by one, and some may be missing
    one_of: int = 0  # it is one of so many matrices of an array

    @property
    def is_first(self) -> bool:
        """Whether the text has no other matrix of that name before it."""
        return self.one_of < 2 and not any(note.code == "text_again" for note in self.notes)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), max(map(len, self.rows), default=0)


@dataclass(frozen=True)
class TextReading:
    """The matrices of a text, lists that may be tokens, d_k, and lines with numbers that are left out."""

    tables: tuple[ReadTable, ...]
    tokens: tuple[tuple[str, ...], ...] = ()
    d_k: float | None = None
    left: tuple[str, ...] = ()


@functools.lru_cache(maxsize=16)
def read(text: str) -> TextReading:
    """The matrices of the text. Raises SettingsError for a text that is too long."""
    if len(text) > MOST:
        raise SettingsError("text_too_long", length=len(text), limit=MOST)
    lines = _of_json(text)
    reduced, arrays = cut_out(re.sub(f"[{MARK}]", "", plain(text) if lines is None else lines))
    return _Lines(re.sub(r"\n[ \t]*=(?!=)", " =", reduced).split("\n"), arrays).reading()


def corrected(table: ReadTable, text: str) -> ReadTable:
    """The matrix with the numbers in the text, as a learner has corrected them. Raises SettingsError."""
    tables = read(text).tables
    wrong = next(filter(is_word, re.split(r"[\s;]+", text)), None)
    if wrong is not None and "[" not in text:
        raise SettingsError("not_a_number", entry=short_text(wrong))
    if not tables:
        raise SettingsError("file_empty")
    if tables[0].fault is not None:
        raise tables[0].fault
    return replace(table, rows=tables[0].rows, fault=None)


# ---- JSON


def _of_json(text: str) -> str | None:
    """A text in JSON as lines of names and lists, and as tables; None for any other text."""
    try:
        content = read_json(text.lstrip("\ufeff"), number=str)
        return "\n".join(_named_lists("", content)) if isinstance(content, dict | list) else None
    except (ValueError, RecursionError):
        return None


def _named_lists(name: str, value: Any) -> Iterator[str]:
    """The lists in objects by their names; the records and columns of pandas as tables."""
    if isinstance(value, dict) and {"columns", "data"} <= value.keys():
        value = value["data"]
    columns = list(value.values()) if isinstance(value, dict) else []
    if columns and all(isinstance(column, dict) and _is_flat(column) for column in columns):
        rows = zip(*(column.values() for column in columns), strict=False)
        value = [dict(zip(value, row, strict=False)) for row in rows]
    name = re.sub(r"[\s=:|]+", " ", name)
    if isinstance(value, dict):
        for key, content in value.items():
            yield from _named_lists(key, content)
    elif isinstance(value, list) and value and all(isinstance(record, dict) for record in value):
        yield f"\n{name}:"
        for row in (list(value[0]), *(record.values() for record in value)):
            yield f"| {' | '.join(map(str, row))} |"
    elif isinstance(value, list) or ((place := place_of(name)) and place.step in NOTED):
        yield f"{name}: " * bool(name) + json.dumps(value, ensure_ascii=False)


def _is_flat(column: dict) -> bool:
    return not any(isinstance(entry, dict | list) for entry in column.values())


# ---- one line

# A run of spaces in a line is one space.
EDGE = re.compile("(?<![=<>!])=(?!=)|[:()→\0]")
SYMBOL = rf"(?:[qkvxsaozα]|W_?[QKV]|d_?k)(?:_?{COUNT}(?:,{COUNT})?|\[{COUNT}(?:, ?{COUNT})?\])?"
LAST_SYMBOL = re.compile(rf"(?<![\w^√/]){SYMBOL} ?\Z", re.I)
JOINED = re.compile(rf"(?:[,;。、]|\b(?:and|so|then|where|with|let)\b|和|以及|而) ?{SYMBOL} ?\Z", re.I)
FACTOR = re.compile(rf"(?:[·⋅×@*+/^√-]|(?<!\w){SYMBOL}) ?$", re.I)
ITEM = r"[+-]?(?:[0-9.√]+(?:/[0-9.√]+)?(?:[eE][+-]?[0-9]{1,3})?%?|inf|nan|∞)(?![\w.])|[-?…](?![\w(])|\.{3}"
VALUE = re.compile(rf"\s*(?:[{MARK}](?:[\s,;|&\\]*[{MARK}])*|(?:{ITEM})(?:[\s,;|&\\]+(?:{ITEM}))*)")
# Before an array without a sign of equality: "the ▯", "the → ▯", "W_Q are ▯". Nothing is computed there.
NAMED = re.compile(
    rf"(?:(?<=[^\s=:,;|({MARK}·⋅×@*+^/√→>\d.-])|(?<=[^\W\d]\d))"
    rf" ?(?:(?:is|are|equals)(?= )|变?为|是)? ?(?=[{MARK}])"
)
APART = re.compile(
    r"[\s),;.|&/→、。·⋅×@•+*-]*(?:(?:and|so|then|where|with|let|和|以及|而|则)(?![a-z]) ?)*", re.I
)
TWO = re.compile(rf"[{MARK}] ?[{MARK}]")
NOTED = ("tokens", "d_k", "divisor")
QUOTE = re.compile(r"[\"{}]|(?<!\w)'(?=\w)|'(?= ?:)")  # of the keys of a dictionary
# After an array: nothing of it is computed.
HARMLESS = re.compile(
    r"(?:\.(?:float|double|half|to|numpy|tolist|detach|cpu|cuda|astype|requires_grad_?|clone|contiguous|copy"
    r"|unsqueeze|squeeze|round)\([^()]{0,40}\))+"
)
TURNED = re.compile(r"\^?T(?!\w)|\^?⊤|ᵀ")
OPERATOR = re.compile(rf" ?(?:[\^ᵀ⊤/*·⋅×@+'(\[{MARK}]|T\b|\.(?=\w)|[-−] ?[\w\[(])")
FREE_NUMBER = re.compile(rf"(?<![\w^.])\d|[{MARK}]")
# Probably of a matrix: a number with decimals, an array, or numbers in a row at the end.
PRINTED_NUMBER = re.compile(rf"(?<![\w^.])\d+\.\d|[{MARK}]|\d[ ,;]+[+-]?\d+ ?$")
CALLS = re.compile(rf"(?:\b[\w.]{{1,40}})?\([^(){MARK}]{{0,200}}\)")
# What each step is computed from: after the numbers of a factor the chain goes on, "Q = ▯ · W_Q = ▯".
FACTORS = {
    **{"query": ("w_q", "b_q"), "key": ("w_k", "b_k"), "value": ("w_v", "b_v")},
    **{"scores": ("key",), "output": ("value",), "scaled_scores": ("key", "d_k")},
}


def _edges(line: str) -> list[re.Match]:
    """Where names end: each = and each colon outside of round brackets, and before an array."""
    edges, depth = [], 0
    for match in EDGE.finditer(line):
        if match[0] in "()":
            depth = max(0, depth + (1 if match[0] == "(" else -1))
        elif not depth:
            edges.append(match)
    return edges


# ---- all lines


@dataclass
class _Step:
    """The numbers of one step: whole matrices, and rows and numbers that were named one by one."""

    tables: list[ReadTable] = field(default_factory=list)
    cells: dict[tuple[int, int], str] = field(default_factory=dict)
    height: int = 0  # of the rows without a number
    labels: tuple[str, ...] = ()  # tokens of these rows


class NamedValue(NamedTuple):
    """Names, one value, and what follows it. assigned: an = is before the value."""

    names: list[str]
    value: str
    rest: str
    assigned: bool


class _Lines:
    """Reads one line after the other. A name without numbers waits for the numbers that follow it."""

    def __init__(self, lines: list[str], arrays: list[Array]):
        self.lines = lines
        self.arrays = arrays
        self.steps: dict[str, _Step] = {}
        self.others: list[ReadTable] = []
        self.tokens: list[tuple[str, ...]] = []
        self.d_k: float | None = None
        self.left: list[str] = []
        self.title = ""  # the name that waits
        self.at = 0  # the line
        self.row_at = -2  # the line of the last row without a name
        names = (re.split("[=:]", line, maxsplit=1)[0] for line in lines if "=" in line or ":" in line)
        places = (place_of(name, 0) for name in names)
        self.first = 1 - any(place and place.numbered and 0 in (place.row, place.col) for place in places)

    def reading(self) -> TextReading:
        while self.at < len(self.lines):
            self.at = self.line(self.at)
        tables = [table for step, content in self.steps.items() for table in self.finished(step, content)]
        return TextReading((*tables, *self.others), tuple(self.tokens), self.d_k, tuple(self.left))

    def line(self, i: int) -> int:
        """Reads line i; returns the line after what it began."""
        line = self.lines[i] if "\t" in self.lines[i] else self.lines[i].strip()
        is_heading = line.startswith("# ")
        assigns = "=" in line or "→" in line or (":" in line and not set(line) & set("|\t;"))
        may_be_table = "|" in line or not (assigns or ARRAY.search(line))
        if line.strip() and not is_heading and may_be_table:
            table = table_at(self.lines, i, titled=bool(self.title))
            if table is not None:
                if not table.rows or not self.table(table):
                    for skipped in self.lines[i : table.end]:
                        self.skip(skipped, FREE_NUMBER)
                self.title = ""
                return max(table.end, i + 1)
        if is_heading:
            self.named(line.removeprefix("# "))
        elif line.strip():
            for statement in self.statements(" ".join(line.split())):
                self.statement(statement)
        return i + 1

    def statements(self, line: str) -> Iterator[NamedValue]:
        """The line, cut where a name follows a value."""
        line = NAMED.sub(" \0 ", ORDINAL.sub("", QUOTE.sub("", line)))
        edges = _edges(line)
        starts, ends = [0, *(edge.end() for edge in edges)], [*(edge.start() for edge in edges), len(line)]
        names: list[str] = []
        kept = ""  # a value in the middle of a chain: "Q = ▯ = X W_Q"
        for start, end in zip(starts, ends, strict=True):
            text = line[start:end]
            value = VALUE.match(text)
            if value is not None and start == 0 and edges and not ARRAY.search(value[0]):  # "1. Queries:"
                value = None
            rest = text[value.end() :] if value else text
            if end == len(line):
                assigned = bool(edges) and edges[-1][0] == "="
                yield NamedValue(
                    names, value[0] if value else kept, rest if value or not kept else "", assigned
                )
            elif value is None and names and JOINED.search(text):  # "Q = X W_Q, K = ▯"
                self.skip(" = ".join([*names, text]), FREE_NUMBER)
                names = [text]
            elif value is None:
                names.append(text)
            elif (rest.strip() and not self.goes_on(names, rest)) or (not rest.strip() and line[end] != "="):
                yield NamedValue(names, value[0], "", line[start - 1] == "=")
                names, kept = [rest] if rest.strip() else [], ""
            else:
                kept = "" if rest.strip() else value[0]

    def goes_on(self, names: list[str], rest: str) -> bool:
        """Whether something is computed with the value before: "Q = ▯ · W_Q = …", but not "Q = ▯ / K = …"."""
        operator = OPERATOR.match(rest)
        factor = self.place(rest.lstrip(" ·⋅×@*+/-"))
        target = self.place(names[0]) if names else None
        if operator is None or factor is None or target is None:
            return operator is not None
        crossed = operator[0].strip() in ("×", "@") and target.step in FACTORS
        return crossed or factor.step in FACTORS.get(target.step, ())

    def statement(self, statement: NamedValue) -> None:
        """Reads the value for each of its names."""
        names = [APART.sub("", name, count=1).strip() for name in statement.names]
        places = {place: name for name in reversed(names) if (place := self.place(name))}
        name, value, rest = names[0] if names else "", statement.value, statement.rest
        whole = " = ".join([*names, value + rest])
        if any(place.step in NOTED for place in places):
            for place in places:
                self.note(place.step, value + rest)
            return
        if not value:
            self.skip(whole, FREE_NUMBER if places else PRINTED_NUMBER)
            self.named(name or rest)
            return
        bare = _numbers(value)
        arrays = [bare] if bare else self.arrays_in(value)
        is_row = all(array.flat for array in arrays)
        fault = SettingsError("text_cut") if rest.lstrip(" ").startswith("]") else None
        rest = "" if is_row and TURNED.match(rest) else HARMLESS.sub("", rest, count=1).lstrip(" )>")
        single = bare is not None and not places and bare.rows[1:] == bare.rows[0][1:] == ()
        prose = bare is not None and rest[:1].isalnum() and all(place.col is None for place in places)
        mixed = not arrays or (TWO.search(value) and not is_row)
        unsure = any(self.place(name) != self.place(name, words=False) for name in names[1:])
        if single or prose or mixed or unsure or OPERATOR.match(rest) or any(map(is_number, names)):
            self.skip(whole, PRINTED_NUMBER if single else FREE_NUMBER)
            self.title = self.title if bare or not arrays else ""
            return
        if arrays[0].texts:
            self.tokens.append(arrays[0].texts)
            return
        labels: tuple[str, ...] = ()
        if not name or (not places and not statement.assigned and is_row):  # no name, or a token's
            labels, name, title = (name,) if name else (), self.title, self.place(self.title)
            places = {title: name} if title else {}
            self.title = self.title if is_row else ""
        else:
            self.title = ""
        for place, called in reversed(places.items()) if places else [(None, name)]:
            if is_row:
                rows = tuple(row for array in arrays for row in array.rows)
                self.put(place, ReadTable("", called, rows, labels, fault=fault), flat=len(rows) == 1)
            else:
                for array in arrays:
                    self.put_array(called, place, array, fault)

    def arrays_in(self, text: str) -> list[Array]:
        return [self.arrays[ord(mark) - FIRST] for mark in ARRAY.findall(text)]

    def named(self, name: str) -> None:
        """The line may be the name of what follows."""
        self.title = ORDINAL.sub("", name).strip(" ,:")

    def skip(self, line: str, meaning: re.Pattern = PRINTED_NUMBER) -> None:
        """Keeps a line with numbers, to be told."""
        if meaning.search(CALLS.sub("", line)):
            self.left.append(" ".join(ARRAY.sub(self.shown, line).replace("\0", " ").split())[:60])

    def shown(self, match: re.Match) -> str:
        """An array as a line of text."""
        array = self.arrays[ord(match[0]) - FIRST]
        rows = "], [".join(", ".join(row) for row in array.rows)
        return (f"[{rows}]" if array.flat else f"[[{rows}]]") if rows else "[…]"

    def place(self, name: str, *, words: bool = True) -> NamedPlace | None:
        """What a name means, or the symbol at the end of words."""
        if not name or len(name) > LONGEST_NAME:
            return None
        name = " ".join(ARRAY.sub(" ", name).split()).strip(" {}<>;,.-*•'\"")
        if (place := place_of(name, self.first)) or not words or OTHER.search(name):
            return place
        symbol = LAST_SYMBOL.search(name)
        is_alone = symbol is not None and not FACTOR.search(name[: symbol.start()])
        return place_of(symbol[0].strip(), self.first) if symbol and is_alone else None

    # ---- values

    def table(self, table: NumberTable) -> bool:
        """Reads a number table; False if it is of no use."""
        if any(ARRAY.search(cell) for row in table.rows for cell in row):
            return self.vectors(table)
        places = [self.place(label) for label in table.labels]
        headed = bool(self.title or any(table.heads))
        if places and all(place and (place.numbered or not headed) for place in places):
            for label, place, row in zip(table.labels, places, table.rows, strict=True):  # Q, or q_1, k_1, …
                filled = max((i for i, entry in enumerate(row) if not is_blank(entry)), default=0)
                fault = None if table.fault and table.fault.code == "file_uneven" else table.fault
                self.put(place, ReadTable("", label, (tuple(row[: filled + 1]),), fault=fault), flat=True)
            return True
        columns = {step_of(head) for head in table.heads if len(head) > 1} - {None}
        place, name = self.place(self.title), self.title
        if len(columns) > 1 or (columns and not name):
            return False
        if place is None and table.corner and (corner := self.place(table.corner)) and corner.row is None:
            place, name = corner, table.corner
        if place is not None and place.row is not None and len(table.rows) > 1:
            return False
        totals = tuple(SettingsError("text_totals", name=short_text(head)) for head in table.totals)
        if place and place.step == "exponentials" and totals:
            column = next(iter(table.totals.values()))
            self.put(NamedPlace("sums"), ReadTable("", "sums", tuple((entry,) for entry in column)))
            totals = totals[1:]
        rows, names = tuple(map(tuple, table.rows)), (tuple(table.labels), tuple(table.heads))
        whole = ReadTable("", name, rows, *names, table.notes + totals, table.fault)
        self.put(place, whole, flat=len(rows) == 1)
        return True

    def vectors(self, table: NumberTable) -> bool:
        """Columns that are named by a step, with a vector in each cell: | token | Q | K | V |."""
        done = False
        for head, column in zip(table.heads, zip(*table.rows, strict=False), strict=False):
            place, cells = self.place(head), self.arrays_in("".join(column))
            if place and all(map(ARRAY.fullmatch, column)) and all(cell.flat for cell in cells):
                rows = tuple(cell.rows[0] for cell in cells)
                self.put(place, ReadTable("", head, rows, tuple(table.labels)))
                done = True
        return done

    def put_array(
        self, name: str, place: NamedPlace | None, array: Array, fault: SettingsError | None = None
    ) -> None:
        """Keeps the matrix of an array, or each of its matrices."""
        notes = (SettingsError("text_batch", count=array.batch),) if array.batch else ()
        for index, rows in array.parts:
            step = place.step if place else ""
            table = ReadTable(step, short_text(name) + index, rows, notes=notes, one_of=len(array.parts))
            self.others.append(table)
        if not array.parts:
            whole = ReadTable("", name, array.rows, notes=notes, fault=fault or array.fault)
            self.put(place, whole, flat=array.flat)

    def put(self, place: NamedPlace | None, table: ReadTable, *, flat: bool = False) -> None:
        """Keeps a matrix, or rows or numbers of a matrix. flat: other rows may follow."""
        name = short_text(" ".join(ARRAY.sub(" ", table.name).split()).strip(" {}\"'<>,"))
        table = replace(table, name=name, fault=table.fault or uneven(table.rows))
        height, width = table.shape
        if place is None or (place.row is not None and (table.fault or height > 1 < width)):
            self.put_other(table, flat)
            return
        content = self.steps.setdefault(place.step, _Step())
        if place.linear:
            table = replace(table, notes=(*table.notes, SettingsError("file_linear", names=(name,))))
        if place.transposed or (place.row is not None and height > 1):  # a vector written as a column
            table = replace(table, rows=tuple(zip(*table.rows, strict=False)))
        if table.fault is None and len(table.rows) == 1 and (flat or place.row is not None):
            content.labels += table.labels if place.row is None else ()
            self.put_row(place, content, table.rows[0])
        else:
            content.tables.append(replace(table, step=place.step))

    def put_other(self, table: ReadTable, flat: bool) -> None:
        """Keeps a matrix without a place. A row below another, without a name of its own, belongs to it."""
        row = flat and table.fault is None and (bool(table.labels) or not table.name)
        last = self.others[-1] if self.others and self.at - 1 <= self.row_at else None
        if row and last and last.shape[1] == table.shape[1] and bool(last.labels) == bool(table.labels):
            labels = last.labels + table.labels
            self.others[-1] = replace(
                last, rows=last.rows + table.rows, labels=labels, notes=_of_rows(labels)
            )
        else:
            self.others.append(replace(table, notes=table.notes + _of_rows(table.labels)) if row else table)
        self.row_at = self.at if row else -2

    def put_row(self, place: NamedPlace, content: _Step, row: tuple[str, ...]) -> None:
        at, down = place.row, place.step == "sums" and place.row is None  # sums may be in one row
        if at is None:
            at, content.height = content.height, content.height + (len(row) if down else 1)
        for i, entry in enumerate(row):
            content.cells.setdefault((at + i, 0) if down else (at, (place.col or 0) + i), entry)

    def finished(self, step: str, content: _Step) -> list[ReadTable]:
        """The matrices of a step: the first is the one that is meant."""
        tables, rows = list(content.tables), _rows_of(content.cells)
        if content.cells and rows is None:
            tables.append(ReadTable(step, NAMES[step][0], fault=SettingsError("text_places", name=step)))
        elif rows and not tables:
            labels = content.labels if len(content.labels) == len(rows) else ()
            notes = _of_rows(labels)
            return [ReadTable(step, NAMES[step][0], rows, labels, notes=notes, in_parts=True)]
        elif rows:
            kept = dict(enumerate(tables[0].rows))
            for i, row in enumerate(rows):
                same = zip(row, kept.get(i, ()), strict=False)
                if i not in kept or any(entry not in (BLANK, other) for entry, other in same):
                    self.left.append(f"{tables[0].name}: {' '.join(row)}"[:60])
        different: dict[Rows, ReadTable] = {}
        for table in tables:
            again = (SettingsError("text_again", name=table.name),) if different else ()
            different.setdefault(table.rows, replace(table, notes=table.notes + again))
        return list(different.values())

    def note(self, step: str, value: str) -> None:
        """The tokens, or d_k."""
        if step != "tokens":  # dₖ is the square of the divisor
            if match := re.match(r" ?(√?)([0-9]{1,4}(?:[.,][0-9]{1,6})?)(?![0-9/])", value):
                power = 2 if step == "divisor" and not match[1] else 1
                self.d_k = float(match[2].replace(",", ".")) ** power
        elif arrays := self.arrays_in(value):
            self.tokens.insert(0, arrays[0].texts)
        else:
            names = re.split(r"[,;、]" if re.search(r"[,;、]", value) else r"\s+", value.strip(" []()."))
            names = [entry.strip(" \"'") for entry in names if entry.strip()]
            if len(names) != 1 or not names[0].isdigit():  # else how many there are
                self.tokens.insert(0, tuple(names))


def _of_rows(labels: tuple[str, ...]) -> tuple[SettingsError, ...]:
    return (SettingsError("file_labels", names=labels),) if labels else ()


def _numbers(value: str) -> Array | None:
    """Numbers without brackets, a row between semicolons; None for anything else."""
    value = re.sub(r"(?<=[0-9])[.,;。\s]+$", "", value)
    rows = [tuple(filter(None, re.split(r"[\s,|&\\]+", row))) for row in value.split(";")]
    entries = [entry for row in rows for entry in row]
    if not entries or not all(is_number(entry) or is_blank(entry) or entry in DOTS for entry in entries):
        return None
    rows = [tuple(BLANK if entry in DOTS else with_point(entry) for entry in row) for row in rows if row]
    return Array(tuple(rows), flat=len(rows) == 1)


def _rows_of(cells: dict[tuple[int, int], str]) -> Rows | None:
    """The matrix of single rows and numbers, with BLANK for what was not named; None if it is too large."""
    if not cells:
        return ()
    height, width = (1 + max(axis) for axis in zip(*cells, strict=True))
    if height * width > MOST_CELLS:
        return None
    return tuple(tuple(cells.get((i, j), BLANK) for j in range(width)) for i in range(height))
