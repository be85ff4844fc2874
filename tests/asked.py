"""Every question of every lesson, and the place where it is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pages.lessons import LESSONS, lesson
from pages.model.edits import load_example
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.states import with_own

# The topics of their parts in which questions are asked; "lesson.question" where two have the same name.
TOPICS = {
    **{name: name for name in ("symmetric", "swap", "value", "value_causal", "shift")},
    **{name: name for name in ("transposed", "one_projection", "times_zero", "accident")},
    "bank_rows": "bank",
    "columns": "columns",
    "soft_shift": "constant",
    "renormalise": "after_softmax",
    "padding_side": "query_rows",
    "cross_shape": "shape",
    "cross_order": "order",
    "cross_cached": "cached",
    "order_padding": "padding",
    "worked_first": "cats",
    "worked_range": "five_tokens",
    "worked_sum": "three_scores",
    "worked_it": "it",
    "worked_shape": "split",
    "worked_dropout": "dropout",
    "worked_batch": "mask",
}
# What has to be set for a question to be asked.
SET = {"same": {"sample_case": "same"}}


@dataclass(frozen=True)
class Asked:
    """A question, its lesson and its part."""

    lesson: str
    part: str
    name: str

    def __str__(self) -> str:
        return f"{self.lesson}.{self.name}"

    @property
    def settings(self) -> State:
        """The numbers that the lesson begins with."""
        return with_own(load_example(Settings(), lesson(self.lesson).start), **SET.get(self.name, {}))

    @property
    def place(self) -> Place:
        return Place(part=self.part, topic=TOPICS.get(str(self), TOPICS.get(self.name)))

    def view(self, answer: str | None = None, language: str = "en") -> View:
        """All other questions of the lesson are answered, this one with `answer` if it is given."""
        others = {name: "shown" for name in lesson(self.lesson).questions if name != self.name}
        own = {} if answer is None else {self.name: answer}
        return View(language=language, answers=tuple(sorted((others | own).items())))


def _all() -> Iterator[Asked]:
    for name in LESSONS:
        for part in lesson(name).parts:
            yield from (Asked(name, part.name, question) for question in part.questions)
        if lesson(name).ending is not None:
            yield Asked(name, lesson(name).parts[-1].name, lesson(name).ending)


ASKED = tuple(_all())
