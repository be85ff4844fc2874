"""Edits: pure functions that turn one good Settings into another, or raise SettingsError.

The words for the screen are elsewhere: an error carries a code and facts.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from . import fresh
from .entries import MAX_VALUE, SettingsError, one_of, parse_number, parse_token, parse_tokens, said, whole
from .examples import EXAMPLES
from .settings import (
    BIASES,
    CHOICES,
    COUNTS,
    FILLS,
    MAX_HEADS,
    MAX_LOGITS,
    MAX_TOKENS,
    MAX_WIDTH,
    MAX_WINDOW,
    MIN_DIVISOR,
    MIN_SOURCE,
    NUMBERS,
    PARTS,
    SIZES,
    SQUARE_STEPS,
    STEP_NAMES,
    Matrix,
    Settings,
    as_matrix,
    normalised,
    shapes,
    with_matrix,
)

MAX_SEED = 2**32 - 1
MAX_GUESSES = 32
WORD = re.compile(r"\w{1,24}", re.ASCII)


def _divisor(value: object) -> float:
    divisor = parse_number(value)
    if abs(divisor) < MIN_DIVISOR:
        facts = {"low": MIN_DIVISOR, "high": MAX_VALUE, "got": divisor}
        raise SettingsError("out_of_range", name="own_divisor", **facts)
    return divisor


def _number(name: str, value: object) -> float:
    number, (low, high) = parse_number(value), NUMBERS[name]
    if not low <= number <= high:
        raise SettingsError("out_of_range", name=name, low=low, high=high, got=number)
    return number


def _logits(values: Collection[object]) -> tuple[float, ...]:
    """The scores of the softmax lesson."""
    if not 1 <= len(values) <= MAX_LOGITS:
        raise SettingsError("out_of_range", name="logits", low=1, high=MAX_LOGITS, got=len(values))
    return tuple(map(parse_number, values))


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
    row = whole("row", row, 0, len(matrix) - 1)
    col = whole("col", col, 0, len(matrix[0]) - 1)
    height, width = len(block), max(map(len, block), default=0)
    room_rows, room_cols = len(matrix) - row, len(matrix[0]) - col
    if not width or height > room_rows or width > room_cols:
        facts = {"rows": height, "cols": width, "room_rows": room_rows, "room_cols": room_cols}
        raise SettingsError("paste_shape", **facts)
    for i, line in enumerate(block):
        matrix[row + i][col : col + len(line)] = line
    return with_matrix(s, name, matrix)


def set_cell(s: Settings, name: str, row: int, col: int, value: object) -> Settings:
    """One number typed or dragged: in a matrix, in the scores of the softmax lesson, or a number of its own.

    A number of its own stops at the ends of its range; a count is rounded.
    """
    if name == "logits":
        logits = list(s.logits)
        logits[whole("col", col, 0, len(logits) - 1)] = parse_number(value)
        return replace(s, logits=tuple(logits))
    if name in COUNTS or name in NUMBERS:
        low, high = (COUNTS | NUMBERS)[name]
        number = min(max(parse_number(value), low), high)
        return with_choice(s, **{name: round(number) if name in COUNTS else number})
    return set_block(s, name, row, col, [[value]])


def rename_token(s: Settings, index: int, text: str) -> Settings:
    tokens = list(s.tokens)
    tokens[whole("token", index, 0, len(tokens) - 1)] = parse_token(text)
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
    index = whole("token", index, 0, len(s.tokens) - 1)

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
    """New d_model, num_heads, d_k, d_v or num_kv_heads. None follows: d_model / num_heads, or num_heads.

    Key/value heads that no longer divide the heads become as many as these.
    """
    wanted = {name: getattr(s, name) for name in SIZES} | sizes
    for name, value in wanted.items():
        if value is not None or name in ("d_model", "num_heads"):
            wanted[name] = whole(name, value, 1, MAX_HEADS if "heads" in name else MAX_WIDTH)
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


def _divisors(of: int) -> str:
    return ", ".join(str(i) for i in range(1, MAX_HEADS + 1) if of % i == 0)


def fill(s: Settings, name: str, how: str, seed: int = 0) -> Settings:
    """Fills a matrix with zeros, the identity, or seeded normal numbers (weights: divided by √rows)."""
    matrix = _present(s, name)
    seed, how = whole("seed", seed, 0, MAX_SEED), one_of("fill", how, FILLS)
    return with_matrix(s, name, fresh.filled(name, len(matrix), len(matrix[0]), how, seed))


def rounded(s: Settings, name: str, decimals: int) -> Settings:
    decimals = whole("decimals", decimals, 0, 12)
    return with_matrix(s, name, [[round(v, decimals) + 0.0 for v in row] for row in _present(s, name)])


def set_source(s: Settings, text: str) -> Settings:
    """The second sequence's tokens, typed with spaces or commas between them; what fits of Y is kept."""
    tokens = parse_tokens(text, MAX_TOKENS)
    if len(tokens) < MIN_SOURCE:
        raise SettingsError("source_too_short", limit=MIN_SOURCE, got=len(tokens))
    return normalised(replace(s, source=tokens))


