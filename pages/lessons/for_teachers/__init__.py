"""The page for teachers."""

from pages.ui.page import Lesson, Part

LESSON = Lesson(
    "for_teachers", (Part("lessons"), Part("plans"), Part("exercises"), Part("answers"), Part("sources"))
)
