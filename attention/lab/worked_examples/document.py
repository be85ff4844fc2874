"""A worked example as a document prints it: blocks of numbers, each number kept as it was printed."""

import math
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

# What a block may hold, in the order of the computation. quoted_weights repeats numbers out of weights; parts
# are the terms weight × row of V of one query's output.
INPUTS = ("x", "w_q", "w_k", "w_v")
BLOCKS = (
    *INPUTS,
    *("query", "key", "value", "scores", "scaled_scores", "exponentials", "sums"),
    *("weights", "quoted_weights", "parts", "output"),
)
# What each step is computed from; weights also from exponentials and their sums.
SOURCES = {
    "query": ("x", "w_q"),
    "key": ("x", "w_k"),
    "value": ("x", "w_v"),
    "scores": ("query", "key"),
    "scaled_scores": ("scores",),
    "exponentials": ("scaled_scores",),
    "sums": ("exponentials",),
    "weights": ("scaled_scores",),
    "quoted_weights": ("weights",),
    "parts": ("weights", "value"),
    "output": ("weights", "value"),
}
BLANK = "-"  # a number that is not printed
MASKED = "-inf"  # a score that a causal mask hides

# A printed number: a decimal, a percentage, a square root, or a quotient. No text matches in two ways.
MAX_ENTRY = 40  # characters
DECIMAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
TERM = rf"(?:{DECIMAL}(?:√{DECIMAL})?|√{DECIMAL})"
ENTRY = re.compile(rf"[+-]?(?:{DECIMAL}%|{TERM}(?:/{TERM})?)")

PrintedRows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Block:
    """The numbers of one step as printed: a tuple for each row, BLANK where a number is not printed."""

    step: str
    rows: PrintedRows
    place: str = ""  # where it is
    again: tuple[str, ...] = ()  # where the same numbers are printed once more
    query: int = 0  # of parts: whose output they make up

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0])


@dataclass(frozen=True)
class Document:
    """A worked example of one attention head."""

    blocks: tuple[Block, ...]
    tokens: tuple[str, ...] = ()
    d_k: float | None = None  # that the text names, or the square of the divisor
    name: str = ""

    def block(self, step: str) -> Block | None:
        return next((block for block in self.blocks if block.step == step), None)

    def __getitem__(self, step: str) -> Block:
        """The block of a step that is printed. Raises KeyError."""
        block = self.block(step)
        if block is None:
            raise KeyError(step)
        return block

    @property
    def masked(self) -> bool:
        """Whether scores are printed as masked."""
        return any(MASKED in row for block in self.blocks for row in block.rows)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The steps that follow from nothing else that is printed: all the rest is computed from them."""
        return tuple(block.step for block in self.blocks if not self._follows(block.step))

    def _follows(self, step: str) -> bool:
        """Whether it can be computed from others that are printed, or that follow from printed ones."""
        if step == "weights" and self.block("exponentials"):
            return True
        sources = SOURCES.get(step, ())
        return bool(sources) and all(self.block(source) or self._follows(source) for source in sources)


def is_entry(entry: str) -> bool:
    """Whether it is written as a printed number is; short enough, and not divided by 0."""
    if len(entry) > MAX_ENTRY or not ENTRY.fullmatch(entry):
        return False
    _, slash, below = entry.partition("/")
    return not slash or _term(below) > 0


def within(entry: str, limit: float) -> bool:
    """Whether a printed number and half a unit of its last digit are at most `limit`; NaN is not."""
    return abs(number(entry)) <= limit and half_unit(entry) <= limit


def number(entry: str) -> float:
    """The value of a printed number; "25%" is 0.25, "1/√2" is 0.7071…"""
    above, _, below = entry.removesuffix("%").partition("/")
    return _term(above) / _term(below or "1") / (100 if entry.endswith("%") else 1)


def _term(text: str) -> float:
    """2, √3 or 2√3."""
    factor, root, rest = text.partition("√")
    return float(factor + "1" if factor in ("", "+", "-") else factor) * math.sqrt(
        float(rest if root else "1")
    )


def half_unit(entry: str) -> float:
    """Half a unit of the last printed digit: the most that rounding can change. A fraction is exact."""
    if "/" in entry or "√" in entry:
        return 0.0
    digits, _, power = entry.removesuffix("%").lower().partition("e")
    decimals = len(digits.partition(".")[2]) + 2 * entry.endswith("%")
    return float(f"5e{int(power or 0) - decimals - 1}")  # infinite, and not an error, beyond all floats


def of_notes() -> dict[str, Document]:
    """The worked examples of the lecture notes, by name."""
    data = tomllib.loads(Path(__file__).with_name("notes.toml").read_text("utf-8"))
    return {name: _document(entry) for name, entry in data.items()}


def _document(entry: dict) -> Document:
    blocks = tuple(
        Block(
            block["step"],
            tuple(tuple(row.split()) for row in block["rows"]),
            block["place"],
            tuple(block.get("again", ())),
            block.get("query", 0),
        )
        for block in entry["blocks"]
    )
    return Document(blocks, tuple(entry["tokens"]), name=entry["name"])
