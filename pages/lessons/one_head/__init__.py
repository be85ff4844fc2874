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
            asks=(Question("library_equal", ("book", "middle", "zero", "nowhere"), "middle"),),
            terms=("attention",),
        ),
        Part(
            "row",
            edits=("x",),
            tall=True,
            start="tired",
            asks=(
                Question(
                    "row_raised", ("stays", "fair", "equal"), at_start="equal", setup={"step": "row_weights"}
                ),
            ),
            terms=("weighted_sum",),
        ),
        Part("hand", edits=("x",), tall=True, start="tired", terms=("dynamic_weights",)),
        Part(
            "arrows",
            edits=("inputs",),
            tall=True,
            start="tired",
            terms=("linear",),
            asks=(Question("long_key", ("positive", "all", "none"), "positive"),),
        ),
        Part(
            "meaning",
            (
                Topic("it", claims=("meaning",), start="it"),
                Topic(
                    "bank",
                    start="bank",
                    asks=(
                        Question(
                            "bank_rows",
                            ("last", "one", "all"),
                            "one",
                            source="test_the_rows_that_change_with_the_last_word_are_those_of_the_story",
                        ),
                    ),
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
                    asks=(Question("symmetric", ("diagonal", "equal", "mirror", "nothing"), "mirror"),),
                    claims=("symmetric",),
                ),
                Topic("swap", asks=(Question("swap", ("same", "two", "rows", "all"), "rows"),)),
                Topic(
                    "value", asks=(Question("value", ("all", "weights", "last"), "all"),), claims=("values",)
                ),
                Topic(
                    "value_causal",
                    asks=(Question("value_causal", ("last", "all", "weights"), "last"),),
                    claims=("input_change",),
                ),
                Topic("shift", asks=(Question("shift", ("uniform", "same", "sum", "sharper"), "same"),)),
            ),
            switches=INPUTS,
            mistakes=("exchanged",),
        ),
        Part(
            "misconceptions",
            (
                Topic(
                    "transposed",
                    asks=(Question("transposed", ("one", "row", "column"), "column"),),
                    mistakes=("transposed_weights",),
                    claims=("mean_column", "output_cell"),
                    products=("transposed_weights",),
                ),
                Topic(
                    "one_projection",
                    asks=(Question("one_projection", ("other", "itself", "depends"), "itself"),),
                    terms=("three_matrices",),
                    mistakes=("one_projection",),
                ),
                Topic(
                    "columns",
                    asks=(
                        Question(
                            "columns",
                            ("across", "down", "all"),
                            "down",
                            source="Vaswani et al. 2017, equation 1: the softmax runs over the keys",
                        ),
                    ),
                    mistakes=("key_not_transposed", "transposed_scores"),
                    products=("swapped",),
                ),
            ),
            switches=INPUTS,
        ),
    ),
    end=Question("one_head_end", ("cancels", "sharper", "uniform", "all"), "sharper"),
    told=(
        ("picture", "predict", "arrows"),
        ("picture", "predict", "arrows"),
        ("picture", "predict", "arrows"),
    ),
    own=OneHeadNumbers,
    look=OneHeadLook,
    moved={"meaning/library": "library", "predict/by_hand": "row"},
)
