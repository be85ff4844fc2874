"""A picture of attention weights to be read: of one head or two, with or without a mask and values.

The weights are multiples of 1/20, so that what is shown with two digits is exact.
"""

import functools
from dataclasses import dataclass
from typing import Any

import torch

from attention import causal_mask, sliding_window_mask
from attention.lab.weights import reading
from pages.ask.exercise.chance import Chance

N = 4  # tokens
UNITS = 20
D_V = 2
VISIBLE_ALIKE = (2, 4)  # counts of keys that can share UNITS alike
WeightRows = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class WeightsScene:
    """What the picture shows: weights (heads, n, n), the kind of mask, and V (n, D_V) where it is shown."""

    tokens: tuple[str, ...]
    heads: tuple[WeightRows, ...]
    mask_kind: str  # "none", "causal", "window"
    value: WeightRows | None

    @property
    def mask(self) -> torch.Tensor | None:
        return mask_of(self.mask_kind)

    @functools.cached_property
    def weights(self) -> torch.Tensor:
        """(heads, n, n)"""
        return torch.tensor(self.heads, dtype=torch.float64)

    @functools.cached_property
    def a(self) -> torch.Tensor:
        """The weights of the first head, (n, n)."""
        return self.weights[0]

    @functools.cached_property
    def v(self) -> Any:
        """V as a tensor; None where it is not shown."""
        return None if self.value is None else torch.tensor(self.value, dtype=torch.float64)

    @functools.cached_property
    def output(self) -> Any:
        """(n, D_V), by the core; None where V is not shown."""
        return None if self.value is None else reading.attend(self.a, self.v, self.mask).output

    def sees(self, query: int, key: int) -> bool:
        """The key is not masked for the query."""
        return self.mask is None or bool(self.mask[query, key])


@functools.cache
def mask_of(kind: str) -> torch.Tensor | None:
    """The mask (n, n), True = visible; the window shows each token itself and the one before it."""
    if kind == "causal":
        return causal_mask(N)
    return sliding_window_mask(N, left=1, right=0) if kind == "window" else None


def scene(level: str, chance: Chance, language: str) -> WeightsScene:
    """Weights of the level's kind; some rows are uniform or equal, a causal mask's first row is one-hot."""
    kinds = ("none", "causal", "window") if level == "2" else ("none", "causal")
    kind, tokens = chance.pick(kinds), chance.sentence(language, N)
    heads = [_head(chance, mask_of(kind)) for _ in range(2 if level == "3" else 1)]
    if kind == "none":
        _make_rows_equal(chance, heads)
    elif level == "3" and chance.number(0, 1):
        row = chance.number(1, N - 1)
        heads[1][row] = heads[0][row]
    value = _value(chance) if level == "2" else None
    return WeightsScene(
        tokens, tuple(tuple(tuple(u / UNITS for u in row) for row in head) for head in heads), kind, value
    )


def _head(chance: Chance, mask: torch.Tensor | None) -> list[list[int]]:
    """A head's weights in units: every visible key has at least one."""
    uniform = chance.number(0, 2 * N)  # a row of this number is uniform, if there is one
    return [_row(chance, [k for k in range(N) if mask is None or mask[q, k]], q == uniform) for q in range(N)]


def _row(chance: Chance, keys: list[int], uniform: bool) -> list[int]:
    row = [0] * N
    for key in keys:
        row[key] = UNITS // len(keys) if uniform and len(keys) in VISIBLE_ALIKE else 1
    rest = UNITS - sum(row)
    favourite = chance.pick(keys)
    row[favourite] += rest // 2
    for _ in range(rest - rest // 2):
        row[chance.pick(keys)] += 1
    return row


def _make_rows_equal(chance: Chance, heads: list[list[list[int]]]) -> None:
    """Sometimes gives a query the weights of another one: in all heads, in the first, or across heads."""
    first, other = chance.some(range(N), 2)
    how = chance.pick(("not", "all", "first", "across"))
    if how in ("all", "first"):
        for head in heads if how == "all" else heads[:1]:
            head[other] = head[first]
    if how == "across" and len(heads) > 1:
        heads[1][first] = heads[0][first]


def _value(chance: Chance) -> WeightRows:
    """Small whole numbers, one of them large: it can outweigh a large weight."""
    rows = [[float(chance.number(-3, 3)) for _ in range(D_V)] for _ in range(N)]
    rows[chance.number(0, N - 1)][chance.number(0, D_V - 1)] = float(chance.pick((-9, 9)))
    return tuple(map(tuple, rows))
