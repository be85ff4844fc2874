"""The first minute: who comes without a link is led through the picture, once in a browser."""

import re

import pytest
from playwright.sync_api import expect

from pages.draw.texts import Texts
from tests.browser.gestures import cell, press_and_move
from tests.browser.wire import RESTS

CHOSEN = ".pic-step[data-chosen]"
STOPS = ["ask", "compare", "scale", "share", "mix", "rows", "matrices", "hand"]
SIZES = {"laptop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}


def begun(visit, **options):
    return visit("/", ready=f"{CHOSEN}:visible", fresh=True, newcomer=True, **options)


def in_view(page, selector: str) -> None:
    """Waits until the element is in the window, above the panel."""
    page.wait_for_function(
        """(selector) => {
          const box = document.querySelector(selector).getBoundingClientRect();
          const foot = document.querySelector('.pic-panel').getBoundingClientRect().top;
          return box.top >= 0 && box.bottom <= Math.min(innerHeight, foot) + 1 && box.width > 0;
        }""",
        arg=selector,
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language, locale, query", [("en", "en-US", "it"), ("zh", "zh-CN", "它")])
def test_every_stop_shows_what_it_speaks_of(visit, language, locale, query, size):
    """What a stop is about is in view with its numbers, and what comes later is not to be seen."""
    page = begun(visit, locale=locale, viewport=SIZES[size])
    t = Texts(language, "one_head")
    subject = ["x", "scores", "scaled_scores", "weights", "output", "weights", "query", "x"]
    for i, name in enumerate(STOPS):
        expect(page.locator(f"{CHOSEN} strong")).to_contain_text(
            re.sub(r"\{\w+\}", "", t(f"walk.{name}").split("{")[0])
        )
        in_view(page, f'[data-matrix-box="{subject[i]}"] .pic-grid')
        expect(page.locator(".pic-line b, .pic-line")).not_to_have_count(0)
        alone = size == "phone" and name == "hand"  # what is changed, and what it is changed for
        there = i >= STOPS.index("matrices") and not alone
        expect(page.locator('[data-matrix-box="w_q"]')).to_be_visible(visible=there)
        there = i >= STOPS.index("rows") and not alone
        expect(page.locator(cell("scores", 0, 0))).to_be_visible(visible=there)
        there = i >= STOPS.index("compare") and not alone
        expect(page.locator(cell("scores", 2, 0))).to_be_visible(visible=there)
        if i + 1 < len(STOPS):
            page.locator(".pic-walk").last.click()
    in_view(page, '[data-matrix-box="weights"] .pic-grid')
    assert query in page.locator(f"{CHOSEN} strong").inner_text()


def test_the_hand_ends_the_walk(visit):
    page = begun(visit)
    for _ in STOPS[1:]:
        page.keyboard.press("ArrowRight")
    expect(page.locator(f"{CHOSEN} strong")).to_contain_text("Your turn")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(f"{CHOSEN} strong")).to_contain_text("Where queries, keys")
    page.keyboard.press("ArrowRight")
    press_and_move(page, "x", 2, 3, -110).up()
    expect(page.locator(f"{CHOSEN} strong")).to_contain_text("Done: “it” attends most to “street”")
    page.wait_for_function("/step=walk_hand_3_2/.test(location.search) && /[?&]x=/.test(location.search)")
    page.reload()
    expect(page.locator(f"{CHOSEN} strong")).to_contain_text("Done: “it” attends most to “street”")
    page.locator(cell("x", 0, 0)).hover()
    expect(page.locator(cell("weights", 2, 1))).to_have_attribute("data-lit", "self")
    page.get_by_role("button", name="Show everything").click()
    expect(page.locator(f"{CHOSEN} strong")).to_have_text("Output")
    page.wait_for_function("location.search.includes('step=output')")


def test_nobody_is_led_twice_and_a_link_is_not_disturbed(visit):
    page = begun(visit)
    page.wait_for_function("location.search.includes('step=walk_ask')")
    page.goto(page.url.split("?")[0])
    page.wait_for_selector(RESTS)
    expect(page.locator(f"{CHOSEN} strong")).to_have_text("Output")
    other = visit("/one_head?lang=en&mask=causal", fresh=True)
    other.wait_for_selector(RESTS)
    expect(other.locator(f"{CHOSEN} strong")).to_have_text("Output")


def test_a_walk_begins_without_the_pinned_cell(visit):
    page = visit("/one_head?lang=en&cell=output,1,1")
    expect(page.locator(".pic-line")).to_contain_text("O[我, 1]")
    page.get_by_role("button", name="Walk from step 1").click()
    expect(page.locator(".pic-line")).to_contain_text("X[")
    page.wait_for_function("!location.search.includes('cell=')")


def test_a_column_gets_a_name_that_stays_in_the_link(visit):
    page = visit("/one_head?lang=en")
    name = page.locator("[data-name-col='1']")
    name.click()
    name.fill("tired, <b>")
    name.press("Enter")
    expect(page.locator('[data-matrix-box="w_q"] .pic-label').nth(1)).to_have_text("tired, <b>")
    page.wait_for_function("location.search.includes('dims=')")
    page.reload()
    expect(name).to_have_value("tired, <b>")
    name.click()
    name.fill("")
    name.press("Enter")
    page.wait_for_function("!location.search.includes('dims=')")
    expect(name).to_have_value("2")


MOVING = """() => {
  document.querySelector('.pic-walk').click(); // ◀: from the output to the attention weights
  return document.getAnimations().filter((one) => one.constructor === Animation)
    .map(({ effect: { target } }) => target.dataset.matrix ?? 'all of it');
}"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_step_moves_what_a_cell_is_made_from_and_then_its_matrix(visit, motion):
    page = visit("/?lang=en&example=cats", reduced_motion=motion)
    moving = ["masked_scores"] * 3 + ["all of it"]
    assert page.evaluate(MOVING) == (moving if motion == "no-preference" else [])
