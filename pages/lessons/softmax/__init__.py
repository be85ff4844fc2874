"""The lesson on softmax: scores to weights, temperature, stability, the axis, the Jacobian, dropout."""

from pages.model.lesson import SWITCHES, Lesson, Part
from pages.model.scores import Scores

from .settings import Own

LESSON = Lesson(
    "softmax",
    (
        Part("bars", edits=("logits",), questions=("soft_three",)),
        Part(
            "temperature", edits=("logits", "temperature", "shift"), questions=("soft_double", "soft_shift")
        ),
        Part("stable", edits=("top_score",), questions=("soft_tiny",)),
        Part("axes", edits=("x",), switches=SWITCHES, questions=("soft_axis",)),
        Part("jacobian", edits=("logits", "nudge"), questions=("soft_raise",)),
        Part("dropout", edits=("x", "dropout"), switches=SWITCHES, questions=("soft_drop",)),
    ),
    ending="softmax_end",
    own=Own,
    shared=(Scores,),
)
