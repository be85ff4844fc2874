"""What is below the panel: the followed query and the sentences, in a real browser."""

from playwright.sync_api import expect

from pages.draw.results import reading
from pages.draw.texts import Texts
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings
from tests.browser.gestures import type_into, until, wait_output

SENTENCE = ".pic-passages section:nth-of-type(2) p"


def dimmed(page, matrix: str) -> list[int]:
    """The rows of the matrix that are dimmed."""
    rows = page.locator(f'[data-matrix-box="{matrix}"] .pic-row')
    return [r for r in range(rows.count()) if rows.nth(r).get_attribute("data-dim") is not None]


def wait_row(page, row: int) -> None:
    page.wait_for_function(
        "row => document.querySelectorAll('.pic-follow input')[row + 1].checked"
        " && new URLSearchParams(location.search).get('row') === (row < 0 ? null : String(row + 1))",
        arg=row,
    )


def test_a_query_is_followed_in_the_picture_and_in_the_sentence(visit):
    page = visit()
    page.locator(".pic-follow").get_by_text("爱 love").click()
    wait_row(page, 1)
    for matrix, rows in (("x", [0, 2]), ("weights", [0, 2]), ("output", [0, 2]), ("key", [])):
        until(page, lambda matrix=matrix, rows=rows: dimmed(page, matrix) == rows)
    weights = trace_of(Settings()).head(0)
    names = ("我 I", "爱 love", "猫 cats")
    expect(page.locator(SENTENCE)).to_have_text(reading(Texts("en"), weights, names, 1))


def test_the_arrow_keys_choose_the_followed_query(visit):
    page = visit("/?lang=en&row=1")
    wait_row(page, 0)
    page.locator(".pic-follow input").nth(1).focus()
    page.keyboard.press("ArrowRight")
    wait_row(page, 1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    wait_row(page, -1)
    until(page, lambda: dimmed(page, "weights") == [])
    assert page.evaluate("document.activeElement.checked")


def test_the_sentences_follow_an_edit_and_are_said(visit):
    page = visit()
    sentence = page.locator(SENTENCE)
    expect(sentence).to_have_attribute("aria-live", "polite")
    before = sentence.text_content()
    type_into(page, "x", 0, 0, "-40")
    now = edits.set_cell(Settings(), "x", 0, 0, -40.0)
    wait_output(page, now)
    expect(sentence).not_to_have_text(before)
    names = ("我 I", "爱 love", "猫 cats")
    expect(sentence).to_have_text(reading(Texts("en"), trace_of(now).head(0), names, None))


def test_a_new_name_is_offered(visit):
    page = visit()
    name = page.locator('[data-name-row="2"]')
    name.fill("dogs")
    name.press("Enter")
    expect(page.locator(".pic-follow label").nth(3)).to_have_text("dogs")


def test_on_a_phone_the_last_sentence_can_be_scrolled_above_the_panel(visit):
    page = visit(viewport={"width": 390, "height": 844})
    page.locator(".pic-follow").scroll_into_view_if_needed()
    page.mouse.move(200, 300)
    page.mouse.wheel(0, 20_000)
    page.wait_for_function(
        """() => {
          const last = [...document.querySelectorAll('.pic-passages p')].pop().getBoundingClientRect();
          const panel = document.querySelector('.pic-panel').getBoundingClientRect();
          return last.bottom <= innerHeight && (last.bottom <= panel.top || last.top >= panel.bottom);
        }"""
    )
