"""The first page in a real browser: every gesture that matters, from the hand to the output and the link."""

import re

import pytest
from playwright.sync_api import expect

from pages.model import edits
from pages.model.settings import Settings
from tests.browser.gestures import (
    bound,
    cell,
    press_and_move,
    type_into,
    until,
    wait_link,
    wait_output,
    wait_value,
)
from tests.support.programs import ROOT, serving

START = Settings()
NINE = edits.set_cell(START, "x", 0, 3, 9.0)

# The panel ends above the foot of a window that is so high.
IN_SIGHT = """
(height) => {
  const { top, bottom } = document.querySelector('.pic-panel').getBoundingClientRect();
  return top > 0 && bottom <= height;
}
"""


def button(page, name):
    return page.get_by_role("button", name=name, exact=True)


def test_the_browser_s_language_comes_first(visit):
    page = visit("/", ready=".pic-words", locale="zh-CN")
    expect(page.get_by_role("heading", name="动手学注意力")).to_be_visible()


def test_toolbar_picture_and_panel_are_in_sight_together(visit):
    page = visit(viewport={"width": 1280, "height": 800})
    number = page.locator(cell("w_q", 0, 0))
    page.wait_for_function(IN_SIGHT, arg=800)
    before = number.bounding_box()["height"]
    page.evaluate("document.querySelector('.st-key-head').style.marginBottom = '120px'")
    until(page, lambda: number.bounding_box()["height"] < before)  # room for what comes later
    page.wait_for_function(IN_SIGHT, arg=800)
    page.evaluate("document.querySelector('.st-key-head').style.marginBottom = ''")
    for height in (800, 720):
        page.set_viewport_size({"width": 1280, "height": height})
        page.wait_for_function(IN_SIGHT, arg=height)
        for key in ("reset", "set_scaling", "set_mask"):
            tool = page.locator(f".st-key-{key}")
            until(page, lambda tool=tool: tool.bounding_box()["y"] < number.bounding_box()["y"])


def test_a_drag_moves_the_output_at_once_and_is_one_step_of_undo_and_redo(visit):
    page = visit()
    link = page.url
    mouse = press_and_move(page, "x", 0, 0, 80)
    after = edits.set_cell(START, "x", 0, 0, 2.0)
    wait_output(page, after)
    assert page.url == link  # it waits for the hand to rest
    mouse.up()
    wait_link(page, after)
    button(page, "Undo").click()
    wait_output(page, START)
    wait_value(page, "x", 0, 0, 1)
    wait_link(page, START)
    button(page, "Redo").click()
    wait_output(page, after)


@pytest.mark.parametrize(("name", "left"), [("Reset", 0.1), ("Undo", 5.0), ("Redo", 90.0)])
def test_an_unfinished_entry_and_a_button_end_with_the_right_numbers(visit, name, left):
    """Typed without Enter, then a button: what is on the screen is what the link says."""
    page = visit()
    if name != "Reset":
        type_into(page, "x", 0, 3, "5")
        wait_output(page, edits.set_cell(START, "x", 0, 3, 5.0))
    if name == "Redo":  # the entry comes first, and there is nothing left to do again
        button(page, "Undo").click()
        wait_output(page, START)
    page.locator(cell("x", 0, 3)).fill("90")
    button(page, name).click()
    expected = edits.set_cell(START, "x", 0, 3, left)
    wait_output(page, expected)
    wait_value(page, "x", 0, 3, expected.x[0][3])
    wait_link(page, expected)


def choose(page, key, option):
    page.locator(f".st-key-{key} input").click()
    page.get_by_role("option", name=option, exact=True).click()


