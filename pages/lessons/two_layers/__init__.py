"""The lesson on two layers: what a layer can only do with what an earlier layer has written."""

from pages.model.course import Lesson, Part, Question

from .settings import TwoLayersNumbers

STEP = ("two_step",)

LESSON = Lesson(
    "two_layers",
    (
        Part(
            "one_layer",
            edits=STEP,
            asks=(Question("two_one_layer", ("all", "part", "sixth"), "part"),),
            tall=True,
        ),
        Part(
            "by_hand",
            edits=("x", "w_q", "w_k", "w_v"),
            asks=(Question("two_hand", ("after", "earlier", "own", "first"), "after"),),
            tall=True,
            start="copy_before",
            terms=("residual_stream", "previous_head"),
        ),
        Part(
            "train",
            edits=STEP,
            asks=(Question("two_seeds", ("all", "most", "few", "none"), "most", last=("all", "none")),),
            tall=True,
        ),
        Part(
            "apart",
            edits=STEP,
            asks=(Question("two_cut", ("query", "key", "value"), "key"),),
            tall=True,
            terms=("composition", "circuit"),
        ),
    ),
    end=Question("two_end", ("earlier", "same", "distance", "answer"), "earlier"),
    told=(("one_layer",), ("by_hand", "train"), ("apart",)),
    own=TwoLayersNumbers,
    program="pages.lessons.two_layers.program",
)
