"""The lessons: the course in its order, then the practice.

A lesson is a folder here and a script in pages/.
"""

from __future__ import annotations

import importlib
import itertools

from pages.model.lesson import Lesson
from pages.model.view import View

COURSE = (
    "one_head",
    "softmax",
    "why_scale",
    "masks",
    "many_heads",
    "cross_attention",
    "order",
    "train_a_head",
    "real_heads",
    "cost",
    "flash_attention",
    "worked_examples",
)
PRACTICE = ("practice",)
LESSONS = COURSE + PRACTICE
# Pages outside the course, made of parts like a lesson.
REFERENCE = ("terms", "for_teachers")


def lesson(name: str) -> Lesson:
    """The lesson of that name: what its folder declares. Cheap, for no part is imported with it."""
    return importlib.import_module(f"{__name__}.{name}").LESSON


for _name in (*LESSONS, *REFERENCE):
    lesson(_name).declare()


def next_lesson(name: str) -> str | None:
    """The lesson after this one, None after the last and for a page outside the course."""
    return dict(itertools.pairwise(LESSONS)).get(name)


def finished(view: View) -> frozenset[str]:
    """The lessons all of whose questions have an answer. A lesson without questions is none of them."""
    answered = {question for question, _ in view.answers}
    asked = {name: lesson(name).questions for name in LESSONS}
    return frozenset(
        name for name, questions in asked.items() if questions and answered.issuperset(questions)
    )
