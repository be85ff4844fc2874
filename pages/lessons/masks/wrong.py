"""Three wrong ways to mask, one at a time, each next to the right one."""

from pages.ask import blocks
from pages.draw.page import Page

from . import after_softmax, query_rows, times_zero

TOPICS = {"after_softmax": after_softmax.draw, "times_zero": times_zero.draw, "query_rows": query_rows.draw}


def draw(page: Page) -> blocks.Blocks:
    yield from blocks.topics(page, TOPICS)
