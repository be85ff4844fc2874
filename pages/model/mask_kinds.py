"""The kinds of mask: an entry has the function that makes it, and the settings that it reads.

The link, the toolbar, the gallery and the computation follow from this table. Its texts are `mask.<kind>`.
The core is an argument, since pages are drawn before PyTorch is imported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

# (the package attention, the settings, n tokens) → the mask (n, n), True = may attend
Make = Callable[[Any, Any, int], "Tensor"]


@dataclass(frozen=True)
class Kind:
    """A kind of mask. numbers: the settings that it reads, in the order of the toolbar."""

    make: Make | None = None  # None: no mask
    numbers: tuple[str, ...] = ()


def packed_lengths(packed: tuple[int, ...], n: int) -> list[int]:
    """The lengths of the packed sequences of n tokens; the last sequence has all remaining tokens."""
    lengths, left = [], n
    for length in packed:
        if left:
            lengths.append(min(length, left))
            left -= lengths[-1]
    return lengths + [left] * (left > 0)


def _custom(core: Any, s: Any, n: int) -> Tensor:
    mask = core.block_diagonal_mask([n])
    for row, col in s.blocked:
        mask[row, col] = False
    return mask


KINDS: dict[str, Kind] = {
    "none": Kind(),
    "causal": Kind(lambda core, s, n: core.causal_mask(n)),
    "padding": Kind(lambda core, s, n: core.padding_mask([s.padding], n).expand(n, n), ("padding",)),
    "window": Kind(
        lambda core, s, n: core.sliding_window_mask(n, left=s.window_left, right=s.window_right),
        ("window_left", "window_right"),
    ),
    "causal_window": Kind(
        lambda core, s, n: core.sliding_window_mask(n, left=s.window_left, right=0), ("window_left",)
    ),
    "prefix": Kind(lambda core, s, n: core.prefix_mask(n, prefix=s.prefix), ("prefix",)),
    "packed": Kind(lambda core, s, n: core.block_diagonal_mask(packed_lengths(s.packed, n)), ("packed",)),
    "custom": Kind(_custom),
}
NUMBERS = tuple(dict.fromkeys(number for kind in KINDS.values() for number in kind.numbers))
