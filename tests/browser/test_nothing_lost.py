"""Nothing that was entered is lost, nothing is replaced unasked; a server that was away loses no click."""

import os
import re
import signal

import pytest
from playwright.sync_api import expect

from pages.model import edits
from pages.model.files import write_state
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.browser.gestures import (
    bound,
    cell,
    keep_answers,
    lesson_link,
    open_lessons,
    type_into,
    wait_link,
    wait_output,
    wait_value,
)
from tests.browser.wire import PAINTED, RESTS, Wire
from tests.support.programs import ROOT, serving
from tests.support.states import many_numbers, with_own

START = Settings()
NINE = edits.set_cell(START, "x", 0, 3, 9.0)
FIVE = edits.set_cell(START, "w_q", 0, 0, 5.0)
WAY = re.compile("/softmax.*lang=en")

# What the box with what was replaced must not lie on.
COVERED = """
() => {
  const box = document.querySelector('.st-key-replaced').getBoundingClientRect();
  const all = 'button, input, a[href], .pic-cell, .pic-panel, [class*=st-key-ask-]';
  const things = document.querySelectorAll(all);
  return [...things].filter((one) => !one.closest('.st-key-replaced')).filter((one) => {
    const { left, right, top, bottom, width } = one.getBoundingClientRect();
    return width && left < box.right && right > box.left && top < box.bottom && bottom > box.top;
  }).map((one) => one.outerHTML.slice(0, 90));
}
"""

# Where X begins on the page, wherever that is scrolled to.
PLACE = """
() => {
  const [first, title] = [document.querySelector('[data-matrix="x"]'), document.querySelector('h1')];
  return first.getBoundingClientRect().top - title.getBoundingClientRect().top;
}
"""


def click_at_once(page, name):
    """A press and a release in one stroke, as a tap is."""
    box = page.get_by_role("link", name=re.compile(re.escape(name))).first.bounding_box()
    page.mouse.click(box["x"] + 20, box["y"] + box["height"] / 2)


def open_fresh(page, address):
    """Opens a new server. Inputs that come before PyTorch leave the page when the run has ended."""
    page.goto(f"{address}/?lang=en&example=cats")
    page.wait_for_selector(cell("output", 0, 0), timeout=60_000)
    page.wait_for_function("document.querySelectorAll('[data-picture]').length === 1", timeout=60_000)


def type_in(page, place, text):
    """Typed, and not confirmed."""
    place.click()
    page.keyboard.type(text)


@pytest.mark.parametrize(
    ("name", "way"), [("2. Softmax", WAY), ("Why √dₖ", re.compile("/why_scale.*part=experiment"))]
)
def test_a_number_typed_without_enter_survives_another_lesson(visit, name, way):
    """By a link of the list of lessons, and of the hour."""
    page = visit()
    open_lessons(page)
    type_in(page, page.locator(cell("x", 0, 3)), "9")
    click_at_once(page, name)
    page.wait_for_url(way)
    wait_link(page, NINE)
    page.get_by_role("button", name="Undo", exact=True).click()
    wait_link(page, START)


def test_a_name_typed_without_enter_survives_another_lesson(visit):
    page = visit()
    open_lessons(page)
    type_in(page, page.get_by_role("textbox", name="Text of token 1"), "you")
    click_at_once(page, "2. Softmax")
    page.wait_for_url(WAY)
    wait_link(page, edits.rename_token(START, 0, "you"))


def test_a_tap_on_another_lesson_keeps_the_number_too(visit):
    page = visit(has_touch=True)
    link = lesson_link(page, "2. Softmax")
    page.locator(cell("x", 0, 3)).fill("9")
    link.tap()
    page.wait_for_url(WAY)
    wait_link(page, NINE)


def test_a_number_typed_without_enter_survives_the_way_through_the_folded_list(visit):
    page = visit()
    type_in(page, page.locator(cell("x", 0, 3)), "9")
    lesson_link(page, "2. Softmax").click()
    page.wait_for_url(WAY)
    wait_link(page, NINE)


def test_of_two_links_the_last_one_is_followed(visit):
    page = visit()
    open_lessons(page)
    type_in(page, page.locator(cell("x", 0, 3)), "9")
    click_at_once(page, "4. Masks")
    click_at_once(page, "2. Softmax")
    page.wait_for_url(WAY)
    wait_link(page, NINE)


def test_a_second_link_is_followed_while_the_first_is_on_its_way(visit):
    page = visit()
    open_lessons(page)
    click_at_once(page, "4. Masks")
    page.evaluate(PAINTED)
    click_at_once(page, "2. Softmax")
    page.wait_for_url(WAY)
    expect(page.locator("h1")).to_have_text("Softmax")


