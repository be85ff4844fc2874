"""A target in a browser: tried, reached by a drag, left, and the learner's own numbers are back."""

import pytest
from playwright.sync_api import expect

from pages.model.edits import example_start, set_cell
from pages.model.settings import Settings
from tests.browser.gestures import cell, press_and_move, type_into, wait_link, wait_output
from tests.browser.test_phone import PHONE
from tests.browser.wire import RESTS

MINE = set_cell(Settings(), "x", 0, 0, 3.0)
START = example_start("tired")
LINE = ".pic-target p"


def press(page, name: str) -> None:
    page.locator(f".st-key-target_{name} button:visible").click()


def test_a_target_is_tried_reached_by_a_drag_and_left(visit):
    page = visit("/one_head?lang=en&part=picture")
    type_into(page, "x", 0, 0, "3")
    wait_link(page, MINE)
    press(page, "try")
    wait_output(page, START)
    expect(page.locator(LINE)).to_contain_text(
        "gives 0.03 to “street”. At least 0.8 is needed: 0.77 too little."
    )
    expect(page.locator(cell("weights", 2, 1))).to_have_attribute("data-ringed", "")
    expect(page.locator(cell("w_k", 0, 0))).not_to_have_attribute("data-editable", "")
    for number in (1, 2, 3):
        expect(page.locator(".st-key-target_hint button:visible")).to_have_text(f"Hint {number} of 3")
        press(page, "hint")
    expect(page.locator(".st-key-target li")).to_have_count(3)
    # While the hand moves, the line follows it; the target is reached once the hand rests.
    mouse = press_and_move(page, "w_q", 2, 1, 160)
    expect(page.locator(LINE)).to_contain_text("Reached.")
    expect(page.get_by_text("The target is reached.")).to_have_count(0)
    mouse.up()
    page.get_by_text("The target is reached.").wait_for()
    page.wait_for_function("() => localStorage.getItem('attention-progress')?.includes('query_street')")
    page.keyboard.press("Control+z")
    wait_output(page, START)
    press(page, "leave")
    wait_output(page, MINE)
    wait_link(page, MINE)
    expect(page.locator(LINE)).to_have_count(0)
    expect(page.locator(".st-key-target_offer")).to_contain_text("The row of “tired” gives most to “it”.")
    page.keyboard.press("Control+z")
    wait_output(page, Settings())


def test_a_reload_while_a_target_is_tried_keeps_the_learner_s_numbers(visit):
    page = visit("/one_head?lang=en&part=picture")
    type_into(page, "x", 0, 0, "3")
    wait_link(page, MINE)
    press(page, "try")
    wait_output(page, START)
    page.reload()
    wait_output(page, START)
    page.wait_for_selector(RESTS)
    press(page, "leave")
    wait_output(page, MINE)
    wait_link(page, MINE)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_on_a_phone_the_line_stays_in_sight_while_a_number_is_changed(visit, language):
    page = visit(f"/one_head?lang={language}&part=picture&target=query_street", **PHONE)
    page.locator(cell("weights", 2, 1)).scroll_into_view_if_needed()
    expect(page.locator(LINE)).to_be_in_viewport()
    box = page.locator(LINE).bounding_box()
    on_top = page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y).closest('.pic-target') !== null",
        [box["x"] + 20, box["y"] + box["height"] / 2],
    )
    assert on_top and box["height"] < 80
