"""The lesson on FlashAttention: softmax in one pass, attention by tiles, and what moves between memories."""

from pages.model.course import Lesson, Part, Question
from pages.model.scores import Scores

from .settings import FlashLook, FlashNumbers

LESSON = Lesson(
    "flash_attention",
    (
        Part(
            "row",
            edits=("logits",),
            asks=(Question("flash_mend", ("factor", "stays", "again"), "factor"),),
            terms=("online_softmax", "logsumexp"),
        ),
        Part(
            "tiles",
            edits=("x",),
            switches=("example", "heads", "scaling", "mask", "more", "position"),
            asks=(
                Question("flash_same", ("same", "blocks", "later"), "same"),
                Question("flash_skip", ("0", "3", "4", "6"), "3", numeric=True),
            ),
            terms=("flash_attention", "tile"),
        ),
        Part(
            "moves",
            edits=("flash_n", "flash_d", "flash_memory"),
            asks=(Question("flash_ops", ("fewer", "same", "more"), "more"),),
        ),
    ),
    end=Question("flash_end", ("right", "approximate", "fewer", "quadratic"), "right"),
    told=(("row",), ("tiles",), ("moves",)),
    start="previous",
    own=FlashNumbers,
    shared=(Scores,),
    look=FlashLook,
)
