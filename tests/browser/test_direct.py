"""While a number is held, the picture follows without runs of the page; where no answer comes, with runs."""

import pytest
from playwright.sync_api import expect

from attention.lab.softmax.scores import softmax
from pages.model import edits
from pages.model.settings import Settings
from pages.shell.direct import BUSY
from tests.browser.gestures import (
    cell,
    press_and_move,
    until,
    wait_link,
    wait_output,
    wait_value,
)
from tests.browser.test_faults import Line
from tests.browser.wire import RESTS

START = Settings()
ASKED = "**/direct"
NEXT_FRAME = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
NUMBERS = "cells => cells.map(cell => cell.value)"
LATE = 2000  # ms without an answer, after which the numbers are old


class Questions:
    """What a page asks directly, each answered by what `answers` says; by default the server does."""

    def __init__(self, page):
        self.count, self.answer = 0, lambda route: route.fallback()
        page.route(ASKED, self._take)

    def _take(self, route) -> None:
        self.count += 1
        self.answer(route)


@pytest.fixture
def opened(blank_page, address):
    """opened(path, ready) gives a page, its connection and its direct questions."""

    def open_page(path="/?lang=en&example=cats", ready="output"):
        page = blank_page(fresh=True)
        line, questions = Line(page), Questions(page)
        page.goto(address + path)
        page.wait_for_selector(cell(ready, 0, 0), timeout=60_000)
        page.wait_for_function("location.search.includes('lang=')")
        page.wait_for_selector(RESTS)
        return page, line, questions

    return open_page


def held_value(page, matrix: str = "x") -> float:
    return float(page.locator(cell(matrix, 0, 0)).input_value())


def with_held(page, start: Settings = START) -> Settings:
    return edits.set_cell(start, "x", 0, 0, held_value(page))


def wait_held(page) -> None:
    """Waits until the output is that of the held number, which follows the hand on the next frame."""
    page.evaluate(NEXT_FRAME)
    wait_output(page, with_held(page))


def undo(page):
    return page.get_by_role("button", name="Undo", exact=True)


def test_no_run_is_asked_for_before_the_hand_lets_go(opened):
    page, line, questions = opened()
    sent, link = line.sent, page.url
    mouse = press_and_move(page, "x", 0, 0, 120)
    wait_held(page)
    assert held_value(page) != START.x[0][0] and questions.count
    assert line.sent == sent and page.url == link
    mouse.up()
    wait_link(page, with_held(page))
    undo(page).click()
    wait_link(page, START)
    wait_output(page, START)
    expect(page.locator("[data-old]")).to_have_count(0)


def test_escape_gives_the_number_back_and_leaves_nothing_to_undo(opened):
    page, _, _ = opened()
    mouse = press_and_move(page, "x", 0, 0, 120)
    wait_held(page)
    page.keyboard.press("Escape")
    wait_output(page, START)
    mouse.up()
    wait_link(page, START)
    assert "undo" in page.evaluate("document.documentElement.dataset.idle").split()


def test_a_key_that_is_held_down_asks_directly_too(opened):
    page, line, _ = opened()
    page.locator(cell("x", 0, 0)).focus()
    sent = line.sent
    page.keyboard.down("ArrowUp")
    wait_held(page)
    assert line.sent == sent
    page.keyboard.up("ArrowUp")
    wait_link(page, with_held(page))


REFUSALS = {
    "no such page": lambda route: route.fulfill(status=404, content_type="text/html", body="<p>none</p>"),
    "a page for everything": lambda route: route.fulfill(
        status=200, content_type="text/html", body="<p>app</p>"
    ),
    "no answer": lambda route: route.fulfill(status=204),
    "cut": lambda route: route.abort(),
}


@pytest.mark.parametrize("refusal", REFUSALS)
def test_without_an_answer_every_step_goes_by_a_run_of_the_page(opened, refusal):
    page, line, questions = opened()
    questions.answer = REFUSALS[refusal]
    for _ in range(7):
        sent = line.sent
        mouse = press_and_move(page, "x", 0, 0, 40)
        wait_held(page)
        assert line.sent > sent  # while it is held
        mouse.up()
        wait_link(page, with_held(page))
    assert 3 <= questions.count <= 6  # then it is not tried any more
    expect(page.locator("[data-old]")).to_have_count(0)


def test_a_question_that_fails_after_the_last_step_is_a_run_of_the_page(opened):
    page, _, questions = opened()
    waiting = []
    questions.answer = waiting.append
    mouse = press_and_move(page, "x", 0, 0, 60)
    until(page, lambda: len(waiting) == 2)
    for question in waiting:
        question.abort()
    wait_held(page)
    mouse.up()


