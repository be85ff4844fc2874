"""The picture in a running Streamlit app: edits, answers, and what goes wrong on the way."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.picture_board import at
from tests.browser.picture_matrices import TEXTS
from tests.browser.wire import PAINTED
from tests.browser_support import ROOT, serving

FIRST = at("x", 0, 0)
RESULT = at("query", 0, 0)


@pytest.fixture(scope="module")
def app():
    with serving(ROOT / "tests" / "browser" / "picture_demo.py") as (address, _):
        yield address


@pytest.fixture
def visit(chromium, app):
    contexts = []

    def open_page(query="", **options):
        contexts.append(chromium.new_context(**{"viewport": {"width": 1280, "height": 800}} | options))
        page = contexts[-1].new_page()
        page.goto(f"{app}/?{query}")
        page.wait_for_selector(".pic-cell", timeout=60_000)
        return page

    yield open_page
    for context in contexts:
        context.close()


def shows(page, selector, value):
    """Waits until a cell's number is this one."""
    page.wait_for_function(
        """([selector, value]) => {
          const node = document.querySelector(selector);
          return node && Math.abs(Number(node.dataset.value) - value) < 1e-9;
        }""",
        arg=[selector, value],
    )


def taken(page, condition):
    """Waits until the messages that the server has read fulfil a condition on `log`; returns them."""
    said = "document.querySelector('#log').textContent"
    page.wait_for_function(f"(() => {{ const log = JSON.parse({said}); return {condition}; }})()")
    return json.loads(page.evaluate(said))


def type_into(page, selector, text, key="Enter"):
    page.locator(selector).fill(text)
    page.locator(selector).press(key)


def start_drag(page, selector, dx, steps=10):
    box = page.locator(selector).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(1, steps + 1):
        page.mouse.move(x + dx * i / steps, y)
        page.evaluate(PAINTED)


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def test_a_typed_number_reaches_every_matrix(visit):
    page = visit()
    type_into(page, FIRST, "2")
    shows(page, RESULT, 2.09)
    expect(page.locator(FIRST)).to_have_value("2.0")


def test_a_drag_is_followed_live_and_is_one_undo(visit):
    page = visit()
    start_drag(page, FIRST, 80)
    shows(page, RESULT, 2.09)  # the button is still held
    page.mouse.up()
    log = taken(page, "log.at(-1)?.held === false")
    assert {message["gesture"] for message in log} == {1}
    press(page, "Undo")
    shows(page, RESULT, 1.09)
    shows(page, FIRST, 1)


ENTRIES = {"unfinished": ("8", 8), "wrong": ("two", 1)}


@pytest.mark.parametrize(
    ("entry", "way"),
    [
        ("unfinished", "Reset"),
        ("unfinished", "Undo"),
        ("wrong", "Undo"),
        ("wrong", "Rerun"),
        ("unfinished", "Rerun fragment"),
    ],
)
def test_an_open_entry_and_a_button_end_with_the_server_s_state(visit, entry, way):
    text, taken = ENTRIES[entry]
    page = visit()
    type_into(page, at("x", 0, 1), "0.9")
    shows(page, RESULT, 1.13)
    page.locator(FIRST).click()
    page.keyboard.type(text)
    press(page, way)
    if way == "Reset":
        first, second = 1, 0.5
    elif way == "Undo":  # the last thing done: the open entry, or the 0.9 before it
        first, second = (1, 0.9) if entry == "unfinished" else (1, 0.5)
    else:
        first, second = taken, 0.9
    shows(page, at("x", 0, 1), second)
    shows(page, RESULT, first + second * 0.1 + 0.2 * 0.2)
    shows(page, FIRST, first)
    expect(page.locator(FIRST)).to_have_value(f"{first:.1f}")
    expect(page.locator("[aria-invalid=true]")).to_have_count(0)


