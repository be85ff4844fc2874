"""The lesson on a whole transformer: from words to the next word, and how it is trained."""

from pages.model.course import Lesson, Part, Question, Topic

from .settings import ModelNumbers

LESSON = Lesson(
    "transformer",
    (
        Part(
            "the_model",
            edits=("model_temperature", "top_k"),  # and all matrices of the model
            asks=(
                Question(
                    "model_earliest",
                    ("x", "query", "forward", "scores"),
                    "scores",
                    source="Vaswani et al. 2017, section 3: only attention mixes positions",
                ),
            ),
            tall=True,
            terms=("logits",),
        ),
        Part(
            "train_model",
            edits=("model_step",),
            asks=(
                Question(
                    "model_guess",
                    ("third", "end", "second", "all"),
                    "second",
                    source="test_the_third_word_follows_from_the_first_and_from_no_other",
                ),
            ),
            tall=True,
        ),
        Part(
            "what_for",
            (
                Topic(
                    "depth",
                    asks=(
                        Question(
                            "model_deep",
                            ("zero", "same", "apart", "equal"),
                            "equal",
                            source="Dong et al. 2021, section 1: converges to a rank-1 matrix",
                        ),
                    ),
                ),
                Topic(
                    "large_row",
                    asks=(
                        Question(
                            "model_scale",
                            ("ten", "mean", "hundred", "same"),
                            "same",
                            source="Ba et al. 2016, Layer Normalization, section 5.1: invariant to a scale",
                        ),
                    ),
                ),
                Topic(
                    "forward",
                    asks=(
                        Question(
                            "model_alone",
                            ("multiple", "any", "absolute", "softmax"),
                            "multiple",
                            source="torch.softmax: the elements of the output sum to 1 along dim",
                        ),
                    ),
                ),
                Topic(
                    "work",
                    asks=(
                        Question(
                            "model_work",
                            ("sixth", "same", "six", "twelve"),
                            "six",
                            numeric=True,
                            source="test_the_work_is_that_of_the_products",
                        ),
                    ),
                ),
            ),
            edits=("norm_row", "norm_factor", "alone"),
        ),
    ),
    end=Question(
        "model_end",
        ("third", "half", "two_thirds", "most"),
        "two_thirds",
        numeric=True,
        source="Vaswani et al. 2017, section 3.3: 2048 and 512",
    ),
    told=(("the_model",), ("train_model",), ("what_for",)),
    apart=True,
    program="pages.lessons.transformer.program",
    own=ModelNumbers,
)
