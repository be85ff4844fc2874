"""The course: every lesson's branch of the tree, in order, each with the texts that it needs."""

import importlib

from pages.draw import texts
from pages.model.course import Course, HourStop, Lesson, Location


def _lessons(*names: str) -> tuple[Lesson, ...]:
    """The declarations of the lessons. Cheap: the parts are not imported."""
    return tuple(importlib.import_module(f"pages.lessons.{name}").LESSON for name in names)


# Minutes as measured when people walked through it for the first time: medians of seven walks, and of two for
# the exercises, which became shorter.
HOUR = (
    HourStop("one_head", "library", minutes=6),
    HourStop("one_head", "row", minutes=10),
    HourStop("one_head", "hand", minutes=4, plan=90, sentence=True),
    HourStop("one_head", "arrows", minutes=8, plan=90),
    HourStop("why_scale", "experiment", minutes=9, plan=90, whole=False),
    HourStop("masks", "no_looking", minutes=5, asks_first=True),
    HourStop("many_heads", "two", minutes=9, plan=90, asks_first=True),
    HourStop("order", "swap", minutes=6, plan=90),
    HourStop("train_a_head", "train", minutes=8, asks_first=True, whole=False),
    HourStop("real_heads", "a_model", minutes=9, whole=False),
    HourStop("practice", "three", minutes=9, whole=False, plan=0),
    HourStop("practice", "you_can", minutes=4, whole=False, ends=True),
)
COURSE = Course(
    taught=_lessons(
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
    ),
    practice=_lessons("practice"),
    inside=_lessons("transformer", "two_layers", "newer_models"),
    reference=_lessons("start", "terms", "for_teachers"),
    hour=HOUR,
    whole=Location("one_head", "picture"),
)
texts.check(COURSE.texts)
