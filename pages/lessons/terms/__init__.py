"""The page of terms."""

from pages.ui.page import Lesson, Part

LESSON = Lesson("terms", (Part("all_terms"),))
