"""The lesson `Many heads` in a real browser: what a drag moves is in sight."""

import re

import pytest

from pages.model import edits
from pages.model.compute import trace_of
from tests.browser.gestures import answered, press_and_move, wait_value

JOBS = edits.example_start("two_jobs")
LINK = "/many_heads?lang=en&example=two_jobs"


@pytest.mark.parametrize("part", ["split", "overview"])
def test_who_drags_a_number_of_x_sees_the_weights_move_without_scrolling(visit, part):
    ready = '[data-matrix="weights_2"]' if part == "split" else '[data-matrix="second"]'
    page = visit(f"{LINK}&part={part}", ready, answers=answered("many_heads"))
    target = page.locator(f"{ready}[data-row='0'][data-col='0']")
    box = target.bounding_box()
    assert box["y"] + box["height"] <= 800
    mouse = press_and_move(page, "x", 0, 4, 80)
    moved = edits.set_cell(JOBS, "x", 0, 4, 2.0)
    expected = trace_of(moved).heads.weights[1, 0, 0].item()
    wait_value(page, "weights_2" if part == "split" else "second", 0, 0, expected)
    mouse.up()
    page.wait_for_url(re.compile("x=1"))
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0