def test_an_answered_number_is_not_late_while_it_is_held(opened):
    page, _, questions = opened()
    page.clock.install()
    mouse = press_and_move(page, "x", 0, 0, 60)
    wait_held(page)
    page.clock.fast_forward(LATE)
    expect(page.locator("[data-old]")).to_have_count(0)
    questions.answer = lambda route: None
    moved_to(page, 140)
    page.clock.fast_forward(LATE)
    expect(page.locator("[data-old]")).not_to_have_count(0)
    mouse.up()


def test_lost_and_late_answers_leave_the_core_s_numbers(opened):
    page, _, questions = opened()
    late = []

    def answer(route):
        """One is lost, one waits for the next one, and the third is answered at once."""
        if questions.count % 7 == 6:
            return route.abort()
        if questions.count % 3 == 1 and not late:
            return late.append((route, route.fetch()))
        response = route.fetch()
        route.fulfill(response=response)
        for waiting, before in late:
            waiting.fulfill(response=before)
        late.clear()

    questions.answer = answer
    for turn in range(4):
        mouse = press_and_move(page, "x", 0, 0, 60 + 40 * turn, steps=30)
        wait_held(page)
        mouse.up()
        wait_link(page, with_held(page))
        wait_held(page)
    assert questions.count > 12


def moved_to(page, right: float) -> None:
    place = page.locator(cell("x", 0, 0)).bounding_box()
    page.mouse.move(place["x"] + right, place["y"] + 5)


@pytest.fixture
def late(opened):
    """A page whose number is held, and two answers that wait."""
    page, _, questions = opened()
    press_and_move(page, "x", 0, 0, 60)
    wait_held(page)
    answers = []
    questions.answer = lambda route: answers.append((route, route.fetch()))
    for count, right in ((1, 100), (2, 140)):
        moved_to(page, right)
        until(page, lambda count=count: len(answers) == count)
    return page, answers


def let_through(page, answers) -> None:
    for route, response in answers:
        with page.expect_event("requestfinished"):
            route.fulfill(response=response)
    page.evaluate(NEXT_FRAME)


def test_an_older_answer_takes_nothing_back(late):
    page, answers = late
    let_through(page, answers[::-1])
    wait_held(page)
    page.mouse.up()


def test_an_answer_that_comes_after_the_hand_has_let_go_changes_nothing(late):
    page, answers = late
    moved_to(page, 220)
    then = with_held(page)
    page.mouse.up()
    wait_link(page, then)
    wait_output(page, then)
    let_through(page, answers)
    wait_output(page, then)


def test_what_a_run_draws_without_the_held_number_is_asked_for_again(opened):
    page, line, questions = opened()
    sent = line.sent
    with line.delayed():
        page.locator(cell("scores", 0, 0)).click()
        until(page, lambda: line.sent > sent)  # the server is told which cell is looked at
        mouse = press_and_move(page, "x", 0, 0, 60)
        wait_held(page)
        asked = questions.count
    until(page, lambda: questions.count > asked)
    wait_held(page)
    mouse.up()
    wait_link(page, with_held(page))


def test_a_part_with_more_than_pictures_goes_by_runs_of_the_page(opened):
    page, line, questions = opened("/softmax?lang=en&part=bars", "logits")
    page.locator(".st-key-guess-soft_three-exps button").click()
    page.wait_for_selector(cell("weights", 0, 2))
    page.wait_for_selector(RESTS)
    sent = line.sent
    mouse = press_and_move(page, "logits", 0, 2, 80)
    scores = tuple(map(float, page.locator("[data-matrix=logits]").evaluate_all(NUMBERS)))
    wait_value(page, "weights", 0, 2, softmax(scores)[2])
    assert line.sent > sent and not questions.count
    mouse.up()


def test_a_busy_server_is_asked_again_with_the_newest_value(opened):
    """No run of the page is asked for meanwhile; when the hand lets go, the value goes the usual way."""
    page, line, questions = opened()
    sent = line.sent
    questions.answer = lambda route: route.fulfill(status=BUSY)
    mouse = press_and_move(page, "x", 0, 0, 120)
    until(page, lambda: questions.count >= 6)  # more than the failures after which nothing more is asked
    assert line.sent == sent
    questions.answer = lambda route: route.fallback()
    wait_output(page, with_held(page))
    assert line.sent == sent
    questions.answer = lambda route: route.fulfill(status=BUSY)
    now = with_held(page)
    mouse.up()
    wait_link(page, now)
