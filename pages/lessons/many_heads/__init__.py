"""The lesson on many heads: what each attends to, how they are split and joined, and what goes wrong."""

from pages.model.lesson import SWITCHES, Lesson, Part

from .settings import Look, Own

# Where the same computation is written in another way, positions are set aside (pages.draw.positions).
NO_POSITIONS = tuple(switch for switch in SWITCHES if switch != "position")


def _part(name: str, *questions: str, switches: tuple[str, ...] = NO_POSITIONS, tall: bool = True) -> Part:
    return Part(name, edits=("inputs",), switches=switches, questions=questions, tall=tall)


LESSON = Lesson(
    "many_heads",
    (
        _part("overview", switches=SWITCHES, tall=False),
        _part("split", "head_columns"),
        _part("ablation", "ablation", switches=SWITCHES),
        _part("view", "view"),
        _part("sharing", "shared"),
        _part("code", "accident"),
    ),
    ending="many_heads_end",
    start="two_jobs",
    own=Own,
    look=Look,
    former={("columns", option): "head_columns" for option in ("block", "every", "rows")},
)
