"""Three wrong ways to mask, one at a time, each beside the right one."""

from __future__ import annotations

from pages.ui import topics
from pages.ui.page import Page

from . import after_softmax, query_rows, times_zero

TOPICS = {"after_softmax": after_softmax, "times_zero": times_zero, "query_rows": query_rows}


def draw(page: Page) -> None:
    TOPICS[topics.choose(page, tuple(TOPICS))].draw(page)
