"""The part with measurements: the result that ships, and a run from the page to its end."""

import re
import threading

import pytest

from attention.lab.cost import benchmark
from attention.lab.cost.benchmark import FORMS, LENGTHS
from pages.ask import long_work
from pages.ask.long_work import QUEUE
from pages.lessons.cost import measured
from pages.model.view import Place, View
from tests.ask.test_long_work import until
from tests.support.screen import LANGUAGES, open_page, said, visit

ANSWERED = View(answers=(("cost_fused", "less"),))


def opened(view: View = ANSWERED):
    return open_page("cost", None, view, Place(part="measured"))


@pytest.fixture
def held(monkeypatch):
    """Measurements of which the second and all later ones wait for the gate."""
    gate = threading.Event()

    def measurements():
        for n in LENGTHS:
            yield "fused", n, 0.25
            assert gate.wait(60)

    monkeypatch.setattr(benchmark, "measurements", measurements)
    yield gate
    gate.set()
    until(lambda: not QUEUE._jobs)


def test_a_result_ships_with_the_app_and_says_nothing_of_paths():
    kept = measured.shipped_times()
    assert set(kept) == {"date", "torch", "seconds"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", kept["date"])
    assert set(kept["seconds"]) == set(FORMS)
    for row in kept["seconds"].values():
        assert set(row) == {str(n) for n in LENGTHS}
        assert all(1e-5 <= took <= 10 for took in row.values())


def test_the_shipped_result_bears_the_answer_out():
    kept = measured.shipped_times()["seconds"]
    assert kept["fused"]["2048"] < kept["plain"]["2048"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_names_the_day_of_the_result_it_shows(language):
    app = opened(View(language=language, answers=ANSWERED.answers))
    assert measured.shipped_times()["date"] in said(app)


def test_a_run_from_the_page_is_shown_when_it_has_ended(monkeypatch):
    monkeypatch.setattr(benchmark, "measurements", lambda: ((f, n, 0.25) for n in LENGTHS for f in FORMS))
    app = opened()
    app.button(key="start_run").click().run()
    job = visit(app).memory["cost"]["run"]
    until(lambda: job.ended)
    app.run()
    assert not app.exception
    assert "At 2,048 tokens" in said(app) and "250" in said(app)
    assert measured.shipped_times()["date"] not in said(app)


def test_a_run_can_be_stopped_from_the_page(held):
    app = opened()
    app.button(key="start_run").click().run()
    job = visit(app).memory["cost"]["run"]
    until(lambda: job.results)
    app.run()
    app.button(key="stop-run").click().run()
    held.set()
    until(lambda: job.ended)
    assert 0 < len(job.results) < len(LENGTHS) and job.error is None


def test_a_run_ends_with_its_visitor(held, monkeypatch):
    """Also while it waits for the one before: nobody looks at either."""
    one, other = opened(), opened()
    jobs = []
    for app in (one, other):
        app.button(key="start_run").click().run()
        jobs.append(visit(app).memory["cost"]["run"])
    assert "start_run" not in {button.key for button in other.button}
    monkeypatch.setattr(long_work, "LEFT", -1.0)
    held.set()
    until(lambda: all(job.ended for job in jobs) and not QUEUE._jobs)
    assert all(job.left for job in jobs) and len(jobs[0].results) < len(LENGTHS) and not jobs[1].results


def test_many_presses_of_one_visitor_are_one_run(held):
    app = opened()
    for _ in range(5):
        visit(app).memory.pop("cost", None)  # the presses are quicker than the page
        app.run()
        app.button(key="start_run").click().run()
    assert len(QUEUE._jobs) <= 2  # one may be at its last step
