"""The lesson on worked examples: printed numbers next to exact ones, and examples made by hand to be read."""

from pages.model.course import Lesson, Part, Question, Topic

from .settings import WorkedLook

LESSON = Lesson(
    "worked_examples",
    (
        Part(
            "notes",
            (
                Topic(
                    "cats",
                    asks=(
                        Question(
                            "worked_first",
                            ("1_05", "1_09", "1_12", "1_14"),
                            "1_09",
                            numeric=True,
                            source="lecture note 003, “实际例子：翻译我爱猫”, step 3",
                        ),
                    ),
                ),
                Topic(
                    "five_tokens",
                    asks=(
                        Question(
                            "worked_range",
                            ("no", "yes", "scores"),
                            "no",
                            source="lecture note 002, the output that is printed for five tokens",
                        ),
                    ),
                ),
                Topic(
                    "three_scores",
                    asks=(
                        Question(
                            "worked_sum",
                            ("0", "1", "2", "3"),
                            "1",
                            numeric=True,
                            source="lecture note 000, the softmax of [2.0, 1.0, 0.1]",
                        ),
                    ),
                ),
                Topic(
                    "it",
                    asks=(
                        Question(
                            "worked_it",
                            ("model", "sum", "refers"),
                            "sum",
                            source="lecture note 000, “it → animal (0.6)”",
                        ),
                    ),
                ),
            ),
        ),
        Part(
            "code",
            (
                Topic(
                    "split",
                    asks=(
                        Question(
                            "worked_shape",
                            ("four", "heads", "meant"),
                            "four",
                            source="lecture note 002, the loop over the heads with view",
                        ),
                    ),
                ),
                Topic(
                    "dropout",
                    asks=(
                        Question(
                            "worked_dropout",
                            ("less", "varies", "one"),
                            "varies",
                            source="lecture note 002, class MultiHeadAttention: dropout",
                        ),
                    ),
                ),
                Topic(
                    "mask",
                    asks=(
                        Question(
                            "worked_batch",
                            ("right", "error", "wrong"),
                            "error",
                            source="lecture note 002, class MultiHeadAttention: the shape of mask",
                        ),
                    ),
                ),
                Topic("shapes"),
            ),
        ),
        Part("own"),
        Part("gallery", terms=("induction",)),
    ),
    end=Question(
        "worked_end",
        ("weights", "values", "product"),
        "product",
        source="Boyd, Vandenberghe 2004, Convex Optimization, section 2.1.4",
    ),
    told=(("notes",), ("code", "own"), ("notes", "code")),
    program="pages.lessons.worked_examples.program",
    look=WorkedLook,
)
