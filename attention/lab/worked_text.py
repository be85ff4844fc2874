"""Worked examples as people paste them: JSON, CSV, or text as a note has it. Every number keeps its digits.

Text: `Q = [[1.14, 0.57], [0.51, 1.58]]` over any number of lines; `Q[0] = … = [1.14, 0.57]` for one row and
`S[0, 1] = … = 2.69` for one number, counted from 0, where what follows the last = counts; rows without
brackets, one on a line or with ; between them. Comments begin with #. Lines that name no step are skipped.
CSV: a step's name and the numbers of one row on each line, `Q,1.14,0.57`.
JSON: `{"tokens": ["a", "b"], "Q": [[1.14, 0.57], …]}`.
"""

import functools
import json
import re

from attention.lab.worked_document import BLANK, Document
from attention.lab.worked_reader import (
    ENTRY,
    MAX_LENGTH,
    MINUS,
    SYMBOLS,
    DocumentError,
    Reader,
    checked,
    step_of,
)

NAME = re.compile(
    r"^[\s>*`$]*([^\W\d][\w^{}ᵀ]*)\s*(?:\[\s*(\d+)\s*(?:,\s*(\d+)\s*)?\])?[\s*`$]*(?:\([^)=:]*\)\s*)?[:：=]"
)


@functools.lru_cache(maxsize=64)
def read(text: str) -> tuple[Document, tuple[str, ...]]:
    """The document, and the lines with numbers that name no step and were skipped.

    Raises DocumentError for anything that is too long, has no steps, or whose numbers or shapes do not fit.
    """
    if len(text) > MAX_LENGTH:
        raise DocumentError("too_long", limit=MAX_LENGTH, length=len(text))
    text = text.lstrip("\ufeff").strip()
    if text.startswith("{"):
        reader = _read_json(text)
    elif _is_csv(text):
        reader = _read_csv(text)
    else:
        reader = _read_text(text)
    return checked(reader.document()), tuple(reader.skipped)


def decoded(data: bytes) -> str:
    """A file's text, in UTF-8. Raises DocumentError where it is none, or far too long."""
    if len(data) > 4 * MAX_LENGTH:  # UTF-8 takes at most 4 bytes a character
        raise DocumentError("too_long", limit=MAX_LENGTH, length=len(data))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise DocumentError("not_text") from problem


# ---- JSON


def _read_json(text: str) -> Reader:
    try:
        data = json.loads(text, parse_float=str, parse_int=str)
    except (json.JSONDecodeError, RecursionError) as problem:
        raise DocumentError("not_json", line=getattr(problem, "lineno", 1)) from problem
    reader = Reader()
    for name, values in data.items():
        step = step_of(name)
        if step is None:
            raise DocumentError("unknown_name", name=name[:40])
        if step == "d_k":
            reader.size(str(values))
            continue
        if not isinstance(values, list):
            raise DocumentError("json_shape", name=name[:40])
        if step == "tokens":
            reader.name(values)
            continue
        rows = values if all(isinstance(row, list) for row in values) else [values]
        if not all(isinstance(entry, str) or entry is None for row in rows for entry in row):
            raise DocumentError("json_shape", name=name[:40])
        reader.put_rows(step, [[entry or BLANK for entry in row] for row in rows])
    return reader


# ---- CSV


def _is_csv(text: str) -> bool:
    """Every line is a name, a delimiter, and more; none has = or brackets."""
    lines = [line for line in text.splitlines() if line.strip(" ,;\t")]
    return bool(lines) and all(
        re.match(r'\s*"?[^\W\d][\w^ ]*"?\s*[,;\t]', line) and not re.search(r"[=\[\]]", line)
        for line in lines
    )


def _read_csv(text: str) -> Reader:
    reader, heights = Reader(), {}
    for line in text.splitlines():
        name, *entries = (entry.strip().strip('"') for entry in re.split(r"[,;\t]", line))
        if not name:
            continue
        step = step_of(name)
        while entries and not entries[-1]:  # spreadsheets fill all lines up to the same length
            entries.pop()
        if step is None:
            raise DocumentError("unknown_name", name=name[:40])
        if step == "tokens":
            reader.name(entries)
        elif step == "d_k":
            reader.size(entries[0] if entries else "")
        else:
            reader.put_rows(step, [entries], heights.get(step, 0))
            heights[step] = heights.get(step, 0) + 1
    return reader


