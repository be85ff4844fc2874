"""The lessons, in the order of the course. A lesson is a folder here and a script in pages/."""

from __future__ import annotations

import importlib

from pages.ui.page import Lesson

LESSONS = ("one_head", "softmax", "why_scale", "masks", "many_heads", "cross_attention")


def lesson(name: str) -> Lesson:
    """The lesson of that name: what its folder declares. Cheap, for no part is imported with it."""
    return importlib.import_module(f"{__name__}.{name}").LESSON
