"""Undo, redo and reset: icons in the line of the title, with shortcuts that leave an open entry alone."""

from playwright.sync_api import expect

from pages.model.edits import set_cell
from pages.model.settings import Settings
from tests.browser.gestures import cell, wait_link

X, OTHER = cell("x", 0, 0), cell("x", 0, 1)


def typed(page, where: str, text: str) -> None:
    page.locator(where).click()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


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


def test_the_shortcuts_work_at_once_and_what_has_nothing_to_do_looks_disabled(visit):
    page = visit("/one_head?lang=en")

    def shows(undo: bool, redo: bool) -> None:
        for key, enabled in (("undo", undo), ("redo", redo)):
            expect(page.locator(f".st-key-{key} button").first).to_have_css(
                "opacity", "1" if enabled else "0.35"
            )

    shows(undo=False, redo=False)
    typed(page, X, "5\n")
    page.locator("h1").click()
    page.keyboard.press("Control+z")  # without a look at the page
    expect(page.locator(X)).to_have_value("1.0")
    shows(undo=False, redo=True)
    page.keyboard.press("Control+Shift+z")
    expect(page.locator(X)).to_have_value("5.0")
    shows(undo=True, redo=False)
    page.keyboard.press("Control+z")
    shows(undo=False, redo=True)
    typed(page, X, "6\n")
    shows(undo=True, redo=False)
    wait_link(page, set_cell(Settings(), "x", 0, 0, 6.0))
    page.reload()
    shows(undo=False, redo=False)
    expect(page.locator(X)).to_have_value("6.0")
