"""What a worked example that people paste may hold: names, numbers and shapes, and what is refused."""

import re

from attention.lab.worked_examples.document import (
    BLANK,
    BLOCKS,
    Block,
    Document,
    is_entry,
    number,
    within,
)
from pages.model.entries import MAX_TOKEN_LENGTH, MAX_VALUE, TYPED, Refusal, short_text
from pages.model.matrices import MAX_TOKENS, MAX_WIDTH

from .names import SYMBOLS

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

# code → the names of its facts
CODES = {
    "not_text": (),
    "too_long": ("limit", "length"),
    "too_many": ("limit",),
    "not_json": ("line",),
    "json_shape": ("name",),
    "unknown_name": ("name",),
    "nothing_found": (),
    "not_a_number": ("step", "entry"),
    "too_large": ("step", "entry", "limit"),
    "too_big": ("step", "rows", "columns", "limit_rows", "limit_columns"),
    "ragged": ("step", "row", "expected", "got"),
    "index": ("step", "index"),
    "twice": ("step", "row", "column", "first", "second"),
    "shape": ("step", "rows", "columns", "expected_rows", "expected_columns"),
    "incomplete": ("step",),
    "not_positive": ("step",),
    "d_k": ("entry",),
    "d_k_missing": (),
    "d_k_differs": ("said", "columns"),
    "tokens": ("count", "rows"),
    "nothing_to_check": ("steps",),
}

MINUS = TYPED | str.maketrans("，；｜", ",;|")
ROOT = re.compile(r"(?:√|sqrt)\(([^()]*)\)")
ReadCells = dict[str, dict[tuple[int, int], str]]  # step → (row, column) → the number as printed


class DocumentError(Refusal):
    """Something that cannot be read as a worked example."""

    codes = CODES
    skipped: tuple[str, ...] = ()  # lines that were not understood


class Reader:
    """Gathers numbers by step, row and column, in whatever order they come."""

    def __init__(self) -> None:
        self.cells: ReadCells = {}
        self.tokens: tuple[str, ...] = ()
        self.d_k: int | None = None
        self.skipped: list[str] = []
        self.by_row: set[str] = set()  # steps with rows that were named one by one: some may be left out
        self.by_cell: set[str] = set()

    def put(self, step: str, row: int, col: int, entry: str) -> None:
        if row >= MAX_WIDTH or col >= MAX_WIDTH:
            raise _too_big(step, row + 1, col + 1)
        entry = entry_of(step, entry)
        cells = self.cells.setdefault(step, {})
        first = cells.setdefault((row, col), entry)
        if first != entry and entry != BLANK:
            if first != BLANK and number(first) != number(entry):
                raise DocumentError(
                    "twice", step=step, row=row + 1, column=col + 1, first=first, second=entry
                )
            cells[row, col] = entry if first == BLANK else max(first, entry, key=len)

    def put_rows(self, step: str, rows: list[list[str]], at: int = 0) -> None:
        for row, entries in enumerate(rows):
            if step == "sums" and len(rows) == 1 and len(entries) > 1:
                self.put_rows(step, [[entry] for entry in entries])
                return
            if at + len(rows) > MAX_WIDTH or len(entries) > MAX_WIDTH:
                raise _too_big(step, at + len(rows), len(entries))
            for col, entry in enumerate(entries):
                self.put(step, at + row, col, entry)

    def name(self, tokens: list[str]) -> None:
        self.tokens = tuple(" ".join(token.split())[:MAX_TOKEN_LENGTH] for token in tokens)

    def width(self, entry: str) -> None:
        if not re.fullmatch("[1-9][0-9]{0,3}", entry):
            raise DocumentError("d_k", entry=short_text(entry))
        self.d_k = int(entry)

    def document(self) -> Document:
        sizes = {"1": 1}
        for step, cells in self.cells.items():
            for letter, size in zip(SHAPES[step], map(max, zip(*cells, strict=True)), strict=True):
                sizes[letter] = max(sizes.get(letter, 0), size + 1)
        for step in self.by_row | self.by_cell:
            self._fill(step, *(sizes[letter] for letter in SHAPES[step]))
        blocks = tuple(_block(step, self.cells[step]) for step in BLOCKS if step in self.cells)
        return Document(blocks, self.tokens, self.d_k)

    def _fill(self, step: str, rows: int, columns: int) -> None:
        """Blanks for the rows, and for the numbers, that were not named."""
        cells = self.cells[step]
        for row in range(rows):
            if step in self.by_cell or not any(r == row for r, _ in cells):
                for col in range(columns if step in self.by_cell else 1 + max(c for _, c in cells)):
                    cells.setdefault((row, col), BLANK)


