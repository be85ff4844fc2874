"""What the learner set: one frozen record, and pure functions that turn one good record into another.

A function here returns valid Settings or raises SettingsError; nothing in between. The words for the screen
are elsewhere: an error carries a code and facts.
"""

from __future__ import annotations

import functools
import math
import numbers
import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from .examples import EXAMPLES

Matrix = tuple[tuple[float, ...], ...]

MAX_TOKENS = 12
MAX_WIDTH = 16
MAX_HEADS = 8
MAX_VALUE = 1e6
MIN_DIVISOR = 1e-6
MAX_TOKEN_LENGTH = 24
MAX_WINDOW = MAX_TOKENS - 1
MAX_SEED = 2**32 - 1

SCALINGS = ("sqrt_d_k", "none", "d_k", "own")
MASKS = ("none", "causal", "padding", "window", "custom")
MASKED_SCORES = ("-inf", "-1e9")
LANGUAGES = ("en", "zh")
FILLS = ("zeros", "identity", "normal")
STEP_NAMES = (
    "query",
    "key",
    "value",
    "scores",
    "scaled_scores",
    "masked_scores",
    "weights",
    "head_output",
    "concatenated",
    "output",
)
MATRICES = ("x", "w_q", "w_k", "w_v", "w_o")
BIASES = ("b_q", "b_k", "b_v", "b_o")
CHOICES = {"scaling": SCALINGS, "mask": MASKS, "masked_score": MASKED_SCORES, "language": LANGUAGES}
SQUARE_STEPS = ("scores", "scaled_scores", "masked_scores", "weights")

# code → the names of its facts
CODES = {
    "not_a_number": ("entry",),
    "too_large": ("entry", "limit"),
    "token_empty": (),
    "token_too_long": ("length", "limit"),
    "too_many_tokens": ("limit",),
    "too_few_tokens": (),
    "out_of_range": ("name", "low", "high", "got"),
    "unknown_choice": ("name", "got"),
    "paste_shape": ("rows", "cols", "room_rows", "room_cols"),
    "heads_do_not_divide": ("num_heads", "d_model", "divisors"),
    "link_value": ("name",),
    "link_unknown": ("names",),
    "link_too_long": ("limit",),
    "link_more": ("count",),
}


class SettingsError(ValueError):
    """Something that cannot be set. `code` is one of CODES, `facts` its plain numbers and names."""

    def __init__(self, code: str, **facts: object):
        if set(facts) != set(CODES[code]):
            raise TypeError(f"{code} has the facts {CODES[code]}, got {tuple(facts)}")
        super().__init__(f"{code} {facts}")
        self.code, self.facts = code, facts


@dataclass(frozen=True)
class Settings:
    """The whole state of the dashboard. The defaults are the start: the example of three tokens."""

    tokens: tuple[str, ...] = ("我", "爱", "猫")
    x: Matrix = ((1.0, 0.5, 0.2, 0.1), (0.3, 1.2, 0.8, 0.4), (0.6, 0.1, 1.5, 0.9))
    w_q: Matrix = ((1.0, 0.0, 0.5, 0.2), (0.1, 1.0, 0.3, 0.1), (0.2, 0.1, 1.0, 0.4), (0.0, 0.2, 0.1, 1.0))
    w_k: Matrix = ((0.8, 0.1, 0.3, 0.2), (0.2, 0.9, 0.1, 0.3), (0.1, 0.2, 1.1, 0.1), (0.3, 0.1, 0.2, 0.8))
    w_v: Matrix = ((1.1, 0.2, 0.1, 0.3), (0.1, 1.0, 0.2, 0.4), (0.3, 0.1, 1.2, 0.2), (0.2, 0.3, 0.1, 1.0))
    w_o: Matrix = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    b_q: tuple[float, ...] | None = None
    b_k: tuple[float, ...] | None = None
    b_v: tuple[float, ...] | None = None
    b_o: tuple[float, ...] | None = None
    num_heads: int = 1
    d_k: int | None = None  # per head; None follows d_model / num_heads
    d_v: int | None = None
    scaling: str = "sqrt_d_k"
    own_divisor: float = 1.0
    mask: str = "none"
    padding: int = 2  # how many tokens count
    window_left: int = 1
    window_right: int = 0
    blocked: frozenset[tuple[int, int]] = frozenset()  # (query, key) pairs of the custom mask
    masked_score: str = "-inf"
    head: int = 0
    row: int | None = None  # the query followed
    cell: tuple[str, int, int] | None = None  # step, row, column
    language: str = "en"
    example: str = "cats"

    @property
    def d_model(self) -> int:
        return len(self.x[0])

    @property
    def head_dim(self) -> int:
        return self.d_k or self.d_model // self.num_heads

    @property
    def value_dim(self) -> int:
        return self.d_v or self.d_model // self.num_heads

    @property
    def divisor(self) -> float:
        """What the scores are divided by."""
        named = {"sqrt_d_k": math.sqrt(self.head_dim), "none": 1.0, "d_k": float(self.head_dim)}
        return named.get(self.scaling, self.own_divisor)


