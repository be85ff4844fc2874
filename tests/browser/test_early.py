"""The picture that is drawn before Streamlit's page: the page takes it over as it is."""

from dataclasses import replace
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from pages.model import edits
from pages.model.settings import Settings
from tests.browser.gestures import (
    cell,
    lesson_link,
    press_and_move,
    settings_of,
    type_into,
    until,
    wait_link,
    wait_output,
)
from tests.browser.test_fresh_server import beginning
from tests.browser.wire import PAINTED, RESTS
from tests.support.programs import ROOT, serving

DATA = "**/early?*"
MARK = "document.querySelectorAll('.pic, .pic [data-value]').forEach((node) => { node.marked = true; })"
UNMARKED = """() =>
  [...document.querySelectorAll('.pic, .pic [data-value]')].filter((node) => !node.marked).length"""
STREAMLIT = "**/static/js/index.*"
EARLY, TAKEN_OVER = "#early .pic", ".st-key-numbers .pic"
OUTPUT = cell("output", 0, 0)
WEIGHTS = ".pic-arcs-above path >> nth=0"
CATS = "/?lang=en&example=cats"
# Where everything is, and in which colours.
PLACES = """() => [...document.querySelectorAll('.pic, .pic *')]
  .filter((node) => node.checkVisibility())
  .map((node) => [node.className, node.dataset.matrix, JSON.stringify(node.getBoundingClientRect()),
    ...['color', 'backgroundColor', 'fontSize', 'fontWeight', 'lineHeight']
      .map((name) => getComputedStyle(node)[name])])"""
# Every variable of Streamlit's theme that is set there.
THEME = """() => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
  .filter(({ selectorText }) => selectorText === ':root')
  .flatMap(({ style }) => [...style]).filter((name) => name.startsWith('--st-'))"""
VALUES = """(names) => {
  const style = getComputedStyle(document.querySelector('.pic'));
  const probe = document.createElement('i');
  document.querySelector('.pic').append(probe);
  const values = names.map((name) => {
    const value = style.getPropertyValue(name);
    if (!CSS.supports('color', value)) return value.replaceAll(/["' ]/g, '').split(',')[0];
    probe.style.color = value;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return values;
}"""


@pytest.fixture
def early(blank_page, address):
    """early(path) gives a page with nothing but the early picture, and what lets Streamlit's page come."""

    def open_page(path=CATS, ready=OUTPUT, **options):
        page, held = blank_page(fresh=True, **options), []
        # PyTorch is there: before, the answer has the inputs alone.
        until(page, lambda: b'"masked_scores"' in page.request.get(f"{address}/early?mask=causal").body())
        page.route(STREAMLIT, lambda route: held.append(route))
        page.goto(address + path, wait_until="commit")
        page.locator(EARLY).locator(ready).wait_for()
        page.evaluate("document.fonts.ready")
        return page, lambda: [route.continue_() for route in held]

    return open_page


def wait_taken_over(page) -> None:
    page.wait_for_selector(TAKEN_OVER, timeout=60_000)
    page.wait_for_selector(RESTS)
    page.evaluate(PAINTED)


# Each path with each language and theme, in windows of every size.
OPENED = [
    ("/", (1280, 800), "en", "light"),
    ("/", (390, 844), "zh", "dark"),
    ("/one_head", (1280, 800), "zh", "dark"),
    ("/one_head", (1920, 1080), "en", "dark"),
    ("/one_head", (390, 844), "en", "light"),
]


@pytest.mark.parametrize(("path", "size", "language", "scheme"), OPENED, ids=str)
def test_nothing_moves_or_changes_when_streamlit_s_page_comes(early, path, size, language, scheme):
    viewport = dict(zip(("width", "height"), size, strict=True))
    ready = WEIGHTS if path == "/" else OUTPUT
    page, let_come = early(f"{path}?lang={language}", ready, viewport=viewport, color_scheme=scheme)
    page.evaluate(MARK)
    before, names = page.evaluate(PLACES), page.evaluate(THEME)
    theme = page.evaluate(VALUES, names)
    let_come()
    wait_taken_over(page)
    assert names and page.evaluate(VALUES, names) == theme
    assert page.evaluate(PLACES) == before
    assert page.evaluate(UNMARKED) == 0  # nothing was drawn again
    expect(page.locator("#early, #early-style")).to_have_count(0)


def test_a_link_is_drawn_with_its_numbers(early):
    page, _ = early("/one_head?lang=en&example=cats&heads=2&mask=causal")
    now = edits.resize(Settings(), num_heads=2)
    wait_output(page, replace(now, mask="causal"))


def test_what_is_entered_before_streamlit_s_page_is_kept(early):
    page, let_come = early()
    type_into(page, "x", 0, 0, "3.5")
    type_into(page, "w_k", 1, 0, "-2")
    let_come()
    wait_taken_over(page)
    now = edits.set_cell(edits.set_cell(Settings(), "x", 0, 0, 3.5), "w_k", 1, 0, -2.0)
    wait_output(page, now)
    wait_link(page, now)
    undo = page.get_by_role("button", name="Undo", exact=True)
    undo.click()
    wait_link(page, edits.set_cell(Settings(), "x", 0, 0, 3.5))


