"""The statements of a pasted text: a name and its numbers, on one line or several, or one below the other."""

import re
from collections.abc import Iterable, Iterator

from attention.lab.worked_examples.document import BLANK, ENTRY

from .names import COUNT, ORDINAL, OTHER, NamedPlace, place_of
from .reader import MINUS, DocumentError, Reader
from .tables import MarkdownTable, read_table, table_at

MOST = 1_000  # statements

# A run of spaces in a line is one space already. Where a name may end, and where brackets are to be counted:
MARK = re.compile("[=:：()]")
# Where a statement may begin after other words: q1 = …, Q = …, q1·k2 = …
SYMBOL = rf"(?:[qkvxsaozα]|W_?[QKV]|d_?k)(?:_?{COUNT}(?:,{COUNT})?|\[{COUNT}(?:, ?{COUNT})?\])?"
START = re.compile(
    rf"(?<![\w^√/])(?:q_?{COUNT} ?[·⋅] ?k_?{COUNT}|{SYMBOL}) ?(?:=(?!=)|[:：](?= ?[\[(]))", re.I
)
FACTOR = re.compile(rf"(?:[·⋅×@*+/^√-]|(?<!\w){SYMBOL}) ?$", re.I)
# And where one ends: "q1 = [1, 0], so …", "s_11 = 2 and …"
LINK = "(?:and|so|then|where|with) "
JOINT = re.compile(
    rf"(?<=[\])0-9%])(?:(?: ?[,;.](?= ))+ ?(?:{LINK})?| ?[，；。、] ?| {LINK}| ?(?:和|以及|而) ?)(?=[^\W\d])"
)
IS = re.compile(r"(?: (?:is|are|equals?)\b| ?(?:为|是|等于)) ?[:：]? ?(?=[\[(] ?[\[(]? ?[-+.0-9√])")

LABELLED = re.compile(r"\A\W*([^\[\]=:：]{1,40})[:：=] ?(\[[^\[\]]*\]|\([^()]*\))\W*")
FLAT = re.compile(r" ?\[[^\[\]]*\][ ,;]*")
NESTED = re.compile(r"\[\s*\[")
OPENING = re.compile(r"\s*+(?:(?:(?:torch|np|numpy)\.)?(?:tensor|array|matrix) ?\()?[\s(]*", re.I)
VECTOR = re.compile(r"\(\s*([-+.√0-9][^()\[\]]*)\)")
OPERATOR = re.compile(r"[\^ᵀ⊤/*·⋅×@+\[]|-\s?[0-9\[]")
WORD = re.compile(r"(?!inf|nan)[^\W\d_]{2,}")
FREE_NUMBER = re.compile(r"(?<![\w^])\d")  # also in a script that is not read: it is told


def statements_of(line: str) -> Iterator[str]:
    """The line, cut where another statement begins: "let q1 = [1, 0] and k1 = [0, 1]"."""
    mark = "# " if line.startswith("# ") else ""
    line = mark + IS.sub(" = ", ORDINAL.sub("", line.removeprefix(mark)))
    place = _place_at_start(line)
    if mark or (place and place.step == "tokens"):
        yield line
        return
    start, counted, depth = 0, 0, [0, 0]  # of round and of square brackets
    for match in JOINT.finditer(line):
        more = line[counted : match.start()]
        counted = match.start()
        depth = [depth[0] + more.count("(") - more.count(")"), depth[1] + _open(more)]
        if max(depth) <= 0:
            yield from _apart(line[start : match.start()])
            start = counted = match.end()
            depth = [0, 0]
    yield from _apart(line[start:])


def _head(line: str) -> tuple[str, str] | None:
    """The name and what follows: what is before and after the first = or : outside of round brackets."""
    depth = 0
    for match in MARK.finditer(line):
        if match[0] in "()":
            depth = max(0, depth + (1 if match[0] == "(" else -1))
        elif not depth:
            end = match.end() + (match[0] != "=" and line.startswith("=", match.end()))
            return line[: match.start()], line[end:]
    return None


def _place_at_start(line: str) -> NamedPlace | None:
    head = _head(line)
    return head and place_of(head[0])


def _opened(text: str) -> int:
    """Where the numbers begin: after `tensor(` or a bracket, at the start where there is no bracket."""
    result = OPENING.match(text)
    return result.end() if result else 0


def _apart(part: str) -> list[str]:
    """The words before a statement, and the statement; together, where the words are part of its name."""
    for match in START.finditer(part):
        before = part[: match.start()]
        if _place_at_start(part) or "=" in before or FACTOR.search(before) or OTHER.search(before):
            break
        if before.strip():
            return [before, part[match.start() :]]
    return [part]


