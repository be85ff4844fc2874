"""The lesson on order: attention knows none, and four ways to tell it where a token is."""

from pages.model.course import Lesson, Part, Question, Topic

from .settings import OrderNumbers

SWITCHES = ("example", "heads", "d_k", "mask")

LESSON = Lesson(
    "order",
    (
        Part(
            "swap",
            asks=(Question("order_reversed", ("along", "stay", "all", "two"), "along"),),
        ),
        Part(
            "along",
            edits=("x",),
            switches=("example", "mask", "more", "position"),
            asks=(Question("order_causal", ("none", "pair", "later", "every"), last=("none",)),),
        ),
        Part(
            "sinusoidal",
            edits=("position_base", "x"),
            switches=SWITCHES,
            asks=(Question("order_waves", ("distance", "both", "zero", "larger"), "distance"),),
            terms=("sinusoidal",),
        ),
        Part(
            "learned",
            edits=("p", "x"),
            switches=SWITCHES,
            asks=(
                Question(
                    "order_equal", ("nothing", "first", "distance", "order"), "nothing", last=("nothing",)
                ),
            ),
            terms=("positional_encoding",),
        ),
        Part(
            "rotary",
            edits=("first_position", "x"),
            switches=SWITCHES,
            asks=(Question("order_shift", ("none", "all", "later", "diagonal"), "none", last=("none",)),),
            terms=("rotary",),
        ),
        Part(
            "alibi",
            edits=("slope_factor", "x"),
            switches=SWITCHES,
            asks=(Question("order_slope", ("same", "half", "two", "e"), "e", numeric=True),),
            terms=("alibi",),
        ),
        Part(
            "limits",
            (
                Topic(
                    "padding",
                    asks=(
                        Question(
                            "order_padding",
                            ("added", "scores", "every", "none"),
                            "added",
                            last=("every", "none"),
                        ),
                    ),
                ),
                Topic("longer"),
            ),
            edits=("first_position",),
            switches=("example",),
        ),
    ),
    end=Question("order_end", ("learned", "sinusoidal", "rotary", "heads", "constant"), "rotary"),
    told=(("swap", "along"), ("sinusoidal", "rotary", "limits"), ("alibi",)),
    moved={"limits/cost": "limits/longer"},
    own=OrderNumbers,
)
