"""The lesson on training: where weight matrices come from, and what is the task's and what the seed's."""

from pages.model.lesson import Lesson, Part

from .settings import Own, step_of

LESSON = Lesson(
    "train_a_head",
    (
        Part("train", edits=("train_step",), questions=("train_dark",), tall=True),
        Part("two_runs", edits=("train_step",), questions=("train_agree",), tall=True),
        Part("optimiser", edits=("w_q", "w_k", "w_v"), questions=("train_zeros",), tall=True),
    ),
    ending="train_end",
    own=Own,
    older={"kept": ("trainstep", step_of)},
)
