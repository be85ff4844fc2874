"""A worked example of the learner's: the steps among the matrices of a text, and what must fit together."""

import functools
import re
from dataclasses import replace

from attention.lab.worked_examples.audit import judged
from attention.lab.worked_examples.document import (
    BLANK,
    BLOCKS,
    MASKED,
    Block,
    Document,
    is_entry,
    number,
    within,
)
from pages.model.entries import MAX_TOKEN_LENGTH, MAX_VALUE, Refusal, short_text
from pages.model.matrices import MAX_TOKENS, MAX_WIDTH
from pages.model.reading import ReadTable, TextReading
from pages.model.reading import read as read_text
from pages.model.reading.names import SYMBOLS

from .settings import MAX_DOCUMENT

# The shape of each step; the same letter means the same size.
SHAPES = {
    "x": "nd",
    "w_q": "dk",
    "w_k": "dk",
    "w_v": "dv",
    "query": "nk",
    "key": "mk",
    "value": "mv",
    **dict.fromkeys(("scores", "scaled_scores", "exponentials", "weights"), "nm"),
    "sums": "n1",
    "output": "nv",
}
SCORES = ("scores", "scaled_scores")
OF_MASKED = re.compile(r"mask|掩码", re.I)
LOWEST = -1e4  # a score that is so low is masked, for example by -1e9
LINE = 60  # characters of a line that is told
# The names of rows or columns that are tokens.
LABELLED = ("x", "key", "value")
HEADED = ("scores", "scaled_scores", "exponentials", "weights")

# code → the names of its facts
CODES = {
    "too_long": ("limit", "length"),
    "nothing_found": (),
    "not_a_number": ("step", "entry"),
    "too_large": ("step", "entry", "limit"),
    "too_big": ("step", "rows", "columns", "limit_rows", "limit_columns"),
    "not_causal": ("step",),
    "shape": ("step", "rows", "columns", "expected_rows", "expected_columns"),
    "incomplete": ("step",),
    "not_positive": ("step",),
    "d_k_missing": (),
    "nothing_to_check": ("steps",),
}


class DocumentError(Refusal):
    """Something that cannot be read as a worked example."""

    codes = CODES


@functools.lru_cache(maxsize=64)
def tables_of(text: str) -> TextReading:
    """What the text prints. Raises DocumentError for a text that is too long."""
    if len(text) > MAX_DOCUMENT:
        raise DocumentError("too_long", limit=MAX_DOCUMENT, length=len(text))
    reading = read_text(text)
    if {table.step for table in reading.tables} & {"query", *SCORES}:  # masked scores only repeat the numbers
        return reading
    tables = list(reading.tables)
    for i, table in enumerate(tables):
        if OF_MASKED.search(table.name) and any(_is_lowest(entry) for row in table.rows for entry in row):
            tables[i] = replace(table, step="scaled_scores")
            return replace(reading, tables=tuple(tables))
    return reading


def is_step(table: ReadTable) -> bool:
    """Whether the table is judged if the learner does not leave it out."""
    return table.step in SHAPES and table.fault is None and table.is_first


def skipped(reading: TextReading) -> tuple[str, ...]:
    """What has numbers and is not judged: matrices of no known step, or printed again; and lines."""
    tables = (table for table in reading.tables if not is_step(table))
    lines = (f"{table.name}: [[{'], ['.join(', '.join(row) for row in table.rows)}]]" for table in tables)
    return (*(line.removeprefix(": ")[:LINE] for line in lines), *reading.left)


def read(text: str) -> Document:
    """The document of a text, as far as it can be judged. Raises DocumentError or SettingsError."""
    reading = tables_of(text)
    try:
        return document_of(reading, tuple(filter(is_step, reading.tables)))
    except DocumentError as problem:
        faults = [table.fault for table in reading.tables if table.fault is not None]
        if faults and problem.code in ("nothing_found", "nothing_to_check"):
            raise faults[0] from problem
        raise


def document_of(reading: TextReading, tables: tuple[ReadTable, ...]) -> Document:
    """The document of these tables, one for each step. Raises DocumentError if they do not fit together."""
    rows = {table.step: [list(row) for row in table.rows] for table in tables}
    _fill(rows, tables)
    blocks = []
    for step in BLOCKS:
        if step in rows:
            _check_size(step, (len(rows[step]), max(map(len, rows[step]))))
            masked = _masked(step, rows[step])
            blocks.append(Block(step, tuple(tuple(_entry(step, entry) for entry in row) for row in masked)))
    heights = {block.shape[0] for block in blocks if block.step in LABELLED}
    heights |= {block.shape[1] for block in blocks if block.step in HEADED}
    names = [*(table.labels for table in tables if table.step in LABELLED)]
    names += [table.heads for table in tables if table.step in HEADED]
    candidates = [*reading.tokens, *(name for name in names if not _count(name))]
    tokens = next((name for name in candidates if name and len(name) in heights), ())
    document = Document(
        tuple(blocks), tuple(" ".join(token.split())[:MAX_TOKEN_LENGTH] for token in tokens), reading.d_k
    )
    return _scaled(_checked(document))


