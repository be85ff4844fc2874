"""The lesson to practise in: exercises that a seed makes, and that the link hands on."""

from pages.model.lesson import Lesson, Part

from .settings import Look

LESSON = Lesson("practice", (Part("bug_hunt"), Part("fill_in"), Part("shapes"), Part("read_it")), look=Look)
