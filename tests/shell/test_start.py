"""What a lesson begins with: its own example, unless a link or the learner says otherwise."""

import pytest

from pages.model.edits import example_start
from pages.model.examples import in_language
from pages.model.languages import LANGUAGES
from pages.model.scores import OF_THE_SENTENCE, Scores
from pages.model.settings import Settings
from pages.model.state import State
from tests.support.course import LESSONS, lesson
from tests.support.screen import open_link, visit


def opened(name: str, **query: str) -> State:
    return visit(open_link(name, query)).state


@pytest.mark.parametrize("number", range(len(LESSONS)))
def test_a_link_that_says_nothing_of_the_numbers_opens_the_lessons_own(number):
    """Typed by hand, such as /many_heads?lang=zh: it opened one head, where parts need two.

    Softmax begins with the scores of the sentence.
    """
    name, language = LESSONS[number], [*LANGUAGES][number % 2]
    start = lesson(name).start
    begins = LANGUAGES[language].example if start == Settings().example else in_language(start, language)
    state = opened(name, lang=language, part=lesson(name).parts[-1].name)
    assert state.core == example_start(begins)
    assert state.of(Scores).logits == (OF_THE_SENTENCE if name == "softmax" else Scores().logits)


@pytest.mark.parametrize("query", [{"example": "cats"}, {"dk": "2"}, {"mask": "causal"}])
def test_a_link_that_says_something_of_the_numbers_is_taken_at_its_word(query):
    assert opened("many_heads", lang="en", **query).core.example == "cats"
