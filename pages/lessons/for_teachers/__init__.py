"""The page for teachers."""

from pages.model.lesson import Lesson, Part

LESSON = Lesson(
    "for_teachers", (Part("lessons"), Part("plans"), Part("exercises"), Part("answers"), Part("sources"))
)