def test_a_link_to_the_present_page_leaves_it_alive(visit):
    page = visit()
    open_lessons(page)
    type_in(page, page.locator(cell("x", 0, 3)), "9")
    click_at_once(page, "1. One head")
    wait_link(page, NINE)
    type_into(page, "x", 0, 0, "2")
    wait_output(page, edits.set_cell(NINE, "x", 0, 0, 2.0))


def test_the_first_click_works_when_the_server_is_back(chromium):
    """A browser that finds its server again says nothing by itself: see entry.stay_in_touch."""
    context = chromium.new_context(locale="en-US")
    page = context.new_page()
    with serving(ROOT / "app.py") as (address, _):
        port = int(address.rsplit(":", 1)[1])
        open_fresh(page, address)
        type_into(page, "x", 0, 3, "9")
        wait_link(page, NINE)
        type_into(page, "x", 0, 0, "2")
        wait_link(page, edits.set_cell(NINE, "x", 0, 0, 2.0))
        page.get_by_role("button", name="Undo").click()
        wait_link(page, NINE)
    with page.expect_websocket(timeout=120_000) as again, serving(ROOT / "app.py", port=port):
        again.value.wait_for_event("framereceived", timeout=60_000)
        page.wait_for_selector(".stApp[data-test-script-state=notRunning]", timeout=60_000)
        page.get_by_text("中文", exact=True).click()
        expect(page.locator("h1")).to_have_text("单头注意力", timeout=60_000)
        wait_output(page, NINE)
        # The browser still has the entry that was undone: no button brings it back.
        page.get_by_role("button", name="重置").click()
        wait_link(page, START)
        page.get_by_role("button", name="撤销").last.click()
        wait_link(page, NINE)
    context.close()


def test_what_happens_while_the_server_is_away(blank_page):
    """What is old is marked; what is looked at is not told to a page that is being left."""
    page, errors = blank_page(fresh=True), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    with serving(ROOT / "app.py") as (address, process):
        open_fresh(page, address)
        open_lessons(page)
        os.kill(process, signal.SIGSTOP)
        try:
            type_into(page, "x", 0, 3, "9")
            page.wait_for_selector('[data-matrix-box="output"][data-old]')
            expect(page.locator(".pic-offline")).to_contain_text("has not answered yet")
            expect(page.locator('[data-matrix-box="x"][data-old]')).to_have_count(0)
            expect(page.locator(cell("x", 0, 3))).to_have_value("9.0")
        finally:
            os.kill(process, signal.SIGCONT)
        wait_output(page, NINE)
        expect(page.locator("[data-old]")).to_have_count(0)
        expect(page.locator(".pic-offline")).to_be_empty()
        wait_link(page, NINE)
        page.wait_for_selector(RESTS)
        os.kill(process, signal.SIGSTOP)
        try:
            click_at_once(page, "2. Softmax")
            page.locator(cell("output", 0, 0)).click()
            page.wait_for_timeout(600)  # it is told after 300 ms
        finally:
            os.kill(process, signal.SIGCONT)
        page.wait_for_url(WAY)
        expect(page.locator("h1")).to_have_text("Softmax")
        page.wait_for_selector(RESTS)
        assert "cell=" not in page.url and not errors


def test_nothing_is_recalled_from_the_browser(blank_page, address):
    """Streamlit's page also drops messages whose hash is on its way, and is then cut off for good."""
    page = blank_page(fresh=True)
    wire = Wire(page)
    keep_answers(page, address, {"note_start": "shown"})
    page.goto(f"{address}/why_scale?lang=en&part=limits&example=cats")
    page.locator("[data-slider=sample_d_k]").focus()
    for key, d_k in (("ArrowRight", 76), ("ArrowLeft", 64)) * 2:
        page.keyboard.press(key)
        wait_link(page, with_own(Settings(), sample_d_k=d_k))
    for name, language in (("中文", "zh"), ("English", "en")):  # runs the whole page
        page.get_by_role("radio", name=name).click()
        page.wait_for_url(re.compile(f"lang={language}"))
    wire.rest()
    assert wire.recalled == []


def test_backspace_and_a_number_are_one_step_of_undo(visit):
    page = visit()
    page.locator(cell("x", 0, 0)).click()
    page.keyboard.press("Backspace")
    wait_value(page, "query", 0, 0, 0.09)
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    wait_link(page, edits.set_cell(START, "x", 0, 0, 9.0))
    page.get_by_role("button", name="Undo", exact=True).click()
    wait_link(page, START)


