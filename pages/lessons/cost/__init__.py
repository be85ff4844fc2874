"""The lesson on cost: what attention computes, reads, writes and keeps, and how long it takes."""

from pages.model.course import Lesson, Part, Question

from .settings import CostNumbers

LESSON = Lesson(
    "cost",
    (
        Part(
            "compare",
            edits=("cost_n", "cost_d", "cost_kernel", "cost_window"),
            asks=(
                Question(
                    "cost_crossing",
                    ("above", "below", "always", "never"),
                    "below",
                    source="Vaswani et al. 2017, table 1: n²·d and n·d² operations per layer",
                ),
            ),
            terms=("recurrent", "convolutional", "complexity", "parallel"),
        ),
        Part(
            "paths",
            edits=("path_n", "cost_kernel", "cost_window"),
            asks=(
                Question(
                    "cost_layers",
                    ("4", "5", "27", "40", "80"),
                    at_start="4",
                    numeric=True,
                    source="test_no_way_is_shorter",
                ),
            ),
            terms=("path", "long_range"),
        ),
        Part(
            "steps",
            edits=("x",),
            switches=("heads", "d_k", "mask", "more"),
            asks=(
                Question(
                    "cost_double",
                    ("mixing", "projections", "all", "none"),
                    "mixing",
                    source="Vaswani et al. 2017, table 1: n²·d; the projections take n·d² each",
                ),
            ),
        ),
        Part(
            "measured",
            asks=(
                Question(
                    "cost_fused",
                    ("more", "less", "equal"),
                    "less",
                    source="test_the_shipped_result_bears_the_answer_out",
                ),
            ),
        ),
        Part(
            "cache",
            edits=("cache_tokens", "cache_batch"),
            asks=(
                Question(
                    "cost_cache",
                    ("sixteenth", "quarter", "smaller", "five", "ten"),
                    "smaller",
                    numeric=True,
                    source="Touvron et al. 2023, table 1: grouped-query attention with 70B",
                ),
            ),
        ),
    ),
    end=Question(
        "cost_end",
        ("scaling", "window", "d_k", "kv_heads", "heads"),
        "window",
        source="Jiang et al. 2023, section 2: sliding window and rolling buffer cache",
    ),
    told=(("compare", "paths"), ("steps",), ("cache",)),
    own=CostNumbers,
)
