"""README's pictures show the app as it is; else `python -m tests.tools.pictures` makes them again."""

import pytest
from PIL import Image

from tests.browser.wire import RESTS
from tests.tools.pictures import FOLDER, PICTURES, SIZE, WORDS, words_on


@pytest.mark.parametrize("name", PICTURES)
def test_the_words_of_a_picture_are_those_of_the_page(visit, name):
    page = visit(*PICTURES[name], viewport=SIZE, locale="en-US")
    page.wait_for_selector(RESTS)
    with Image.open(FOLDER / name) as image:
        assert image.size == (SIZE["width"], SIZE["height"])
        assert words_on(page) == image.text[WORDS]
