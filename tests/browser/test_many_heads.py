"""The lesson `Many heads` in a real browser: pointing, pinning, guessing, dragging, from page to page."""

import re

import pytest

from pages.ui import edits
from pages.ui.compute import trace_of
from pages.ui.numbers import short
from pages.ui.settings import Settings
from tests.browser_support import ROOT, serving

LESSON = "/many_heads?lang=en&heads=2"
FIRST = '[data-matrix="x"][data-row="0"][data-col="0"]'
TWO = edits.resize(Settings(), num_heads=2)
CELLS = """
(step) => [...document.querySelectorAll(`.st-key-step-${step} svg.marks path`)].flatMap((node) => {
  const d = node.__data__?.datum;
  if (!d || d.p === undefined || d.t === undefined) return [];
  const box = node.getBoundingClientRect();
  return [{p: d.p, r: d.r, c: d.c, text: d.t, ring: node.getAttribute('stroke'),
           x: box.x + box.width / 2, y: box.y + box.height / 2}];
})
"""
RING = "#d6006e"


@pytest.fixture
def lesson(new_page):
    """lesson(link, chart) opens a page of its own and waits for a chart."""

    def open_page(link=LESSON, chart="heads", **options):
        page = new_page(link, **options)
        if chart:
            page.wait_for_selector(f".st-key-step-{chart} svg.marks text", timeout=60_000)
        page.wait_for_timeout(800)
        return page

    return open_page


def cells(page, step):
    return page.evaluate(CELLS, step)


def cell(page, step, panel, row, col):
    """A cell brought into sight."""
    page.locator(f".st-key-step-{step}").scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    spot = {"p": panel, "r": row, "c": col}
    return next(one for one in cells(page, step) if spot.items() <= one.items())


def point(page, step, panel, row, col):
    there = cell(page, step, panel, row, col)
    page.mouse.move(there["x"], there["y"])
    page.wait_for_timeout(300)


def ringed(page, step):
    return {(one["p"], one["r"], one["c"]) for one in cells(page, step) if one["ring"] == RING}


def settled(page):
    page.wait_for_timeout(700)
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    page.wait_for_timeout(200)


def texts(page, step):
    return page.locator(f".st-key-step-{step} svg.marks text").all_text_contents()


def test_pointing_at_a_head_previews_it_and_a_click_pins_it(lesson):
    page = lesson()
    weights = trace_of(TWO).heads.weights
    first, second = (short(weights[h, 0, 2].item()) for h in range(2))
    assert first in texts(page, "heads") and second not in texts(page, "heads")
    point(page, "heads", 1, 1, 1)
    assert second in texts(page, "heads")
    page.mouse.move(5, 5)
    page.wait_for_timeout(300)
    assert second not in texts(page, "heads")
    there = cell(page, "heads", 1, 1, 1)
    page.mouse.click(there["x"], there["y"])
    page.wait_for_url(re.compile("head=2"))
    settled(page)
    assert second in texts(page, "heads")


def test_pointing_anywhere_lights_the_way_through(lesson):
    page = lesson(LESSON + "&part=split&guess=columns:block", "path")
    assert ringed(page, "path") == set()
    point(page, "path", 2, 1, 3)  # Q, second token, column 2.2
    way = ringed(page, "path")
    assert {(0, 1, c) for c in range(4)} | {(1, r, 3) for r in range(4)} | {(2, 1, 3), (4, 1, 1)} <= way
    assert not {p for p, _, _ in way} & {3, 5}  # nothing of head 1
    assert {(p, r, c) for p, r, c in way if p == 7} == {(7, 1, 2), (7, 1, 3)}


def test_a_guess_by_click_is_in_the_link_and_comes_back(lesson):
    page = lesson(LESSON + "&part=split", "wide_query")
    page.get_by_role("button", name="2, 4", exact=True).click()
    page.wait_for_selector(".st-key-step-path svg.marks text")
    page.wait_for_url(re.compile("guess=columns"))
    assert "Not so: it is 3, 4" in page.inner_text(".st-key-ask-columns")
    page.reload()
    page.wait_for_selector(".st-key-step-path svg.marks text")
    assert "Not so: it is 3, 4" in page.inner_text(".st-key-ask-columns")


def test_the_charts_follow_a_dragged_number(lesson):
    page = lesson()
    page.get_by_text("The numbers: X and the weights").click()
    page.wait_for_timeout(600)
    box = page.locator(FIRST).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(1, 21):
        page.mouse.move(x + 4 * i, y)
        page.wait_for_timeout(10)
    moved = edits.set_cell(TWO, "x", 0, 0, 2.0)
    expected = short(trace_of(moved).heads.weights.mean(0)[0, 0].item())
    page.wait_for_function(f"({CELLS})('summary')[0].text === '{expected}'", timeout=10_000)
    page.mouse.up()
    settled(page)
    assert "x=2%2C" in page.url or "x=2," in page.url


def test_heads_are_switched_off_by_hand(lesson):
    page = lesson(LESSON + "&part=ablation&guess=ablation:shown", "ablation")
    page.locator(".st-key-set_off").get_by_role("button", name="head 2").click()
    page.wait_for_url(re.compile("off=2"))
    settled(page)
    assert "81%" in page.inner_text("[data-testid=stMain]")
    assert cell(page, "ablation", 1, 0, 2)["text"] == "0.00"


def test_the_state_goes_from_page_to_page_and_back(lesson):
    page = lesson("/?lang=en", None)
    page.wait_for_selector(".st-key-step-output svg.marks")
    page.wait_for_timeout(800)
    page.locator(FIRST).fill("3")
    page.locator(FIRST).press("Enter")
    page.wait_for_url(re.compile("x=3"))
    page.get_by_role("link", name="Many heads").click()
    page.wait_for_selector(".st-key-step-heads svg.marks text")
    page.wait_for_url(re.compile("many_heads.*x=3"))
    settled(page)
    page.go_back()
    page.wait_for_selector(".st-key-step-output svg.marks")
    page.wait_for_url(re.compile(r"/\?.*x=3"))
    settled(page)
    assert page.locator(FIRST).input_value() == "3"
    page.go_back()
    page.wait_for_function(f"document.querySelector('{FIRST}')?.value === '1'")


def test_the_first_visitor_may_come_by_the_lesson_s_own_address(chromium):
    with serving(ROOT / "app.py") as (address, _):
        context = chromium.new_context(locale="en-US")
        page = context.new_page()
        page.goto(address + LESSON)
        page.wait_for_selector(".st-key-step-heads svg.marks text", timeout=60_000)
        settled(page)
        assert page.locator("[role=dialog]").count() == 0
        assert page.inner_text("h1") == "Many heads"
        assert "many_heads" in page.url
        context.close()


@pytest.mark.parametrize("part", ["overview", "split", "ablation", "view", "sharing", "code"])
def test_on_a_phone_nothing_is_wider_than_the_screen(lesson, part):
    page = lesson(LESSON + f"&part={part}&guess=columns:shown,ablation:shown,view:shown,cache:shown", None)
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_selector("h1")
    page.wait_for_timeout(2500)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
