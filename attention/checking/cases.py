"""The cases over which an attention function is checked, the smallest first.

Each is a call of PyTorch's scaled_dot_product_attention; the core says in float64 what must come of it. The
numbers are multiples of 0.5. Their seeds were chosen so that every mistake leaves its own trace, and the
tests see to that.
"""

import functools
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from attention.masks import causal_mask
from attention.scaled_dot_product import scaled_dot_product_attention

# How far a right result may lie from the exact one, for numbers of about 1.
TOLERANCES = {torch.float64: 1e-6, torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 3e-2}


@dataclass(frozen=True, eq=False)
class Case:
    """One call: fn(query, key, value), with attn_mask=mask where there is one, and with the options."""

    name: str
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None = None  # bool, True = may attend
    options: Mapping[str, Any] = field(default_factory=dict)  # is_causal, scale or enable_gqa

    @functools.cached_property
    def visible(self) -> Tensor | None:
        """The mask, also that of is_causal, which begins in the upper left."""
        if not self.options.get("is_causal"):
            return self.mask
        return causal_mask(self.query.shape[-2], self.key.shape[-2], device=self.query.device)

    @functools.cached_property
    def exact(self) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value in float64, each key/value head repeated for its group."""
        trace = scaled_dot_product_attention(
            *(tensor.double() for tensor in (self.query, self.key, self.value)),
            enable_gqa=bool(self.options.get("enable_gqa")),
        )
        return trace.query, trace.key, trace.value

    @functools.cached_property
    def output(self) -> Tensor:
        """What must come, in float64."""
        scale = self.options.get("scale")
        return scaled_dot_product_attention(*self.exact, mask=self.visible, scale=scale).output

    @property
    def expected(self) -> Tensor:
        """What must come, in the case's own dtype."""
        return self.output.to(self.query.dtype)

    @property
    def tolerance(self) -> float:
        """How far a right result may lie from it."""
        return TOLERANCES[self.query.dtype]

    @property
    def empty_rows(self) -> Tensor | None:
        """Which queries may attend to nothing, (..., q_len); None where every query has a key."""
        if self.visible is None or bool(self.visible.any(-1).all()):
            return None
        return (~self.visible.any(-1)).expand(self.output.shape[:-1])

    def lifted(self, dimensions: int) -> "Case":
        """The case with at least so many dimensions, by leading ones of size 1."""
        more = max(0, dimensions - self.query.ndim)
        lift = {name: getattr(self, name)[(None,) * more] for name in ("query", "key", "value")}
        return replace(self, **lift) if more else self


def _case(
    name: str,
    q_len: int,
    kv_len: int,
    head_dim: int,
    value_dim: int,
    *,
    leading: tuple[int, ...] = (),
    kv_leading: tuple[int, ...] | None = None,
    dtype: torch.dtype = torch.float32,
    mask: object = None,
    seed: int = 0,
    **options: object,
) -> Case:
    chance = random.Random(f"{name}/{seed}")  # .random() gives the same in every version of Python

    def draw(*shape: int) -> Tensor:
        count = int(torch.tensor(shape).prod())
        halves = [int(chance.random() * 4 + 1) * (1 if chance.random() < 0.5 else -1) for _ in range(count)]
        return torch.tensor(halves, dtype=dtype).reshape(shape) / 2

    kv_leading = leading if kv_leading is None else kv_leading
    tensors = draw(*leading, q_len, head_dim), draw(*kv_leading, kv_len, head_dim)
    mask = None if mask is None else torch.tensor(mask, dtype=torch.bool)
    return Case(name, *tensors, draw(*kv_leading, kv_len, value_dim), mask, options)


MASK = [[1, 0, 1], [1, 1, 0], [0, 1, 0]]  # each row has visible and masked keys, also when it is transposed
TWO_MASKS = [[[[1, 1, 0], [1, 0, 0]]], [[[0, 1, 1], [1, 0, 1]]]]  # of a batch of two, for every head


def _large() -> Case:
    """Scaled scores of 100, of −110 and of about 1: exp overflows, or is 0 in a whole row, or is in range."""
    query = torch.tensor([[20.0, 0.0, 0.0, 0.0], [0.0, 20.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.5]])
    key = torch.tensor([[10.0, -11.0, 1.0, 2.0], [9.9, -11.1, 0.0, 1.0], [9.8, -10.9, -1.0, 0.0]])
    return Case("large_scores", query, key, torch.tensor([[1.0, -2.0], [0.5, 1.5], [-1.0, 2.0]]))


@functools.cache
def all_cases() -> tuple[Case, ...]:
    """The cases in the order in which they are tried."""
    return (
        _case("square", 2, 2, 2, 2, seed=48),
        _case("rectangle", 2, 3, 4, 5, seed=17),
        _case("mask", 3, 3, 2, 2, seed=23, mask=MASK),
        _case("padding", 3, 3, 2, 2, seed=54, mask=[[1, 1, 0]]),
        _case("mask_rectangle", 2, 4, 3, 2, seed=6, mask=[[1, 0, 1, 1], [0, 1, 1, 0]]),
        _case("fully_masked", 3, 3, 2, 2, seed=6, mask=[[1, 0, 1], [0, 0, 0], [1, 1, 0]]),
        _large(),
        _case("scale", 2, 3, 4, 2, scale=0.25),
        _case("causal", 3, 3, 2, 2, seed=31, is_causal=True),
        _case("causal_rectangle", 2, 4, 3, 2, seed=30, is_causal=True),
        _case("double", 2, 3, 4, 2, seed=58, dtype=torch.float64),
        _case("batch", 2, 3, 4, 5, seed=25, leading=(2,)),
        _case("heads", 2, 3, 3, 4, seed=9, leading=(2, 2)),
        _case("heads_mask", 2, 3, 3, 4, seed=6, leading=(2, 2), mask=TWO_MASKS),
        _case("grouped_heads", 2, 3, 3, 2, seed=18, leading=(2, 4), kv_leading=(2, 2), enable_gqa=True),
        _case("float16", 3, 3, 2, 2, seed=41, dtype=torch.float16, mask=MASK),
        _case("bfloat16", 3, 3, 2, 2, seed=5, dtype=torch.bfloat16, mask=MASK),
        _case("long", 33, 65, 8, 4),
    )


def close(values: Tensor, expected: Tensor, tolerance: float) -> bool:
    """The same numbers but for rounding, ∞ and NaN in the same places."""
    return torch.allclose(values, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def case_of(name: str) -> Case:
    """The case of that name."""
    return next(case for case in all_cases() if case.name == name)
