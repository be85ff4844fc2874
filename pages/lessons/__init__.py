"""The lessons, in the order of the course. A lesson is a folder here and a script in pages/."""

from __future__ import annotations

import importlib
import itertools

from pages.model.lesson import Lesson

LESSONS = (
    "one_head",
    "softmax",
    "why_scale",
    "masks",
    "many_heads",
    "cross_attention",
    "order",
    "cost",
    "flash_attention",
    "worked_examples",
    "practice",
)
# Pages beside the course, made of parts like a lesson.
REFERENCE = ("terms", "for_teachers")


def lesson(name: str) -> Lesson:
    """The lesson of that name: what its folder declares. Cheap, for no part is imported with it."""
    return importlib.import_module(f"{__name__}.{name}").LESSON


for _name in (*LESSONS, *REFERENCE):
    lesson(_name).declare()


def next_lesson(name: str) -> str | None:
    """The lesson after this one, None after the last and for a page beside the course."""
    return dict(itertools.pairwise(LESSONS)).get(name)