def entry_of(step: str, entry: str) -> str:
    """One number as printed, or BLANK."""
    entry = ROOT.sub(r"√\1", entry.translate(MINUS).strip(" ~=≈"))
    if entry in (BLANK, "", "?", "_", "…", "..."):
        return BLANK
    if not is_entry(entry):
        raise DocumentError("not_a_number", step=step, entry=short_text(entry))
    if not within(entry, MAX_VALUE):
        raise DocumentError("too_large", step=step, entry=short_text(entry), limit=int(MAX_VALUE))
    return entry


def _block(step: str, cells: dict[tuple[int, int], str]) -> Block:
    """The rows of a step. All of them are of one length."""
    rows, columns = (1 + max(place) for place in zip(*cells, strict=True))
    for row in range(rows):
        got = 1 + max((c for r, c in cells if r == row), default=-1)
        if got != columns:
            raise DocumentError("ragged", step=step, row=row + 1, expected=columns, got=got)
    return Block(step, tuple(tuple(cells.get((r, c), BLANK) for c in range(columns)) for r in range(rows)))


def _too_big(step: str, rows: int, columns: int) -> DocumentError:
    limits = {"limit_rows": MAX_TOKENS, "limit_columns": MAX_WIDTH}
    return DocumentError("too_big", step=step, rows=rows, columns=columns, **limits)


# ---- what must fit together


def checked(document: Document) -> Document:
    """The document, if its shapes fit together and there is something to check."""
    if not document.blocks:
        raise DocumentError("nothing_found")
    _check_shapes(document)
    inputs = document.inputs
    if len(inputs) == len(document.blocks):
        raise DocumentError("nothing_to_check", steps=tuple(SYMBOLS[step] for step in inputs))
    for step in inputs:
        entries = [entry for row in document[step].rows for entry in row]
        if BLANK in entries:
            raise DocumentError("incomplete", step=step)
        if step in ("exponentials", "sums") and any(number(entry) <= 0 for entry in entries):
            raise DocumentError("not_positive", step=step)
    widths = [block.shape[1] for step in ("query", "key", "w_q", "w_k") if (block := document.block(step))]
    if document.d_k and widths and widths[0] != document.d_k:
        raise DocumentError("d_k_differs", said=document.d_k, columns=widths[0])
    if "scores" in inputs and document.d_k is None:
        raise DocumentError("d_k_missing")
    return document


def _check_shapes(document: Document) -> None:
    sizes, x = {"1": 1}, document.block("x")
    if x is not None:
        sizes |= {"n": x.shape[0], "m": x.shape[0]}
    for block in document.blocks:
        rows, columns = block.shape
        top = MAX_WIDTH if block.step.startswith("w_") else MAX_TOKENS
        if rows > top or columns > MAX_WIDTH:
            raise _too_big(block.step, rows, columns)
        first, second = tuple(SHAPES[block.step])
        expected = sizes.setdefault(first, rows), sizes.setdefault(second, columns)
        if expected != block.shape:
            facts = {"expected_rows": expected[0], "expected_columns": expected[1]}
            raise DocumentError("shape", step=block.step, rows=rows, columns=columns, **facts)
    if document.tokens and "m" in sizes and len(document.tokens) != sizes["m"]:
        raise DocumentError("tokens", count=len(document.tokens), rows=sizes["m"])
