"""Every question, with the place where it is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pages.model.course import Question
from pages.model.edits import example_start
from pages.model.state import State
from pages.model.view import Place, View
from tests.answers import at_start
from tests.support.course import COURSE, lesson
from tests.support.states import looking, with_own


@dataclass(frozen=True)
class Asked:
    """A question, its lesson and its part."""

    lesson: str
    question: Question

    def __str__(self) -> str:
        return f"{self.lesson}.{self.name}"

    @property
    def name(self) -> str:
        return self.question.name

    @property
    def part(self) -> str:
        return COURSE.asked_at(self.name).part

    @property
    def right(self) -> str | None:
        """The right option; None where a number or a cell is asked for."""
        return self.question.right or at_start.AT_START.get(self.name)

    @property
    def options(self) -> tuple[str, ...]:
        """The options at the start of the lesson; () where they are numbers that follow from its numbers."""
        return self.question.options or at_start.OFFERED.get(self.name, ())

    @property
    def settings(self) -> State:
        """The numbers that the lesson begins with."""
        return with_own(example_start(lesson(self.lesson).start), **at_start.SET.get(self.name, {}))

    @property
    def place(self) -> Place:
        return replace(COURSE.asked_at(self.name).place, step=at_start.STEPS.get(self.name))

    def view(self, answer: str | None = None, language: str = "en") -> View:
        """All other questions of the lesson are answered, this one with `answer` if it is given."""
        others = {name: "shown" for name in lesson(self.lesson).questions if name != self.name}
        own = {} if answer is None else {self.name: answer}
        answers = tuple(sorted((others | own).items()))
        return looking(language=language, answers=answers, **at_start.LOOKED.get(self.name, {}))


ASKED = tuple(Asked(one.name, question) for one in COURSE.lessons for question in one.by_name.values())
RIGHT = {asked.name: asked.right for asked in ASKED if asked.right is not None}
