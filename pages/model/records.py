"""Numbers and views of single lessons: small frozen records that the lesson's folder declares.

A record is kept only if it differs from its start. So a reset of one lesson does not affect another, and
results that follow from the core settings are not computed again when a lesson's own number moves.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

RecordType = TypeVar("RecordType")


@dataclass(frozen=True)
class Owning:
    """A base for records that contain lessons' records next to their own fields."""

    own: tuple[Any, ...] = ()  # the records that differ from their start, by their names

    def of(self, kind: type[RecordType]) -> RecordType:
        """The lesson's record of that kind."""
        return next((record for record in self.own if type(record) is kind), kind())

    def having(self, record: object) -> Self:
        """A copy with this record in place of the former record of its kind."""
        others = self.without((type(record),)).own
        own = others if record == type(record)() else (*others, record)
        return replace(self, own=tuple(sorted(own, key=lambda record: type(record).__module__)))

    def without(self, kinds: Iterable[type]) -> Self:
        """A copy with the defaults of these kinds of records."""
        kinds = tuple(kinds)
        return replace(self, own=tuple(record for record in self.own if type(record) not in kinds))
