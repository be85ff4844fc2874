"""The cases over which an attention function is checked, the smallest first.

Each is a call of PyTorch's scaled_dot_product_attention; the core says in float64 what must come of it. The
numbers are multiples of 0.5. Sizes differ from each other, so that no exchanged dimension can hide, except
where the words of a case say so. The seeds were chosen so that every mistake leaves its own trace, and the
tests see to that.
"""

import functools
import random
from collections.abc import Callable, Mapping
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
    always: str = ""  # alignment of the causal mask, where the function sets it in every call
    corner: str = "upper_left"  # alignment of the causal mask of is_causal
    rounding: float = 0.0  # of large scores, in a right result

    @property
    def causal(self) -> bool:
        return bool(self.options.get("is_causal")) or bool(self.always)

    @property
    def is_padding(self) -> bool:
        """Whether the mask says of each text of the batch which keys are padding."""
        return self.mask is not None and self.mask.ndim > 2 and self.mask[0].numel() == self.mask.shape[-1]

    @functools.cached_property
    def visible(self) -> Tensor | None:
        """The mask, also that of is_causal."""
        if not self.causal:
            return self.mask
        sizes = self.query.shape[-2], self.key.shape[-2]
        causal = causal_mask(*sizes, alignment=self.always or self.corner, device=self.query.device)
        return causal if self.mask is None else causal & self.mask

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
        return max(TOLERANCES[self.query.dtype], self.rounding)

    def is_coarse(self, got: Tensor) -> bool:
        """Whether a result is right but for the digits that bfloat16 or float16 lacks in the arithmetic."""
        loose = TOLERANCES[torch.bfloat16]
        return close(got, self.output, loose) or any(close(got, each, 2 * loose) for each in self._rounded)

    @functools.cached_property
    def _rounded(self) -> list[Tensor]:
        """The output with scores that are rounded before or after they are scaled."""
        scale = self.options.get("scale")
        scale = self.query.shape[-1] ** -0.5 if scale is None else scale
        visible = torch.ones((), dtype=torch.bool) if self.visible is None else self.visible
        outputs = []
        for dtype in (torch.bfloat16, torch.float16):
            query, key, value = (tensor.to(dtype) for tensor in self.exact)
            late, early = query @ key.mT, (query * scale) @ key.mT
            for scores in (late.double() * scale, (late * scale).double(), early.double()):
                outputs.append(
                    scores.masked_fill(~visible, -torch.inf).softmax(-1).nan_to_num() @ value.double()
                )
        return outputs

    @functools.cached_property
    def empty_rows(self) -> Tensor | None:
        """Which queries may attend to nothing, (..., q_len); None where every query has a key."""
        if self.visible is None or bool(self.visible.any(-1).all()):
            return None
        return (~self.visible.any(-1)).expand(self.output.shape[:-1])

    @functools.cache  # noqa: B019 - the cases are few, and what is computed of each is kept with it
    def aligned(self, always: str, corner: str = "upper_left") -> "Case":
        """The case with a causal mask in every call, and with another alignment of is_causal."""
        other = always or (corner != self.corner and self.causal)
        return replace(self, always=always, corner=corner) if other else self

    @functools.cache  # noqa: B019
    def lifted(self, dimensions: int) -> "Case":
        """The case with at least so many dimensions: a batch of 1, and one head behind the batch."""
        case = self
        if case.query.ndim == 2 < dimensions:
            case = case._reshaped(lambda tensor: tensor[None])
        if case.query.ndim == 3 < dimensions:
            case = case._reshaped(lambda tensor: tensor.unsqueeze(-3))
        return case

    @functools.cache  # noqa: B019
    def even(self) -> "Case":
        """The case with value_dim = head_dim, for functions that take nothing else."""
        columns = torch.arange(self.query.shape[-1]) % self.value.shape[-1]
        return replace(self, value=self.value[..., columns])

    @functools.cache  # noqa: B019
    def squared(self) -> "Case":
        """The case with as many queries as keys, for functions that take nothing else."""
        n = min(self.query.shape[-2], self.key.shape[-2])
        query, key, value = (tensor[..., :n, :] for tensor in (self.query, self.key, self.value))
        mask = None if self.mask is None else self.mask[..., :n, :n]
        return replace(self, query=query, key=key, value=value, mask=mask)

    def _reshaped(self, change: Callable[[Tensor], Tensor]) -> "Case":
        query, key, value = map(change, (self.query, self.key, self.value))
        mask = self.mask if self.mask is None or self.mask.ndim == 2 else change(self.mask)
        return replace(self, query=query, key=key, value=value, mask=mask)


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


# Each row has visible and masked keys, also of the transposed mask, and no causal mask leaves a row nothing.
MASK = [[1, 0, 1], [1, 1, 0], [0, 1, 0]]
WIDE_MASK = [[1, 0, 1, 1, 0], [0, 1, 1, 0, 1], [1, 0, 0, 1, 0]]
OTHER_MASK = [[1, 1, 0, 1, 0], [1, 0, 1, 0, 0], [0, 0, 1, 1, 1]]
THIRD_MASK = [[1, 0, 0, 0, 1], [0, 1, 0, 1, 1], [0, 1, 1, 0, 0]]
TWO_MASKS = [[WIDE_MASK], [OTHER_MASK]]  # of a batch of two, for every head
HEAD_MASKS = [[WIDE_MASK, *([OTHER_MASK, THIRD_MASK] * 3)], [OTHER_MASK, *([THIRD_MASK, WIDE_MASK] * 3)]]
TWO_PADDINGS = [[[1, 1, 1, 0, 0]], [[1, 1, 0, 0, 0]]]


