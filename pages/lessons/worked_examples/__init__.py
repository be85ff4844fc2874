"""The lesson on worked examples: printed numbers next to exact ones, and examples made by hand to be read."""

from pages.model.lesson import Lesson, Part

from .settings import Look

LESSON = Lesson(
    "worked_examples",
    (
        Part("notes", questions=("worked_first", "worked_range", "worked_sum", "worked_it")),
        Part("code", questions=("worked_shape", "worked_dropout", "worked_batch")),
        Part("own"),
        Part("gallery"),
    ),
    ending="worked_end",
    look=Look,
)
