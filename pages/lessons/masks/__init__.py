"""The lesson on masks: all kinds of them, fully masked rows, the common mistakes, and what libraries do."""

from pages.model.lesson import Lesson, Part

from .settings import Own

SWITCHES = ("example", "mask")
WRONG = ("renormalise", "times_zero", "padding_side")
LIBRARIES = ("ones", "polarity", "half", "left_padding")

LESSON = Lesson(
    "masks",
    (
        Part("gallery", edits=("x",), switches=SWITCHES, questions=("causal",)),
        Part("fully_masked", edits=("x",), switches=SWITCHES, questions=("fully_masked",)),
        Part("wrong", edits=("x",), switches=SWITCHES, questions=WRONG),
        Part("libraries", edits=("x",), switches=SWITCHES, questions=LIBRARIES, aside=True),
    ),
    ending="masks_end",
    start="masks",
    own=Own,
    now_topics=dict.fromkeys(("float_mask", "polarity", "precision", "left_padding"), "libraries"),
)
