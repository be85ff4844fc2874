"""The page for teachers."""

from pages.model.course import Lesson, Part, Topic

LESSON = Lesson(
    "for_teachers",
    (
        Part("lessons"),
        Part("plans", (Topic("plan_45"), Topic("plan_90"))),
        Part("exercises"),
        Part("answers"),
        Part("sources"),
    ),
)
