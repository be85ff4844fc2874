"""Shapes in a real browser: all by keyboard, and by touch on a phone."""

from playwright.sync_api import expect

from pages.lessons.practice.shape_exercise import exercise
from tests.browser.gestures import cell

BLANK = '.pic-cell[data-editable][data-value=""]'


def link(level, number):
    return f"/practice?lang=en&part=shapes&level={level}&exercise={number}"


def tables(now):
    """The cells in the order of the picture: matrix, row, and the shape that belongs there."""
    for sides in (2, 3, 4):
        names = [name for name in now.asked if len(now.right[name]) == sides]
        yield from ((f"shape{sides}", row, now.right[name]) for row, name in enumerate(names))


def choose(page, now):
    for index, one in enumerate(now.products):
        option = page.locator(".stRadio").nth(index).get_by_role("radio").nth(one.options.index(one.result))
        option.focus()
        page.keyboard.press("Space")
        page.wait_for_function(
            "i => document.querySelectorAll('.stRadio')[i].querySelector('input:checked')", arg=index
        )


def test_typed_with_enter_then_checked(visit):
    """A swapped shape is told; corrected, the exercise is solved."""
    now = exercise("3", 1)
    page = visit(link("3", 1), BLANK)
    rows = list(tables(now))
    page.locator(cell(rows[0][0], 0, 0)).focus()
    for index, (_, _, shape) in enumerate(rows):
        for side in shape[::-1] if index == 0 else shape:
            page.keyboard.type(str(side))
            page.keyboard.press("Enter")
    choose(page, now)
    button = page.get_by_role("button", name="Check my answer")
    button.focus()
    page.keyboard.press("Enter")
    page.get_by_text("this is the transpose").wait_for()
    page.wait_for_selector(cell(rows[0][0], 0, 0) + "[data-ringed]")
    for col, side in enumerate(rows[0][2]):
        page.locator(cell(rows[0][0], 0, col)).focus()
        page.keyboard.type(str(side))
    button.click()  # leaving the cell takes its entry
    page.get_by_text("Every shape and both results are right.").wait_for()
    expect(page.locator(".pic-cell[data-editable]")).to_have_count(0)


def test_on_a_phone(visit):
    now = exercise("1", 1)
    page = visit(link("1", 1), BLANK, viewport={"width": 390, "height": 844}, has_touch=True)
    name, row, shape = next(tables(now))
    for col, side in enumerate(shape):
        page.locator(cell(name, row, col)).tap()
        page.keyboard.type(str(side))
    page.get_by_role("button", name="Check my answer").tap()
    page.get_by_text("Enter a number in every cell").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
