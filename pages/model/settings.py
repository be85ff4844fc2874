"""The core settings, which all lessons share: one frozen record, and the shapes of its matrices."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from . import fresh, mask_kinds
from .entries import (
    MAX_NAME,
    SettingsError,
    one_of,
    parse_number,
    parse_token,
    short_enough,
    short_text,
    split_names,
    write_names,
)
from .fields import Bound, choice, count, custom, flag, in_range, number, several, specs, write_number
from .fresh import Numbers
from .matrices import BIASES, MAX_TOKENS, MAX_WIDTH, TABLE, TOKENS, token_count

MIN_SOURCE = TOKENS["source"]
MIN_DIVISOR = 1e-6
MAX_WINDOW = MAX_TOKENS - 1
MAX_SHIFT = 100  # of the first position

SCALINGS = ("sqrt_d_k", "none", "d_k", "own")
MASKS = tuple(mask_kinds.KINDS)
# Kind of position → the numbers that it reads.
POSITION_NUMBERS: dict[str, tuple[str, ...]] = {
    "none": (),
    "sinusoidal": ("position_base", "first_position"),
    "learned": (),
    "rotary": ("position_base", "first_position"),
    "alibi": ("slope_factor",),
}
POSITIONS = tuple(POSITION_NUMBERS)
ALIGNMENTS = ("upper_left", "lower_right")
FILLS = fresh.FILLS


def _divisor(name: str, value: object, s: Settings) -> float:
    divisor = parse_number(value)
    if abs(divisor) < MIN_DIVISOR:
        raise SettingsError("too_near_zero", name=name, low=MIN_DIVISOR, got=divisor)
    return divisor


def _dimensions(name: str, names: Collection[str], s: Settings) -> tuple[str, ...]:
    """Names of columns, some of which may be empty; () if all are empty."""
    if len(names) > MAX_WIDTH:
        raise SettingsError("out_of_range", name=name, low=0, high=MAX_WIDTH, got=len(names))
    clean = tuple(parse_token(name) if name.strip() else "" for name in names)
    return clean if any(clean) else ()


def _read_dimensions(text: str) -> list[str]:
    return split_names(short_enough(text, MAX_WIDTH * (2 * MAX_NAME + 1)))


def pairs(key: str, most: Bound) -> Any:
    """Pairs of a query and a key."""
    pair = several((), key, "-", count(0, key, 0, most, from_one=True), 2, 2)
    return several(frozenset(), key, ",", pair, 0, MAX_TOKENS**2)


@dataclass(frozen=True)
class Settings:
    """The settings that all lessons share. The defaults are the example of three tokens."""

    tokens: tuple[str, ...] = ("我", "爱", "猫")
    x: Numbers = ((1.0, 0.5, 0.2, 0.1), (0.3, 1.2, 0.8, 0.4), (0.6, 0.1, 1.5, 0.9))
    w_q: Numbers = ((1.0, 0.0, 0.5, 0.2), (0.1, 1.0, 0.3, 0.1), (0.2, 0.1, 1.0, 0.4), (0.0, 0.2, 0.1, 1.0))
    w_k: Numbers = ((0.8, 0.1, 0.3, 0.2), (0.2, 0.9, 0.1, 0.3), (0.1, 0.2, 1.1, 0.1), (0.3, 0.1, 0.2, 0.8))
    w_v: Numbers = ((1.1, 0.2, 0.1, 0.3), (0.1, 1.0, 0.2, 0.4), (0.3, 0.1, 1.2, 0.2), (0.2, 0.3, 0.1, 1.0))
    w_o: Numbers = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))
    b_q: tuple[float, ...] | None = None
    b_k: tuple[float, ...] | None = None
    b_v: tuple[float, ...] | None = None
    b_o: tuple[float, ...] | None = None
    source: tuple[str, ...] = ("I", "love", "cats")  # cross-attention: the tokens of keys and values
    y: Numbers = ((8.0, 0.0, -3.0, -3.0), (-3.0, 4.0, 1.0, -1.0), (-2.0, -3.0, 2.0, 3.0))  # their inputs
    # learned positions: a row for each place
    p: Numbers = ((0.0, 0.6, -0.4, 0.2), (0.8, -0.2, 0.3, -0.5), (-0.6, 0.4, 0.1, 0.7))
    num_heads: int = 1
    num_kv_heads: int | None = None  # None: as many as heads
    d_k: int | None = None  # per head; None follows d_model / num_heads
    d_v: int | None = None
    example: str = "cats"
    # The meaning of each column of X, or "": typed by hand, and no number depends on it.
    dimensions: tuple[str, ...] = custom((), "dims", write_names, _read_dimensions, _dimensions)

    scaling: str = choice("sqrt_d_k", "scaling", SCALINGS)
    own_divisor: float = custom(1.0, "divisor", write_number, parse_number, _divisor)
    mask: str = choice("none", "mask", MASKS)
    mask_2: str = choice("none", "mask2", MASKS)
    combine: str = choice("and", "combine", ("and", "or"))
    padding: int = count(2, "padding", 1, token_count)  # the number of real tokens
    window_left: int = count(1, "left", 0, MAX_WINDOW)
    window_right: int = count(1, "right", 0, MAX_WINDOW)
    prefix: int = count(2, "prefix", 0, token_count)
    packed: tuple[int, ...] = several((2,), "packed", ",", count(1, "packed", 1, MAX_TOKENS), 1, MAX_TOKENS)
    blocked: frozenset[tuple[int, int]] = pairs("blocked", lambda s: len(s.tokens) - 1)
    masked_score: str = choice("-inf", "masked", ("-inf", "-1e9"))
    cross_mask: str = choice("none", "crossmask", ("none", "padding", "causal"))
    source_padding: int = count(2, "sourcepadding", 1, lambda s: len(s.source))
    alignment: str = choice("upper_left", "align", ALIGNMENTS)
    qk_norm: bool = flag(False, "qknorm", option=True)
    # How the position of a token enters the computation.
    position: str = choice("none", "position", POSITIONS)
    position_base: float = number(10_000.0, "base", 1.1, 1_000_000.0, step=0.1, log=True)
    first_position: int = count(0, "first", 0, MAX_SHIFT)  # of the first token
    slope_factor: float = number(1.0, "slopes", 0.01, 1000.0, step=0.1, log=True)

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
    def kv_heads(self) -> int:
        return self.num_kv_heads or self.num_heads

    def kv_head(self, head: int) -> int:
        """The key/value head that serves this query head."""
        return head * self.kv_heads // self.num_heads


FLAGS = tuple(name for name, spec in specs(Settings).items() if spec.kind == "flag")
OPTIONS = tuple(name for name, spec in specs(Settings).items() if spec.option)


def shapes(s: Settings) -> dict[str, tuple[int, int]]:
    """Rows and columns that each matrix must have; a bias has one row."""
    return {name: entries.shape(s) for name, entries in TABLE.items()}


def as_matrix(s: Settings, name: str) -> Numbers | None:
    """The matrix of that name; a bias as a matrix of one row, None without biases."""
    values = getattr(s, one_of("matrix", name, TABLE))
    return (values,) if name in BIASES and values is not None else values


def numbers_of(s: Settings, name: str) -> Numbers:
    """The numbers of the matrix of that name, which must not be None."""
    matrix = as_matrix(s, name)
    if matrix is None:
        raise SettingsError("unknown_choice", name="matrix", got=short_text(name))
    return matrix


def with_matrix(s: Settings, name: str, values) -> Settings:
    matrix = tuple(tuple(row) for row in values)
    fields: dict[str, Any] = {name: matrix[0] if name in BIASES else matrix}
    return replace(s, **fields)


def normalised(s: Settings) -> Settings:
    """The settings with everything that depends on the sizes adapted to them."""
    for name, (rows, cols) in shapes(s).items():
        matrix = as_matrix(s, name)
        if matrix is not None and (len(matrix), len(matrix[0])) != (rows, cols):
            s = with_matrix(s, name, fresh.fitted(name, matrix, rows, cols))
    n = len(s.tokens)
    blocked = frozenset((row, col) for row, col in s.blocked if row < n and col < n)
    names = (*s.dimensions[: s.d_model], *("",) * (s.d_model - len(s.dimensions)))
    return in_range(replace(s, blocked=blocked, dimensions=names if any(names) else ()))
