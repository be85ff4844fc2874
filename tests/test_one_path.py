"""One path for every number: what the last run of a drag draws is what a fresh page draws, in every part."""

import pytest

from pages.lessons import LESSONS, lesson
from pages.model import edits
from pages.model.fields import specs
from pages.model.settings import Settings
from pages.model.view import Place, View
from tests.apps import open_page, pictures, said, visit

PARTS = [(name, part.name) for name in LESSONS for part in lesson(name).parts]


def answered(name: str) -> View:
    """All questions of the lesson answered, so that what stands behind them is drawn."""
    return View(answers=tuple(sorted((question, "shown") for question in lesson(name).questions)))


def dragged(now: Settings, name: str, part: str) -> Settings:
    """A number that the part lets people drag, as a hand would leave it."""
    found = next((one for one in lesson(name).part(part).edits), "inputs")
    if found == "inputs" or found not in specs(Settings):
        return edits.set_cell(now, "x", 0, 0, 2.7)
    if found == "logits":
        return edits.set_cell(now, "logits", 0, 1, 1.7)
    low, high = specs(Settings)[found].range(now)
    return edits.set_cell(now, found, 0, 0, low + (high - low) / 4)


def drawn(app) -> list:
    """All that stands on the page and may depend on a number."""
    shown = [{key: data[key] for key in ("matrices", "layout", "steps")} for data in pictures(app)]
    charts = [
        (chart.proto.spec, chart.proto.data.data, [one.data.data for one in chart.proto.datasets])
        for chart in app.get("vega_lite_chart")
    ]
    return [shown, charts, said(app)]


@pytest.mark.parametrize(("name", "part"), PARTS, ids=[f"{name}-{part}" for name, part in PARTS])
def test_the_last_run_of_a_drag_draws_what_a_fresh_page_draws(name, part):
    view, place = answered(name), Place(part=part)
    app = open_page(name, edits.load_example(Settings(), lesson(name).start), view, place)
    assert not app.exception
    before, now = drawn(app), visit(app)
    after = dragged(now.settings, name, part)
    now.held = True  # the hand is still on the number
    now.settings = edits.set_cell(after, "x", 0, 1, -1.5)
    app.run()
    now.held, now.settings = False, after
    app.run()
    fresh = open_page(name, settings=after, view=view, place=place)
    assert not app.exception and not fresh.exception
    assert drawn(app) == drawn(fresh)
    editable = any(matrix["editable"] for data in pictures(fresh) for matrix in data["matrices"])
    if editable and lesson(name).part(part).edits:  # in an exercise the cells are not those of the settings
        assert drawn(app) != before
