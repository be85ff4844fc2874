"""Shapes in a real browser: by touch on a phone."""

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
