"""Three wrong ways to mask, one at a time, each next to the right one."""

from pages.ask import topics
from pages.draw import live
from pages.draw.page import Page

from . import after_softmax, query_rows, times_zero

TOPICS = {
    "after_softmax": after_softmax.draw,
    "times_zero": times_zero.draw,
    "query_rows": query_rows.draw,
}


@live.places
def draw(page: Page) -> None:
    topics.draw(page, TOPICS)
