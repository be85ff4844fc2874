"""The statements of a pasted text: a name and its numbers, on one line or several, or one below the other."""

import re

from attention.lab.worked_examples.document import BLANK

from .names import ORDINAL, OTHER, Place, place_of
from .reader import ENTRY, MINUS, DocumentError, Reader
from .tables import Table, read_table, table_at

# A name ends at the first = or : outside of round brackets.
HEAD = re.compile(r"((?:\((?:[^()]|\([^()]*\))*\)|[^=:：(])*)(?:=|[:：]=?)")
# Where a statement may begin after other words: q1 = …, Q = …, q1·k2 = …
SYMBOL = r"(?:[qkvxsaozα]|W_?[QKV]|d_?k)(?:_?\d+(?:,\d+)?|\[\d+(?:,\s*\d+)?\])?"
START = re.compile(rf"(?<![\w^√/])(?:q_?\d+\s*[·⋅]\s*k_?\d+|{SYMBOL})\s*(?:=(?!=)|[:：](?=\s*[\[(]))", re.I)
FACTOR = re.compile(rf"(?:[·⋅×@*+/^√-]|(?<!\w){SYMBOL})\s*$", re.I)
# And where one ends: "q1 = [1, 0], so …", "s_11 = 2 and …"
LINK = r"(?:and|so|then|where|with)\s+"
JOINT = re.compile(
    rf"(?<=[\])\d%])(?:(?:\s*[,;.](?=\s))+\s*(?:{LINK})?|\s*[，；。、]\s*|\s+{LINK}|\s*(?:和|以及|而)\s*)(?=[^\W\d])"
)
IS = re.compile(r"(?:\s+(?:is|are|equals?)\b|\s*(?:为|是|等于))\s*[:：]?\s*(?=[\[(]\s*[\[(]?\s*[-+.\d√])")

LABELLED = re.compile(r"\W*([^\[\]=:：]{1,40})[:：=]\s*(\[[^\[\]]*\]|\([^()]*\))\W*")
OPENING = re.compile(r"\s*(?:(?:(?:torch|np|numpy)\.)?(?:tensor|array|matrix)\s*\()?[\s(]*", re.I)
TUPLE = re.compile(r"\(\s*([-+.√\d][^()\[\]]*,[^()\[\]]*)\)")
OPERATOR = re.compile(r"\s*\)*\s*(?:[\^ᵀ⊤/*·⋅×@+\[]|-\s*[\d\[])")
WORD = re.compile(r"(?!inf|nan)[^\W\d_]{2,}")
FREE_NUMBER = re.compile(r"(?<![\w^])\d")


def statements_of(line: str) -> list[str]:
    """The line, cut where another statement begins: "let q1 = [1, 0] and k1 = [0, 1]"."""
    mark = "# " if line.startswith("# ") else ""
    line = mark + IS.sub(" = ", ORDINAL.sub("", line.removeprefix(mark)))
    place = _place_at_start(line)
    if mark or (place and place.step == "tokens"):
        return [line]
    parts, start = [], 0
    for found in JOINT.finditer(line):
        before = line[start : found.start()]
        if before.count("(") <= before.count(")") and _open(before) <= 0:
            parts.append(before)
            start = found.end()
    return [one for part in (*parts, line[start:]) for one in _apart(part)]


def _place_at_start(line: str) -> Place | None:
    head = HEAD.match(line)
    return head and place_of(head[1])


def _apart(part: str) -> list[str]:
    """The words before a statement, and the statement; together, where the words are part of its name."""
    for found in START.finditer(part):
        before = part[: found.start()]
        if _place_at_start(part) or "=" in before or FACTOR.search(before) or OTHER.search(before):
            break
        if before.strip():
            return [before, part[found.start() :]]
    return [part]


class Statements:
    """Reads one statement after the other. A name without numbers waits for those that follow it."""

    def __init__(self, lines: list[str]):
        self.lines = [part for line in lines for part in statements_of(line)]
        self.reader = Reader()
        self.title: Place | None = None  # the name that waits
        self.titled = ""  # the line that it is in
        self.first = 1  # the number of the first row in q_1; q_0 says that it is 0
        for head in filter(None, map(HEAD.match, self.lines)):
            place = place_of(head[1], 0)
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
        head = HEAD.match(line)
        place = place_of(head[1] if head else line, self.first)
        if place is None:
            return self.unnamed(i, head)
        self.forget()
        rest = line[head.end() :] if head else ""
        if line.startswith("# ") and re.search(r"[\d\[]", rest):  # no heading, but numbers in a comment
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

    def unnamed(self, i: int, head: re.Match | None) -> int:
        """The numbers that a name waits for, or else a line that names no step."""
        title, line = self.title, self.lines[i]
        if title and (labelled := self.labelled(i)):
            rows = [_entries(list_[1:-1]) for list_ in labelled]
            if title.row is None and self.put_rows(title, rows):
                self.title = None
                return i + len(labelled)
        if title and (head is None or not head[1].strip()):
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
            found = LABELLED.fullmatch(line)
            if not found or place_of(found[1], self.first):
                break
            rows.append(found[2])
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
            found = re.match(r"\s*([0-9]+)(?!\d|\.\d)", _last_side(rest))
            self.reader.width(found[1] if found else rest.strip())
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
        while i < len(self.lines):
            line = self.lines[i]
            if line.lstrip().startswith("="):
                body = _last_side(line)
            elif _open(body) > 0 or self.goes_on(body, i):
                body += "" if line.startswith("# ") else "\n" + line
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
                return line[OPENING.match(line).end() :].startswith("[")
            flat = re.fullmatch(r"\s*\[[^\[\]]*\][\s,;]*", line)
            return bool(flat) and "[" in body and "[[" not in re.sub(r"\s", "", body)
        return "[" not in body and _rows(line) is not None and bool(line.strip())

    def put(self, place: Place, body: str) -> bool:
        """Takes the numbers in; False where these are none, or none that belong to such a name."""
        found = _rows(body)
        if found is None:
            return False
        rows, rest = found
        if not self.put_rows(place, rows):
            return False
        self.skip(rest if "[" in rest else "")
        return True

    def put_rows(self, place: Place, rows: list[list[str]]) -> bool:
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

    def table(self, table: Table) -> None:
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
        body = TUPLE.sub(r"[\1]", body)
    if "[" not in body:
        rows = [_entries(row) for row in re.split(r"[\n;]", re.sub(r"(?<=\d)[.,;。\s]+$", "", body))]
        rows = [row for row in rows if row]
        first = rows[0][0] if rows else ""
        good = first and (first == BLANK or ENTRY.fullmatch(first)) and not WORD.search(body)
        return (rows, "") if good else None
    start = OPENING.match(body).end()
    if body[start : start + 1] != "[":
        return None
    end = _group(body, start)
    flat = "[" not in body[start + 1 : end]
    while flat and (more := re.match(r"\s*(?:[,;]|\n)\s*(?=\[)", body[end:])):
        end = _group(body, end + more.end())
    rest = body[end:]
    if flat:
        rest = re.sub(r"^\s*(?:\^?(?:T\b|⊤)|ᵀ)", "", rest)
    if OPERATOR.match(rest):
        return None
    group = body[start:end]
    rows = [_entries(row) for row in re.findall(r"\[([^\[\]]*)\]", group) or [group]]
    return [row for row in rows if row], rest


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
