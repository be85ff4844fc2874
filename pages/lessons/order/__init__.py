"""The lesson on order: attention knows none, and four ways to tell it where a token is."""

from pages.model.course import Lesson, Part, Question, Topic
from pages.model.targets import LEAST, MOST, Condition, Target

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
            targets=(
                Target(
                    (Condition("weights", 2, 1, LEAST, 0.6),),
                    ("p",),
                    name="place_two",
                    example="tired",
                    setup={"position": "learned"},
                    solution=(("p", 1, 0, 3.0),),
                ),
            ),
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
            targets=(
                Target(
                    (Condition("weights", 3, 0, MOST, 0.1),),
                    ("slope_factor",),
                    name="near_keys",
                    example="tired",
                    setup={"position": "alibi"},
                    solution=(("slope_factor", 400.0),),
                ),
            ),
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
