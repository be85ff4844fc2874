"""The first page: the arcs between the words follow a hand, the keyboard and the learner's own sentence."""

import itertools
import re

import pytest
from playwright.sync_api import expect

from pages.model import edits, words
from pages.model.compute import trace_of
from tests.browser.gestures import cell, press_and_move, type_into, wait_link, wait_narrow
from tests.browser.wire import RESTS

ARCS = ".pic-arcs-above path"
SENTENCE = ".pic-arcs-sentence"
SHARES = ".pic-arcs-shares span"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
START = edits.example_start("tired")
IT, STREET = 2, 1
# Whether everything down to the ways on is in the window, and nothing is wider than it.
IN_SIGHT = """() => document.querySelector('.st-key-ways').getBoundingClientRect().bottom <= innerHeight
  && document.documentElement.scrollWidth <= innerWidth"""


def expected(settings, row: int) -> list[str]:
    return [f"{weight:.2f}" for weight in trace_of(settings).head(0).weights[row].tolist()]


@pytest.fixture
def start(visit):
    """start(**context options) opens the first page."""
    return lambda **options: visit("/", ready=ARCS, fresh=True, **options)


def test_the_arcs_follow_a_dragged_number_without_a_run_of_the_page(start):
    page = start()
    page.wait_for_function(IN_SIGHT)
    expect(page.locator(".pic")).to_have_count(1)
    assert expected(START, IT) == ["0.79", "0.03", "0.02", "0.16"]
    expect(page.locator(SHARES)).to_have_text(expected(START, IT))
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    mouse = press_and_move(page, "x", IT, 3, -120)
    expect(page.locator(SENTENCE)).to_contain_text(re.compile("from [0-9]+ % “street”"))
    held = float(page.locator(cell("x", IT, 3)).input_value().replace("−", "-"))
    now = edits.set_cell(START, "x", IT, 3, held)
    expect(page.locator(SHARES)).to_have_text(expected(now, IT))
    assert any("/direct" in url for url in asked)
    mouse.up()
    wait_link(page, now)
    page.get_by_role("button", name="Open the whole computation").click()
    page.wait_for_url(re.compile("/one_head.*lang="))
    wait_link(page, now)


def test_each_number_of_x_moves_arcs_that_are_seen(start):
    """Those of the chosen word, or of the word whose number it is."""
    page, followed = start(), set()
    shares = page.locator(SHARES)
    for row, col in itertools.product(range(4), range(4)):
        page.wait_for_selector(RESTS)
        page.locator(".pic-words label").nth(IT).click()
        now = edits.set_cell(START, "x", row, col, START.x[row][col] + 1.5)
        word = row if expected(now, IT) == expected(START, IT) else IT
        assert expected(now, word) != expected(START, word)
        for settings in (now, START):
            page.wait_for_selector(
                RESTS
            )  # else the run that draws the last number chooses the word once more
            type_into(page, "x", row, col, str(settings.x[row][col]))
            seen = ["" if share == "0.00" else share for share in expected(settings, word)]
            expect(shares).to_have_text(seen)
        followed.add(word)
    assert followed == {0, 1, 2, 3}


def test_the_keyboard_chooses_a_word_which_the_link_keeps(start):
    page = start()
    page.get_by_role("radio", name="it").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(SENTENCE)).to_contain_text("“street” is mixed from")
    expect(page.locator(".pic-roles dd").first).to_contain_text("“street”")
    expect(page.locator(SHARES)).to_have_text(expected(START, STREET))
    page.wait_for_function("location.search.includes('row=2')")
    page.reload()
    expect(page.get_by_role("radio", name="street")).to_be_checked()


@pytest.mark.parametrize("options", [{}, PHONE], ids=["laptop", "phone"])
def test_the_learners_own_sentence_and_the_way_back(start, options):
    page, text = start(**options), "The cat crossed bridges because it was hungry."
    entry = page.get_by_role("textbox", name="Your own sentence")
    entry.fill(text)
    entry.press("Enter")
    wanted = words.with_sentence(START, text, "en")
    wait_link(page, wanted)
    expect(page.get_by_role("radio", name="it", exact=True)).to_be_checked()
    expect(page.locator(SENTENCE)).to_contain_text("% “cat”")
    wait_narrow(page)
    entry.fill("…")
    entry.press("Enter")
    expect(page.get_by_text("No word was entered")).to_be_visible()
    page.wait_for_selector(RESTS)
    page.get_by_role("button", name="Undo", exact=True).click()
    wait_link(page, START)