class Statements:
    """Reads one statement after the other. A name without numbers waits for the numbers that follow it."""

    def __init__(self, lines: list[str]):
        self.lines = list(_at_most(MOST, (part for line in lines for part in statements_of(line))))
        self.reader = Reader()
        self.title: NamedPlace | None = None  # the name that waits
        self.titled = ""  # the line that it is in
        self.first = 1  # the number of the first row in q_1; q_0 says that it is 0
        for name, _ in filter(None, map(_head, self.lines)):
            place = place_of(name, 0)
            if place and place.numbered and 0 in (place.row, place.col):
                self.first = 0

    def read(self) -> Reader:
        i = 0
        while i < len(self.lines):
            i = self.statement(i)
        self.forget()
        return self.reader

    def statement(self, i: int) -> int:
        """Reads the statement that begins in line i; returns the line after it."""
        line = self.lines[i]
        if not re.search(r"[\w\[#?-]", line):
            return i + 1
        if "|" in line and (table := table_at(self.lines, i)):
            self.table(table)
            return table.end
        head = _head(line)
        name, rest = head or (line, "")
        place = place_of(name, self.first)
        if place is None:
            return self.unnamed(i, alone=not head or not name.strip())
        self.forget()
        if line.startswith("# ") and re.search(r"[0-9\[]", rest):  # no heading, but numbers in a comment
            return i + 1
        if place.step in ("tokens", "d_k"):
            self.note(place.step, rest, line)
            return i + 1
        body, after = self.body(rest, i + 1)
        if self.put(place, body):
            return after
        if "[" in body:
            self.skip(line if "[" in line else body)
            return after
        self.title, self.titled = place, line  # a formula, or nothing yet
        return i + 1

    def unnamed(self, i: int, alone: bool) -> int:
        """The numbers that a name waits for, or else a line that names no step.

        alone: nothing is before the numbers.
        """
        title, line = self.title, self.lines[i]
        if title and title.row is None and (labelled := self.labelled(i)):
            rows = [_entries(list_[1:-1]) for list_ in labelled]
            if self.put_rows(title, rows):
                self.title = None
                return i + len(labelled)
        if title and alone:
            body, after = self.body(line, i + 1)
            if self.put(title, body):
                self.title = None
                return after
        self.forget()
        self.skip(line)
        return i + 1

    def labelled(self, i: int) -> list[str]:
        """Rows with labels, such as `- the: [0.6, 0.4]`, from line i on."""
        rows = []
        for line in self.lines[i:]:
            result = LABELLED.fullmatch(line)
            if not result or place_of(result[1], self.first):
                break
            rows.append(result[2])
        return rows

    def forget(self) -> None:
        """No numbers follow the name that waits."""
        if self.title:
            self.skip(self.titled)
        self.title = None

    def skip(self, line: str) -> None:
        if FREE_NUMBER.search(line) and not line.startswith("# "):
            self.reader.skipped.append(" ".join(line.split())[:60])

    def note(self, step: str, rest: str, line: str) -> None:
        if step == "d_k":
            match = re.match(r" ?([0-9]+)(?![0-9]|\.[0-9])", _last_side(rest))
            self.reader.width(match[1] if match else rest.strip())
            return
        names = re.split(r"[,，;；]" if re.search(r"[,，;；]", rest) else r"\s+", rest.strip(" []()."))
        names = [name.strip(" \"'“”") for name in names if name.strip()]
        if len(names) == 1 and names[0].isdigit():  # how many there are
            self.skip(line)
        else:
            self.reader.name(names)

    def body(self, rest: str, i: int) -> tuple[str, int]:
        """What belongs to a name: up to the brackets' end, or to an empty line or the next name."""
        body = _last_side(rest)
        depth = _open(body)
        while i < len(self.lines):
            line = self.lines[i]
            if line.lstrip().startswith("="):
                body = _last_side(line)
                depth = _open(body)
            elif depth > 0 or self.goes_on(body, i):
                more = "" if line.startswith("# ") else "\n" + line
                body += more
                depth += _open(more)
            else:
                break
            i += 1
        return body, i

    def goes_on(self, body: str, i: int) -> bool:
        """Whether line i is one more row, or the first."""
        line = self.lines[i]
        if table_at(self.lines, i):
            return False
        if "[" in line:
            if not body.strip():
                return line[_opened(line) :].startswith("[")
            return bool(FLAT.fullmatch(line)) and "[" in body and not NESTED.search(body)
        return "[" not in body and _rows(line) is not None and bool(line.strip())

    def put(self, place: NamedPlace, body: str) -> bool:
        """Takes the numbers in; False where the text has no numbers, or no numbers for this name."""
        result = _rows(body)
        if result is None:
            return False
        rows, rest = result
        if not self.put_rows(place, rows):
            return False
        self.skip(rest if "[" in rest else "")
        return True

    def put_rows(self, place: NamedPlace, rows: list[list[str]]) -> bool:
        step, row, col = place.step, place.row, place.col
        if row is not None and len(rows) > 1 and all(len(one) == 1 for one in rows):
            rows = [[one[0] for one in rows]]  # a vector written as a column
        single = len(rows) == 1 and (col is None or len(rows[0]) == 1)
        if place.numbered and not single:
            return False
        if place.transposed:
            rows = [list(one) for one in zip(*rows, strict=False)]
        if row is None:
            self.reader.put_rows(step, rows)
        elif not single:
            raise DocumentError("index", step=step, index=str(row) if col is None else f"{row},{col}")
        elif col is not None:
            self.reader.put(step, row, col, rows[0][0])
            self.reader.by_cell.add(step)
        else:
            self.reader.put_rows(step, rows, row)
            self.reader.by_row.add(step)
        return True

    def table(self, table: MarkdownTable) -> None:
        read = read_table(table, self.title, self.first)
        if read is None or not all(self.put_rows(place, rows) for place, rows in read.blocks):
            self.forget()
            for cells in (table.header, *table.rows):
                self.skip(" | ".join(cells))
            return
        self.title = None
        if read.tokens and not self.reader.tokens:
            self.reader.name(read.tokens)
        self.reader.skipped += [f"… | {name} | …" for name in read.left_out]


