"""What attention is for, in a browser: the story's numbers, its output and the chart are in sight."""

from pages.model.edits import example_start
from tests.browser.gestures import cell, press_and_move, settings_of, wait_output

ANSWERED = {"bank_rows": "one"}


def test_a_dragged_number_of_the_story_moves_its_output_in_sight(visit):
    now = example_start("bank")
    page = visit("?lang=en&part=meaning&topic=bank&example=bank", answers=ANSWERED)
    wait_output(page, now)
    for place in (cell("x", 1, 2), cell("output", 4, 1)):
        box = page.locator(place).bounding_box()
        assert box["y"] > 0 and box["y"] + box["height"] < 800
    assert page.locator(".st-key-plot-movement svg.marks").bounding_box()["y"] < 800
    mouse = press_and_move(page, "x", 1, 2, 40)
    page.wait_for_function(
        "selector => document.querySelector(selector).dataset.value > 3", arg=cell("x", 1, 2)
    )
    mouse.up()
    page.wait_for_function("location.search.includes('x=')")
    after = settings_of(page)
    assert after.x[1][2] > 3
    wait_output(page, after)
