"""The stops of the hour: a task is open at the start, and the sentence to keep is one for all numbers."""

import pytest

from pages.draw.texts import Texts, plain
from pages.model import edits
from pages.model.examples import in_language
from pages.model.progress import HourEvent, Progress, read
from pages.shell import hour
from tests.lessons import sentences
from tests.support.course import COURSE
from tests.support.hour import module_of, text_of
from tests.support.random_settings import any_state
from tests.support.screen import LANGUAGES
from tests.support.states import looking, page_in

STOPS = [stop for stop in COURSE.stop_numbers if hasattr(module_of(stop), "keep")]
each_stop = pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.part)


@pytest.mark.parametrize("language", LANGUAGES)
@each_stop
def test_a_task_is_open_at_the_start(stop, language):
    start = edits.example_start(in_language("tired", language))
    page = page_in(stop.lesson, stop.part, start, looking(language=language))
    task = getattr(module_of(stop), "task", None)
    assert task is None or task(page) is False


@pytest.mark.exhaustive("stop")
@pytest.mark.parametrize("seeds", [range(8), range(8, 40)], ids=("few", "many"))
@each_stop
def test_the_sentence_to_keep_has_no_fault_whatever_the_numbers_are(stop, seeds):
    """Told from its facts as the browser keeps them, in either language."""
    for seed in seeds:
        page = page_in(stop.lesson, stop.part, any_state(stop.lesson, seed), looking(head=seed % 3))
        takeaway = module_of(stop).keep(page)
        record = text_of(Progress().doing(stop.name, HourEvent(1, takeaway)))
        assert read(record, COURSE).events[stop.name].takeaway == takeaway
        for language in LANGUAGES:
            t = Texts(language, stop.lesson)
            text = plain(hour.tell(t, stop.part, takeaway))
            assert text.strip() and text != t(f"stop.{stop.part}_kept")
            assert sentences.broken([text]) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sentence_without_numbers_has_no_place_for_one(language):
    for stop in COURSE.stop_numbers:
        text = Texts(language, stop.lesson)(f"stop.{stop.part}_kept")
        assert sentences.broken([text]) == [] and "{" not in text
