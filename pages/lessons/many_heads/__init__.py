"""The lesson on many heads: what each attends to, how they are split and joined, and what goes wrong."""

from pages.ui import toolbar
from pages.ui.page import Lesson, Part


def _part(name: str, *questions: str, tall: bool = True) -> Part:
    return Part(name, edits=("inputs",), switches=toolbar.ALL, questions=questions, tall=tall)


LESSON = Lesson(
    "many_heads",
    (
        _part("overview", tall=False),
        _part("split", "columns"),
        _part("ablation", "ablation"),
        _part("view", "view"),
        _part("sharing", "shared"),
        _part("code", "accident"),
    ),
    ending="many_heads_end",
    start="two_jobs",
)
