"""The lesson's own switches, and the mask of the part that only shows one."""

from collections.abc import Collection
from dataclasses import dataclass

from pages.model.entries import whole
from pages.model.fields import custom, flag, specs
from pages.model.matrices import MAX_TOKENS
from pages.model.settings import Settings

PAIRS = specs(Settings)["blocked"]  # pairs of a query and a key, written in the same way


def _pairs(name: str, pairs: Collection[tuple[int, int]], record: object) -> frozenset[tuple[int, int]]:
    return frozenset(
        (whole(name, row, 0, MAX_TOKENS - 1), whole(name, col, 0, MAX_TOKENS - 1)) for row, col in pairs
    )


@dataclass(frozen=True)
class MasksNumbers:
    """What only this lesson changes."""

    reversed: bool = flag(False, "reversed")  # the mask with its meaning turned round
    # No looking ahead: the causal mask, and single scores that are masked as well, in that part alone.
    causal: bool = flag(False, "ahead")
    barred: frozenset[tuple[int, int]] = custom(frozenset(), "barred", PAIRS.write, PAIRS.read, _pairs)
