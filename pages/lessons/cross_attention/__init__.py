"""The lesson on cross-attention: queries from one sequence, keys and values from another."""

from pages.model.lesson import Lesson, Part

SWITCHES = ("example", "heads", "d_k", "scaling", "more")
PREDICTED = ("cross_shape", "cross_order", "cross_cached")

LESSON = Lesson(
    "cross_attention",
    (
        Part("picture", edits=("inputs", "y"), switches=SWITCHES, tall=True),
        Part("predict", edits=("x", "y"), switches=("example",), questions=PREDICTED),
        Part("translation", edits=("x", "y"), switches=("example",), questions=("cross_causal",)),
        Part("alignment", edits=("x",), switches=("example",), questions=("cross_aligned",)),
    ),
    ending="cross_end",
    start="translation",
    crosses=True,
)
