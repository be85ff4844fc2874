"""Bug hunt in the browser: the arithmetic keeps the result back."""

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
