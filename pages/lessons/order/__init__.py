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
            asks=(Question("order_reversed", ("two", "all", "along", "stay"), "along"),),
            start="tired",
        ),
        Part(
            "along",
            edits=("x",),
            switches=("example", "mask", "more", "position"),
            asks=(Question("order_causal", ("every", "pair", "later", "none"), at_start="pair"),),
        ),
        Part(
            "sinusoidal",
            edits=("position_base", "x"),
            switches=SWITCHES,
            asks=(
                Question(
                    "order_waves",
                    ("distance", "both", "larger", "zero"),
                    "distance",
                    source="Vaswani et al. 2017, section 3.5: sine and cosine in pairs",
                ),
            ),
            terms=("sinusoidal",),
        ),
        Part(
            "learned",
            edits=("p", "x"),
            switches=SWITCHES,
            asks=(
                Question(
                    "order_equal",
                    ("distance", "first", "order", "nothing"),
                    "nothing",
                    source="Lee et al. 2019, Set Transformer, property 1: equivariance",
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
            asks=(
                Question(
                    "order_shift",
                    ("all", "later", "diagonal", "none"),
                    "none",
                    source="Su et al. 2021, section 3.1: a function of the relative position",
                ),
            ),
            terms=("rotary",),
        ),
        Part(
            "alibi",
            edits=("slope_factor", "x"),
            switches=SWITCHES,
            asks=(
                Question(
                    "order_slope",
                    ("same", "half", "two", "e"),
                    "e",
                    numeric=True,
                    source="Press et al. 2022, section 3: the bias is added before the softmax",
                ),
            ),
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
                            source="Vaswani et al. 2017, section 3.5, against Su et al. 2021, "
                            "section 3.1, and Press et al. 2022, section 3",
                        ),
                    ),
                ),
                Topic("longer"),
            ),
            edits=("first_position",),
            switches=("example",),
        ),
    ),
    end=Question(
        "order_end",
        ("sinusoidal", "learned", "rotary", "constant", "heads"),
        "rotary",
        source="Su et al. 2021, section 3.1, against Vaswani et al. 2017, section 3.5",
    ),
    told=(("swap", "along"), ("sinusoidal", "rotary", "limits"), ("alibi",)),
    moved={"limits/cost": "limits/longer"},
    own=OrderNumbers,
    program="pages.lessons.order.program",
)
