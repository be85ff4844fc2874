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
                    "cost_crossing", ("below", "above", "never", "always"), "below", last=("always", "never")
                ),
            ),
            terms=("recurrent", "convolutional", "complexity", "parallel"),
        ),
        Part(
            "paths",
            edits=("path_n", "cost_kernel", "cost_window"),
            asks=(Question("cost_layers", ("1", "4", "27", "40", "80"), numeric=True),),
            terms=("path", "long_range"),
        ),
        Part(
            "steps",
            edits=("x",),
            switches=("heads", "d_k", "mask", "more"),
            asks=(
                Question(
                    "cost_double", ("projections", "mixing", "all", "none"), "mixing", last=("all", "none")
                ),
            ),
        ),
        Part("measured", asks=(Question("cost_fused", ("equal", "less", "more"), "less"),)),
        Part(
            "cache",
            edits=("cache_tokens", "cache_batch"),
            asks=(
                Question(
                    "cost_cache",
                    ("smaller", "same", "more", "ten"),
                    "smaller",
                    numeric=True,
                ),
            ),
        ),
    ),
    end=Question("cost_end", ("window", "kv_heads", "heads", "d_k", "scaling"), "window"),
    told=(("compare", "paths"), ("steps",), ("cache",)),
    own=CostNumbers,
)
