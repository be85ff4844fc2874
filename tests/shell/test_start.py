"""What a lesson begins with: its own example, unless a link or the learner says otherwise."""

import pytest

from pages.model.edits import example_start
from pages.model.examples import in_language
from pages.model.languages import LANGUAGES
from pages.model.settings import Settings
from tests.support.course import LESSONS, lesson
from tests.support.screen import open_link, visit


def opened(name: str, **query: str) -> Settings:
    return visit(open_link(name, query)).settings


@pytest.mark.parametrize("name", LESSONS)
def test_a_link_that_says_nothing_of_the_numbers_opens_the_lessons_own(name):
    """Typed by hand, such as /many_heads?lang=zh: it opened one head, where parts need two."""
    start = lesson(name).start
    begins = LANGUAGES["zh"].example if start == Settings().example else in_language(start, "zh")
    own = example_start(begins)
    assert opened(name, lang="zh", part=lesson(name).parts[-1].name) == own


@pytest.mark.parametrize("query", [{"example": "cats"}, {"dk": "2"}, {"mask": "causal"}])
def test_a_link_that_says_something_of_the_numbers_is_taken_at_its_word(query):
    assert opened("many_heads", lang="en", **query).example == "cats"