def test_an_open_entry_and_its_caret_outlive_the_arrival(early):
    page, let_come = early()
    place = page.locator(cell("x", 0, 0))
    place.click()
    place.press("End")
    place.press_sequentially("7")
    let_come()
    wait_taken_over(page)
    place.press_sequentially("5")
    place.press("Enter")
    until(page, lambda: settings_of(page).x[0][0] % 100 == 75, lambda: page.url)


def test_a_hand_that_drags_meanwhile_goes_on(early):
    page, let_come = early()
    mouse = press_and_move(page, "x", 0, 0, 80)
    let_come()
    wait_taken_over(page)
    box = page.locator(cell("x", 0, 0)).bounding_box()
    mouse.move(box["x"] + 140, box["y"] + 5, steps=8)
    held = float(page.locator(cell("x", 0, 0)).input_value())
    assert held != Settings().x[0][0]
    mouse.up()
    now = edits.set_cell(Settings(), "x", 0, 0, held)
    wait_output(page, now)
    wait_link(page, now)


def test_a_matrix_s_menu_waits_for_the_server(early):
    page, let_come = early()
    page.locator("[data-matrix-box=w_q] .pic-menu").click()
    page.locator(".pic-menu-list [data-how=identity], .pic-menu-list button").first.click()
    let_come()
    wait_taken_over(page)
    until(page, lambda: settings_of(page).w_q != Settings().w_q, lambda: page.url)


def test_a_step_that_was_chosen_at_once_stays(early):
    page, let_come = early()
    count = page.locator(".pic-count")
    last = count.inner_text()
    page.locator(".pic-walk").first.click()
    expect(count).not_to_have_text(last)
    chosen = count.inner_text()
    let_come()
    wait_taken_over(page)
    expect(count).to_have_text(chosen)


def test_where_the_page_shows_something_else_the_early_picture_goes(blank_page, address):
    page = blank_page(fresh=True)
    page.route(DATA, lambda route: route.continue_(url=f"{address}/early?lang=en"))
    page.goto(f"{address}/?lang=en&part=meaning")
    page.wait_for_selector(TAKEN_OVER, timeout=60_000)
    page.wait_for_selector(RESTS)
    expect(page.locator("#early")).to_have_count(0)
    expect(page.locator("[data-picture*=-picture-]")).to_have_count(0)


@pytest.mark.parametrize("answer", ["none", "late", "garbage"])
def test_without_an_answer_the_picture_comes_with_the_page(blank_page, address, answer):
    page, held = blank_page(fresh=True), []
    answers = {
        "none": lambda route: route.abort(),
        "late": lambda route: held.append(route),
        "garbage": lambda route: route.fulfill(status=200, body="<html>"),
    }
    page.route(DATA, answers[answer])
    page.goto(address + CATS)
    page.wait_for_selector(TAKEN_OVER, timeout=60_000)
    for route in held:
        route.continue_()
    wait_output(page, Settings())
    page.wait_for_selector(RESTS)
    expect(page.locator("#early, #early-style")).to_have_count(0)
    expect(page.locator(".pic")).to_have_count(1)


@pytest.mark.parametrize(("file", "answer"), [("js", "a page"), ("js", "another version"), ("css", "none")])
def test_code_that_cannot_be_loaded_comes_with_the_page(blank_page, address, answer, file):
    page = blank_page(fresh=True)
    answers = {
        "none": lambda route: route.abort(),
        "a page": lambda route: route.fulfill(status=200, content_type="text/html", body="<html>"),
        "another version": lambda route: route.fulfill(
            content_type="text/javascript", body="export default 1"
        ),
    }
    page.route(f"**/picture.{file}?*", answers[answer])
    page.goto(address + CATS)
    wait_output(page, Settings())
    page.wait_for_selector(RESTS)
    until(page, lambda: page.locator(cell("x", 0, 0)).bounding_box()["width"] < 60)  # it is styled
    type_into(page, "x", 0, 0, "3.5")
    now = edits.set_cell(Settings(), "x", 0, 0, 3.5)
    wait_output(page, now)
    lesson_link(page, "5. Many heads").click()
    page.wait_for_url("**/many_heads?**")
    page.wait_for_selector(TAKEN_OVER)


def test_in_a_window_whose_toolbar_takes_several_lines_it_comes_with_the_page(blank_page, address):
    page = blank_page(fresh=True, viewport={"width": 1000, "height": 800})
    page.add_init_script(
        "new MutationObserver(() => { window.early ||= !!document.querySelector('#early'); })"
        ".observe(document, { childList: true, subtree: true })"
    )
    page.goto(address + CATS)
    page.wait_for_selector(TAKEN_OVER, timeout=60_000)
    wait_output(page, Settings())
    assert not page.evaluate("window.early")


def test_below_a_path_of_the_host_all_is_as_elsewhere(blank_page):
    with serving(ROOT / "app.py", base="/course") as (address, _):
        page, asked, held = blank_page(fresh=True), [], []
        page.on("request", lambda request: asked.append(urlsplit(request.url).path))
        page.route(STREAMLIT, lambda route: held.append(route))
        page.goto(f"{address}/one_head?lang=en", wait_until="commit")
        page.locator(EARLY).locator(cell("x", 0, 0)).wait_for()
        for route in held:
            route.continue_()
        wait_taken_over(page)
        wait_output(page, beginning("en"))
        press_and_move(page, "x", 0, 0, 80).up()
        until(page, lambda: "/course/direct" in asked)
