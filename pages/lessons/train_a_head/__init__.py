"""The lesson on training: where weight matrices come from, and what is the task's and what the seed's."""

from pages.model.course import Lesson, Part, Question

from .settings import TrainingNumbers

STEP = ("train_step",)

LESSON = Lesson(
    "train_a_head",
    (
        Part(
            "train",
            edits=STEP,
            asks=(
                Question(
                    "train_dark",
                    at_start="before_1",
                    source="test_one_of_the_offered_patterns_solves_each_task",
                ),
            ),
            tall=True,
            terms=("loss",),
        ),
        Part("run", edits=STEP, tall=True),
        Part(
            "two_runs",
            edits=STEP,
            asks=(
                Question(
                    "train_agree",
                    ("all", "w", "weights", "nothing"),
                    "weights",
                    source="test_two_seeds_agree_in_a_and_not_in_w_q_and_w_k",
                ),
            ),
            tall=True,
        ),
        Part(
            "optimiser",
            edits=("w_q", "w_k", "w_v"),
            asks=(
                Question(
                    "train_zeros",
                    ("same", "value", "zero"),
                    "zero",
                    source="test_from_zeros_no_gradient_reaches_w_q_and_w_k",
                ),
            ),
            tall=True,
            terms=("gradient_descent",),
        ),
    ),
    end=Question(
        "train_end",
        ("weights", "only", "loss", "nothing"),
        "only",
        source="test_a_factor_that_cancels_changes_q_k_and_their_gradients_only",
    ),
    apart=True,
    program="pages.lessons.train_a_head.program",
    own=TrainingNumbers,
)
