"""The first page: a sentence whose attention weights follow a number, and the ways on."""

from pages.model.course import Lesson, Part

LESSON = Lesson("start", (Part("sentence", edits=("x",)),), front=True)