def _at_most(limit: int, parts: Iterable[str]) -> Iterator[str]:
    """All parts. Raises DocumentError where more than `limit` are not blank."""
    for part in parts:
        limit -= bool(part)
        if limit < 0:
            raise DocumentError("too_many", limit=MOST)
        yield part


# ---- the numbers of a statement


def _last_side(text: str) -> str:
    """What is after the last = of a line: a chain of equations ends in its result."""
    return text.rpartition("=")[2]


def _open(body: str) -> int:
    return body.count("[") - body.count("]")


def _rows(body: str) -> tuple[list[list[str]], str] | None:
    """Numbers in brackets, or without: a row on each line, or between semicolons; and what follows them.

    None where these are not only numbers: a product of matrices, a factor before a bracket, a sentence.
    """
    body = body.translate(MINUS)
    if body.lstrip().startswith("("):
        body = VECTOR.sub(lambda result: f"[{result[1]}]" if "," in result[1] else result[0], body)
    if "[" not in body:
        rows = [_entries(row) for row in re.split(r"[\n;]", re.sub(r"(?<=[0-9])[.,;。\s]+$", "", body))]
        rows = [row for row in rows if row]
        first = rows[0][0] if rows else ""
        good = first and (first == BLANK or ENTRY.fullmatch(first)) and not WORD.search(body)
        return (rows, "") if good else None
    start = _opened(body)
    if body[start : start + 1] != "[":
        return None
    end = _group(body, start)
    flat = "[" not in body[start + 1 : end]
    while flat and (start_of_next := _next_row(body, end)):
        end = _group(body, start_of_next)
    rest = body[end:].lstrip()
    if flat:
        rest = re.sub(r"\A(?:\^?(?:T\b|⊤)|ᵀ)", "", rest)
    if OPERATOR.match(rest.lstrip(" \n)")):
        return None
    group = body[start:end]
    rows = [_entries(row) for row in re.findall(r"\[([^\[\]]*)\]", group) or [group]]
    return [row for row in rows if row], rest


def _next_row(body: str, end: int) -> int:
    """Where a bracket opens with only a comma, a semicolon or a new line between; 0 where none does."""
    start = body.find("[", end)
    between = body[end : max(start, end)]
    return start if set(between) & set(",;\n") and not between.strip(" \n,;") else 0


def _group(body: str, start: int) -> int:
    """The end of the bracket that opens at `start`; of the text, where it is not closed."""
    depth = 0
    for i in range(start, len(body)):
        depth += (body[i] == "[") - (body[i] == "]")
        if not depth:
            return i + 1
    return len(body)


def _entries(text: str) -> list[str]:
    """The entries of one row, with commas, spaces, tabs or bars between them."""
    return [entry for entry in re.split(r"[\s,|&\\]+", text.translate(MINUS)) if entry]
