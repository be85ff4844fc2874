"""One path for every number: what the last run of a drag draws is what a fresh page draws, in every part."""

from dataclasses import replace

import pytest

from pages.model import edits
from pages.model.fields import specs, with_entry
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.support.course import COURSE, LESSONS, lesson
from tests.support.screen import open_page, pictures, said, visit
from tests.support.states import kind_with

PARTS = [(name, part.name) for name in LESSONS for part in lesson(name).parts]


def answered(name: str) -> View:
    """All questions of the lesson answered, so that what is behind them is drawn."""
    return View(answers=tuple(sorted((question, "shown") for question in lesson(name).questions)))


def dragged(now: State, name: str, part: str) -> State:
    """A number that the part lets people drag, as a hand would leave it."""
    result = next((one for one in lesson(name).part(part).edits), "inputs")
    kind = kind_with(result, COURSE.numbers) or Settings
    if result not in specs(kind):
        return with_x(now, 0, 2.7)
    record = now.core if kind is Settings else now.of(kind)
    low, high = (0, 4) if specs(kind)[result].kind == "row" else specs(kind)[result].range(record)
    after = with_entry(record, result, 0, low + (high - low) / 4)
    return replace(now, core=after) if kind is Settings else now.having(after)


def with_x(now: State, col: int, value: float) -> State:
    return replace(now, core=edits.set_cell(now.core, "x", 0, col, value))


def drawn(app) -> list:
    """All that is on the page and may depend on a number."""
    names = [{key: data[key] for key in ("matrices", "layout", "steps")} for data in pictures(app)]
    charts = [
        (chart.proto.spec, chart.proto.data.data, [one.data.data for one in chart.proto.datasets])
        for chart in app.get("vega_lite_chart")
    ]
    return [names, charts, said(app)]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "part"), PARTS, ids=[f"{name}-{part}" for name, part in PARTS])
def test_the_last_run_of_a_drag_draws_what_a_fresh_page_draws(name, part):
    view, place = answered(name), Place(part=part)
    app = open_page(name, edits.example_start(lesson(name).start), view, place)
    assert not app.exception
    before, now = drawn(app), visit(app)
    after = dragged(now.state, name, part)
    now.inbox.held = True  # the hand is still on the number
    now.state = with_x(after, 1, -1.5)
    app.run()
    now.inbox.held, now.state = False, after
    app.run()
    fresh = open_page(name, settings=after, view=view, place=place)
    assert not app.exception and not fresh.exception
    assert drawn(app) == drawn(fresh)
    editable = any(matrix["editable"] for data in pictures(fresh) for matrix in data["matrices"])
    if editable and lesson(name).part(part).edits:  # in an exercise the cells are not those of the settings
        assert drawn(app) != before
