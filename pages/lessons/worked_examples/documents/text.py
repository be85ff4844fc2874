"""Worked examples as people paste them: JSON, CSV, or text as notes, textbooks and assistants have it.

Text: `Q = [[1.14, 0.57], [0.51, 1.58]]` over any number of lines; `Q[0] = … = [1.14, 0.57]` for one row and
`S[0, 1] = … = 2.69` for one number, counted from 0, where what follows the last = counts; `q_1 = (1.14,
0.57)` and `s_12 = 2.69`, counted from 1, also within a sentence; rows without brackets, one on a line or with
; between them. A name may be above its numbers. Comments begin with #. Lines with numbers that are not
understood are kept, to be told. The modules names, tables and markup (LaTeX and prints of tensors) have the
rest.
CSV: a step's name and the numbers of one row on each line, `Q,1.14,0.57`.
JSON: `{"tokens": ["a", "b"], "Q": [[1.14, 0.57], …]}`.
"""

import functools
import json
import re

from attention.lab.worked_examples.document import BLANK, Document
from pages.model.entries import TYPED, read_json, short_text

from ..settings import MAX_DOCUMENT
from .markup import lines_of
from .names import SYMBOLS, step_of
from .reader import DocumentError, Reader, checked
from .statements import Statements

# Full-width digits and signs; a dash may be part of a sentence.
WIDE = {typed: meant for typed, meant in TYPED.items() if chr(meant) != "-"}
FENCE = re.compile(r"```\w*")
CSV = re.compile(r"[^\W\d][\w^ ]*")


@functools.lru_cache(maxsize=64)
def read(text: str) -> tuple[Document, tuple[str, ...]]:
    """The document, and the lines with numbers that were not understood, those with most numbers first.

    Raises DocumentError for anything that is too long, has no steps, or whose numbers or shapes do not fit.
    """
    if len(text) > MAX_DOCUMENT:
        raise DocumentError("too_long", limit=MAX_DOCUMENT, length=len(text))
    text = _within_fences(text.translate(WIDE).lstrip("\ufeff").strip())
    if text.startswith("{"):
        reader = _read_json(text)
    elif _is_csv(text):
        reader = _read_csv(text)
    else:
        reader = Statements(lines_of(text)).read()
    skipped = tuple(sorted(reader.skipped, key=_fewer_numbers))
    try:
        return checked(reader.document()), skipped
    except DocumentError as problem:
        problem.skipped = skipped
        raise


def _fewer_numbers(line: str) -> int:
    return -len(re.findall(r"[0-9]+(?:\.[0-9]+)?", line))


def _within_fences(text: str) -> str:
    """A block of code without the lines ``` around it."""
    first, _, rest = text.partition("\n")
    inner, _, last = rest.rpartition("\n")
    fenced = FENCE.fullmatch(first.rstrip()) and last.strip() == "```"
    return inner.strip() if fenced else text


def decoded(data: bytes) -> str:
    """A file's text, in UTF-8. Raises DocumentError where the file is no text, or far too long."""
    if len(data) > 4 * MAX_DOCUMENT:  # UTF-8 takes at most 4 bytes a character
        raise DocumentError("too_long", limit=MAX_DOCUMENT, length=len(data))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise DocumentError("not_text") from problem


# ---- JSON


def _read_json(text: str) -> Reader:
    try:
        data = read_json(text, number=str)
    except (ValueError, RecursionError) as problem:
        raise DocumentError("not_json", line=getattr(problem, "lineno", 1)) from problem
    reader = Reader()
    for name, values in data.items():
        step = step_of(name)
        if step is None:
            raise DocumentError("unknown_name", name=short_text(name))
        if step == "d_k":
            reader.width(values if isinstance(values, str) else json.dumps(values))
            continue
        if not isinstance(values, list):
            raise DocumentError("json_shape", name=short_text(name))
        if step == "tokens" and all(isinstance(token, str) for token in values):
            reader.name(values)
            continue
        rows = values if all(isinstance(row, list) for row in values) else [values]
        entries = [entry for row in rows for entry in row]
        if step == "tokens" or not all(isinstance(entry, str) or entry is None for entry in entries):
            raise DocumentError("json_shape", name=short_text(name))
        reader.put_rows(step, [[entry or BLANK for entry in row] for row in rows])
    return reader


# ---- CSV


def _is_csv(text: str) -> bool:
    """Every line is a name, a delimiter, and more; none has = or brackets."""
    lines = [line for line in text.splitlines() if line.strip(" ,;\t")]
    return bool(lines) and all(map(_is_row, lines))


def _is_row(line: str) -> bool:
    name, *more = re.split(r"[,;\t]", line, maxsplit=1)
    return bool(more and CSV.fullmatch(name.strip().strip('"'))) and not re.search(r"[=\[\]]", line)


def _read_csv(text: str) -> Reader:
    reader, heights = Reader(), dict[str, int]()
    for line in text.splitlines():
        name, *entries = (entry.strip().strip('"') for entry in re.split(r"[,;\t]", line))
        if not name:
            continue
        step = step_of(name)
        while entries and not entries[-1]:  # spreadsheets fill all lines up to the same length
            entries.pop()
        if step is None:
            raise DocumentError("unknown_name", name=short_text(name))
        if step == "tokens":
            reader.name(entries)
        elif step == "d_k":
            reader.width(entries[0] if entries else "")
        else:
            reader.put_rows(step, [entries], heights.get(step, 0))
            heights[step] = heights.get(step, 0) + 1
    return reader


# ---- and back


def written(document: Document) -> str:
    """The document as text that `read` reads back."""
    lines = [f"tokens: {', '.join(document.tokens)}"] if document.tokens else []
    lines += [f"d_k: {document.d_k}"] if document.d_k else []
    for block in document.blocks:
        lines.append(f"{SYMBOLS[block.step]} = {'; '.join(' '.join(row) for row in block.rows)}")
    return "\n".join(lines)
