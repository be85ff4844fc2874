"""The part with measurements: the result that ships, and a run from the page to its end."""

import re
import threading
import time

import pytest

from attention.lab.cost import benchmark
from attention.lab.cost.benchmark import FORMS, LENGTHS
from pages.lessons.cost import measured
from pages.model.view import Place, View
from tests.apps import LANGUAGES, open_page, said, visit

ANSWERED = View(answers=(("cost_fused", "less"),))


def opened(view: View = ANSWERED):
    return open_page("cost", None, view, Place(part="measured"))


def test_a_result_ships_with_the_app_and_says_nothing_of_paths():
    kept = measured.shipped()
    assert set(kept) == {"date", "torch", "seconds"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", kept["date"])
    assert set(kept["seconds"]) == set(FORMS)
    for row in kept["seconds"].values():
        assert set(row) == {str(n) for n in LENGTHS}
        assert all(measured.AXIS[0] <= 1000 * took <= measured.AXIS[1] for took in row.values())


def test_the_shipped_result_bears_the_answer_out():
    kept = measured.shipped()["seconds"]
    assert kept["fused"]["2048"] < kept["plain"]["2048"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_names_the_day_of_the_result_it_shows(language):
    app = opened(View(language=language, answers=ANSWERED.answers))
    assert measured.shipped()["date"] in said(app)


def test_a_run_from_the_page_is_shown_when_it_has_ended(monkeypatch):
    monkeypatch.setattr(benchmark, "measurements", lambda: ((f, n, 0.25) for n in LENGTHS for f in FORMS))
    app = opened()
    app.button(key="start_run").click().run()
    run, end = visit(app).kept["cost"].run, time.monotonic() + 60
    while not run.ended:
        assert time.monotonic() < end
        time.sleep(0.01)
    app.run()
    assert not app.exception
    assert "At 2,048 tokens" in said(app) and "250" in said(app)
    assert measured.shipped()["date"] not in said(app)


def test_a_run_can_be_stopped_from_the_page(monkeypatch):
    pressed = threading.Event()

    def slow():
        for n in LENGTHS:
            yield "fused", n, 0.25
            pressed.wait(60)

    monkeypatch.setattr(benchmark, "measurements", slow)
    app = opened()
    app.button(key="start_run").click().run()
    run, end = visit(app).kept["cost"].run, time.monotonic() + 60
    app.run()
    app.button(key="stop_run").click().run()
    pressed.set()
    while not run.ended:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert len(run.found) < len(LENGTHS)
