"""The lesson on scaling: what goes wrong without it, why, and what dividing by √d_k does and does not do."""

from pages.model.course import Lesson, Part, Question, Topic
from pages.model.targets import MOST, Condition, Target

from .settings import ScaleNumbers

DRAW = ("sample_d_k",)

LESSON = Lesson(
    "why_scale",
    (
        Part("spread", edits=DRAW, asks=(Question("divided", ("third", "half", "all"), numeric=True),)),
        Part(
            "experiment",
            edits=("tried_d_k",),
            asks=(Question("factor", ("2", "4", "16"), numeric=True),),
            terms=("scaling",),
            steps=("scaled_scores",),
            mistakes=("not_scaled",),
        ),
        Part(
            "assumptions",
            edits=DRAW,
            asks=(Question("same", ("zero", "root", "width"), numeric=True, own_words=True),),
        ),
        Part(
            "learning",
            (Topic("one_query"), Topic("saturation")),
            edits=DRAW,
            asks=(Question("parts", ("alike", "few", "larger")),),
            terms=("norm", "gradient"),
        ),
        Part(
            "limits",
            (
                Topic("starts", asks=(Question("note_start", kind="number"),)),
                Topic(
                    "divisors",
                    asks=(Question("root_n", ("quarter", "one", "four"), numeric=True, own_words=True),),
                    mistakes=("by_sqrt_d_model", "by_d_k", "by_sqrt_n", "by_sqrt_d_v", "scaled_late"),
                ),
            ),
            edits=("sample_d_k", "sample_keys"),
        ),
        Part(
            "yours",
            (Topic("moved", asks=(Question("row", numeric=True),)), Topic("capped")),
            edits=("inputs", "softcap"),
            switches=("example", "heads", "d_k", "scaling", "mask"),
            targets=(
                Target(
                    (Condition("weights", 2, 0, MOST, 0.5),),
                    ("scaling",),
                    name="even_out",
                    example="tired",
                    topic="moved",
                    solution=(("scaling", "own"), ("own_divisor", 4.0)),
                ),
            ),
        ),
    ),
    end=Question("why_scale_end", ("one", "root", "right", "all"), "right", numeric=True, own_words=True),
    told=(("spread",), ("experiment", "assumptions"), ("yours",)),
    moved={"learning/all_queries": "learning/one_query", "divisors": "limits/divisors"},
    own=ScaleNumbers,
)
