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
                    asks=(Question("cross_shape", ("n_m", "m_n", "m_m", "n_n"), "n_m"),),
                    products=("key_length", "query_length", "cross_project"),
                ),
                Topic("order", asks=(Question("cross_order", ("other", "rows", "same"), at_start="same"),)),
                Topic(
                    "cached",
                    asks=(
                        Question(
                            "cross_cached",
                            ("all", "keys", "query"),
                            at_start="query",
                            source="Vaswani et al. 2017, section 3.2.3: keys, values from the encoder",
                        ),
                    ),
                ),
            ),
            edits=("x", "y"),
            switches=("example",),
        ),
        Part(
            "translation",
            edits=("x", "y"),
            switches=("example",),
            asks=(
                Question(
                    "cross_causal",
                    ("decoder", "cross", "encoder"),
                    "decoder",
                    own_words=True,
                    source="Vaswani et al. 2017, section 3.2.3: the mask of the decoder",
                ),
            ),
            terms=("transformer", "encoder"),
        ),
        Part(
            "alignment",
            edits=("x",),
            switches=("example",),
            asks=(
                Question(
                    "cross_aligned",
                    ("upper_left", "lower_right", "none"),
                    at_start="lower_right",
                    own_words=True,
                ),
            ),
        ),
    ),
    end=Question("cross_end", ("other", "error", "transposed"), at_start="other", own_words=True),
    told=(("picture", "translation"), ("picture", "translation"), ("predict",)),
    start="tired_translation",
    crosses=True,
    program="pages.lessons.cross_attention.program",
)
