"""Undo, redo and reset: icons in the line of the title, with shortcuts that leave an open entry alone."""

from playwright.sync_api import expect

from pages.draw.texts import Texts
from pages.model.edits import set_cell
from pages.model.settings import Settings
from tests.browser.gestures import cell, wait_link
from tests.support.course import LESSONS, lesson

X, OTHER = cell("x", 0, 0), cell("x", 0, 1)


def typed(page, where: str, text: str) -> None:
    page.locator(where).click()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def test_the_shortcuts_undo_and_redo(visit):
    page = visit("/one_head?lang=en")
    typed(page, X, "5\n")
    expect(page.locator(X)).to_have_value("5.0")
    page.locator("h1").click()
    page.keyboard.press("Control+z")
    expect(page.locator(X)).to_have_value("1.0")
    page.keyboard.press("Control+Shift+z")
    expect(page.locator(X)).to_have_value("5.0")


def test_in_an_open_entry_the_shortcut_takes_back_what_was_typed_and_nothing_else(visit):
    page = visit("/one_head?lang=en")
    typed(page, X, "5\n")
    expect(page.locator(X)).to_have_value("5.0")
    typed(page, OTHER, "9")
    expect(page.locator(OTHER)).to_have_value("9")
    page.keyboard.press("Control+z")
    expect(page.locator(OTHER)).not_to_have_value("9")
    page.keyboard.press("Escape")
    expect(page.locator(OTHER)).to_have_value("0.5")
    expect(page.locator(X)).to_have_value("5.0")


def test_they_stand_at_the_same_place_in_every_lesson(new_page, address):
    """At the right end of the title's line, on a laptop's window, and with names that are read aloud."""
    page, places = new_page(), set()
    for name in (name for name in LESSONS if lesson(name).parts[0].edits):
        page.goto(f"{address}/{name}?lang=zh")
        for key in ("undo", "redo", "reset"):
            button = page.get_by_role("button", name=Texts("zh")(f"toolbar.{key}"), exact=True).first
            button.wait_for(timeout=60_000)
            places.add((key, *button.bounding_box().values()))
        title, icon = page.locator("h1").bounding_box(), button.bounding_box()
        assert title["y"] < icon["y"] + icon["height"] / 2 < title["y"] + title["height"], name
    assert len(places) == 3


def test_undo_and_redo_look_disabled_while_they_have_nothing_to_do(visit):
    page = visit("/one_head?lang=en")

    def shows(undo: bool, redo: bool) -> None:
        for key, enabled in (("undo", undo), ("redo", redo)):
            expect(page.locator(f".st-key-{key} button").first).to_have_css(
                "opacity", "1" if enabled else "0.35"
            )

    shows(undo=False, redo=False)
    typed(page, X, "5\n")  # an edit in the picture alone
    shows(undo=True, redo=False)
    page.locator("h1").click()
    page.keyboard.press("Control+z")
    shows(undo=False, redo=True)
    typed(page, X, "6\n")
    shows(undo=True, redo=False)
    wait_link(page, set_cell(Settings(), "x", 0, 0, 6.0))
    page.reload()
    shows(undo=False, redo=False)
    expect(page.locator(X)).to_have_value("6.0")


def test_undo_comes_through_before_it_looks_enabled(visit):
    page = visit("/one_head?lang=en")
    typed(page, X, "5\n")
    page.locator("h1").click()
    page.keyboard.press("Control+z")  # without a look at the page
    expect(page.locator(X)).to_have_value("1.0")
