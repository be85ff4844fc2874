"""What a lesson's folder declares: its parts, its questions, and its own settings. Cheap to import."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from . import records
from .view import Place

# All switches of the toolbar; positions are under More.
SWITCHES = ("example", "heads", "d_k", "scaling", "mask", "more", "position")


@dataclass(frozen=True)
class Part:
    """One part of a lesson, drawn by `draw(page)` in the file of the lesson's folder that bears its name.

    edits      the numbers that the part lets people change: matrices, "inputs" for all of them, or settings
    switches   the switches of the toolbar that do something here; none: no toolbar
    questions  the questions it asks, in their order
    tall       its picture takes all the room that the window has
    aside      not for everyone: it comes after the lesson's end
    """

    name: str
    edits: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    tall: bool = False
    aside: bool = False


@dataclass(frozen=True)
class Lesson:
    """A lesson is a list of parts. Its folder has the parts, their texts and, in summary.py, its end.

    own     its numbers and switches, a frozen record of declared fields (see pages.model.fields)
    shared  such records that it has together with other lessons, on purpose
    look    what it looks at, likewise; undo passes over it
    crosses its computation is cross-attention, from the tokens to the second sequence
    tour    newcomers are offered a tour of its first part
    former  questions that had another name: an older link's question and answer → the name now
    older   keys of older links → the key now, and its value from the old value and the parts of the link
    now_topics  parts that an older link names, and that are now topics of a part: the topic → that part
    """

    name: str
    parts: tuple[Part, ...]
    ending: str | None = None  # the question at its end, which needs all of it
    start: str = "cats"  # the example it begins with, where nobody has changed a number
    own: type | None = None
    shared: tuple[type, ...] = ()
    look: type | None = None
    crosses: bool = False
    tour: bool = False
    former: Mapping[tuple[str, str], str] = field(default_factory=dict)
    older: Mapping[str, tuple[str, Callable[[str, Mapping[str, str]], str]]] = field(default_factory=dict)
    now_topics: Mapping[str, str] = field(default_factory=dict)

    @property
    def questions(self) -> tuple[str, ...]:
        """All questions of the lesson, in order."""
        asked = tuple(question for part in self.parts for question in part.questions)
        return asked if self.ending is None else (*asked, self.ending)

    def part(self, name: str | None) -> Part:
        """The part of that name; the first one where there is none."""
        return next((part for part in self.parts if part.name == name), self.parts[0])

    @property
    def last(self) -> Part:
        """The part with the lesson's end."""
        return next(part for part in reversed(self.parts) if not part.aside)

    def found(self, place: Place) -> Place:
        """The place; where an older link names a part that is now a topic, the topic in its part."""
        part = self.now_topics.get(place.part or "")
        return place if part is None else replace(place, part=part, topic=place.topic or place.part)

    def declare(self) -> None:
        """Makes its records known. Raises ValueError where another lesson claims one of its link's keys."""
        records.PAGES.add(self.name)
        records.claim(self.name, self.questions, records.QUESTIONS)
        records.FORMER.update(self.former)
        records.OLDER.update(self.older)
        for kind in (*self.shared, *((self.own,) if self.own else ())):
            records.declare(self.name, kind, records.NUMBERS)
        if self.look is not None:
            records.declare(self.name, self.look, records.LOOKS)
