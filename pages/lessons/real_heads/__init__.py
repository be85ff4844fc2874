"""The lesson on the heads of a trained model: what they attend to, and what that explains."""

from pages.model.lesson import Lesson, Part

from .settings import Look, Own

LESSON = Lesson(
    "real_heads",
    (
        Part(
            "which_head",
            questions=("real_previous", "real_next", "real_first", "real_same_word", "real_animal"),
            tall=True,
        ),
        Part(
            "one_real_head",
            edits=("real_temperature",),
            questions=("real_special", "real_exchange"),
            tall=True,
        ),
        Part("anecdote", questions=("real_wide", "real_trials")),
        Part("explain", questions=("real_agree",)),
        Part(
            "explain_yours",
            edits=("inputs",),
            switches=("example", "heads", "d_k", "mask"),
            questions=("real_zero",),
        ),
    ),
    ending="real_heads_end",
    own=Own,
    look=Look,
)
