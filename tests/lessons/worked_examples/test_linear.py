"""No text that a visitor sends keeps the server busy: the time to read is short and grows with the length."""

import itertools
import random
from collections.abc import Iterator
from functools import partial

import pytest

from attention.lab.worked_examples.audit import audit
from attention.lab.worked_examples.document import BLOCKS
from pages.lessons.practice import your_code
from pages.lessons.worked_examples import opening
from pages.lessons.worked_examples.documents import SHAPES, read, tables_of
from pages.lessons.worked_examples.settings import MAX_DOCUMENT
from pages.model import reading
from pages.model.reading import names
from tests.hostile.growth import LIMIT, Text, fault, seconds
from tests.support.screen import opened

READERS = {"a worked example": (read, MAX_DOCUMENT), "a printed result": (your_code.read, your_code.MAX_TEXT)}

# Every character that means something to a reader, and beginnings of what the readers know.
CHARACTERS = list(
    dict.fromkeys("01.,;:=-−—+/√%eE()[]{}<>|\\&$`*#_^?~!…∞ \t\n\"'·×⊤′qkvsxaAWT的第查是，；：（）。٣９")
)
WORDS = [
    *("Q = ", "Q:\n", "q_1 = [", "s_12 = ", "Q[0] = ", "q_1 = a\n1\n", "- a: [1]\n", "d_k = ", "tokens: "),
    *("# ", "1, ", "1, a ", "x = 1 a, y", "(1,", "(a(b)", "[1], ", "[[1]]\n", "is [", "1/√3 ", "sqrt("),
    *("√(", "a1", "1e1", "| a ", "|-", "|a|b\n", "|-|-\n", "|1|2\n", "ab\n", "Q,1\n", '{"Q":', '["', "[["),
    *("tensor(", "array([", "\\begin{matrix}", "\\end{matrix}", "\\frac{", "\\sqrt{", "\\text{", "\\\\["),
    *("```", "```\n", "grad_fn=<", ", dtype=<", "softmax(", "exp(", "of ", "and ", "the ", "token 1"),
    *("step 1: ", "查询权重", "A·v ", "nan", "inf"),
]
UNITS = CHARACTERS + WORDS
# Where a run begins, and how it ends: seldom as it should.
STARTS = {
    **dict.fromkeys(("Q = ", "Q = (1", "Q:\n", "S = [[", '{"Q": [["', "```\n", "Q,", "1", "| a\n|"), "x]"),
    "| a | b |\n|---|---|\n| ": "x]",
    "\\begin{bmatrix} ": "\\end{bmatrix}",
    "\\frac{a": "}{1}",
}
PAIRS = 200
# Around names that all differ.
PATTERNS = ("{}\n", "{} = 1\n", "{}: 1\n", "|{}", "q_{}\n", "1, {} ", "[1, {}]\n")


def hostile_texts() -> Iterator[Text]:
    """Runs, runs that end otherwise, alternations, one run after another, and names that all differ.

    Each is made for any length, so that the time to read it can be followed as it grows.
    """
    chance = random.Random(29)
    for unit in UNITS:
        yield lambda length, unit=unit: _run(unit, length)
        for start, end in STARTS.items():
            yield (
                lambda length, start=start, unit=unit, end=end: (
                    f"{start}{_run(unit, length - len(start + end))}{end}"
                )
            )
    for one, other in ((chance.choice(UNITS), chance.choice(UNITS)) for _ in range(PAIRS)):
        yield lambda length, pair=one + other: _run(pair, length)
        yield lambda length, one=one, other=other: _run(one, length // 2) + _run(other, length // 2)
    for pattern in PATTERNS:
        yield lambda length, pattern=pattern: _different(pattern, length)
    yield lambda length: f"{_different('|{}', length // 2)}|\n|-|\n{'|' * (length // 3)}"


def _run(unit: str, length: int) -> str:
    return (unit * (length // len(unit) + 1))[:length]


def _different(pattern: str, length: int) -> str:
    several = map("".join, itertools.product("abcdefghijklmnopqrstuvwxyz", repeat=3))
    return "".join(map(pattern.format, itertools.islice(several, length // 5)))[:length]


def first(reader, text: str) -> object:
    """Reads the text as if for the first time."""
    for cached in (tables_of, reading.read, names.step_of, names.place_of, audit):
        cached.cache_clear()
    return reader(text)


@pytest.mark.parametrize("name", READERS)
def test_the_time_to_read_grows_with_the_length_of_the_text(name):
    reader, longest = READERS[name]
    assert fault(partial(first, reader), hostile_texts(), longest // 10, (longest,)) is None


# ---- a text that is good, and as long as it may be


def _largest() -> str:
    """Every step that can be checked, with as many tokens and columns as are allowed."""
    chance, size = random.Random(1), {"n": 12, "m": 12, "d": 16, "k": 16, "v": 16, "1": 1}
    lines = []
    for step in (step for step in BLOCKS if step in SHAPES and not step.startswith(("x", "w_"))):
        rows, columns = (size[letter] for letter in SHAPES[step])
        numbers = [[f"{chance.uniform(0.1, 2):.8f}" for _ in range(columns)] for _ in range(rows)]
        lines.append(f"{names.SYMBOLS[step]} = {'; '.join(map(' '.join, numbers))}")
    return "\n".join(lines)


def test_the_largest_example_is_read_audited_and_opened_in_time():
    def all_of_it(text: str) -> None:
        document = read(text)
        audit(document)
        opening.settings_of(document)

    largest = _largest()
    assert MAX_DOCUMENT / 2 < len(largest) < MAX_DOCUMENT
    assert seconds(partial(first, all_of_it), largest) < LIMIT
    assert len(audit(read(largest)).lines) > 700


def test_the_largest_example_is_drawn():
    app = opened("worked_examples", "own", document=_largest())
    assert not app.exception