SWITCHES = {
    "language": (lambda page: page.get_by_text("中文", exact=True).click(), {}),
    "scaling": (lambda page: choose(page, "set_scaling", "1/dₖ"), {"scaling": "d_k"}),
    "mask": (lambda page: choose(page, "set_mask", "causal"), {"mask": "causal"}),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_an_unfinished_entry_and_a_switch_end_with_the_right_numbers(visit, name):
    page = visit()
    switch, choices = SWITCHES[name]
    page.locator(cell("x", 0, 3)).fill("9")
    switch(page)
    expected = edits.with_choice(NINE, **choices)
    wait_output(page, expected)
    wait_value(page, "x", 0, 3, 9)
    wait_link(page, expected)


def test_a_cell_of_the_custom_mask_is_clicked(visit):
    page = visit("/?lang=en&mask=custom")
    page.locator(cell("mask", 0, 2)).click()
    after = edits.with_choice(START, mask="custom", blocked=frozenset({(0, 2)}))
    wait_value(page, "masked_scores", 0, 2, "-inf")
    wait_output(page, after)
    wait_link(page, after)


def test_a_token_is_renamed_added_and_removed_where_it_stands(visit):
    page = visit()
    name = page.get_by_role("textbox", name="Text of token 1")
    name.fill("你")
    name.press("Enter")
    wait_link(page, edits.rename_token(START, 0, "你"))
    page.get_by_role("button", name="Add a token").click()
    wait_link(page, edits.add_token(edits.rename_token(START, 0, "你")))


def test_twelve_tokens_and_eight_heads_fit_a_large_screen(visit):
    tokens = ",".join(f"t{i}" for i in range(12))
    page = visit(f"/?lang=en&tokens={tokens}&dmodel=16&heads=8", viewport={"width": 1920, "height": 1080})
    for part in (".pic-figure", ".pic-panel"):
        box = page.locator(part).bounding_box()
        assert box["x"] + box["width"] <= 1920 and box["y"] + box["height"] <= 1080
    # The way from the heads to the output is in one line.
    tops = [page.locator(cell(name, 0, 0)).bounding_box()["y"] for name in ("concatenated", "w_o", "output")]
    assert max(tops) - min(tops) < 2


def test_what_is_refused_moves_nothing(visit):
    page = visit()
    before = page.locator(cell("w_q", 0, 0)).bounding_box()
    page.locator(bound("num_heads")).get_by_role("button", name="Increment").click()
    page.locator(bound("num_heads")).get_by_role("button", name="Increment").click()
    page.get_by_text("3 heads do not divide d_model = 4 evenly").wait_for()
    assert page.locator(cell("w_q", 0, 0)).bounding_box()["y"] == before["y"]


def test_a_dark_page_has_dark_cells(visit):
    page = visit("/?lang=en&mask=causal", fresh=True, color_scheme="dark")
    colours = page.locator(cell("w_q", 0, 1)).evaluate("(node) => getComputedStyle(node).backgroundColor")
    assert max(int(part) for part in re.findall(r"\d+", colours)[:3]) < 100
    page.emulate_media(color_scheme="light")
    page.wait_for_function(
        "(selector) => getComputedStyle(document.querySelector(selector)).backgroundColor"
        ".match(/\\d+/g).slice(0, 3).every((part) => part > 200)",
        arg=cell("w_q", 0, 1),
    )


def test_a_typed_number_moves_the_output_and_the_link_without_an_error_in_the_console(chromium, address):
    context = chromium.new_context(locale="en-US")
    page, errors = context.new_page(), []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{address}/?lang=en&example=cats")
    wait_output(page, START)
    type_into(page, "x", 0, 3, "9")
    wait_output(page, NINE)
    wait_link(page, NINE)
    expect(page.locator(".stException")).to_have_count(0)
    context.close()
    assert errors == []


@pytest.mark.slow
def test_a_fresh_server_opens_a_page_by_its_own_address(chromium):
    """The first visitor of a server comes by a page's address, which Streamlit does not know yet."""
    with serving(ROOT / "app.py") as (address, _):
        context = chromium.new_context(locale="en-US")
        page = context.new_page()
        page.goto(f"{address}/many_heads?lang=en")
        page.wait_for_selector("[data-testid=stPageLink]", timeout=60_000)
        page.wait_for_selector("h1")
        expect(page.get_by_text("Page not found")).to_have_count(0)
        context.close()