# ---- text


def _read_text(text: str) -> Reader:
    reader, lines = Reader(), _lines(text)
    i = 0
    while i < len(lines):
        found = NAME.match(lines[i])
        step = step_of(found[1]) if found else None
        if step is None:
            if re.search(r"\d", lines[i]):
                reader.skipped.append(lines[i].strip()[:60])
            i += 1
            continue
        rest = lines[i][found.end() :]
        if step in ("tokens", "d_k"):
            _note(reader, step, rest)
            i += 1
            continue
        body, after = _body(rest, lines, i + 1)
        if _holds_numbers(body):
            _put(reader, step, body, found[2], found[3])
            i = after
        else:  # a formula
            i += 1
    return reader


def _holds_numbers(body: str) -> bool:
    """Whether it is a list in brackets, or begins with a number or a blank."""
    first = _split(body.translate(MINUS).replace(";", " "))[:1]
    bracket = re.match(r"\s*(?:[\w.]+\()?\s*\[", body) is not None
    return bracket or any(entry == BLANK or ENTRY.fullmatch(entry) for entry in first)


def _lines(text: str) -> list[str]:
    """Lines without comments, fences and options of a tensor."""
    cut = [re.split(r"#|//", line, maxsplit=1)[0].rstrip() for line in text.splitlines()]
    return [re.sub(r"```|,\s*(?:dtype|device|requires_grad)\s*=\s*[\w.:\"']+", "", line) for line in cut]


def _note(reader: Reader, step: str, rest: str) -> None:
    if step == "d_k":
        found = re.match(r"\s*([0-9]+)", rest)
        reader.size(found[1] if found else rest.strip())
    else:
        names = re.split(r"[,，;；]" if re.search(r"[,，;；]", rest) else r"\s+", rest.strip(" []()"))
        reader.name([name.strip(" \"'“”") for name in names if name.strip()])


def _body(rest: str, lines: list[str], i: int) -> tuple[str, int]:
    """What belongs to the name: up to the brackets' end, or to an empty line or the next name."""
    body = _last_side(rest)
    while i < len(lines):
        line = lines[i]
        if line.lstrip().startswith("="):
            body = _last_side(line)
        elif _open(body) > 0 or ("[" not in body and not NAME.match(line) and _holds_numbers(line)):
            body += "\n" + line
        else:
            break
        i += 1
    return body, i


def _last_side(text: str) -> str:
    """What stands after the last = of a line: a chain of equations ends in its result."""
    return text.rpartition("=")[2]


def _open(body: str) -> int:
    return body.count("[") - body.count("]")


def _put(reader: Reader, step: str, body: str, row: str | None, col: str | None) -> None:
    """Numbers in brackets, or without: a row on each line, or between semicolons."""
    body = re.sub(r"(?:torch\.|np\.|numpy\.)?(?:tensor|array)\s*\(|\)", " ", body.translate(MINUS))
    inner = re.findall(r"\[([^\[\]]*)\]", body)
    rows = [_split(text) for text in (inner or re.split(r"[\n;]", body))]
    rows = [entries for entries in rows if entries]
    if row is None:
        reader.put_rows(step, rows)
    elif col is not None:
        if len(rows) != 1 or len(rows[0]) != 1:
            raise DocumentError("index", step=step, index=f"{row},{col}")
        reader.put(step, int(row), int(col), rows[0][0])
    elif len(rows) != 1:
        raise DocumentError("index", step=step, index=row)
    else:
        reader.put_rows(step, rows, int(row))


def _split(text: str) -> list[str]:
    """The entries of one row, with commas, spaces, tabs or bars between them."""
    return [entry for entry in re.split(r"[\s,|&\\]+", text) if entry]


# ---- and back


def written(document: Document) -> str:
    """The document as text that `read` reads back."""
    lines = [f"tokens: {', '.join(document.tokens)}"] if document.tokens else []
    lines += [f"d_k: {document.d_k}"] if document.d_k else []
    for block in document.blocks:
        lines.append(f"{SYMBOLS[block.step]} = {'; '.join(' '.join(row) for row in block.rows)}")
    return "\n".join(lines)
