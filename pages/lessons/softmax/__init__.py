"""The lesson on softmax: scores to weights, temperature, stability, the axis, the Jacobian, dropout."""

from pages.ui import toolbar
from pages.ui.page import Lesson, Part

LESSON = Lesson(
    "softmax",
    (
        Part("bars", edits=("logits",)),
        Part(
            "temperature", edits=("logits", "temperature", "shift"), questions=("soft_double", "soft_shift")
        ),
        Part("stable", edits=("top_score",), questions=("soft_tiny",)),
        Part("axes", edits=("x",), switches=toolbar.ALL, questions=("soft_axis",)),
        Part("jacobian", edits=("logits", "nudge"), questions=("soft_raise",)),
        Part("dropout", edits=("x", "dropout"), switches=toolbar.ALL, questions=("soft_drop",)),
    ),
    ending="softmax_end",
)
