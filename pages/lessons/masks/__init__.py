"""The lesson on masks: all kinds of them, rows that are fully masked, and the usual mistakes."""

from pages.model.lesson import Lesson, Part

from .settings import Own

SWITCHES = ("example", "mask")
WRONG = ("renormalise", "times_zero", "padding_side")

LESSON = Lesson(
    "masks",
    (
        Part("gallery", edits=("x",), switches=SWITCHES, questions=("causal",)),
        Part("fully_masked", edits=("x",), switches=SWITCHES, questions=("fully_masked",)),
        Part("precision", edits=("x",), switches=SWITCHES, questions=("half",)),
        Part("float_mask", edits=("x",), switches=SWITCHES, questions=("ones",)),
        Part("polarity", edits=("x",), switches=SWITCHES, questions=("polarity",)),
        Part("wrong", edits=("x",), switches=SWITCHES, questions=WRONG),
        Part("left_padding", edits=("x",), switches=("example",), questions=("left_padding",)),
    ),
    ending="masks_end",
    start="masks",
    own=Own,
)
