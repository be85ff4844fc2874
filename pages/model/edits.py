"""Edits: pure functions that turn one good Settings into another, or raise SettingsError.

An error has a code and facts; the texts for the screen are elsewhere.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from . import fresh
from .entries import SettingsError, one_of, parse_number, parse_token, parse_tokens, whole
from .examples import EXAMPLES
from .fields import specs, with_entry, with_fields
from .matrices import BIASES, MAX_HEADS, MAX_TOKENS, SIZES, TABLE
from .settings import (
    FILLS,
    FLAGS,
    MIN_SOURCE,
    Settings,
    as_matrix,
    normalised,
    numbers_of,
    shapes,
    with_matrix,
)

LEAST = 1e-12  # in place of an attention weight of 0, whose logarithm is not finite
MAX_SEED = 2**32 - 1
PROJECTIONS = {"query": "w_q", "key": "w_k", "value": "w_v"}
PROJECTED = 9  # decimals of computed numbers in a weight matrix: more would only make links longer


def set_block(s: Settings, name: str, row: int, col: int, values) -> Settings:
    """Writes a block of numbers from (row, col) on, or raises."""
    block = [[parse_number(value) for value in line] for line in values]
    matrix = [list(line) for line in numbers_of(s, name)]
    row = whole("row", row, 0, len(matrix) - 1)
    col = whole("col", col, 0, len(matrix[0]) - 1)
    height, width = len(block), max(map(len, block), default=0)
    room_rows, room_cols = len(matrix) - row, len(matrix[0]) - col
    if not width or height > room_rows or width > room_cols:
        raise SettingsError("paste_shape", rows=height, cols=width, room_rows=room_rows, room_cols=room_cols)
    for i, line in enumerate(block):
        matrix[row + i][col : col + len(line)] = line
    return with_matrix(s, name, matrix)


def check(s: Settings) -> Settings:
    """Settings with computed numbers. Raises SettingsError for a number that is too large."""
    for name in TABLE:
        matrix = as_matrix(s, name)
        if matrix is not None:
            s = set_block(s, name, 0, 0, matrix)
    return s


def set_cell(s: Settings, name: str, row: int, col: int, value: object) -> Settings:
    """Sets a value that was typed or dragged: in a matrix, in the mask, or of a field."""
    if name == "mask":
        return set_blocked(s, row, col, not value)
    if name in PROJECTIONS:
        return set_projected(s, name, row, col, value)
    spec = specs(Settings).get(name)
    if spec is None or spec.low is None:
        return set_block(s, name, row, col, [[value]])
    return normalised(with_entry(s, name, col, value))


def set_projected(s: Settings, name: str, row: int, col: int, value: object) -> Settings:
    """Sets one number of Q, K or V, by the smallest change of its weight matrix.

    With x the token's row of X and e the difference, column `col` of W grows by xᵀ·e / |x|², which adds e to
    x·W. Rows of X that are not at right angles to x move as well. Positions do not count.
    """
    weight = PROJECTIONS[name]
    x = s.x[whole("row", row, 0, len(s.x) - 1)]
    matrix = numbers_of(s, weight)
    col = whole("col", col, 0, len(matrix[0]) - 1)
    square = sum(number * number for number in x)
    if not square:
        raise SettingsError("row_of_zeros", token=s.tokens[row], matrix=weight)
    by = (parse_number(value) - projected(s, name, row, col)) / square
    column = [[round(line[col] + number * by, PROJECTED)] for number, line in zip(x, matrix, strict=True)]
    return set_block(s, weight, 0, col, column)


def projected(s: Settings, name: str, row: int, col: int) -> float:
    """One number of Q, K or V, without positions and before normalisation."""
    weight = PROJECTIONS[name]
    bias = getattr(s, f"b_{weight[-1]}")
    products = (number * line[col] for number, line in zip(s.x[row], numbers_of(s, weight), strict=True))
    return sum(products) + (bias[col] if bias else 0.0)


def set_direction(s: Settings, name: str, row: int, col: int, degrees: object) -> Settings:
    """Turns one row of Q, K or V: its numbers in `col` and the next column keep their norm."""
    norm = math.hypot(projected(s, name, row, col), projected(s, name, row, col + 1))
    angle = math.radians(parse_number(degrees))
    for at, part in ((col, math.cos(angle)), (col + 1, math.sin(angle))):
        s = set_projected(s, name, row, at, norm * part)
    return s


def rename_token(s: Settings, index: int, text: str) -> Settings:
    tokens = list(s.tokens)
    tokens[whole("token", index, 0, len(tokens) - 1)] = parse_token(text)
    return replace(s, tokens=tuple(tokens))


def name_dimension(s: Settings, index: int, text: str) -> Settings:
    """Names a column of X; an empty text removes the name."""
    names = list(s.dimensions or ("",) * s.d_model)
    names[whole("dimension", index, 0, s.d_model - 1)] = text
    return with_choice(s, dimensions=names)


# The names that can be typed at the edges of X → their edit.
RENAMES = {"tokens": rename_token, "dimensions": name_dimension}


def add_token(s: Settings) -> Settings:
    """Adds a token at the end, with a name that is not taken."""
    if len(s.tokens) >= MAX_TOKENS:
        raise SettingsError("too_many_tokens", limit=MAX_TOKENS)
    free = (f"t{i}" for i in range(len(s.tokens) + 1, 99))
    return normalised(replace(s, tokens=(*s.tokens, next(name for name in free if name not in s.tokens))))


def remove_token(s: Settings, index: int) -> Settings:
    """Removes a token and its row of X; the masks keep meaning the same tokens."""
    if len(s.tokens) <= 1:
        raise SettingsError("too_few_tokens")
    index = whole("token", index, 0, len(s.tokens) - 1)

    def new_index(i: int) -> int:
        return i - (i > index)

    blocked = frozenset((new_index(r), new_index(c)) for r, c in s.blocked if index not in (r, c))
    padding = max(1, s.padding - (index < s.padding))
    tokens, x = s.tokens[:index] + s.tokens[index + 1 :], s.x[:index] + s.x[index + 1 :]
    return normalised(replace(s, tokens=tokens, x=x, padding=padding, blocked=blocked))


def swap_tokens(s: Settings, first: int, second: int) -> Settings:
    """Swaps two tokens, with their rows of X."""
    top = len(s.tokens) - 1
    first, second = whole("token", first, 0, top), whole("token", second, 0, top)
    order = list(range(top + 1))
    order[first], order[second] = second, first
    return reordered(s, order)


def reordered(s: Settings, order: Sequence[int]) -> Settings:
    """Reorders the tokens, with their rows of X. Masks and P belong to places and stay."""
    return replace(s, tokens=tuple(s.tokens[i] for i in order), x=tuple(s.x[i] for i in order))


def resize(s: Settings, **sizes: int | None) -> Settings:
    """Sets d_model, num_heads, d_k, d_v or num_kv_heads. None: follows, as d_model / num_heads or num_heads.

    Key/value heads that no longer divide the heads become as many as these.
    """
    wanted = {name: getattr(s, name) for name in SIZES} | sizes
    for name, value in wanted.items():
        if value is not None or not SIZES[name].follows:
            wanted[name] = whole(name, value, 1, SIZES[name].most)
    d_model, heads, kv_heads = wanted.pop("d_model"), wanted["num_heads"], wanted["num_kv_heads"]
    if d_model % heads and None in (wanted["d_k"], wanted["d_v"]):
        raise SettingsError(
            "heads_do_not_divide", num_heads=heads, d_model=d_model, divisors=_divisors(d_model)
        )
    if kv_heads and heads % kv_heads:
        if "num_kv_heads" in sizes:
            raise SettingsError("heads_not_shared", kv_heads=kv_heads, heads=heads, divisors=_divisors(heads))
        wanted["num_kv_heads"] = None
    if kv_heads == heads:
        wanted["num_kv_heads"] = None
    x, y = (fresh.fitted(name, getattr(s, name), len(getattr(s, name)), d_model) for name in ("x", "y"))
    return normalised(replace(s, x=x, y=y, **wanted))


def set_weights(s: Settings, rows: fresh.Numbers) -> Settings:
    """One head with these attention weights, each row divided by its sum. X and W_K are unit matrices.

    Then the scores are W_Q, which is log A · √dₖ; a weight of 0 becomes LEAST. Raises SettingsError.
    """
    n = len(s.tokens)
    if len(rows) != n or any(len(row) != n or min(row) < 0 or not sum(row) for row in rows):
        raise SettingsError("text_weights", limit=MAX_TOKENS)
    s = resize(s, num_heads=1, num_kv_heads=None, d_model=n, d_k=None, d_v=None)
    unit = tuple(tuple(float(i == j) for j in range(n)) for i in range(n))
    scores = [[math.log(max(entry / sum(row), LEAST)) * math.sqrt(n) for entry in row] for row in rows]
    w_q = tuple(tuple(float(f"{score:.12g}") + 0.0 for score in row) for row in scores)
    plain = {"scaling": "sqrt_d_k", "mask": "none", "mask_2": "none", "position": "none"}
    off: dict[str, Any] = {**plain, **dict.fromkeys(FLAGS, False), **dict.fromkeys(BIASES)}
    return normalised(replace(s, x=unit, w_q=w_q, w_k=unit, **off))


def _divisors(of: int) -> tuple[int, ...]:
    return tuple(i for i in range(1, MAX_HEADS + 1) if of % i == 0)


def fill(s: Settings, name: str, how: str, seed: int = 0) -> Settings:
    """Fills a matrix: zeros, the identity, or seeded normal numbers (in a weight matrix divided by √rows)."""
    matrix = numbers_of(s, name)
    seed, how = whole("seed", seed, 0, MAX_SEED), one_of("fill", how, FILLS)
    return with_matrix(s, name, fresh.filled(name, len(matrix), len(matrix[0]), how, seed))


def rounded(s: Settings, name: str, decimals: int) -> Settings:
    decimals = whole("decimals", decimals, 0, 12)
    return with_matrix(s, name, [[round(v, decimals) + 0.0 for v in row] for row in numbers_of(s, name)])


def set_source(s: Settings, text: str) -> Settings:
    """Sets the second sequence's tokens, typed with spaces or commas; the rows of Y that fit stay."""
    tokens = parse_tokens(text, MAX_TOKENS)
    if len(tokens) < MIN_SOURCE:
        raise SettingsError("source_too_short", limit=MIN_SOURCE, got=len(tokens))
    return normalised(replace(s, source=tokens))


def set_biases(s: Settings, on: bool) -> Settings:
    """Sets biases of zeros, or no biases."""
    sizes = shapes(s)
    biases: dict[str, Any] = {name: (0.0,) * sizes[name][1] if on else None for name in BIASES}
    return replace(s, **biases)


def set_blocked(s: Settings, row: int, col: int, masked: bool) -> Settings:
    """Masks a key for a query in the custom mask, or makes it visible again."""
    top = len(s.tokens) - 1
    pair = frozenset({(whole("mask", row, 0, top), whole("mask", col, 0, top))})
    return replace(s, blocked=s.blocked | pair if masked else s.blocked - pair)


def with_choice(s: Settings, **values: object) -> Settings:
    """Sets declared fields, each checked against its entry in the table."""
    return normalised(with_fields(s, **values))


@functools.cache
def example_start(name: str) -> Settings:
    """The settings of an example. Fields that it does not name have their defaults."""
    name = one_of("example", name, EXAMPLES)
    return normalised(Settings(example=name, **EXAMPLES[name]))
