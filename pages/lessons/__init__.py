"""The lessons, in the order of the course. A lesson is a folder here and a script in pages/."""

from __future__ import annotations

import importlib
import itertools
from pathlib import Path

from pages.ui.page import Lesson

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
# TEMPORARY while lessons are moved: only those that are there.
_here = Path(__file__).parent
LESSONS = tuple(n for n in LESSONS if (_here / n / "zh.toml").exists() and (_here / n / "__init__.py").exists())
REFERENCE = tuple(n for n in REFERENCE if (_here / n / "zh.toml").exists() and (_here / n / "__init__.py").exists())


def lesson(name: str) -> Lesson:
    """The lesson of that name: what its folder declares. Cheap, for no part is imported with it."""
    return importlib.import_module(f"{__name__}.{name}").LESSON


def next_lesson(name: str) -> str | None:
    """The lesson after this one, None after the last and for a page beside the course."""
    return dict(itertools.pairwise(LESSONS)).get(name)