FULL_WIDTH = str.maketrans("．－＋ｅＥ−", ".-+eE-")  # the digits themselves are known to float
JOINERS = "\u200c\u200d"  # of Persian and Indic words, and of emoji


def _said(entry: object) -> str:
    """What came, short enough to be said."""
    try:
        return str(entry)[:40]
    except ValueError:  # an integer of thousands of digits
        return type(entry).__name__


def parse_number(entry: object) -> float:
    """A finite number of at most MAX_VALUE, from a number or from text as people type it."""
    text = (entry if isinstance(entry, str) else _said(entry)).translate(FULL_WIDTH).strip()
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", text):
        raise SettingsError("not_a_number", entry=_said(entry))
    value = float(f"{float(text):.12g}")
    if abs(value) > MAX_VALUE:
        raise SettingsError("too_large", entry=_said(entry), limit=int(MAX_VALUE))
    return value + 0.0  # no −0.0


def parse_token(text: str) -> str:
    """A token's name: on one line, not empty, not too long."""
    kept = "".join(c if c in JOINERS or unicodedata.category(c)[0] not in "CZ" else " " for c in text)
    name = " ".join(kept.split())
    if not name.strip(JOINERS + " "):
        raise SettingsError("token_empty")
    if len(name) > MAX_TOKEN_LENGTH:
        raise SettingsError("token_too_long", length=len(name), limit=MAX_TOKEN_LENGTH)
    return name


