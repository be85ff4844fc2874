"""The lesson on cross-attention: queries from one sequence, keys and values from another."""

from pages.model.course import Lesson, Part, Question, Topic
from pages.model.targets import LEAST, Condition, Target

SWITCHES = ("example", "heads", "d_k", "scaling", "more")

LESSON = Lesson(
    "cross_attention",
    (
        Part(
            "picture",
            edits=("inputs", "y"),
            switches=SWITCHES,
            tall=True,
            terms=("cross_attention",),
            targets=(
                Target(
                    (Condition("weights", 1, 3, LEAST, 0.6),),
                    ("y",),
                    name="animal_it",
                    example="tired_translation",
                    solution=(("y", 3, 0, 1.5),),
                ),
            ),
        ),
        Part(
            "predict",
            (
                Topic(
                    "shape",
                    asks=(Question("cross_shape", ("n_m", "m_n", "n_n", "m_m"), "n_m"),),
                    products=("key_length", "query_length", "cross_project"),
                ),
                Topic("order", asks=(Question("cross_order", ("same", "rows", "other"), last=("same",)),)),
                Topic("cached", asks=(Question("cross_cached", ("query", "all", "keys")),)),
            ),
            edits=("x", "y"),
            switches=("example",),
        ),
        Part(
            "translation",
            edits=("x", "y"),
            switches=("example",),
            asks=(Question("cross_causal", ("encoder", "decoder", "cross"), "decoder", own_words=True),),
            terms=("transformer", "encoder"),
        ),
        Part(
            "alignment",
            edits=("x",),
            switches=("example",),
            asks=(Question("cross_aligned", ("upper_left", "lower_right"), own_words=True),),
        ),
    ),
    end=Question("cross_end", ("error", "transposed", "other"), own_words=True),
    told=(("picture", "translation"), ("picture", "translation"), ("predict",)),
    start="tired_translation",
    crosses=True,
)
