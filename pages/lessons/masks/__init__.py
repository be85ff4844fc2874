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
        Part("no_looking", asks=(Question("causal", kind="cell"),), terms=("decoder",)),
        Part(
            "fully_masked",
            edits=("x",),
            switches=SWITCHES,
            asks=(Question("fully_masked", ("zero", "alike", "nan")),),
            terms=("fully_masked",),
            mistakes=("nan_rows",),
        ),
        Part(
            "wrong",
            (
                Topic(
                    "after_softmax",
                    asks=(Question("renormalise", ("right", "leaks", "nan")),),
                    mistakes=("after_softmax",),
                    claims=("ratio_unmasked", "same_unmasked"),
                ),
                Topic(
                    "times_zero",
                    asks=(Question("times_zero", ("zero", "more", "nan")),),
                    mistakes=("times_zero",),
                ),
                Topic(
                    "query_rows",
                    asks=(Question("padding_side", ("columns", "rows", "both"), "columns", last=("both",)),),
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
                    asks=(Question("ones", ("masked", "lifted", "error"), "lifted"),),
                    mistakes=("mask_added",),
                ),
                Topic(
                    "polarity",
                    asks=(Question("polarity", ("same", "turned", "error")),),
                    mistakes=("inverted",),
                ),
                Topic("precision", asks=(Question("half", ("masks", "lowest", "error")),)),
                Topic(
                    "left_padding",
                    asks=(Question("left_padding", ("none", "padded", "real"), last=("none",)),),
                ),
            ),
            edits=("x",),
            switches=SWITCHES,
            aside=True,
        ),
    ),
    end=Question("masks_end", ("sums", "zeros", "change"), "change", own_words=True),
    told=(("gallery", "no_looking"), ("fully_masked",), ("wrong",)),
    moved={name: f"libraries/{name}" for name in ("precision", "float_mask", "polarity", "left_padding")},
    own=MasksNumbers,
)