def _whole(name: str, value: object, low: int, high: int) -> int:
    """A whole number from low to high."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not low <= value <= high:
        raise SettingsError("out_of_range", name=name, low=low, high=high, got=_said(value))
    return int(value)


def _one_of(name: str, value: object, choices: Collection[str]) -> str:
    if not isinstance(value, str) or value not in choices:
        raise SettingsError("unknown_choice", name=name, got=_said(value))
    return value


def _divisor(value: object) -> float:
    divisor = parse_number(value)
    if abs(divisor) < MIN_DIVISOR:
        facts = {"low": MIN_DIVISOR, "high": MAX_VALUE, "got": divisor}
        raise SettingsError("out_of_range", name="own_divisor", **facts)
    return divisor


@functools.cache
def _fresh_block(name: str) -> np.ndarray:
    """Starting numbers for cells that are new: normal, seed 0, halved for the weights, one decimal."""
    order = (*MATRICES, *BIASES).index(name)
    numbers = np.random.default_rng([0, order]).standard_normal((MAX_WIDTH * MAX_HEADS,) * 2)
    return np.round(numbers if name == "x" else numbers / 2, 1) + 0.0


def fresh_value(name: str, row: int, col: int) -> float:
    """The starting number of a new cell: it depends on the cell alone, not on the sizes around it."""
    return 0.0 if name in BIASES else float(_fresh_block(name)[row, col])


def shapes(s: Settings) -> dict[str, tuple[int, int]]:
    """Rows and columns that each matrix must have; a bias has one row."""
    keys, values = s.num_heads * s.head_dim, s.num_heads * s.value_dim
    d_model = s.d_model
    return {
        "x": (len(s.tokens), d_model),
        "w_q": (d_model, keys),
        "w_k": (d_model, keys),
        "w_v": (d_model, values),
        "w_o": (values, d_model),
        "b_q": (1, keys),
        "b_k": (1, keys),
        "b_v": (1, values),
        "b_o": (1, d_model),
    }


def as_matrix(s: Settings, name: str) -> Matrix | None:
    """The matrix of that name; a bias as its one row, None where there are no biases."""
    values = getattr(s, _one_of("matrix", name, (*MATRICES, *BIASES)))
    return (values,) if name in BIASES and values is not None else values


def with_matrix(s: Settings, name: str, values) -> Settings:
    matrix = tuple(tuple(row) for row in values)
    return replace(s, **{name: matrix[0] if name in BIASES else matrix})


def fitted(name: str, matrix: Matrix, rows: int, cols: int) -> Matrix:
    """What fits is kept, what is new gets its starting number."""

    def value(i: int, j: int) -> float:
        known = i < len(matrix) and j < len(matrix[i])
        return matrix[i][j] if known else fresh_value(name, i, j)

    return tuple(tuple(value(i, j) for j in range(cols)) for i in range(rows))


def normalised(s: Settings) -> Settings:
    """Everything that depends on the sizes, brought in line with them."""
    for name, (rows, cols) in shapes(s).items():
        matrix = as_matrix(s, name)
        if matrix is not None and (len(matrix), len(matrix[0])) != (rows, cols):
            s = with_matrix(s, name, fitted(name, matrix, rows, cols))
    n = len(s.tokens)
    return replace(
        s,
        padding=min(s.padding, n),
        blocked=frozenset((r, c) for r, c in s.blocked if r < n and c < n),
        head=min(s.head, s.num_heads - 1),
        row=s.row if s.row is not None and s.row < n else None,
        cell=s.cell if s.cell and _cell_exists(s, s.cell) else None,
    )


def _cell_exists(s: Settings, cell: tuple[str, int, int]) -> bool:
    name, row, col = cell
    several = s.num_heads > 1
    n, d_k, d_v = len(s.tokens), s.head_dim, s.value_dim
    columns = {"query": d_k, "key": d_k, "value": d_v, "head_output": d_v if several else 0}
    columns["concatenated"] = s.num_heads * d_v if several else 0
    columns["output"] = s.d_model if several else d_v
    return 0 <= row < n and 0 <= col < columns.get(name, n)


def _present(s: Settings, name: str) -> Matrix:
    """The matrix of that name, which must be there."""
    matrix = as_matrix(s, name)
    if matrix is None:
        raise SettingsError("unknown_choice", name="matrix", got=name)
    return matrix


def set_block(s: Settings, name: str, row: int, col: int, values) -> Settings:
    """Writes a block of numbers from (row, col) on: all of it, or nothing."""
    block = [[parse_number(value) for value in line] for line in values]
    matrix = [list(line) for line in _present(s, name)]
    row = _whole("row", row, 0, len(matrix) - 1)
    col = _whole("col", col, 0, len(matrix[0]) - 1)
    height, width = len(block), max(map(len, block), default=0)
    room_rows, room_cols = len(matrix) - row, len(matrix[0]) - col
    if not width or height > room_rows or width > room_cols:
        facts = {"rows": height, "cols": width, "room_rows": room_rows, "room_cols": room_cols}
        raise SettingsError("paste_shape", **facts)
    for i, line in enumerate(block):
        matrix[row + i][col : col + len(line)] = line
    return with_matrix(s, name, matrix)


def set_cell(s: Settings, name: str, row: int, col: int, value: object) -> Settings:
    return set_block(s, name, row, col, [[value]])


def rename_token(s: Settings, index: int, text: str) -> Settings:
    tokens = list(s.tokens)
    tokens[_whole("token", index, 0, len(tokens) - 1)] = parse_token(text)
    return replace(s, tokens=tuple(tokens))


def add_token(s: Settings) -> Settings:
    """One more token at the end, with a name that is not taken."""
    if len(s.tokens) >= MAX_TOKENS:
        raise SettingsError("too_many_tokens", limit=MAX_TOKENS)
    free = (f"t{i}" for i in range(len(s.tokens) + 1, 99))
    return normalised(replace(s, tokens=(*s.tokens, next(name for name in free if name not in s.tokens))))


def remove_token(s: Settings, index: int) -> Settings:
    """Removes a token and its row of X; the masks and what is looked at go on meaning the same tokens."""
    if len(s.tokens) <= 1:
        raise SettingsError("too_few_tokens")
    index = _whole("token", index, 0, len(s.tokens) - 1)

    def moved(i: int) -> int:
        return i - (i > index)

    blocked = frozenset((moved(r), moved(c)) for r, c in s.blocked if index not in (r, c))
    padding = max(1, s.padding - (index < s.padding))
    row = None if s.row in (None, index) else moved(s.row)
    cell = s.cell
    if cell:
        name, *place = cell
        of_tokens = 2 if name in SQUARE_STEPS else 1
        gone = index in place[:of_tokens]
        cell = None if gone else (name, *map(moved, place[:of_tokens]), *place[of_tokens:])
    tokens, x = (seq[:index] + seq[index + 1 :] for seq in (s.tokens, s.x))
    return normalised(replace(s, tokens=tokens, x=x, padding=padding, blocked=blocked, row=row, cell=cell))


def resize(s: Settings, **sizes: int | None) -> Settings:
    """New d_model, d_k, d_v (None: follow d_model / num_heads) or num_heads."""
    wanted = {"d_model": s.d_model, "d_k": s.d_k, "d_v": s.d_v, "num_heads": s.num_heads} | sizes
    for name, value in wanted.items():
        if value is not None or name in ("d_model", "num_heads"):
            wanted[name] = _whole(name, value, 1, MAX_HEADS if name == "num_heads" else MAX_WIDTH)
    d_model, heads = wanted.pop("d_model"), wanted["num_heads"]
    if d_model % heads and None in (wanted["d_k"], wanted["d_v"]):
        divisors = ", ".join(str(i) for i in range(1, MAX_HEADS + 1) if d_model % i == 0)
        raise SettingsError("heads_do_not_divide", num_heads=heads, d_model=d_model, divisors=divisors)
    x = fitted("x", s.x, len(s.tokens), d_model)
    return normalised(replace(s, x=x, **wanted))


def fill(s: Settings, name: str, how: str, seed: int = 0) -> Settings:
    """Fills a matrix with zeros, the identity, or seeded normal numbers (weights: divided by √rows).

    The same seed gives each matrix its own numbers. The bias that changes nothing is 0.
    """
    matrix, how = _present(s, name), _one_of("fill", how, FILLS)
    rows, cols = len(matrix), len(matrix[0])
    if how == "zeros" or (how == "identity" and name in BIASES):
        values = np.zeros((rows, cols))
    elif how == "identity":
        values = np.eye(rows, cols)
    else:
        order = (*MATRICES, *BIASES).index(name)
        rng = np.random.default_rng([_whole("seed", seed, 0, MAX_SEED), order])
        spread = 1 if name == "x" else math.sqrt(rows)
        values = np.round(rng.standard_normal((rows, cols)) / spread, 2) + 0.0
    return with_matrix(s, name, values.tolist())


def rounded(s: Settings, name: str, decimals: int) -> Settings:
    decimals = _whole("decimals", decimals, 0, 12)
    return with_matrix(s, name, [[round(v, decimals) + 0.0 for v in row] for row in _present(s, name)])


def set_biases(s: Settings, on: bool) -> Settings:
    """Biases of zeros, or none."""
    sizes = shapes(s)
    return replace(s, **{name: (0.0,) * sizes[name][1] if on else None for name in BIASES})


def set_blocked(s: Settings, row: int, col: int, hidden: bool) -> Settings:
    """Hides a key from a query in the custom mask, or shows it again."""
    pair = _pairs(s, [(row, col)])
    return replace(s, blocked=s.blocked | pair if hidden else s.blocked - pair)


def _pairs(s: Settings, pairs: Collection[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    top = len(s.tokens) - 1
    return frozenset((_whole("mask", r, 0, top), _whole("mask", c, 0, top)) for r, c in pairs)


def _cell(s: Settings, cell: tuple[str, int, int] | None) -> tuple[str, int, int] | None:
    if cell is None:
        return None
    name, row, col = cell
    top = MAX_WIDTH * MAX_HEADS
    return _one_of("cell", name, STEP_NAMES), _whole("row", row, 0, top), _whole("col", col, 0, top)


def _checked(s: Settings, name: str, value: object) -> object:
    """The value of a field that is no matrix and no size, if it may have it."""
    top = len(s.tokens) - 1
    ranges = {"padding": (1, top + 1), "window_left": (0, MAX_WINDOW), "window_right": (0, MAX_WINDOW)}
    ranges |= {"head": (0, s.num_heads - 1), "row": (0, top)}
    others = {"own_divisor": _divisor, "blocked": lambda v: _pairs(s, v), "cell": lambda v: _cell(s, v)}
    _one_of("field", name, [*CHOICES, *ranges, *others])
    if name in CHOICES:
        return _one_of(name, value, CHOICES[name])
    if name in ranges:
        return None if name == "row" and value is None else _whole(name, value, *ranges[name])
    return others[name](value)


def with_choice(s: Settings, **fields: object) -> Settings:
    """Sets fields that are no matrices: choices, the mask's numbers, what is looked at."""
    return normalised(replace(s, **{name: _checked(s, name, value) for name, value in fields.items()}))


def load_example(s: Settings, name: str) -> Settings:
    """An example from its start, in the reader's language."""
    name = _one_of("example", name, EXAMPLES)
    return Settings(language=s.language, example=name, **EXAMPLES[name])
