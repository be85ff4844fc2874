"""What one lesson alone changes, or looks at: small frozen records that its folder declares.

A record is kept only where it differs from its start. So a lesson can be reset without another one noticing,
and what is computed from the core settings is not computed again when a lesson's own number moves.
"""

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from .fields import specs

Record = TypeVar("Record")

_claimed: dict[str, str] = {}  # link key → who declares it
PAGES: set[str] = set()  # the lessons and the pages outside the course
QUESTIONS: dict[str, str] = {}  # question, a key of the link's answers → the lesson
NUMBERS: dict[type, tuple[str, ...]] = {}  # record of numbers and switches → the lessons that have it
LOOKS: dict[type, tuple[str, ...]] = {}  # record of what is looked at → the lesson
FORMER: dict[tuple[str, str], str] = {}  # an older link's question and answer → the question's name now
# A key of older links → its name now, and its value now from the old value and the parts of the link.
OLDER: dict[str, tuple[str, Callable[[str, Mapping[str, str]], str]]] = {}


def claim(owner: str, keys: Iterable[str], claimed: dict[str, str] = _claimed) -> None:
    """Notes who declares these keys of the link. Raises ValueError where somebody else has done so."""
    for key in keys:
        other = claimed.setdefault(key, owner)
        if other != owner:
            raise ValueError(f"the link's key {key!r} is declared by {other} and by {owner}")


def claimed() -> Set[str]:
    """The keys that the link may have."""
    return _claimed.keys()


def declare(lesson: str, kind: type, table: dict[type, tuple[str, ...]]) -> None:
    """The lesson has that record. A record of several lessons is shared by them on purpose."""
    claim(f"{kind.__module__}.{kind.__name__}", (spec.key for spec in specs(kind).values()))
    if lesson not in table.get(kind, ()):
        table[kind] = (*table.get(kind, ()), lesson)


@dataclass(frozen=True)
class Owning:
    """Something that has lessons' records in addition to its own fields."""

    own: tuple[Any, ...] = ()  # the records that differ from their start, by their names

    def of(self, kind: type[Record]) -> Record:
        """The lesson's record of that kind."""
        return next((record for record in self.own if type(record) is kind), kind())

    def having(self, record: object) -> Self:
        """With this record in place of the one of its kind."""
        others = self.without((type(record),)).own
        own = others if record == type(record)() else (*others, record)
        return replace(self, own=tuple(sorted(own, key=lambda one: type(one).__module__)))

    def without(self, kinds: Iterable[type]) -> Self:
        """With the start of these kinds of records."""
        kinds = tuple(kinds)
        return replace(self, own=tuple(record for record in self.own if type(record) not in kinds))


def of_lesson(lesson: str, table: dict[type, tuple[str, ...]]) -> tuple[type, ...]:
    """The kinds of records that this lesson has."""
    return tuple(kind for kind, lessons in table.items() if lesson in lessons)
