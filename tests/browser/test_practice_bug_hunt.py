"""Bug hunt in the browser: the arithmetic keeps the result back, controls are aligned and read."""

from pages.lessons.practice import bug_exercise
from tests.browser.gestures import cell


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
    assert page.evaluate(CONTROLS) == [1, 1, True]
