"""The lesson on cost: what attention computes, reads, writes and keeps, and how long it takes."""

from pages.model.lesson import Lesson, Part

from .settings import Own

LESSON = Lesson(
    "cost",
    (
        Part(
            "compare", edits=("cost_n", "cost_d", "cost_kernel", "cost_window"), questions=("cost_crossing",)
        ),
        Part("paths", edits=("path_n", "cost_kernel", "cost_window"), questions=("cost_layers",)),
        Part("steps", edits=("x",), switches=("heads", "d_k", "mask", "more"), questions=("cost_double",)),
        Part("measured", questions=("cost_fused",)),
        Part("cache", edits=("cache_tokens", "cache_batch"), questions=("cost_cache",)),
    ),
    ending="cost_end",
    own=Own,
)
