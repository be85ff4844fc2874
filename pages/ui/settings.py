"""What the learner set: one frozen record, and pure functions that turn one good record into another.

A function here returns valid Settings or raises SettingsError; nothing in between. The words for the screen
are elsewhere: an error carries a code and facts.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
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


def parse_number(entry: object) -> float:
    """A finite number of at most MAX_VALUE, from a number or from text as people type it."""
    text = unicodedata.normalize("NFKC", str(entry)).replace("−", "-").strip()
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", text):
        raise SettingsError("not_a_number", entry=str(entry)[:40])
    value = float(f"{float(text):.12g}")
    if abs(value) > MAX_VALUE:
        raise SettingsError("too_large", entry=str(entry)[:40], limit=int(MAX_VALUE))
    return value + 0.0  # no −0.0


def parse_token(text: str) -> str:
    """A token's name: on one line, not empty, not too long."""
    kept = "".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text)
    name = " ".join(kept.split())
    if not name:
        raise SettingsError("token_empty")
    if len(name) > MAX_TOKEN_LENGTH:
        raise SettingsError("token_too_long", length=len(name), limit=MAX_TOKEN_LENGTH)
    return name


def _in_range(name: str, value: object, low: float, high: float) -> None:
    if not isinstance(value, int | float) or not low <= value <= high:
        raise SettingsError("out_of_range", name=name, low=low, high=high, got=value)


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
    """The matrix of that name; a bias as its one row."""
    values = getattr(s, name)
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


def set_block(s: Settings, name: str, row: int, col: int, values) -> Settings:
    """Writes a block of numbers from (row, col) on: all of it, or nothing."""
    block = [[parse_number(value) for value in line] for line in values]
    matrix = [list(line) for line in as_matrix(s, name) or ()]
    height, width = len(block), max(map(len, block), default=0)
    room_rows, room_cols = len(matrix) - row, (len(matrix[0]) if matrix else 0) - col
    if not block or height > room_rows or width > room_cols or min(row, col) < 0:
        facts = {"rows": height, "cols": width, "room_rows": room_rows, "room_cols": room_cols}
        raise SettingsError("paste_shape", **facts)
    for i, line in enumerate(block):
        matrix[row + i][col : col + len(line)] = line
    return with_matrix(s, name, matrix)


def set_cell(s: Settings, name: str, row: int, col: int, value: object) -> Settings:
    return set_block(s, name, row, col, [[value]])


def rename_token(s: Settings, index: int, text: str) -> Settings:
    tokens = list(s.tokens)
    tokens[index] = parse_token(text)
    return replace(s, tokens=tuple(tokens))


def add_token(s: Settings) -> Settings:
    """One more token at the end, with a name that is not taken."""
    if len(s.tokens) >= MAX_TOKENS:
        raise SettingsError("too_many_tokens", limit=MAX_TOKENS)
    free = (f"t{i}" for i in range(len(s.tokens) + 1, 99))
    return normalised(replace(s, tokens=(*s.tokens, next(name for name in free if name not in s.tokens))))


def remove_token(s: Settings, index: int) -> Settings:
    """Removes a token, its row of X, and its row and column of the custom mask."""
    if len(s.tokens) <= 1:
        raise SettingsError("too_few_tokens")

    def moved(i: int) -> int:
        return i - (i > index)

    blocked = frozenset((moved(r), moved(c)) for r, c in s.blocked if index not in (r, c))
    row = None if s.row in (None, index) else moved(s.row)
    tokens, x = (seq[:index] + seq[index + 1 :] for seq in (s.tokens, s.x))
    return normalised(replace(s, tokens=tokens, x=x, blocked=blocked, row=row, cell=None))


def resize(s: Settings, **sizes: int | None) -> Settings:
    """New d_model, d_k, d_v (None: follow d_model / num_heads) or num_heads."""
    wanted = {"d_model": s.d_model, "d_k": s.d_k, "d_v": s.d_v, "num_heads": s.num_heads} | sizes
    for name, value in wanted.items():
        if value is not None or name in ("d_model", "num_heads"):
            _in_range(name, value, 1, MAX_HEADS if name == "num_heads" else MAX_WIDTH)
    d_model, heads = wanted.pop("d_model"), wanted["num_heads"]
    if d_model % heads and None in (wanted["d_k"], wanted["d_v"]):
        divisors = ", ".join(str(i) for i in range(1, MAX_HEADS + 1) if d_model % i == 0)
        raise SettingsError("heads_do_not_divide", num_heads=heads, d_model=d_model, divisors=divisors)
    x = fitted("x", s.x, len(s.tokens), d_model)
    return normalised(replace(s, x=x, **wanted))


def fill(s: Settings, name: str, how: str, seed: int = 0) -> Settings:
    """Fills a matrix with zeros, the identity, or seeded normal numbers (weights: divided by √rows)."""
    if how not in FILLS:
        raise SettingsError("unknown_choice", name="fill", got=how)
    rows, cols = shapes(s)[name]
    if how == "zeros":
        values = np.zeros((rows, cols))
    elif how == "identity":
        values = np.eye(rows, cols)
    else:
        spread = 1 if name == "x" else math.sqrt(rows)
        values = np.round(np.random.default_rng(seed).standard_normal((rows, cols)) / spread, 2) + 0.0
    return with_matrix(s, name, values.tolist())


def rounded(s: Settings, name: str, decimals: int) -> Settings:
    return with_matrix(s, name, [[round(v, decimals) + 0.0 for v in row] for row in as_matrix(s, name) or ()])


def set_biases(s: Settings, on: bool) -> Settings:
    """Biases of zeros, or none."""
    sizes = shapes(s)
    return replace(s, **{name: (0.0,) * sizes[name][1] if on else None for name in BIASES})


def set_blocked(s: Settings, row: int, col: int, hidden: bool) -> Settings:
    """Hides a key from a query in the custom mask, or shows it again."""
    n = len(s.tokens)
    _in_range("mask", row, 0, n - 1)
    _in_range("mask", col, 0, n - 1)
    return replace(s, blocked=s.blocked | {(row, col)} if hidden else s.blocked - {(row, col)})


def with_choice(s: Settings, **fields: object) -> Settings:
    """Sets fields that are no matrices: choices, the mask's numbers, what is looked at."""
    n = len(s.tokens)
    ranges = {"padding": (1, n), "window_left": (0, MAX_TOKENS - 1), "window_right": (0, MAX_TOKENS - 1)}
    ranges |= {"head": (0, s.num_heads - 1), "row": (0, n - 1)}
    for name, value in fields.items():
        if name in CHOICES and value not in CHOICES[name]:
            raise SettingsError("unknown_choice", name=name, got=str(value)[:40])
        if name in ranges and value is not None:
            _in_range(name, value, *ranges[name])
    if "own_divisor" in fields:
        fields["own_divisor"] = parse_number(fields["own_divisor"])
        _in_range("own_divisor", abs(fields["own_divisor"]), MIN_DIVISOR, MAX_VALUE)
    return normalised(replace(s, **fields))


def load_example(s: Settings, name: str) -> Settings:
    """An example from its start, in the reader's language."""
    if name not in EXAMPLES:
        raise SettingsError("unknown_choice", name="example", got=str(name)[:40])
    return Settings(language=s.language, example=name, **EXAMPLES[name])
