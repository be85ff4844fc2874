"""The lesson to practise in: exercises that a seed makes, and that the link hands on."""

from pages.model.lesson import Lesson, Part

from .settings import Look

PARTS = ("bug_hunt", "fill_in", "shapes", "read_it", "your_code")
LESSON = Lesson("practice", tuple(map(Part, PARTS)), look=Look)
