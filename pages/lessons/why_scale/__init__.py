"""The lesson on scaling: what goes wrong without it, why, and what dividing by √d_k does and does not do."""

from pages.model.course import Lesson, Part, Question, Topic
from pages.model.targets import MOST, Condition, Target

from .settings import ScaleNumbers

DRAW = ("sample_d_k",)

LESSON = Lesson(
    "why_scale",
    (
        Part(
            "spread",
            edits=DRAW,
            asks=(
                Question(
                    "divided",
                    ("third", "half", "all"),
                    at_start="third",
                    numeric=True,
                    source="test_what_is_measured_is_clear_in_every_sample",
                ),
            ),
        ),
        Part(
            "experiment",
            edits=("tried_d_k",),
            asks=(
                Question(
                    "wide_row",
                    ("even", "one", "alike"),
                    "alike",
                    source="test_what_is_measured_is_clear_in_every_sample",
                ),
            ),
            terms=("scaling",),
            steps=("scaled_scores",),
            mistakes=("not_scaled",),
        ),
        Part(
            "assumptions",
            edits=DRAW,
            asks=(
                Question(
                    "same",
                    ("zero", "root", "width"),
                    at_start="width",
                    own_words=True,
                    numeric=True,
                    setup={"sample_case": "same"},
                    source="Vaswani et al. 2017, section 3.2.1, footnote 4, without independence",
                ),
            ),
        ),
        Part(
            "learning",
            (Topic("one_query"), Topic("saturation")),
            edits=DRAW,
            asks=(
                Question(
                    "parts",
                    ("larger", "few", "alike"),
                    at_start="few",
                    source="test_what_is_measured_is_clear_in_every_sample",
                ),
            ),
            terms=("norm", "gradient"),
        ),
        Part(
            "limits",
            (
                Topic(
                    "starts",
                    asks=(
                        Question(
                            "note_start",
                            kind="number",
                            source="lecture note 002, the example with torch.randn, d_model = 8",
                        ),
                    ),
                ),
                Topic(
                    "divisors",
                    asks=(
                        Question(
                            "root_n",
                            ("quarter", "one", "four"),
                            at_start="quarter",
                            own_words=True,
                            numeric=True,
                            source="Vaswani et al. 2017, section 3.2.1, footnote 4: d_k, not n",
                        ),
                    ),
                    mistakes=("by_sqrt_d_model", "by_d_k", "by_sqrt_n", "by_sqrt_d_v", "scaled_late"),
                ),
            ),
            edits=("sample_d_k", "sample_keys"),
        ),
        Part(
            "yours",
            (Topic("moved", asks=(Question("row", at_start="3", numeric=True),)), Topic("capped")),
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
    end=Question(
        "why_scale_end",
        ("one", "root", "right", "all"),
        "right",
        own_words=True,
        numeric=True,
        source="Vaswani et al. 2017, section 3.2.1, footnote 4, with another variance",
    ),
    told=(("spread",), ("experiment", "assumptions"), ("yours",)),
    moved={"learning/all_queries": "learning/one_query", "divisors": "limits/divisors"},
    own=ScaleNumbers,
    program="pages.lessons.why_scale.program",
)
