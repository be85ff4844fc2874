"""The page of terms."""

from pages.model.course import Lesson, Part

from .settings import Look

LESSON = Lesson("terms", (Part("all_terms"),), look=Look)
