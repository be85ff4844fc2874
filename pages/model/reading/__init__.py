"""One reader for text: the matrices in it, with the names in front of them. All other text is ignored.

1. `markup` removes prompts, fences, comments and the options of prints, and turns LaTeX into lists.
2. `literals` puts one character in the place of each matrix in brackets.
3. `grids` reads number tables: CSV, columns of spaces, Markdown, prints of pandas, R, Matlab and Julia.
4. This module reads the lines that are left: `Q[0] = … = ▯` is row 0 of Q, `s_12 = 2.69` is a number of S. A
   name alone in a line belongs to the numbers below it. Of a chain the side after the last = counts.
5. Rows and numbers of one step become one matrix. If it is printed again with other numbers, both are kept.

What was left out is in the notes of a table. Its fault is the reason why it cannot be read as meant: it is
shortened or cut, its rows differ in length, words are among its numbers. The other tables stay. The time to
read grows with the length. Only a text that is too long, or has too many brackets, raises a SettingsError.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from pages.model.entries import SettingsError, read_json, short_text

from .grids import NumberTable, grid_at
from .literals import DEEPEST, FIRST, LITERAL, MARK, Literal, cut_out, of_lists
from .markup import plain
from .names import COUNT, NAMES, ORDINAL, OTHER, NamedPlace, place_of, step_of
from .numbers import BLANK, is_blank, is_number, not_number, standing

MOST = 60_000  # characters
WIDEST = 500  # columns of a matrix that is printed in parts
LONGEST_NAME = 200  # characters before a number
Rows = tuple[tuple[str, ...], ...]


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

    @property
    def is_first(self) -> bool:
        """Whether the text has no other matrix of that name before it."""
        return not any(note.code == "text_again" for note in self.notes)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), max(map(len, self.rows), default=0)


@dataclass(frozen=True)
class TextReading:
    """The matrices of a text, lists that may be tokens, d_k, and lines with numbers that are left out."""

    tables: tuple[ReadTable, ...]
    tokens: tuple[tuple[str, ...], ...] = ()
    d_k: int | None = None
    left: tuple[str, ...] = ()


@functools.lru_cache(maxsize=16)
def read(text: str) -> TextReading:
    """The matrices of the text. Raises SettingsError for a text that is too long."""
    if len(text) > MOST:
        raise SettingsError("text_too_long", length=len(text), limit=MOST)
    if (content := _json(text)) is not None:
        lines = _Lines([], [])
        _read_json(lines, "", content)
        return lines.reading()
    text = text.replace("Parameter containing:\n", "")  # as PyTorch prints a weight
    reduced, literals = cut_out(plain(re.sub(f"[{MARK}]", "", text)))
    return _Lines(reduced.split("\n"), literals).reading()


def corrected(table: ReadTable, text: str) -> ReadTable:
    """The matrix with the numbers in the text, as a learner has corrected them. Raises SettingsError."""
    tables = read(text).tables
    wrong = next((entry for entry in re.split(r"[\s;]+", text) if entry and not_number(entry)), None)
    if wrong is not None and "[" not in text:
        raise SettingsError("not_a_number", entry=short_text(wrong))
    if not tables:
        raise SettingsError("file_empty")
    if tables[0].fault is not None:
        raise tables[0].fault
    return replace(table, rows=tables[0].rows, fault=None)


# ---- JSON


def _json(text: str) -> object | None:
    """The value of a text in JSON; None for any other text."""
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return None
    try:
        return read_json(text.lstrip("\ufeff"), number=str)
    except (ValueError, RecursionError):
        return None


def _read_json(lines: _Lines, name: str, value: object, depth: int = 0) -> None:
    """The matrices in lists, in objects by their names, and in the records and columns of pandas."""
    place = lines.place(name)
    if isinstance(value, dict) and {"columns", "data"} <= value.keys():  # of pandas
        value = value["data"]
    if isinstance(value, dict) and value and depth < DEEPEST:
        columns = [list(column.values()) if isinstance(column, dict) else () for column in value.values()]
        if all(columns) and all(isinstance(entry, str) for column in columns for entry in column):
            header = SettingsError("file_header", line=short_text(", ".join(map(str, value))))
            rows = [list(row) for row in zip(*columns, strict=False)]
            lines.put(name, place, rows, flat=False, notes=(header,))
        else:
            for key, content in value.items():
                _read_json(lines, key, content, depth + 1)
    elif place is not None and place.step in ("tokens", "d_k"):
        if place.step == "d_k" and isinstance(value, str):
            lines.note("d_k", value, "")
        elif isinstance(value, list) and all(isinstance(entry, str) for entry in value):
            lines.tokens.insert(0, tuple(map(str, value)))
    elif isinstance(value, list) and value and all(map(_is_record, value)):
        rows = [[str(entry) for entry in record.values()] for record in value]
        header = SettingsError("file_header", line=short_text(", ".join(value[0])))
        lines.put(name, place, rows, flat=False, notes=(header,))
    elif isinstance(value, list) and (literal := of_lists(value)) is not None:
        notes = (SettingsError("text_batch", count=literal.batch),) if literal.batch else ()
        rows = [list(row) for row in literal.rows]
        lines.put(name, place, rows, flat=literal.flat, notes=notes, fault=literal.fault)


def _is_record(value: object) -> bool:
    return isinstance(value, dict) and all(
        entry is None or isinstance(entry, str) for entry in value.values()
    )


def _uneven(rows: list[list[str]]) -> SettingsError | None:
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            return SettingsError("file_uneven", row=number, expected=len(rows[0]), got=len(row))
    return None


# ---- one line

# A run of spaces in a line is one space. Where a name may end, and where brackets are to be counted:
EDGE = re.compile("(?<![=<>!])=(?!=)|[:()]")
# Where a statement may begin after other words: q1 = …, Q = …, q1·k2 = …
SYMBOL = rf"(?:[qkvxsaozα]|W_?[QKV]|d_?k)(?:_?{COUNT}(?:,{COUNT})?|\[{COUNT}(?:, ?{COUNT})?\])?"
START = re.compile(
    rf"(?<![\w^√/])(?:q_?{COUNT} ?[·⋅] ?k_?{COUNT}|{SYMBOL}) ?(?:=(?!=)|:(?= ?[{MARK}]))", re.I
)
FACTOR = re.compile(rf"(?:[·⋅×@*+/^√-]|(?<!\w){SYMBOL}) ?$", re.I)
# And where one ends: "q1 = ▯, so …", "s_11 = 2 and …"
LINK = "(?:and|so|then|where|with) "
JOINT = re.compile(
    rf"(?<=[\])0-9%{MARK}])(?:(?: ?[,;.](?= ))+ ?(?:{LINK})?| ?[。、] ?| {LINK}"
    r"| ?(?:和|以及|而) ?)(?=[^\W\d])"
)
QUOTE = re.compile(r"[\"{}]|(?<!\w)'(?=\w)|'(?= ?:)")  # of the keys of a dictionary
IS = re.compile(
    rf"(?: (?:is|are|equals?|becomes?)\b| ?(?:变?为|是|等于)) ?:? ?(?=\(? ?[{MARK}]|[-+]?[.0-9√])"
)
# After a literal: nothing of it is computed.
HARMLESS = re.compile(
    r"(?:\.(?:float|double|half|to|numpy|tolist|detach|cpu|cuda|astype|requires_grad_?|clone|contiguous|copy"
    r"|unsqueeze|squeeze|round)\([^()]{0,40}\))+"
)
OPERATOR = re.compile(r"[\^ᵀ⊤/*·⋅×@+'\[]|\.(?=\w)|-\s?[0-9\[]")
CALL = re.compile(r"(?:\b[\w.]{1,40})?\([^()]{0,200}\)")
FREE_NUMBER = re.compile(r"(?<![\w^.])\d")
PRINTED_NUMBER = re.compile(rf"(?<![\w^.])\d+\.\d|[{MARK}]")  # probably a number of a matrix
OPERATION = re.compile(r"\S ?[·⋅×@*+/^√-]\Z")
# Lines of prints that say how the next rows are meant.
SIZE_LINE = re.compile(
    r"(?:[0-9]{1,4}(?:×|x)[0-9]{1,4} .{1,60}|shape: \(.{1,20}\)|Diagonal Matrix|ans =):?|[\[\]{}(),;]+"
)
FACTOR_LINE = re.compile(r"1(?:\.0{0,9})?e([-+]?[0-9]{1,3}) {0,9}\*")
COLUMNS_LINE = re.compile(r"Columns? ([0-9]{1,3})(?: (?:through|and|to) ([0-9]{1,3}))?:?")
ROW_LINE = re.compile(
    r"(?:第 ?([0-9]{1,2}|[一二三四五六七八九]) ?行"
    r"|(?:row|token|query|position|词元|查询|位置) ?([0-9]{1,2}))",
    re.I,
)
ARROW = re.compile(r"\( ?([0-9.]{1,9}%?) ?\)\Z")
CHINESE = "一二三四五六七八九"


def _statements(line: str) -> Iterator[str]:
    """The line, cut where another statement begins: "let q1 = ▯ and k1 = ▯"."""
    line = IS.sub(" = ", ORDINAL.sub("", QUOTE.sub("", line)))
    start, counted, depth = 0, 0, 0
    for match in JOINT.finditer(line):
        more = line[counted : match.start()]
        counted = match.start()
        depth += more.count("(") - more.count(")")
        if depth <= 0:
            yield from _apart(line[start : match.start()])
            start = counted = match.end()
            depth = 0
    yield from _apart(line[start:])


def _apart(part: str) -> list[str]:
    """The words before each statement, and the statements; together, if the words are part of a name."""
    cuts: list[int] = []
    for match in START.finditer(part):
        since = max(cuts[-1] if cuts else 0, match.start() - LONGEST_NAME)
        before = part[since : match.start()]
        if not before.strip() or FACTOR.search(before) or OTHER.search(before):
            continue
        if "=" in before and not re.search(rf"(?:[0-9%]|[{MARK}]) +$", before):
            continue
        head = _head(part[since : match.end()])
        if not cuts and "=" not in before and head and place_of(head[0]):
            continue
        cuts.append(match.start())
    edges = [0, *cuts, len(part)]
    return [part[start:end] for start, end in pairwise(edges)]


def _head(line: str) -> tuple[str, str] | None:
    """The name and what follows: before and after the first = or : outside of round brackets."""
    depth = 0
    for match in EDGE.finditer(line):
        if match[0] in "()":
            depth = max(0, depth + (1 if match[0] == "(" else -1))
        elif not depth:
            return line[: match.start()], line[match.end() :].removeprefix("=")
    return None


def _last_side(text: str) -> str:
    """The text after the last = outside of round brackets: a chain of equations ends in its result."""
    depth, last = 0, 0
    for match in EDGE.finditer(text):
        if match[0] in "()":
            depth = max(0, depth + (1 if match[0] == "(" else -1))
        elif match[0] == "=" and not depth:
            last = match.end()
    return text[last:]


# ---- all lines


@dataclass
class _Step:
    """The numbers of one step: whole matrices, and rows and numbers that were named one by one."""

    tables: list[ReadTable] = field(default_factory=list)
    cells: dict[tuple[int, int], str] = field(default_factory=dict)
    stacked: dict[tuple[str, ...], int] = field(default_factory=dict)  # rows without a number


class _Lines:
    """Reads one line after the other. A name without numbers waits for the numbers that follow it."""

    def __init__(self, lines: list[str], literals: list[Literal]):
        self.raw = [line.rstrip(" ") for line in lines]
        self.lines = [line if "\t" in line else line.strip() for line in self.raw]
        self.literals = literals
        self.steps: dict[str, _Step] = {}
        self.others: list[ReadTable] = []
        self.tokens: list[tuple[str, ...]] = []
        self.d_k: int | None = None
        self.left: list[str] = []
        self.title = ""  # the name that waits
        self.row: int | None = None  # the row that a heading names
        self.arrows: list[tuple[str, str]] = []  # keys and their weights
        self.power = 0  # of ten, by which a print of Matlab divides its numbers
        self.columns = False  # more columns of the last table follow
        self.last: tuple[str, int] | None = None  # the step of the last table, and its place
        self.at = 0  # the line
        self.row_at = -2  # the line of the last row without a name
        heads = (_head(line) for line in self.lines if "=" in line or ":" in line)
        places = (place_of(head[0], 0) for head in heads if head)
        self.first = 1 - any(place and place.numbered and 0 in (place.row, place.col) for place in places)

    def reading(self) -> TextReading:
        i = 0
        while i < len(self.lines):
            i = self.line(i)
        tables = [table for step, content in self.steps.items() for table in self.finished(step, content)]
        if len(self.arrows) > 1:
            heads, weights = zip(*self.arrows, strict=True)
            again = (SettingsError("text_again", name="→"),) if "weights" in self.steps else ()
            tables.append(ReadTable("weights", "→", (weights,), heads=heads, notes=again))
        return TextReading((*tables, *self.others), tuple(self.tokens), self.d_k, tuple(self.left))

    # ---- lines

    def line(self, i: int) -> int:
        """Reads line i; returns the line after what it began."""
        line = self.lines[i]
        self.at = i
        if not line.strip():
            return i + 1
        if self.meant(line):
            return i + 1
        statement = "=" in line or (":" in line and not set(line) & set("|\t;"))
        if not line.startswith("# ") and ("|" in line or not statement):
            grid = grid_at(self.raw, i, titled=bool(self.title))
            if grid is not None:
                if not self.grid(grid):
                    for skipped in self.lines[i : grid.end]:
                        self.skip(skipped, FREE_NUMBER)
                self.title = ""
                return max(grid.end, i + 1)
        parts = list(_statements(" ".join(line.split()))) if not line.startswith("# ") else [line]
        end = i + 1
        for part in parts[:-1]:
            self.statement(part, i + 1)
        if parts:
            end = self.statement(parts[-1], i + 1)
        return end

    def meant(self, line: str) -> bool:
        """Whether the line only says how the next rows are meant."""
        if match := FACTOR_LINE.fullmatch(line.strip()):
            self.power = int(match[1])
        elif match := COLUMNS_LINE.fullmatch(line.strip()):
            self.columns = match[1] not in ("0", "1")
        elif not SIZE_LINE.fullmatch(line.strip()):
            return False
        return True

    def statement(self, part: str, i: int) -> int:
        """Reads a statement, which may go on in line i; returns the line after it."""
        head = None if part.startswith("# ") else _head(part)
        if head is None:
            self.words(part)
            return i
        name, value = head[0], _last_side(head[1])
        if not name.strip():
            name = self.title
        whole = part
        while i < len(self.lines) and self.lines[i].lstrip().startswith("="):
            value = _last_side(self.lines[i].strip())
            whole = f"{whole[:LONGEST_NAME]} {value}"
            i += 1
        place = self.place(name)
        if place is not None and place.step in ("tokens", "d_k"):
            self.note(place.step, value, whole)
            return i
        literals = self.literals_of(value)
        if literals:
            if not self.value(name, place, value, literals):
                self.title = ""
                self.skip(whole)
            return i
        rows = _numbers(value)
        if rows is not None and (place is not None or len(rows) > 1 or len(rows[0]) > 1):
            self.title = ""
            self.put(name, place, rows, flat=len(rows) == 1)
            return i
        self.skip(whole, PRINTED_NUMBER if place is None else FREE_NUMBER)
        self.named(name)
        return i

    def words(self, part: str) -> None:
        """A line without = and without a colon: a name, a literal with words in front, or prose."""
        literals = self.literals_of(part)
        if literals and part.startswith("# "):
            return
        if "→" in part and (match := ARROW.search(part)):  # it → animal (0.6)
            source, _, target = part[: match.start()].partition("→")
            self.arrows.append((target.strip() or source.strip(), match[1]))
            return
        if literals:
            at = LITERAL.search(part).start()  # type: ignore[union-attr]
            name = part[:at].strip(" ,").lstrip("-*•> ")
            if OPERATION.search(name) or is_number(name):
                self.skip(part)
                return
            place = self.place(name) if name else None
            waits = self.title
            if self.value(
                name if place or not waits else waits,
                place or (self.place(waits) if not name or self.title else None),
                part[at:],
                literals,
            ):
                return
        if ";" in part and (rows := _numbers(part)):  # 1 2; 3 4
            self.put(self.title, self.place(self.title), rows, flat=len(rows) == 1)
            return
        self.skip(part)
        self.named(part)

    def named(self, name: str) -> None:
        """The line may be the name of what follows."""
        row = self.row_in(name)
        self.row = self.row if row is None else row
        self.title = ORDINAL.sub("", name.removeprefix("# ")).strip(" ,:")

    def row_in(self, name: str) -> int | None:
        """The row in 第 2 行 or token 2, counted from 0."""
        match = ROW_LINE.search(name)
        row = match and (match[1] or match[2])
        if not row:
            return None
        return max(0, (CHINESE.index(row) + 1 if row in CHINESE else int(row)) - self.first)

    def skip(self, line: str, meaning: re.Pattern = PRINTED_NUMBER) -> None:
        """Keeps a line with numbers, to be told."""
        if not line.startswith("# ") and meaning.search(CALL.sub("", line)):
            self.left.append(" ".join(LITERAL.sub(self.shown, line).split())[:60])

    def shown(self, match: re.Match) -> str:
        """A literal as a line of text."""
        literal = self.literals[ord(match[0]) - FIRST]
        rows = "], [".join(", ".join(row) for row in literal.rows)
        return (f"[{rows}]" if literal.flat else f"[[{rows}]]") if rows else "[…]"

    def place(self, name: str) -> NamedPlace | None:
        if len(name) > LONGEST_NAME:
            return None
        name = " ".join(LITERAL.sub(" ", name).replace('"', "").replace("'", "").split()).strip(" {}<>;,.-*•")
        place = place_of(name, self.first) if name else None
        if place is None and not OTHER.search(name):
            if symbol := LAST_SYMBOL.search(name):
                before = name[: symbol.start()]
                return None if FACTOR.search(before) else place_of(symbol[0].strip(), self.first)
            _, joint, last = name.rpartition("的")  # 三个位置的分数
            first, preposition, _ = name.partition(" of ")  # scores of three positions
            place = place_of(last if joint else first, self.first) if joint or preposition else None
            row = self.row_in(name)
            if place and row is not None and place.row is None:  # 位置 1 的输出
                place = place._replace(row=row, numbered=True)
        return place

    def literals_of(self, text: str) -> list[Literal]:
        return [self.literals[ord(mark) - FIRST] for mark in LITERAL.findall(text)]

    # ---- values

    def value(self, name: str, place: NamedPlace | None, value: str, literals: list[Literal]) -> bool:
        """Reads literals of a value; False if something is computed with them."""
        first = LITERAL.search(value)
        assert first is not None
        before, rest = value[: first.start()].strip(" (<,"), value[first.end() :]
        literal = literals[0]
        if literal.texts:
            self.tokens.append(literal.texts)
            return True
        rows = list(literal.rows)
        more = iter(literals[1:])
        while literal.flat and (match := re.match(rf"[ ,;]*[{MARK}]", rest)):
            following = next(more)
            if not following.flat:
                break
            rows += following.rows
            rest = rest[match.end() :]
        transposed = bool(re.match(r"(?:\^?T\b|\^?⊤|ᵀ)", rest)) and literal.flat
        rest = HARMLESS.sub("", rest, count=1).lstrip() if not transposed else ""
        fault = literal.fault
        if rest.startswith("]"):
            fault = fault or SettingsError("text_cut")
        elif before or OPERATOR.match(rest.lstrip(" )>")) or (LITERAL.match(rest) and not literal.flat):
            return False
        title = self.title
        labelled = place is None and name and literal.flat and title and self.place(title)
        if labelled and fault is None:  # - the: [0.6, 0.4]
            self.put(title, self.place(title), [list(row) for row in rows], flat=True)
            return True
        if not name and title:
            name, place = title, self.place(title)
        if name != title or not literal.flat:  # else more rows may follow
            self.title = ""
        notes = (SettingsError("text_batch", count=literal.batch),) if literal.batch else ()
        self.put(
            name,
            place,
            [list(row) for row in rows],
            flat=literal.flat and len(rows) == 1,
            notes=notes,
            fault=fault,
        )
        return True

    def grid(self, grid: NumberTable) -> bool:
        """Reads a number table; False if it is of no use."""
        if not grid.rows:
            return False
        if any(LITERAL.search(cell) for row in grid.rows for cell in row):
            return self.vectors(grid)
        places = [self.place(label) for label in grid.labels]
        headed = bool(self.title or any(grid.heads))
        if grid.labels and all(place and (place.numbered or not headed) for place in places):
            return self.named_rows(grid, places)
        columns = {step_of(head) for head in grid.heads if len(head) > 1} - {None}
        if len(columns) > 1 or (columns and not self.title):
            return False
        rows, power, self.power = grid.rows, self.power, 0
        if power and grid.fault is None:
            rows = [[entry if "e" in entry else f"{entry}e{power}" for entry in row] for row in rows]
        if self.columns:
            self.columns = grid.continued
            return self.more_columns(rows, grid)
        place = self.place(self.title) if self.title else None
        name = self.title
        if place is None and grid.corner and (corner := self.place(grid.corner)) and corner.row is None:
            place, name = corner, grid.corner
        if place is not None and place.row is not None and len(rows) > 1:
            return False
        totals = tuple(SettingsError("text_totals", name=short_text(head)) for head in grid.totals)
        if place and place.step == "exponentials" and grid.totals:
            column = next(iter(grid.totals.values()))
            self.put("sums", NamedPlace("sums"), [[entry] for entry in column], flat=False)
            totals = totals[1:]
        self.put(
            name,
            place,
            rows,
            flat=len(rows) == 1,
            labels=tuple(grid.labels),
            heads=tuple(grid.heads),
            notes=grid.notes + totals,
            fault=grid.fault,
        )
        self.columns = grid.continued
        return True

    def vectors(self, grid: NumberTable) -> bool:
        """Columns that are named by a step, with a vector in each cell: | token | Q | K | V |."""
        done = False
        for head, column in zip(grid.heads, zip(*grid.rows, strict=False), strict=False):
            place = self.place(head)
            cells = [self.literals_of(cell) for cell in column]
            if place and all(len(cell) == 1 and cell[0].flat for cell in cells):
                self.put(
                    head,
                    place,
                    [list(cell[0].rows[0]) for cell in cells],
                    flat=False,
                    labels=tuple(grid.labels),
                )
                done = True
        return done

    def named_rows(self, grid: NumberTable, places: list[NamedPlace | None]) -> bool:
        """Rows that are called Q, or q_1, k_2, …: each is a row of its step."""
        if grid.fault is not None and grid.fault.code != "file_uneven":
            self.put(grid.labels[0], places[0], grid.rows, flat=False, fault=grid.fault)
            return True
        for label, place, row in zip(grid.labels, places, grid.rows, strict=True):
            filled = max((i for i, entry in enumerate(row) if not is_blank(entry)), default=0)
            self.put(label, place, [row[: filled + 1]], flat=True)
        return True

    def more_columns(self, rows: list[list[str]], grid: NumberTable) -> bool:
        """The next columns of a matrix that was printed in parts."""
        step, at = self.last or ("", -1)
        tables = self.steps[step].tables if step else self.others
        if not tables or len(tables[at].rows) != len(rows) or len(tables[at].rows[0]) > WIDEST:
            return False
        wider = tuple((*row, *more) for row, more in zip(tables[at].rows, rows, strict=True))
        tables[at] = replace(tables[at], rows=wider, fault=tables[at].fault or grid.fault)
        return True

    def put(
        self,
        name: str,
        place: NamedPlace | None,
        rows: list[list[str]],
        *,
        flat: bool,
        labels: tuple[str, ...] = (),
        heads: tuple[str, ...] = (),
        notes: tuple[SettingsError, ...] = (),
        fault: SettingsError | None = None,
    ) -> None:
        """Keeps a matrix, or rows or numbers of a matrix."""
        fault = fault or _uneven(rows)
        shown = short_text(" ".join(LITERAL.sub(" ", name).split()).strip(" {}\"'<>,"))
        if place is None:
            follows = flat and fault is None and not shown and self.row_at == self.at - 1
            if follows and len(self.others[-1].rows[0]) == len(rows[0]):  # one row below the other
                self.others[-1] = replace(self.others[-1], rows=(*self.others[-1].rows, *map(tuple, rows)))
            else:
                self.others.append(ReadTable("", shown, tuple(map(tuple, rows)), labels, heads, notes, fault))
            self.row_at = self.at if flat and fault is None and not shown else -2
            self.last, self.row = ("", len(self.others) - 1), None
            return
        content = self.steps.setdefault(place.step, _Step())
        if place.linear:
            notes = (*notes, SettingsError("file_linear", names=(shown,)))
        if place.transposed:
            rows = [list(column) for column in zip(*rows, strict=False)]
        if place.row is not None and len(rows) > 1 and all(len(row) == 1 for row in rows):
            rows = [[row[0] for row in rows]]  # a vector written as a column
        if fault is None and len(rows) == 1 and (flat or place.row is not None):
            self.put_row(place, content, rows[0])
            return
        if place.row is not None or (fault is not None and place.numbered):
            self.others.append(ReadTable("", shown, tuple(map(tuple, rows)), fault=fault, notes=notes))
            return
        content.tables.append(
            ReadTable(place.step, shown, tuple(map(tuple, rows)), labels, heads, notes, fault)
        )
        self.last, self.row = (place.step, len(content.tables) - 1), None

    def put_row(self, place: NamedPlace, content: _Step, row: list[str]) -> None:
        cells = content.cells
        if place.col is not None and len(row) == 1:
            cells.setdefault((place.row or 0, place.col), row[0])
            return
        if place.row is not None:
            at = place.row
        elif place.step == "sums" and len(row) > 1:
            for number, entry in enumerate(row):
                cells.setdefault((number, 0), entry)
            return
        elif self.row is not None:
            at = self.row
        else:
            at = content.stacked.setdefault(tuple(row), len(content.stacked))
        if at < 1_000:
            for col, entry in enumerate(row):
                cells.setdefault((at, col), entry)

    def finished(self, step: str, content: _Step) -> list[ReadTable]:
        """The matrices of a step: the first is the one that is meant."""
        tables = list(content.tables)
        rows = _rows_of(content.cells)
        if content.cells and rows is None:
            tables.append(ReadTable(step, NAMES[step][0], fault=SettingsError("text_places", name=step)))
        elif rows and not tables:
            return [ReadTable(step, NAMES[step][0], rows, in_parts=True)]
        elif rows:
            kept = dict(enumerate(tables[0].rows))
            self.left += [
                f"{tables[0].name}: {' '.join(row)}"[:60]
                for i, row in enumerate(rows)
                if any(
                    entry not in (BLANK, kept_entry)
                    for entry, kept_entry in zip(row, kept.get(i, ()), strict=False)
                )
                or i not in kept
            ]
        different: dict[Rows, ReadTable] = {}
        for table in tables:
            again = (SettingsError("text_again", name=table.name),) if different else ()
            different.setdefault(table.rows, replace(table, notes=table.notes + again))
        return list(different.values())

    def note(self, step: str, value: str, line: str) -> None:
        """The tokens, or d_k."""
        literals = self.literals_of(value)
        if literals and step == "tokens" and literals[0].texts:
            self.tokens.insert(0, literals[0].texts)
            return
        if step == "d_k":
            match = re.match(r" ?([0-9]{1,4})(?![0-9]|\.[0-9])", value)
            self.d_k = int(match[1]) if match else self.d_k
            return
        names = re.split(r"[,;、]" if re.search(r"[,;、]", value) else r"\s+", value.strip(" []()."))
        names = [entry.strip(" \"'") for entry in names if entry.strip()]
        if len(names) == 1 and names[0].isdigit():  # how many there are
            self.skip(line)
        elif not literals:
            self.tokens.insert(0, tuple(names))


LAST_SYMBOL = re.compile(rf"(?<![\w^√/])(?:q_?{COUNT} ?[·⋅] ?k_?{COUNT}|{SYMBOL}) ?\Z", re.I)


def _numbers(value: str) -> list[list[str]] | None:
    """Numbers without brackets, a row between semicolons; None for anything else."""
    value = re.sub(r"(?<=[0-9])[.,;。\s]+$", "", value)
    rows = [[entry for entry in re.split(r"[\s,|&\\]+", row) if entry] for row in value.split(";")]
    rows = [row for row in rows if row]
    if not rows or not all(
        is_number(entry) or is_blank(entry) or entry in ("…", "...") for row in rows for entry in row
    ):
        return None
    return [[standing(entry) if entry not in ("…", "...") else BLANK for entry in row] for row in rows]


def _rows_of(cells: dict[tuple[int, int], str]) -> Rows | None:
    """The matrix of single rows and numbers, with BLANK for what was not named; None if it is too large."""
    if not cells:
        return ()
    height, width = (1 + max(axis) for axis in zip(*cells, strict=True))
    if height * width > 4_096:
        return None
    return tuple(tuple(cells.get((i, j), BLANK) for j in range(width)) for i in range(height))
