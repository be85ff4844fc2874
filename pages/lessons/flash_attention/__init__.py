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
            asks=(
                Question(
                    "flash_mend",
                    ("again", "factor", "stays"),
                    "factor",
                    source="Milakov, Gimelshein 2018, algorithm 3",
                ),
            ),
            terms=("online_softmax", "logsumexp"),
        ),
        Part(
            "tiles",
            edits=("x",),
            switches=("example", "heads", "scaling", "mask", "more", "position"),
            asks=(
                Question(
                    "flash_same",
                    ("later", "same", "blocks"),
                    "same",
                    source="Dao et al. 2022, theorem 1: algorithm 1 returns softmax(QKᵀ)V",
                ),
                Question(
                    "flash_skip",
                    ("3", "4", "6"),
                    "3",
                    numeric=True,
                    source="Dao 2023, section 3.1.1: blocks above the diagonal are skipped",
                ),
            ),
            terms=("flash_attention", "tile"),
        ),
        Part(
            "moves",
            edits=("flash_n", "flash_d", "flash_memory"),
            asks=(
                Question(
                    "flash_ops", ("same", "more", "fewer"), "more", source="test_what_online_softmax_adds"
                ),
            ),
        ),
    ),
    end=Question(
        "flash_end",
        ("tiles", "fewer", "approximate", "short"),
        "tiles",
        source="Dao et al. 2022, theorem 1, and test_what_online_softmax_adds",
    ),
    told=(("row",), ("tiles",), ("moves",)),
    start="previous",
    program="pages.lessons.flash_attention.program",
    own=FlashNumbers,
    shared=(Scores,),
    look=FlashLook,
)
