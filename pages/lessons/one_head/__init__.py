"""The lesson on single-head attention: one picture of it all, what it is for, questions, common mistakes."""

from pages.model.lesson import SWITCHES, Lesson, Part

from .settings import Look

INPUTS = ("example", "heads", "d_k")

LESSON = Lesson(
    "one_head",
    (
        Part("picture", edits=("inputs",), switches=SWITCHES, tall=True),
        Part("meaning", edits=("x",), questions=("bank_rows",), tall=True),
        Part(
            "predict",
            switches=INPUTS,
            questions=("symmetric", "swap", "value", "value_causal", "shift", "by_hand"),
        ),
        Part("misconceptions", switches=INPUTS, questions=("transposed", "one_projection", "columns")),
    ),
    ending="one_head_end",
    look=Look,
    tour=True,
)