def _count(names: tuple[str, ...]) -> bool:
    """Whether the names only count: 1, 2, or q_1, q_2, or dimension 1."""
    return any(
        not name or re.fullmatch(r"(?:\W*[a-z]{0,9} ?_? ?|(?:词元|查询|键) ?)\[?[0-9]{1,4},?\]?", name, re.I)
        for name in names
    )


def _fill(rows: dict[str, list[list[str]]], tables: tuple[ReadTable, ...]) -> None:
    """Blanks for the rows that were not named, if rows or numbers of a step were named one by one."""
    sizes = {"1": 1}
    for step, content in rows.items():
        for letter, size in zip(SHAPES[step], (len(content), max(map(len, content))), strict=True):
            sizes[letter] = max(sizes.get(letter, 0), size)
    for table in tables:
        if table.in_parts:
            content = rows[table.step]
            height, width = (min(sizes[letter], MAX_WIDTH) for letter in SHAPES[table.step])
            if any(BLANK in row for row in content):
                content[:] = [row + [BLANK] * (width - len(row)) for row in content]
            content += [[BLANK] * len(content[0])] * (height - len(content))


def _masked(step: str, rows: list[list[str]]) -> list[list[str]]:
    """The rows, with MASKED for scores of −∞ or far below all others, if a causal mask hides just these."""
    low = [[_is_lowest(entry) for entry in row] for row in rows]
    causal = [[j > i for j in range(len(rows))] for i in range(len(rows))]
    if step not in SCORES or not any(map(any, low)):
        return rows
    if low == causal:
        return [[MASKED if j > i else entry for j, entry in enumerate(row)] for i, row in enumerate(rows)]
    if any(_is_lowest(entry) and not is_entry(entry) for row in rows for entry in row):
        raise DocumentError("not_causal", step=step)
    return rows


def _is_lowest(entry: str) -> bool:
    return entry.lower() in ("-inf", "-∞", "-infinity") or (is_entry(entry) and number(entry) <= LOWEST)


def _entry(step: str, entry: str) -> str:
    """One number as printed, or BLANK."""
    entry = entry.removeprefix("+")
    if entry == BLANK or (entry == MASKED and step in SCORES):
        return entry
    if not is_entry(entry):
        raise DocumentError("not_a_number", step=step, entry=short_text(entry))
    if not within(entry, MAX_VALUE):
        raise DocumentError("too_large", step=step, entry=short_text(entry), limit=int(MAX_VALUE))
    return entry


def _check_size(step: str, shape: tuple[int, int]) -> None:
    most = MAX_WIDTH if step.startswith("w_") else MAX_TOKENS
    if shape[0] > most or shape[1] > MAX_WIDTH:
        limits = {"limit_rows": most, "limit_columns": MAX_WIDTH}
        raise DocumentError("too_big", step=step, rows=shape[0], columns=shape[1], **limits)


def _scaled(document: Document) -> Document:
    """Scores without Q and K: softmax takes them as they are, unless d_k fits the weights better."""
    if "scores" not in document.inputs or document.block("scaled_scores"):
        return document
    blocks = tuple(
        Block("scaled_scores" if block.step == "scores" else block.step, block.rows)
        for block in document.blocks
    )
    taken = Document(blocks, document.tokens)
    if document.d_k is None or document.block("weights") is None:
        return taken if document.d_k is None else document
    return min(document, taken, key=_distance)


def _distance(document: Document) -> float:
    """How far the printed weights are from the exact ones."""
    return max((abs(line.difference) for line in judged(document).of("weights")), default=0.0)


def _checked(document: Document) -> Document:
    """The document, if its shapes fit together and there is something to check."""
    if not document.blocks:
        raise DocumentError("nothing_found")
    sizes, x = {"1": 1}, document.block("x")
    if x is not None:
        sizes |= {"n": x.shape[0], "m": x.shape[0]}
    for block in document.blocks:
        first, second = tuple(SHAPES[block.step])
        expected = sizes.setdefault(first, block.shape[0]), sizes.setdefault(second, block.shape[1])
        if expected != block.shape:
            facts = {"rows": block.shape[0], "columns": block.shape[1]}
            facts |= {"expected_rows": expected[0], "expected_columns": expected[1]}
            raise DocumentError("shape", step=block.step, **facts)
    inputs = document.inputs
    if len(inputs) == len(document.blocks) and "weights" not in inputs:  # rows of weights sum to 1
        raise DocumentError("nothing_to_check", steps=tuple(SYMBOLS[step] for step in inputs))
    if "scores" in inputs and document.d_k is None and document.block("scaled_scores"):
        raise DocumentError("d_k_missing")
    for step in inputs:
        entries = [entry for row in document[step].rows for entry in row]
        if BLANK in entries:
            raise DocumentError("incomplete", step=step)
        if step in ("exponentials", "sums") and any(number(entry) <= 0 for entry in entries):
            raise DocumentError("not_positive", step=step)
    return document


def written(document: Document) -> str:
    """The document as text that `read` reads back."""
    lines = [f"tokens: {', '.join(document.tokens)}"] if document.tokens else []
    lines += [f"d_k: {document.d_k:.12g}"] if document.d_k else []
    for block in document.blocks:
        lines.append(f"{SYMBOLS[block.step]} = {'; '.join(' '.join(row) for row in block.rows)}")
    return "\n".join(lines)
