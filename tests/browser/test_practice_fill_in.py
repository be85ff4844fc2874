"""Filling in blank cells in a real browser: by pointer, and on a phone."""

from playwright.sync_api import expect

from pages.ask.exercise.fill_exercise import make
from tests.browser.gestures import cell, type_into, wait_value

BLANK = '.pic-cell[data-editable][data-value=""]'


def link(level, number, language="en"):
    return f"/practice?lang={language}&part=fill_in&level={level}&exercise={number}"


def right(exercise):
    return [f"{exercise.right(place):.2f}" for place in exercise.blank]


def place(exercise, index=0):
    """Where a blank cell is in the picture."""
    step, col = exercise.blank[index]
    return step, 0 if exercise.own_rows else exercise.row, col


def test_a_wrong_number_is_ringed_and_told_then_corrected_by_pointer(visit):
    exercise = make("1", 1)
    page = visit(link(1, 1), BLANK)
    page.locator(cell(*place(exercise))).click()
    page.keyboard.type("77")
    page.get_by_role("button", name="Check my answer").click()  # leaving the cell takes its entry
    page.get_by_text("Too large:").wait_for()
    page.wait_for_selector(cell(*place(exercise)) + "[data-ringed]")
    page.get_by_role("button", name="Show hint 1 of 3").click()
    page.wait_for_selector(f'.pic-box:not([data-matrix-box="{exercise.steps[0]}"]) [data-ringed]')
    page.locator(cell(*place(exercise))).click()
    page.keyboard.type(right(exercise)[0])
    page.get_by_role("button", name="Check my answer").click()
    page.get_by_text("Correct. Below is every cell").wait_for()
    page.wait_for_selector(".pic-cell:not([data-editable])")
    expect(page.locator(".pic-cell[data-editable]")).to_have_count(0)
    page.locator(cell(exercise.blank[0][0], exercise.row, exercise.blank[0][1])).hover()
    page.wait_for_selector("[data-lit=source]")


def test_an_entry_is_read_as_people_write_it_and_one_that_is_changed_has_no_old_verdict(visit):
    exercise = make("1", 1)
    here = place(exercise)
    page = visit(link(1, 1), BLANK)
    entry, verdict = page.locator(cell(*here)), page.get_by_text("Too large:")
    entry.fill("77,5")
    page.get_by_role("button", name="Check my answer").click()
    verdict.wait_for()
    for text, value in [("1/√3", 0.57735026919), ("√3/2", 0.866025403784), ("2/3", 0.666666666667)]:
        type_into(page, *here, text)
        wait_value(page, *here, value)
        verdict.wait_for(state="detached")
    type_into(page, *here, "2/0")
    page.get_by_text("Expected something like 1.5, -2, 0,58, 2/3 or √3/2, also written sqrt(3)/2").wait_for()
    type_into(page, *here, right(exercise)[0].replace(".", ","))
    page.get_by_role("button", name="Check my answer").click()
    page.get_by_text("Correct. Below is every cell").wait_for()


def test_on_a_phone_nothing_is_wider_than_the_screen_and_a_tap_types(visit):
    exercise = make("1", 1)
    page = visit(
        link(1, 1, "zh"), BLANK, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page.locator(cell(*place(exercise))).tap()
    page.keyboard.type(right(exercise)[0])
    page.get_by_role("button", name="检查我的答案").tap()
    page.get_by_text("正确。下面是").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
