"""Every question, with the place where it is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pages.model.course import Question
from pages.model.edits import example_start
from pages.model.state import State
from pages.model.view import Place, View
from tests.support.course import COURSE, lesson
from tests.support.states import is_looked_at, looking, with_own


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
        """The right option, at the lesson's start; None where a number or a cell is asked for."""
        return self.question.right or self.question.at_start

    @property
    def settings(self) -> State:
        """The numbers that the lesson begins with."""
        own = {name: value for name, value in self._setup if not is_looked_at(name)}
        return with_own(example_start(lesson(self.lesson).start), **own)

    @property
    def place(self) -> Place:
        return replace(COURSE.asked_at(self.name).place, step=self.question.setup.get("step"))

    @property
    def _setup(self) -> list[tuple[str, object]]:
        """What is set or looked at before the question is asked."""
        return [(name, value) for name, value in self.question.setup.items() if name != "step"]

    def view(self, answer: str | None = None, language: str = "en") -> View:
        """All other questions of the lesson are answered, this one with `answer` if it is given."""
        others = {name: "shown" for name in lesson(self.lesson).questions if name != self.name}
        own = {} if answer is None else {self.name: answer}
        answers = tuple(sorted((others | own).items()))
        look = {name: value for name, value in self._setup if is_looked_at(name)}
        return looking(language=language, answers=answers, **look)


ASKED = tuple(Asked(one.name, question) for one in COURSE.lessons for question in one.by_name.values())
RIGHT = {asked.name: asked.right for asked in ASKED if asked.right is not None}
