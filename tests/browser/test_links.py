"""Links are links: in a tab of their own, or copied and handed on, they show what a plain click does."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from pages.model import edits
from pages.model.settings import Settings
from pages.model.state import State
from tests.browser.gestures import lesson_link, open_lessons, type_into, until, wait_link
from tests.support.course import COURSE, LISTED, from_query

MINE = State(core=edits.set_cell(Settings(), "x", 0, 3, 9.0))
HOME = ("/?lang=en&example=cats", "/one_head")


def in_a_tab(page, link, way="Control"):
    """The tab that a click with that key opens. The page itself stays where it is."""
    before = page.url
    with page.context.expect_page() as opened:
        link.click(**({"button": "middle"} if way == "middle" else {"modifiers": [way]}))
    tab = opened.value
    tab.wait_for_selector("h1", timeout=60_000)
    tab.wait_for_function("location.search.includes('lang=')")
    assert page.url == before
    return tab


def copied(link) -> str:
    """The address that the context menu copies."""
    link.click(button="right")
    return link.evaluate("link => link.href")


def path_of(address) -> str:
    return urlsplit(address).path


def state_in(address):
    return from_query(parse_qs(urlsplit(address).query, keep_blank_values=True))


@pytest.mark.parametrize(("path", "way"), [("/", "middle"), ("/one_head", "Control")])
def test_a_link_of_the_sidebar_opens_a_tab_with_the_learners_numbers(visit, path, way):
    page = visit(f"{path}?lang=zh&example=cats&part=picture&step=scores&row=2")
    type_into(page, "x", 0, 3, "9")
    wait_link(page, MINE)
    tab = in_a_tab(page, lesson_link(page, "2. softmax"), way)
    expect(tab.locator("h1")).to_have_text("softmax")
    assert path_of(tab.url) == "/softmax"
    wait_link(tab, MINE)
    _, view, place, problems = state_in(tab.url)
    assert (view.language, problems) == ("zh", [])
    assert (place.part, place.step, place.row) == (None, None, None)


def test_every_link_of_the_sidebar_can_be_copied_and_says_the_present_state(visit):
    """Before an edit and after it, and in the other language."""
    page = visit("/?lang=en")
    for group in ("lessons", "inside"):
        open_lessons(page, group)
    links = page.locator("[data-testid=stSidebar] [data-testid=stPageLink] a[href]")
    stops = [stop.lesson for stop in COURSE.hour]

    def addresses():
        return [copied(link) for link in links.all()]

    assert [path_of(address) for address in addresses()] == [f"/{name}" for name in ("", *stops, *LISTED)]
    parts = [state_in(address)[2].part for address in addresses()]
    assert parts[1:] == [stop.part for stop in COURSE.hour] + [None] * len(LISTED)
    type_into(page, "x", 0, 3, "9")
    wait_link(page, MINE)
    until(page, lambda: all(state_in(address)[0] == MINE for address in addresses()))
    page.get_by_text("中文", exact=True).click()
    page.wait_for_function("location.search.includes('lang=zh')")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")

    def are_mine() -> bool:
        results = [state_in(address) for address in addresses()]
        return all((one[0], one[1].language, one[3]) == (MINE, "zh", []) for one in results)

    until(page, are_mine)


def test_a_lesson_in_a_tab_begins_with_its_own_numbers_where_none_was_changed(visit):
    page = visit()
    tab = in_a_tab(page, lesson_link(page, "5. Many heads"))
    tab.wait_for_function("location.search.includes('example=')")
    lesson_link(page, "5. Many heads").click()
    page.wait_for_url(re.compile("/many_heads.*lang="))
    until(page, lambda: tab.url == page.url, lambda: f"{tab.url} and {page.url}")


def test_a_plain_click_loads_no_page_and_each_lesson_keeps_its_place(visit):
    page = visit("/softmax?lang=en", ready=".st-key-parts")
    page.evaluate("window.stays = true")
    page.get_by_role("radio", name="Stability", exact=True).click()
    page.wait_for_function("location.search.includes('part=stable')")
    lesson_link(page, "1. One head").click()
    page.wait_for_url(re.compile("/one_head.*lang="))
    lesson_link(page, "2. Softmax").click()
    page.wait_for_url(re.compile("/softmax.*part=stable"))
    assert page.evaluate("window.stays")


@pytest.mark.parametrize("path", HOME)
def test_the_first_lesson_is_marked_in_the_sidebar(visit, path):
    page = visit(path)
    first, second = lesson_link(page, "1. One head"), lesson_link(page, "2. Softmax")
    colour = "link => getComputedStyle(link).backgroundColor"
    weight = "link => getComputedStyle(link.querySelector('p')).fontWeight"
    assert (first.evaluate(weight), second.evaluate(weight)) == ("600", "400")
    assert first.evaluate(colour) != second.evaluate(colour)
    second.click()
    page.wait_for_url(re.compile("/softmax.*lang="))
    expect(first.locator("p")).to_have_css("font-weight", "400")


def test_the_apps_own_address_is_one_entry_in_the_history(visit):
    page = visit("/", ready=".pic-arcs-above path", fresh=True)
    assert page.evaluate("[history.length, location.pathname]") == [2, "/"]  # about:blank is the first


@pytest.mark.parametrize(
    ("link", "name", "way"),
    [
        ("/for_teachers?lang=en&part=lessons", "masks", "middle"),
        ("/terms?lang=en&search=causal", "masks", "Control"),
    ],
)
def test_a_link_of_a_page_beside_the_course_opens_its_lesson(visit, link, name, way):
    page = visit(link, ready="[data-testid=stMain] [data-testid=stPageLink] a")
    result = page.locator(f"[data-testid=stMain] [data-testid=stPageLink] a[href*='{name}?']").first
    address = copied(result)
    tab = in_a_tab(page, result, way)
    assert path_of(tab.url) == path_of(address) == f"/{name}"
    until(tab, lambda: state_in(tab.url) == state_in(address), lambda: tab.url)
    tab.goto(address)  # handed on
    tab.wait_for_selector("h1")
    assert path_of(tab.url) == f"/{name}"
    expect(tab.get_by_text("Page not found")).to_have_count(0)


def test_the_next_lesson_opens_in_a_tab_with_the_learners_numbers(visit):
    page = visit("/?lang=en&part=misconceptions&topic=columns&x=1-4_9", ready=".st-key-end")
    link = page.locator(".st-key-onward [data-testid=stPageLink] a")
    until(page, lambda: state_in(copied(link))[0] == MINE)
    tab = in_a_tab(page, link, "middle")
    assert path_of(tab.url) == "/softmax"
    until(tab, lambda: state_in(tab.url)[0] == MINE and state_in(tab.url)[2].part is None, lambda: tab.url)