def with_guess(s: Settings, question: str, option: str | None) -> Settings:
    """Commits a guess; None takes it back."""
    others = [pair for pair in s.guesses if pair[0] != question]
    return with_choice(s, guesses=[*others, *([] if option is None else [(question, option)])])


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
    return frozenset((whole("mask", r, 0, top), whole("mask", c, 0, top)) for r, c in pairs)


def _cell(s: Settings, cell: tuple[str, int, int] | None) -> tuple[str, int, int] | None:
    if cell is None:
        return None
    name, row, col = cell
    top = MAX_WIDTH * MAX_HEADS
    return one_of("cell", name, STEP_NAMES), whole("row", row, 0, top), whole("col", col, 0, top)


def _packed(lengths: Collection[int]) -> tuple[int, ...]:
    """Lengths of packed sequences."""
    if not 1 <= len(lengths) <= MAX_TOKENS:
        raise SettingsError("out_of_range", name="packed", low=1, high=MAX_TOKENS, got=len(lengths))
    return tuple(whole("packed", length, 1, MAX_TOKENS) for length in lengths)


def _heads(heads: Collection[int], top: int) -> frozenset[int]:
    return frozenset(whole("head", head, 0, top) for head in heads)


def _guesses(guesses: Collection[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """One guess a question, in order; names of questions and options are short words."""
    if len(guesses) > MAX_GUESSES or any(not WORD.fullmatch(word) for pair in guesses for word in pair):
        raise SettingsError("unknown_choice", name="guess", got=said(guesses))
    return tuple(sorted(dict(guesses).items()))


def _checked(s: Settings, name: str, value: object) -> object:
    """The value of a field that is no matrix and no size, if it may have it."""
    top = len(s.tokens) - 1
    ranges = {"padding": (1, top + 1), "prefix": (0, top + 1), "source_padding": (1, len(s.source))}
    ranges |= {"window_left": (0, MAX_WINDOW), "window_right": (0, MAX_WINDOW)}
    ranges |= {"head": (0, s.num_heads - 1), "other": (0, MAX_HEADS - 1), "row": (0, top)}
    others = {"own_divisor": _divisor, "blocked": lambda v: _pairs(s, v), "cell": lambda v: _cell(s, v)}
    others |= {"packed": _packed, "guesses": _guesses, "off": lambda v: _heads(v, s.num_heads - 1)}
    others |= {"reversed": bool, "part": lambda v: None if v is None else one_of("part", v, PARTS)}
    others |= {"logits": _logits}
    one_of("field", name, [*CHOICES, *NUMBERS, *COUNTS, *ranges, *others])
    if name in CHOICES:
        return one_of(name, value, CHOICES[name])
    if name in COUNTS:
        return whole(name, value, *COUNTS[name])
    if name in NUMBERS:
        return _number(name, value)
    if name in ranges:
        return None if name == "row" and value is None else whole(name, value, *ranges[name])
    return others[name](value)


def with_choice(s: Settings, **fields: object) -> Settings:
    """Sets fields that are no matrices: choices, the mask's numbers, what is looked at."""
    return normalised(replace(s, **{name: _checked(s, name, value) for name, value in fields.items()}))


def load_example(s: Settings, name: str) -> Settings:
    """An example from its start, in the reader's language and where the reader is."""
    name = one_of("example", name, EXAMPLES)
    return normalised(Settings(language=s.language, part=s.part, example=name, **EXAMPLES[name]))
