"""The stops of the hour: a task is open at the start, and the sentence to keep is one for all numbers."""

import importlib
from dataclasses import replace

import pytest

from pages.model import edits
from pages.model.examples import in_language
from tests.lessons import sentences
from tests.support.course import COURSE, LESSONS
from tests.support.random_settings import any_state
from tests.support.screen import LANGUAGES
from tests.support.states import looking, page_in


def module_of(lesson: str, part: str):
    return importlib.import_module(f"pages.lessons.{lesson}.{part}")


STOPS = [
    (lesson, part.name)
    for lesson in LESSONS
    for part in COURSE.pages[lesson].parts
    if hasattr(module_of(lesson, part.name), "keep")
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("lesson", "part"), STOPS)
def test_a_task_is_open_at_the_start(lesson, part, language):
    page = page_in(
        lesson, part, edits.example_start(in_language("tired", language)), looking(language=language)
    )
    task = getattr(module_of(lesson, part), "task", None)
    assert task is None or task(page) is False


@pytest.mark.exhaustive("lesson", "part")
@pytest.mark.parametrize("seeds", [range(8), range(8, 40)], ids=("few", "many"))
@pytest.mark.parametrize(("lesson", "part"), STOPS)
def test_the_sentence_to_keep_has_no_fault_whatever_the_numbers_are(lesson, part, seeds):
    for seed in seeds:
        language = LANGUAGES[seed % 2]
        page = page_in(lesson, part, any_state(lesson, seed), looking(language=language))
        text = module_of(lesson, part).keep(replace(page, view=looking(language=language, head=seed % 3)))
        assert text.strip()
        assert sentences.broken([text]) == []
