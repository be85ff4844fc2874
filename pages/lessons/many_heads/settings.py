"""The lesson's own switches, and what it looks at."""

from dataclasses import dataclass

from pages.model.fields import choice, count, number, several
from pages.model.matrices import MAX_HEADS


@dataclass(frozen=True)
class HeadsNumbers:
    """What only this lesson changes."""

    # Heads switched off.
    off: frozenset[int] = several(
        frozenset(), "off", ",", count(0, "off", 0, MAX_HEADS - 1, from_one=True), 0, MAX_HEADS
    )
    query_factor: float = number(1.0, "q1", -3.0, 3.0, step=0.1)  # of W_Q of head 1, in the part on two needs


@dataclass(frozen=True)
class HeadsLook:
    """What only this lesson looks at."""

    other: int = count(1, "other", 0, MAX_HEADS - 1, from_one=True)  # the head it is compared with
    writing: str = choice("wide", "writing", ("wide", "small"))  # one projection, or one per head
    groups: int = count(1, "groups", 1, MAX_HEADS)  # key/value heads, where sharing is tried out
