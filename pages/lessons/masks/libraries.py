"""What only users of a library's masks need, one subject at a time."""

from pages.ask import blocks
from pages.draw.page import Page

from . import float_mask, left_padding, polarity, precision

TOPICS = {
    "float_mask": float_mask.draw,
    "polarity": polarity.draw,
    "precision": precision.draw,
    "left_padding": left_padding.draw,
}


def draw(page: Page) -> blocks.Blocks:
    yield from blocks.topics(page, TOPICS)
