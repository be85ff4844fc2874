"""Bug hunt in the browser: a click chooses a matrix, and the arithmetic keeps the result back."""

import pytest

from pages.draw.texts import Texts
from pages.lessons.practice import bug_exercise
from tests.browser.gestures import bound, cell

T = Texts("en", "practice")
NUMBER = 4


@pytest.fixture
def hunt(visit):
    """hunt(level) opens the exercise, and returns the page and what is in it."""

    def open_hunt(level, **options):
        link = f"/practice?lang=en&part=bug_hunt&level={level}&exercise={NUMBER}"
        page = visit(link, ready='[data-matrix="weights"]', **options)
        return page, bug_exercise.make(level, NUMBER)

    return open_hunt


def wait_step(page, text: str) -> None:
    """Waits until this matrix is the chosen one."""
    chosen = page.locator(f"{bound('hunt_step')} button[aria-checked=true]")
    chosen.filter(has=page.get_by_text(text, exact=True)).wait_for()


def choose_mistake(page, bug: str) -> None:
    field = page.locator(f"{bound('hunt_bug')} input")
    field.click()
    page.keyboard.type(T(f"bug.{bug}"))
    page.get_by_role("option", name=T(f"bug.{bug}"), exact=True).wait_for()
    page.keyboard.press("Enter")


def name_of(step: str) -> str:
    return {"weights": "A"}.get(step) or T(f"short.{step}")


def test_a_click_chooses_the_matrix_and_the_answer_is_checked(hunt):
    page, exercise = hunt("1")
    page.locator(cell(exercise.step, 1, 1)).click()
    wait_step(page, name_of(exercise.step))
    choose_mistake(page, exercise.bug)
    page.locator(".st-key-check button:enabled").click()
    page.wait_for_selector('[data-matrix="wrong"]')
    page.wait_for_selector('[data-matrix="right"]')
    page.get_by_text(T("bug_hunt.right_code")).wait_for()


def test_the_arithmetic_keeps_the_result_back(hunt):
    page, exercise = hunt("2")
    page.locator(cell("query", 0, 1)).hover()
    line = page.locator(".pic-line")
    page.wait_for_function("document.querySelector('.pic-line').textContent.startsWith('Q[')")
    assert line.text_content().endswith("= ?")
    page.locator(cell("masked_scores" if exercise.inputs.visible is not None else "scores", 0, 0)).hover()
    page.wait_for_function("!document.querySelector('.pic-line').textContent.startsWith('Q[')")
    assert line.text_content().endswith("?")
