"""The lesson on worked examples: printed numbers next to exact ones, and examples made by hand to be read."""

from pages.model.course import Lesson, Part, Question, Topic

from .settings import WorkedLook

LESSON = Lesson(
    "worked_examples",
    (
        Part(
            "notes",
            (
                Topic(
                    "cats", asks=(Question("worked_first", ("1_09", "1_12", "1_14"), "1_09", numeric=True),)
                ),
                Topic("five_tokens", asks=(Question("worked_range", ("yes", "no", "scores"), "no"),)),
                Topic("three_scores", asks=(Question("worked_sum", ("1", "2", "3"), "1", numeric=True),)),
                Topic("it", asks=(Question("worked_it", ("sum", "refers", "model"), "sum"),)),
            ),
        ),
        Part(
            "code",
            (
                Topic("split", asks=(Question("worked_shape", ("meant", "four", "heads"), "four"),)),
                Topic("dropout", asks=(Question("worked_dropout", ("one", "less", "varies"), "varies"),)),
                Topic("mask", asks=(Question("worked_batch", ("right", "wrong", "error"), "error"),)),
                Topic("shapes"),
            ),
        ),
        Part("own"),
        Part("gallery", terms=("induction",)),
    ),
    end=Question("worked_end", ("weights", "product", "values"), "product"),
    told=(("notes",), ("code", "own"), ("notes", "code")),
    look=WorkedLook,
)
