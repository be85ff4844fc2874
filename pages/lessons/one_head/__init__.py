"""The lesson on single-head attention: one picture of it all, what it is for, questions, usual mistakes."""

from pages.ui import toolbar
from pages.ui.page import Lesson, Part

INPUTS = ("example", "heads", "d_k")

LESSON = Lesson(
    "one_head",
    (
        Part("picture", edits=("inputs",), switches=toolbar.ALL, tall=True),
        Part("meaning", edits=("x",), questions=("bank_rows",), tall=True),
        Part("predict", switches=INPUTS, questions=("symmetric", "swap", "value", "value_causal", "shift")),
        Part("misconceptions", switches=INPUTS, questions=("transposed", "one_projection", "columns")),
    ),
    ending="one_head_end",
)
