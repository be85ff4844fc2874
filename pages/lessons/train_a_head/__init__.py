"""The lesson on training: where weight matrices come from, and what is the task's and what the seed's."""

from pages.model.course import Lesson, Part, Question

from .settings import TrainingNumbers

STEP = ("train_step",)

LESSON = Lesson(
    "train_a_head",
    (
        Part("train", edits=STEP, asks=(Question("train_dark"),), tall=True, terms=("loss",)),
        Part("run", edits=STEP, tall=True),
        Part(
            "two_runs",
            edits=STEP,
            asks=(Question("train_agree", ("weights", "w", "all", "nothing"), "weights", last=("nothing",)),),
            tall=True,
        ),
        Part(
            "optimiser",
            edits=("w_q", "w_k", "w_v"),
            asks=(Question("train_zeros", ("zero", "same", "value"), "zero"),),
            tall=True,
            terms=("gradient_descent",),
        ),
    ),
    end=Question("train_end", ("only", "weights", "loss", "nothing"), "only", last=("nothing",)),
    apart=True,
    own=TrainingNumbers,
)