@pytest.mark.parametrize("name", ["Undo", "Reset"])
def test_a_wrong_entry_is_gone_after_undo_redo_and_reset(visit, name):
    page = visit()
    type_into(page, "x", 0, 3, "abc")
    page.get_by_text("“abc” is not a number").first.wait_for()
    page.get_by_role("button", name=name, exact=True).click()
    expect(page.locator(".pic-message:visible")).to_have_count(0)
    expect(page.locator(cell("x", 0, 3))).to_have_value("0.1")


def test_what_was_wrong_is_said_in_the_language_of_the_page(visit):
    page = visit()
    type_in(page, page.locator(cell("x", 0, 3)), "abc")
    page.get_by_text("中文", exact=True).click()
    expect(page.locator(".pic-message:visible")).to_contain_text("“abc”不是数")
    expect(page.locator(cell("x", 0, 3))).to_have_value("0.1")


def test_a_choice_in_a_closed_popover_survives_another_language(visit):
    page = visit("/one_head?lang=zh")
    page.get_by_role("button", name="更多").click()
    page.locator(f"{bound('position')} [role=combobox]").wait_for()
    page.keyboard.press("Escape")
    page.get_by_text("English", exact=True).click()
    expect(page.locator("h1")).to_have_text("One head")
    page.wait_for_selector(RESTS)  # until then the field of the other language is in the page too
    page.locator(f"{bound('num_heads')} [data-testid=stNumberInputStepUp]").click()
    wait_link(page, edits.resize(START, num_heads=2))
    wait_output(page, edits.resize(START, num_heads=2))
    expect(page.get_by_text("is not a choice")).to_have_count(0)


def test_a_choice_that_was_undone_does_not_come_back_from_a_closed_popover(visit):
    page = visit("/one_head?lang=en")
    page.get_by_role("button", name="More").click()
    page.locator(f"{bound('position')} [role=combobox]").click()
    page.get_by_role("option", name="learned").click()
    wait_link(page, edits.with_choice(START, position="learned"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Undo").click()
    wait_link(page, START)
    page.locator(f"{bound('num_heads')} [data-testid=stNumberInputStepUp]").click()
    wait_link(page, edits.resize(START, num_heads=2))
    wait_output(page, edits.resize(START, num_heads=2))


def test_a_size_that_is_refused_leaves_its_field_in_the_open_popover(visit):
    page = visit("/one_head?lang=en&heads=2")
    page.get_by_role("button", name="More").click()
    field = page.get_by_role("spinbutton", name="d_model")
    node = field.element_handle()
    for _ in range(2):
        field.press("ArrowDown")
        expect(page.get_by_text("2 heads").first).to_be_visible()
        expect(field).to_have_value("4")
        assert node.evaluate("node => node === document.activeElement")


def test_what_a_link_of_the_teachers_page_replaces_is_said(visit):
    page = visit()
    type_into(page, "w_q", 0, 0, "5")
    wait_link(page, FIVE)
    page.get_by_role("link", name="For teachers", exact=True).click()
    page.wait_for_url(re.compile("/for_teachers"))
    links = page.locator("[data-testid=stMain] [data-testid=stPageLink] a")
    links.first.wait_for(timeout=60_000)
    wait_link(page, FIVE)
    links.first.click()
    expect(page.locator(".st-key-replaced")).to_contain_text(
        "Your entries in WQ were replaced", timeout=60_000
    )


def test_numbers_that_are_too_many_for_the_address_survive_a_reload(visit, tmp_path):
    """The address stays one that a server opens. The file brings the numbers, as Share offers them."""
    now = many_numbers(12)
    file = tmp_path / "state.json"
    file.write_text(write_state("one_head", State(core=now), View(), Place()), "utf-8")
    page = visit("/one_head?lang=en")
    page.locator(".st-key-share button").first.click()
    page.get_by_role("tab", name="Import", exact=True).click()
    page.locator(".st-key-import_file input[type=file]").set_input_files(file)
    page.locator(".st-key-import_take button:enabled").click()
    large = max((number, row, col) for row, line in enumerate(now.x) for col, number in enumerate(line))
    wait_value(page, "x", *large[1:], large[0])
    page.wait_for_function("!location.search.includes('wq=') && location.search.includes('lang=en')")
    page.wait_for_selector(RESTS)
    page.reload()
    wait_value(page, "x", *large[1:], large[0])
    assert len(page.url) < 1_000
