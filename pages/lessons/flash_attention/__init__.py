"""The lesson on FlashAttention: softmax in one pass, attention by tiles, and what moves between memories."""

from pages.model.lesson import Lesson, Part
from pages.model.scores import Scores

from .settings import Look, Own

LESSON = Lesson(
    "flash_attention",
    (
        Part("row", edits=("logits",), questions=("flash_mend",)),
        Part(
            "tiles",
            edits=("x",),
            switches=("example", "heads", "scaling", "mask", "more", "position"),
            questions=("flash_same", "flash_skip"),
        ),
        Part("moves", edits=("flash_n", "flash_d", "flash_memory"), questions=("flash_ops",)),
    ),
    ending="flash_end",
    start="previous",
    own=Own,
    shared=(Scores,),
    look=Look,
)