def _large() -> Case:
    """Scaled scores of 100, of −110 and of about 1: exp overflows, or is 0 in a whole row, or is in range."""
    query = torch.tensor([[22.0, 0.0, 0.0, 0.0, 0.0], [0.0, 22.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.5, 1.0]])
    key = torch.tensor(
        [[10.0, -11.0, 1.0, 2.0, 0.5], [9.9, -11.1, 0.0, 1.0, 0.0], [9.8, -10.9, -1.0, 0.0, 1.0]]
    )
    return Case("large_scores", query, key, torch.tensor([[1.0, -2.0], [0.5, 1.5], [-1.0, 2.0]]))


def _far_below() -> Case:
    """Visible scores of about −50000, of which a large negative number in place of −∞ is not below.

    The values are large, too.
    """
    query = torch.tensor([[1.0, 0.5, 1.0, -0.5], [-1000.0, 2.0, 1.0, 0.0], [1000.0, 0.0, 2.0, 1.0]])
    key = torch.tensor([[100.0, 1.0, -1.0, 0.5], [0.0, 0.5, 1.0, 2.0], [100.0, 2.0, -1.0, -0.5]])
    value = torch.tensor([[20.0, -6.0], [-9.0, 30.0], [4.0, 11.0]])
    mask = torch.tensor([[1, 1, 0], [1, 0, 1], [0, 1, 1]], dtype=torch.bool)
    return Case("far_below", query, key, value, mask, rounding=1e-2)


def _many_keys() -> Case:
    """The last keys have most of the weight: a function that leaves them out is far off."""
    case = _case("many_keys", 3, 4099, 5, 2)
    key = case.key.clone()
    key[-2:] = 3 * case.query.sum(0)
    return replace(case, key=key)


@functools.cache
def all_cases() -> tuple[Case, ...]:
    """The cases in the order in which they are tried."""
    return (
        _case("square", 3, 3, 3, 3),
        _case("rectangle", 2, 3, 5, 7),
        _case("mask", 3, 3, 5, 2, seed=1, mask=MASK),
        _case("padding", 3, 3, 5, 2, mask=[[1, 1, 0]]),
        _case("mask_rectangle", 3, 5, 7, 2, mask=WIDE_MASK),
        _case("fully_masked", 3, 3, 5, 2, mask=[[1, 0, 1], [0, 0, 0], [1, 1, 0]]),
        _large(),
        _case("scale", 2, 3, 5, 7, scale=0.75),
        _case("scale_zero", 2, 3, 5, 7, scale=0.0),
        _case("causal", 3, 3, 5, 2, is_causal=True),
        _case("causal_wide", 3, 5, 2, 7, is_causal=True),
        _case("causal_tall", 5, 3, 2, 7, is_causal=True),
        _case("double", 2, 3, 5, 7, dtype=torch.float64),
        _far_below(),
        _case("batch", 3, 5, 7, 11, leading=(4,)),
        _case("batch_padding", 3, 5, 7, 11, leading=(2,), mask=TWO_PADDINGS),
        _case("heads", 5, 7, 11, 13, leading=(4, 3)),
        _case("padding_heads", 3, 5, 7, 11, leading=(2, 4), mask=[[pad] for pad in TWO_PADDINGS]),
        _case("text_masks", 3, 5, 7, 11, leading=(2, 4), mask=TWO_MASKS),
        _case("batch_masks", 3, 5, 7, 11, leading=(2, 2), mask=TWO_MASKS),
        _case("head_masks", 3, 5, 11, 13, leading=(2, 7), mask=HEAD_MASKS),
        _case("grouped_heads", 5, 7, 11, 13, leading=(2, 6), kv_leading=(2, 3), enable_gqa=True),
        _case("one_kv_head", 5, 7, 11, 13, leading=(2, 3), kv_leading=(2, 1), enable_gqa=True),
        _case("float16", 3, 3, 5, 2, seed=2, dtype=torch.float16, mask=MASK),
        _case("bfloat16", 3, 3, 5, 2, seed=5, dtype=torch.bfloat16, mask=MASK),
        _case("long", 67, 131, 5, 3),
        _many_keys(),
    )


def close(values: Tensor, expected: Tensor, tolerance: float) -> bool:
    """The same numbers but for rounding, ∞ and NaN in the same places."""
    if values.numel() and values.shape == expected.shape:  # as a rule one number tells it, in less time
        last, wanted = values.flatten()[-1].item(), expected.flatten()[-1].item()
        if abs(last - wanted) > 2 * tolerance * (1 + abs(wanted)):
            return False
    return torch.allclose(values, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def case_of(name: str) -> Case:
    """The case of that name."""
    return next(case for case in all_cases() if case.name == name)
