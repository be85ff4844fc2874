"""README's pictures show the app as it is; else `python -m tests.tools.pictures` makes them again."""

from PIL import Image

from tests.browser.wire import RESTS
from tests.tools.pictures import LINK, MOVING, SIZE, STILL, WORDS, words_on

LARGEST = 1_000_000  # bytes


def test_the_words_of_the_still_picture_are_those_of_the_page(visit):
    page = visit(LINK, '[data-matrix="output"]', viewport=SIZE, locale="en-US")
    page.wait_for_selector(RESTS)
    with Image.open(STILL) as image:
        assert image.size == (SIZE["width"], SIZE["height"])
        assert words_on(page) == image.text[WORDS]


def test_the_moving_picture_has_the_walk_and_the_drag_and_is_small():
    assert MOVING.stat().st_size < LARGEST
    with Image.open(MOVING) as image:
        assert image.n_frames > 10
