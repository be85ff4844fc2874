"""The lesson's own switches, and the mask of the part that only shows one."""

from dataclasses import dataclass

from pages.model.fields import flag
from pages.model.matrices import MAX_TOKENS
from pages.model.settings import pairs


@dataclass(frozen=True)
class MasksNumbers:
    """What only this lesson changes."""

    reversed: bool = flag(False, "reversed")  # the mask with its meaning turned round
    # No looking ahead: the causal mask, and single scores that are masked as well, in that part alone.
    causal: bool = flag(False, "ahead")
    barred: frozenset[tuple[int, int]] = pairs("barred", MAX_TOKENS - 1)
