"""The lesson to practise in: exercises that a seed makes, and that the link hands on."""

from pages.ui.page import Lesson, Part

LESSON = Lesson("practice", (Part("bug_hunt"), Part("fill_in"), Part("shapes"), Part("read_it")))
