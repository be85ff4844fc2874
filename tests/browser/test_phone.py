"""A phone: the numbers to change come first, with what follows from them, and the settings are in a sheet."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.gestures import answered, cell
from tests.browser.wire import RESTS

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SETTINGS = {"en": "Settings", "zh": "设置"}


@pytest.fixture
def phone(visit):
    return lambda link: visit(link, **PHONE)


@pytest.mark.parametrize("language", SETTINGS)
def test_the_picture_begins_with_x_and_the_weights_show_while_it_is_changed(phone, language):
    page = phone(f"/one_head?lang={language}&example=cats")
    top = page.locator(".pic-figure").bounding_box()["y"]
    foot = page.locator(".pic-panel").bounding_box()["y"]
    last = page.locator(cell("x", 2, 3)).bounding_box()
    assert top <= 100 and last["y"] + last["height"] <= foot
    page.locator(cell("x", 0, 0)).tap()
    expect(page.locator(".pic-preview i")).to_have_count(9)
    expect(page.locator(".pic-preview")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("language", SETTINGS)
def test_settings_are_a_sheet_that_a_tap_on_the_page_closes(phone, language):
    page = phone(f"/one_head?lang={language}&example=cats")
    sheet, button = page.locator(".st-key-toolbar"), page.get_by_role("button", name=SETTINGS[language])
    expect(sheet).to_be_hidden()
    button.tap()
    expect(sheet).to_be_in_viewport(ratio=1)
    # The field shows + and − once it has its width.
    sheet.locator('[class*="st-key-set_d_k"] [data-testid="stNumberInputStepUp"]').tap()
    expect(page.locator(cell("query", 0, 4))).to_be_attached()
    expect(sheet).to_be_visible()  # one change after another
    page.locator('[data-matrix-box="scores"] .pic-title').tap()
    expect(sheet).to_be_hidden()


def drag_by_touch(page, selector, dx, dy, steps=10):
    """A finger from the middle of what the selector finds."""
    box, cdp = page.locator(selector).first.bounding_box(), page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for step in range(steps + 1):
        at = {"x": x + dx * step / steps, "y": y + dy * step / steps}
        kind = "touchMove" if step else "touchStart"
        cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [at]})
    cdp.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize("part", ["library", "arrows"])
def test_a_finger_drags_the_end_of_an_arrow_downwards(visit, part):
    page = visit(f"/one_head?lang=en&example=tired&part={part}", ".pic-end", **PHONE)
    top = page.locator(".pic-end").first.bounding_box()["y"]
    drag_by_touch(page, ".pic-end", 5, 60)
    page.wait_for_function(
        "(y) => document.querySelector('.pic-end').getBoundingClientRect().top > y", arg=top + 45
    )


def test_the_menu_closes_after_a_choice_and_the_tap_that_closes_it_presses_nothing(visit):
    page = visit("/one_head?lang=en&example=tired&part=row", cell("query", 0, 1), **PHONE)
    menu, button = page.get_by_test_id("stSidebar"), page.get_by_test_id("stExpandSidebarButton")
    button.tap()
    expect(menu).to_have_attribute("data-collapsed", "false")
    box = page.locator(cell("query", 0, 1)).bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(menu).to_have_attribute("data-collapsed", "true")
    page.wait_for_selector(RESTS)
    assert "cell=" not in page.url and page.evaluate("document.activeElement.matches('body')")
    button.tap()
    menu.get_by_role("link", name="Arrows").tap()
    expect(menu).to_have_attribute("data-collapsed", "true")
    page.wait_for_function("location.search.includes('part=arrows')")


def test_all_columns_of_a_mask_are_in_the_window(visit):
    answers = answered("newer_models")
    page = visit("/newer_models?lang=en&part=windows", cell("attended", 0, 15), answers=answers, **PHONE)
    for row, mark in ((0, "✓"), (5, "✓")):
        last = page.locator(cell("attended", row, 15))
        box = last.bounding_box()
        assert box["x"] + box["width"] <= PHONE["viewport"]["width"]
        expect(last).to_have_text(mark)


def test_the_button_of_the_menu_covers_no_text(visit):
    page = visit("/one_head?lang=en&example=tired&part=arrows", cell("query", 0, 1), **PHONE)
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 400)")
    strip = page.locator(":root[data-scrolled] [data-testid=stHeader]")
    expect(strip).to_be_visible()
    box = page.get_by_test_id("stExpandSidebarButton").bounding_box()
    in_strip = "(x) => document.elementFromPoint(x, y).closest('[data-testid=stHeader]')"
    assert page.evaluate(f"(y) => [9, 200, 380].every({in_strip})", box["y"] + box["height"] - 2)


def test_a_tap_on_a_question_mark_shows_the_help_and_changes_no_switch(visit):
    page = visit("/order?lang=en&part=swap", ready=".stMain label", answers={}, **PHONE)
    label = page.locator(".stMain label:has([data-testid=stTooltipIcon])")
    label.get_by_test_id("stTooltipIcon").tap()
    expect(page.get_by_test_id("stTooltipContent")).to_contain_text("Adds the sinusoidal positional encoding")
    expect(label.locator("input")).not_to_be_checked()
    page.locator("h1").tap()
    expect(page.get_by_test_id("stTooltipContent")).to_have_count(0)
    label.locator("p").tap()
    expect(label.locator("input")).to_be_checked()


def test_a_word_of_terms_is_explained_on_the_page(visit):
    page = visit("/one_head?lang=en&part=library", ready=".stMain a[href*='terms?']", answers={}, **PHONE)
    page.locator(".stMain a[href*='terms?']", has_text="attention").first.tap()
    bubble = page.locator(".term")
    expect(bubble).to_contain_text("weighted by how well they match")
    expect(bubble.get_by_role("link")).to_have_attribute("href", re.compile(r"terms\?.*search=attention"))
    assert len(page.context.pages) == 1
    page.keyboard.press("Escape")
    expect(bubble).to_be_hidden()


def test_an_error_is_seen_whole(visit):
    page = visit("/one_head?lang=en&part=hand&example=tired", ready=cell("x", 3, 0), answers={}, **PHONE)
    page.locator(cell("x", 3, 0)).click()
    page.keyboard.type("abc")
    page.keyboard.press("Enter")
    message = page.locator(".pic-message:visible")
    expect(message).to_be_in_viewport(ratio=1)
    corner = """(node) => { const { left, bottom } = node.getBoundingClientRect();
      return document.elementFromPoint(left + 20, bottom - 4) === node; }"""
    assert message.evaluate(corner)
