"""The lesson on softmax: scores to weights, temperature, stability, the axis, the Jacobian, dropout."""

from pages.model.course import SWITCHES, Lesson, Part, Question, Topic
from pages.model.scores import Scores
from pages.model.targets import LEAST, Condition, Target

from .settings import SoftmaxNumbers

LESSON = Lesson(
    "softmax",
    (
        Part(
            "bars",
            edits=("logits",),
            asks=(
                Question(
                    "soft_three",
                    ("largest", "exps", "shares", "equal"),
                    "exps",
                    own_words=True,
                    source="Goodfellow et al. 2016, Deep Learning, equation 4.1: softmax",
                ),
            ),
            terms=("softmax",),
            steps=("weights",),
        ),
        Part(
            "temperature",
            (
                Topic(
                    "cooling",
                    asks=(Question("soft_double", ("grows", "stays", "shrinks"), at_start="grows"),),
                ),
                Topic("growth"),
                Topic(
                    "constant",
                    asks=(
                        Question(
                            "soft_shift",
                            ("same_weights", "flatter", "sharper"),
                            "same_weights",
                            source="Goodfellow et al. 2016, Deep Learning, section 4.1",
                        ),
                    ),
                    claims=("scores",),
                ),
            ),
            edits=("logits", "temperature", "shift"),
            terms=("temperature", "entropy", "effective_keys", "argmax", "margin"),
        ),
        Part(
            "stable",
            edits=("top_score",),
            asks=(
                Question(
                    "soft_tiny",
                    ("zero", "tiny", "nan"),
                    at_start="zero",
                    source="IEEE 754-2019, section 3.4: the smallest number above 0 is 2^-149",
                ),
            ),
        ),
        Part(
            "axes",
            edits=("x",),
            switches=SWITCHES,
            asks=(
                Question(
                    "soft_axis",
                    ("columns", "rows", "both"),
                    "columns",
                    source="torch.nn.functional.softmax: dim, along which it is computed",
                ),
            ),
            mistakes=("wrong_axis", "softmax_twice"),
            claims=("rows",),
            targets=(
                Target(
                    (Condition("weights", 2, 0, LEAST, 0.4), Condition("weights", 2, 3, LEAST, 0.4)),
                    ("x",),
                    name="half_each",
                    example="tired",
                    solution=(("x", 3, 0, 1.25),),
                ),
            ),
        ),
        Part(
            "jacobian",
            edits=("logits", "nudge"),
            asks=(
                Question(
                    "soft_raise",
                    ("rise", "keep", "fall"),
                    "fall",
                    source="Bishop 2006, Pattern Recognition, equation 4.106: the Jacobian",
                ),
            ),
            terms=("saturated", "jacobian"),
        ),
        Part(
            "dropout",
            edits=("x", "dropout"),
            switches=SWITCHES,
            asks=(
                Question(
                    "soft_drop",
                    ("times", "renormalised", "divided", "same"),
                    "divided",
                    source="torch.nn.Dropout: a factor of 1/(1 - p) during training",
                ),
            ),
            terms=("dropout",),
        ),
    ),
    end=Question(
        "softmax_end",
        ("dropped", "naive", "cooled", "shifted", "over_queries"),
        "shifted",
        own_words=True,
        source="torch.logsumexp: of each row, numerically stabilised",
    ),
    told=(("bars", "temperature"), ("stable",), ("axes", "jacobian", "dropout")),
    program="pages.lessons.softmax.program",
    own=SoftmaxNumbers,
    shared=(Scores,),
)
