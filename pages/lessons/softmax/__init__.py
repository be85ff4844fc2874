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
            asks=(Question("soft_three", ("exps", "shares", "largest", "equal"), "exps", own_words=True),),
            terms=("softmax",),
            steps=("weights",),
        ),
        Part(
            "temperature",
            (
                Topic("cooling", asks=(Question("soft_double", ("grows", "stays", "shrinks")),)),
                Topic("growth"),
                Topic(
                    "constant",
                    asks=(Question("soft_shift", ("same_weights", "sharper", "flatter"), "same_weights"),),
                    claims=("scores",),
                ),
            ),
            edits=("logits", "temperature", "shift"),
            terms=("temperature", "entropy", "effective_keys", "argmax", "margin"),
        ),
        Part("stable", edits=("top_score",), asks=(Question("soft_tiny", ("zero", "tiny", "negative")),)),
        Part(
            "axes",
            edits=("x",),
            switches=SWITCHES,
            asks=(Question("soft_axis", ("rows", "columns", "both"), "columns", last=("both",)),),
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
            asks=(Question("soft_raise", ("fall", "rise", "keep"), "fall"),),
            terms=("saturated", "jacobian"),
        ),
        Part(
            "dropout",
            edits=("x", "dropout"),
            switches=SWITCHES,
            asks=(Question("soft_drop", ("divided", "same", "renormalised"), "divided", last=("same",)),),
            terms=("dropout",),
        ),
    ),
    end=Question(
        "softmax_end", ("naive", "cooled", "shifted", "over_queries", "dropped"), "shifted", own_words=True
    ),
    told=(("bars", "temperature"), ("stable",), ("axes", "jacobian", "dropout")),
    own=SoftmaxNumbers,
    shared=(Scores,),
)
