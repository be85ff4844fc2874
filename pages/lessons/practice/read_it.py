"""A part that is being written."""

from pages.ui.page import Page

from . import desk


def draw(page: Page) -> None:
    desk.draw(page, own=False)
    desk.check_button(page, lambda now: now.check("x", False))
    desk.verdict(page, "", "")
    desk.help_bar(page, ["a", "b", "c"])
    desk.read_more(page, "masks", "gallery")
