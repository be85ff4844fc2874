"""The lesson on order: attention knows none, and four ways to tell it where a token is."""

from pages.model.lesson import Lesson, Part

from .settings import Own

SWITCHES = ("example", "heads", "d_k", "mask")

LESSON = Lesson(
    "order",
    (
        Part(
            "swap",
            edits=("x",),
            switches=("example", "mask", "more", "position"),
            questions=("order_reversed", "order_causal"),
        ),
        Part("sinusoidal", edits=("position_base", "x"), switches=SWITCHES, questions=("order_waves",)),
        Part("learned", edits=("p", "x"), switches=SWITCHES, questions=("order_equal",)),
        Part("rotary", edits=("first_position", "x"), switches=SWITCHES, questions=("order_shift",)),
        Part("alibi", edits=("slope_factor", "x"), switches=SWITCHES, questions=("order_slope",)),
        Part("limits", edits=("first_position",), switches=("example",), questions=("order_padding",)),
    ),
    ending="order_end",
    own=Own,
)
