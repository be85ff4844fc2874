"""Long work goes on when it is the visitor's turn, and ends with the page that waits for it."""

import math
import threading

import pytest

from pages.ask import long_work
from pages.ask.long_work import QUEUE, Job
from pages.draw.texts import Texts
from pages.lessons.why_scale import shared
from pages.model.languages import LANGUAGES
from tests.ask.test_long_work import until
from tests.support.screen import again, opened, press


@pytest.fixture
def held(monkeypatch):
    """Another visitor's job is at work until the gate opens; nothing is short enough to be done at once."""
    monkeypatch.setattr(shared, "AT_ONCE", -1.0)
    monkeypatch.setattr(long_work, "LEFT", 300.0)
    gate = threading.Event()
    job = Job("another visitor", "drawing", lambda take: take(gate.wait(60)), 1)
    QUEUE.add(job)
    yield gate
    gate.set()
    until(lambda: not QUEUE._jobs)


def test_a_long_draw_waits_for_the_one_before(held):
    matrices = []
    page = threading.Thread(
        target=lambda: matrices.append(opened("why_scale", "assumptions", sample_seed=4711))
    )
    page.start()
    until(lambda: len(QUEUE._jobs) == 2)
    assert page.is_alive() and not matrices
    held.set()
    page.join(60)
    assert matrices and matrices[0].get("vega_lite_chart")


def test_a_page_that_is_left_takes_its_job_with_it(held, monkeypatch):
    class LeftPage(BaseException):
        """As Streamlit ends a run at the next look."""

    def leave(page, job):
        raise LeftPage

    monkeypatch.setattr(long_work, "show", leave)
    jobs = []
    monkeypatch.setattr(long_work, "start", lambda *about: jobs.append(begun(*about)) or jobs[0])
    with pytest.raises(LeftPage):
        shared.results_of(None, [(1,), (2,)], lambda number: number)
    assert jobs[0].ended and len(QUEUE._jobs) == 1


def test_a_draw_that_is_refused_says_so_and_is_tried_again(held, monkeypatch):
    monkeypatch.setattr(long_work, "MOST_JOBS", 1)
    monkeypatch.setattr(QUEUE, "_took", [0.5])
    refusal, caption, told = Texts("en")("frame.busy_waits", seconds=1), long_work.say.caption, []

    def open_gate(text, **look):
        caption(text, **look)
        if text == refusal:
            told.append(text)
            held.set()
            until(lambda: not QUEUE._jobs)

    monkeypatch.setattr(long_work.say, "caption", open_gate)
    assert opened("why_scale", "assumptions", sample_seed=4712).get("vega_lite_chart")
    assert told == [refusal]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_training_that_is_refused_says_when_to_try_again(held, monkeypatch, language):
    monkeypatch.setattr(long_work, "MOST_JOBS", 1)
    app = opened("train_a_head", "run", language=language, train_seed=970 + [*LANGUAGES].index(language))
    press(app, "start-ran")
    seconds = math.ceil(sum(QUEUE._took))
    assert [warning.value for warning in app.warning] == [Texts(language)("frame.busy", seconds=seconds)]
    held.set()
    until(lambda: not QUEUE._jobs)
    press(app, "start-ran")
    until(lambda: not QUEUE._jobs)
    assert not again(app).warning


def begun(kind, work, total):
    job = Job("this visitor", kind, work, total)
    QUEUE.add(job)
    return job


def test_what_goes_wrong_in_the_work_is_raised_on_the_page(monkeypatch):
    monkeypatch.setattr(shared, "AT_ONCE", -1.0)
    monkeypatch.setattr(long_work, "start", begun)
    with pytest.raises(ZeroDivisionError):
        shared.results_of(None, [(1,), (0,)], lambda number: 1 / number)