def test_a_slow_server_loses_nothing(visit):
    page = visit("slow=0.7")
    for col, text in enumerate(["2", "3", "4"]):
        type_into(page, at("x", 0, col), text)
    shows(page, RESULT, 2 + 0.3 + 0.8)
    for col, value in enumerate([2, 3, 4]):
        shows(page, at("x", 0, col), value)
    log = taken(page, "log.length >= 3")
    assert [message["gesture"] for message in log] == [1, 2, 3]


def test_a_message_that_was_lost_is_sent_again(visit):
    page = visit("drop=2")  # so that the sentence stays for six seconds
    type_into(page, FIRST, "2")
    page.get_by_text(TEXTS["offline"]).wait_for()
    shows(page, RESULT, 2.09)
    expect(page.get_by_text(TEXTS["offline"])).to_have_count(0)


def test_a_server_that_forgot_everything_gets_the_entries_on_their_way(visit):
    page = visit("restart=2&slow=0.3")
    type_into(page, FIRST, "2")
    shows(page, RESULT, 2.09)
    type_into(page, at("x", 0, 1), "3")  # after this one the server starts again
    type_into(page, at("x", 0, 2), "4")
    taken(page, "log.some((m) => m.edits?.[0].value === 4)")
    shows(page, at("x", 0, 2), 4)


def test_orders_are_carried_out_and_shapes_follow(visit):
    page = visit()
    press(page, "Add a token")
    page.wait_for_selector(at("weights", 3, 3), state="attached")
    press(page, "Add a column")
    page.wait_for_selector(at("x", 3, 4), state="attached")
    page.locator('[data-matrix-box="w_q"] .pic-menu').click()
    page.locator('[data-item="zeros"]').click()
    shows(page, RESULT, 0)
    names = page.locator(".pic-name")
    names.nth(3).fill("dogs")
    names.nth(3).press("Enter")
    page.wait_for_function("document.querySelector('[data-matrix-box=scores]').innerText.includes('dogs')")


def test_a_head_s_thumbnail_shows_that_head(visit):
    page = visit("case=twelve", viewport={"width": 1920, "height": 1080})
    page.locator('[data-matrix-box="weights_5"]').click()
    page.wait_for_selector('[data-matrix-box="weights_5"][data-chosen]')
    title = page.locator('[data-matrix-box="head_output"] .pic-title')
    page.wait_for_function("(node) => node.textContent === 'O6'", arg=title.element_handle())


def test_a_view_that_is_chosen_comes_back_after_a_rerun(visit):
    page = visit()
    page.locator(at("weights", 2, 1)).click()
    press(page, "Previous step")
    taken(page, "log.some((m) => m.step === 'weights' && m.cell)")
    press(page, "Undo")  # takes back numbers, never the view
    expect(page.locator(".pic-count")).to_have_text("step 7 of 8")
    expect(page.locator("[data-lit=self]")).to_have_attribute("data-matrix", "weights")


def test_two_pictures_on_a_page_do_not_know_each_other(visit):
    page = visit("case=two")
    second = page.locator('[data-picture="second"] [data-row="0"][data-col="0"]')
    second.fill("5")
    second.press("Enter")
    page.wait_for_function("document.querySelector('[data-picture=picture] [data-matrix=x]').value === '5.0'")
    expect(page.locator("[data-lit=self]")).to_have_count(1)


def test_no_error_in_the_console(visit):
    page = visit()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    type_into(page, FIRST, "2")
    shows(page, RESULT, 2.09)
    press(page, "Rerun")
    page.locator(at("output", 0, 0)).click()
    assert errors == []
    expect(page.locator("[data-testid=stException]")).to_have_count(0)


@pytest.mark.parametrize("width", [390, 1920])
def test_nothing_makes_the_page_scroll_sideways(visit, width):
    page = visit("case=twelve" if width == 1920 else "", viewport={"width": width, "height": 900})
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"{main}.scrollWidth - {main}.clientWidth") <= 0


def test_the_theme_is_followed(visit):
    page = visit(color_scheme="dark")
    channels = page.locator(".pic-panel").evaluate("(node) => getComputedStyle(node).backgroundColor")
    assert max(int(v) for v in re.findall(r"\d+", channels)[:3]) < 100
