"""The lesson on scaling: what goes wrong without it, why, and what dividing by √d_k does and does not do."""

from pages.model.lesson import Lesson, Part

from .settings import Own

DRAW = ("sample_d_k",)

LESSON = Lesson(
    "why_scale",
    (
        Part("spread", edits=DRAW, questions=("divided",)),
        Part("experiment", edits=DRAW, questions=("factor", "same")),
        Part("learning", edits=DRAW, questions=("parts",)),
        Part("limits", edits=DRAW, questions=("note_start",)),
        Part("divisors", edits=("sample_d_k", "sample_keys"), questions=("root_n",)),
        Part(
            "yours",
            edits=("inputs", "softcap"),
            switches=("example", "heads", "d_k", "scaling", "mask"),
            questions=("row",),
        ),
    ),
    ending="why_scale_end",
    own=Own,
)
