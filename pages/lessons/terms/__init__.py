"""The page of terms, and of the conventions of libraries."""

from pages.model.course import Lesson, Part

from .settings import TermsLook

LESSON = Lesson("terms", (Part("all_terms"), Part("conventions")), look=TermsLook)
