"""The lesson on masks: all kinds of them, fully masked rows, the common mistakes, and what libraries do."""

from pages.model.course import Lesson, Part, Question, Topic
from pages.model.targets import LEAST, MOST, Condition, Target

from .settings import MasksNumbers

SWITCHES = ("example", "mask")

LESSON = Lesson(
    "masks",
    (
        Part(
            "gallery",
            edits=("x",),
            switches=SWITCHES,
            terms=("mask", "visible", "causal", "padding", "window", "prefix", "packed"),
            mistakes=("mask_forgotten",),
            claims=("mask",),
            products=("mask_plain", "mask_padding", "mask_lengths"),
            targets=(
                Target(
                    (Condition("weights", 3, 0, MOST, 0.0), Condition("weights", 3, 2, LEAST, 0.7)),
                    ("mask",),
                    name="neighbours",
                    example="tired_masks",
                    solution=(("mask", "causal_window"),),
                ),
                Target(
                    (Condition("weights", 4, 3, LEAST, 0.6),),
                    ("x",),
                    name="back_to_it",
                    example="tired_masks",
                    solution=(("x", 3, 0, 3.0),),
                ),
            ),
        ),
        Part(
            "no_looking",
            asks=(
                Question(
                    "causal",
                    kind="cell",
                    source="Vaswani et al. 2017, section 3.2.3: −∞ for what may not be attended to",
                ),
            ),
            terms=("decoder",),
            start="tired",
        ),
        Part(
            "fully_masked",
            edits=("x",),
            switches=SWITCHES,
            asks=(
                Question(
                    "fully_masked",
                    ("zero", "nan", "alike"),
                    at_start="alike",
                    source="Goodfellow et al. 2016, Deep Learning, section 4.1: equal numbers",
                ),
            ),
            terms=("fully_masked",),
            mistakes=("nan_rows",),
        ),
        Part(
            "wrong",
            (
                Topic(
                    "after_softmax",
                    asks=(Question("renormalise", ("nan", "leaks", "right"), at_start="right"),),
                    mistakes=("after_softmax",),
                    claims=("ratio_unmasked", "same_unmasked"),
                ),
                Topic(
                    "times_zero",
                    asks=(Question("times_zero", ("nan", "zero", "more"), at_start="more"),),
                    mistakes=("times_zero",),
                ),
                Topic(
                    "query_rows",
                    asks=(
                        Question(
                            "padding_side",
                            ("rows", "columns", "both"),
                            "columns",
                            source="torch.nn.MultiheadAttention.forward: key_padding_mask, of keys",
                        ),
                    ),
                    mistakes=("query_rows",),
                ),
            ),
            edits=("x",),
            switches=SWITCHES,
        ),
        Part(
            "libraries",
            (
                Topic(
                    "float_mask",
                    asks=(
                        Question(
                            "ones",
                            ("lifted", "masked", "error"),
                            "lifted",
                            source="torch.nn.functional.scaled_dot_product_attention: attn_mask is added",
                        ),
                    ),
                    mistakes=("mask_added",),
                ),
                Topic(
                    "polarity",
                    asks=(
                        Question(
                            "polarity",
                            ("same", "error", "turned", "uniform"),
                            at_start="turned",
                            source="torch.nn.MultiheadAttention.forward: attn_mask, True is not allowed",
                        ),
                    ),
                    mistakes=("inverted",),
                ),
                Topic(
                    "precision",
                    asks=(
                        Question(
                            "half",
                            ("same", "infinity", "nan"),
                            "nan",
                            source="IEEE 754-2019, section 7.2: the product of 0 and ∞ is invalid",
                        ),
                    ),
                ),
                Topic(
                    "left_padding",
                    asks=(Question("left_padding", ("padded", "real", "none"), at_start="padded"),),
                ),
            ),
            edits=("x",),
            switches=SWITCHES,
            aside=True,
        ),
    ),
    end=Question(
        "masks_end",
        ("sums", "change", "zeros"),
        "change",
        own_words=True,
        source="test_the_checks_of_a_mask_are_compared_where_they_differ",
    ),
    told=(("gallery", "no_looking"), ("fully_masked",), ("wrong",)),
    moved={name: f"libraries/{name}" for name in ("precision", "float_mask", "polarity", "left_padding")},
    own=MasksNumbers,
    program="pages.lessons.masks.program",
)
