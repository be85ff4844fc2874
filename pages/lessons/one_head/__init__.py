"""The lesson on single-head attention: one picture of it all, what it is for, questions, common mistakes."""

from pages.model.course import SWITCHES, Lesson, Part, Question, Topic
from pages.model.targets import LARGEST, LEAST, MOST, Condition, Target

from .settings import OneHeadLook, OneHeadNumbers

INPUTS = ("example", "heads", "d_k")

# Stops that change the sentence leave the learner's numbers alone: what follows tells the sentence itself.
LESSON = Lesson(
    "one_head",
    (
        Part(
            "picture",
            edits=("inputs",),
            switches=("sentence", *SWITCHES),
            tall=True,
            terms=(
                *("token", "query", "key", "value", "weight_matrix", "score", "scaled_score", "masked_score"),
                *("weights", "output", "self_attention", "single_head", "cell", "undo"),
                *("embedding", "scaled_dot_product"),
            ),
            steps=("scores", "output"),
            mistakes=("unprojected",),
            claims=("inputs", "largest", "mean_row"),
            targets=(
                Target(
                    (Condition("weights", 2, 1, LEAST, 0.8),),
                    ("w_q",),
                    name="query_street",
                    example="tired",
                    solution=(("w_q", 2, 1, 3.0),),
                ),
                Target(
                    (Condition("weights", 3, 2, LARGEST),),
                    ("w_k",),
                    name="key_it",
                    example="tired",
                    solution=(("w_k", 2, 0, 2.0),),
                ),
                Target(
                    (Condition("output", 2, 0, MOST, 1.0), Condition("output", 2, 1, LEAST, 2.0)),
                    ("w_v",),
                    name="value_place",
                    example="tired",
                    solution=(("w_v", 0, 0, 0.0), ("w_v", 0, 1, 2.0)),
                ),
            ),
        ),
        Part(
            "library",
            edits=("request",),
            tall=True,
            asks=(
                Question("library_equal", ("middle", "zero", "book", "nowhere"), "middle", last=("nowhere",)),
            ),
            terms=("attention",),
        ),
        Part(
            "row",
            edits=("x",),
            tall=True,
            start="tired",
            asks=(Question("row_most"),),
            terms=("weighted_sum",),
        ),
        Part("hand", edits=("x",), tall=True, start="tired", terms=("dynamic_weights",)),
        Part(
            "arrows",
            edits=("inputs",),
            tall=True,
            start="tired",
            terms=("linear",),
            asks=(Question("long_key", ("positive", "all", "none"), "positive", last=("none",)),),
        ),
        Part(
            "meaning",
            (
                Topic("it", claims=("meaning",), start="it"),
                Topic(
                    "bank",
                    start="bank",
                    asks=(Question("bank_rows", ("one", "all", "last"), "one"),),
                    claims=("layers",),
                ),
            ),
            edits=("x",),
            tall=True,
        ),
        Part(
            "predict",
            (
                Topic(
                    "symmetric",
                    asks=(
                        Question(
                            "symmetric",
                            ("mirror", "diagonal", "equal", "nothing"),
                            "mirror",
                            last=("nothing",),
                        ),
                    ),
                    claims=("symmetric",),
                ),
                Topic("swap", asks=(Question("swap", ("rows", "same", "two", "all"), "rows"),)),
                Topic(
                    "value", asks=(Question("value", ("last", "all", "weights"), "all"),), claims=("values",)
                ),
                Topic(
                    "value_causal",
                    asks=(Question("value_causal", ("last", "all", "weights"), "last"),),
                    claims=("input_change",),
                ),
                Topic("shift", asks=(Question("shift", ("same", "sharper", "uniform", "sum"), "same"),)),
            ),
            switches=INPUTS,
            mistakes=("exchanged",),
        ),
        Part(
            "misconceptions",
            (
                Topic(
                    "transposed",
                    asks=(Question("transposed", ("column", "one", "row"), "column"),),
                    mistakes=("transposed_weights",),
                    claims=("mean_column", "output_cell"),
                    products=("transposed_weights",),
                ),
                Topic(
                    "one_projection",
                    asks=(
                        Question(
                            "one_projection", ("itself", "other", "depends"), "itself", last=("depends",)
                        ),
                    ),
                    terms=("three_matrices",),
                    mistakes=("one_projection",),
                ),
                Topic(
                    "columns",
                    asks=(Question("columns", ("down", "across"), "down"),),
                    mistakes=("key_not_transposed", "transposed_scores"),
                    products=("swapped",),
                ),
            ),
            switches=INPUTS,
        ),
    ),
    end=Question("one_head_end", ("sharper", "all", "cancels", "projections"), "sharper"),
    told=(
        ("picture", "predict", "arrows"),
        ("picture", "predict", "arrows"),
        ("picture", "predict", "arrows"),
    ),
    own=OneHeadNumbers,
    look=OneHeadLook,
    moved={"meaning/library": "library", "predict/by_hand": "row"},
)
