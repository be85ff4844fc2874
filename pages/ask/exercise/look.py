"""The choice of an exercise."""

from dataclasses import dataclass
from typing import ClassVar

from pages.model.fields import choice, count
from pages.model.view import View

LEVELS = ("1", "2", "3")
MAX_EXERCISE = 9999


@dataclass(frozen=True)
class ExerciseLook:
    """An exercise: its number, its level, the source of its numbers; of the three of the hour, which one."""

    PICTURES: ClassVar[bool] = True  # each field brings another picture
    exercise: int = count(1, "exercise", 1, MAX_EXERCISE)
    level: str = choice("1", "level", LEVELS)
    numbers: str = choice("seeded", "numbers", ("seeded", "own"))
    of_three: int = count(0, "three", 0, 2, from_one=True)


def at_level(view: View, level: str) -> View:
    """The view of the first exercise of that level."""
    return view.having(ExerciseLook(level=level))
