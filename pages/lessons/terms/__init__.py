"""The page of terms."""

from pages.model.course import Lesson, Part

from .settings import TermsLook

LESSON = Lesson("terms", (Part("all_terms"),), look=TermsLook)
