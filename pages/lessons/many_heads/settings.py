"""The lesson's own switches, and what it looks at."""

from collections.abc import Collection
from dataclasses import dataclass

from pages.model.entries import parse_whole, whole
from pages.model.fields import choice, count, custom, number
from pages.model.matrices import MAX_HEADS


def _heads(name: str, heads: Collection[int], record: object) -> frozenset[int]:
    return frozenset(whole(name, head, 0, MAX_HEADS - 1) for head in heads)


def _write_heads(heads: frozenset[int]) -> str:
    return ",".join(str(head + 1) for head in sorted(heads))


def _read_heads(text: str) -> frozenset[int]:
    return frozenset(parse_whole(head) - 1 for head in text.split(",") if head)


@dataclass(frozen=True)
class HeadsNumbers:
    """What only this lesson changes."""

    off: frozenset[int] = custom(frozenset(), "off", _write_heads, _read_heads, _heads)  # heads switched off
    query_factor: float = number(1.0, "q1", -3.0, 3.0, step=0.1)  # of W_Q of head 1, in the part on two needs


@dataclass(frozen=True)
class HeadsLook:
    """What only this lesson looks at."""

    other: int = count(1, "other", 0, MAX_HEADS - 1, from_one=True)  # the head it is compared with
    writing: str = choice("wide", "writing", ("wide", "small"))  # one projection, or one per head
    groups: int = count(1, "groups", 1, MAX_HEADS)  # key/value heads, where sharing is tried out
