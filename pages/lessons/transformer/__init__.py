"""The lesson on a whole transformer: from words to the next word, and how it is trained."""

from pages.model.course import Lesson, Part, Question, Topic

from .settings import ModelNumbers

LESSON = Lesson(
    "transformer",
    (
        Part(
            "the_model",
            edits=("model_temperature", "top_k"),  # and all matrices of the model
            asks=(Question("model_earliest", ("x", "query", "scores", "forward"), "scores"),),
            tall=True,
            terms=("logits",),
        ),
        Part(
            "train_model",
            edits=("model_step",),
            asks=(Question("model_guess", ("all", "third", "second", "end"), "second", last=("all",)),),
            tall=True,
        ),
        Part(
            "what_for",
            (
                Topic(
                    "depth",
                    asks=(Question("model_deep", ("equal", "apart", "zero", "same"), "equal"),),
                ),
                Topic(
                    "large_row",
                    asks=(Question("model_scale", ("same", "hundred", "ten", "mean"), "same"),),
                ),
                Topic(
                    "forward",
                    asks=(Question("model_alone", ("multiple", "absolute", "softmax", "any"), "multiple"),),
                ),
                Topic(
                    "work",
                    asks=(Question("model_work", ("sixth", "same", "six", "twelve"), "six", numeric=True),),
                ),
            ),
            edits=("norm_row", "norm_factor", "alone"),
        ),
    ),
    end=Question("model_end", ("third", "half", "two_thirds", "most"), "two_thirds", numeric=True),
    told=(("the_model",), ("train_model",), ("what_for",)),
    apart=True,
    program="pages.lessons.transformer.program",
    own=ModelNumbers,
)
