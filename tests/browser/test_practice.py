"""Exercises in a real browser: blank cells by pointer and on a phone, a bug hunt, statements."""

from playwright.sync_api import expect

from pages.ask.exercise.fill_exercise import make
from pages.lessons.practice import bug_exercise
from tests.browser.gestures import cell, type_into, until, wait_narrow, wait_value
from tests.browser.test_phone import PHONE

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
    page.get_by_text("Below is every cell").wait_for()
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
    page.get_by_text("Below is every cell").wait_for()


def test_on_a_phone_nothing_is_wider_than_the_screen_and_a_tap_types(visit):
    exercise = make("1", 1)
    page = visit(link(1, 1, "zh"), BLANK, **PHONE)
    page.locator(cell(*place(exercise))).tap()
    page.keyboard.type(right(exercise)[0])
    page.get_by_role("button", name="检查我的答案").tap()
    page.get_by_text("下面是每个单元格的算式").wait_for()
    wait_narrow(page)


def test_the_arithmetic_keeps_the_result_back(visit):
    page = visit("/practice?lang=en&part=bug_hunt&level=2&exercise=4", '[data-matrix="weights"]')
    exercise = bug_exercise.make("2", 4)
    page.locator(cell("query", 0, 1)).hover()
    line = page.locator(".pic-line")
    page.wait_for_function("document.querySelector('.pic-line').textContent.startsWith('Q[')")
    assert line.text_content().endswith("= ?")
    page.locator(cell("masked_scores" if exercise.inputs.visible is not None else "scores", 0, 0)).hover()
    page.wait_for_function("!document.querySelector('.pic-line').textContent.startsWith('Q[')")
    assert line.text_content().endswith("?")


def test_what_was_entered_is_still_there_after_a_reload(visit):
    exercise = make("0", 5001)
    here = place(exercise)
    page = visit("/practice?lang=en&part=three", BLANK)
    type_into(page, *here, "-1.5")
    page.wait_for_function("sessionStorage['attention-tab']?.includes('-1.5')")
    page.reload()
    wait_value(page, *here, -1.5)


# How many heights the labels of a line have; whether a button that cannot be pressed yet has a visible text.
CONTROLS = """() => {
  const heights = (line) => [...document.querySelectorAll(`.st-key-${line} [data-testid=stWidgetLabel]`)]
    .map((label) => Math.round(label.getBoundingClientRect().top));
  const text = document.querySelector('.st-key-check button:disabled p');
  const ground = getComputedStyle(document.querySelector('.stApp')).backgroundColor;
  const count = (line) => new Set(heights(line)).size;
  return [count('desk'), count('hunt'), getComputedStyle(text).color !== ground];
}"""


def test_controls_of_a_line_are_aligned_and_a_button_to_come_can_be_read(visit):
    page = visit("/practice?lang=en&part=bug_hunt", ".st-key-check button:disabled", color_scheme="light")
    until(page, lambda: page.evaluate(CONTROLS) == [1, 1, True], lambda: page.evaluate(CONTROLS))


def test_statements_wrap_on_a_phone(visit):
    page = visit(
        "/practice?lang=en&part=read_it&level=3&exercise=3",
        '[data-matrix="weights2"]',
        **PHONE,
    )
    labels = page.locator('[data-testid="stCheckbox"] p')
    labels.nth(3).wait_for()
    whole = "all => all.every(one => one.scrollWidth <= one.clientWidth + 1)"
    until(page, lambda: labels.evaluate_all(whole))
    labels.first.tap()
    page.wait_for_function("document.querySelector('[type=checkbox]').checked")
    wait_narrow(page)
