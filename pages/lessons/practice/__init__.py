"""The lesson to practise in: exercises that a seed makes, and that the link hands on."""

from pages.ask.exercise.look import ExerciseLook
from pages.model.course import Lesson, Part, Topic

CASES = ("square", "rectangle", "mask", "fully_masked", "large_scores")  # of code that is checked

LESSON = Lesson(
    "practice",
    (
        Part("bug_hunt"),
        Part("fill_in", (Topic("numbers"), Topic("shapes", terms=("batch",)))),
        Part("read_it"),
        Part("three"),
        Part("you_can"),
        Part("your_code", tuple(map(Topic, CASES))),
        Part("again"),
    ),
    moved={"shapes": "fill_in/shapes"},
    look=ExerciseLook,
)
