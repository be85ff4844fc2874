"""What one lesson alone changes, or looks at: small frozen records that its folder declares.

A record is kept only where it differs from its start. So a lesson can be reset without another one noticing,
and what is computed from the core settings is not computed again when a lesson's own number moves.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

RecordType = TypeVar("RecordType")


@dataclass(frozen=True)
class Owning:
    """Something that has lessons' records in addition to its own fields."""

    own: tuple[Any, ...] = ()  # the records that differ from their start, by their names

    def of(self, kind: type[RecordType]) -> RecordType:
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
