"""Every question of every lesson is answered by hand: the verdict stands where the click was."""

from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator

from pages.model.link import to_query
from tests.asked import ASKED, Asked
from tests.browser.gestures import cell

NEAR = 150  # px; the page may become shorter, and then the browser moves it down
# Questions that are answered with a number, or with a cell of a picture: a wrong answer and the right one.
NUMBERS = {"note_start": ("3", "8")}
CELLS = {"causal": ((0, 2), (0, 0))}
# Nothing runs, and the page was as long at the last three looks.
AT_REST = """() => {
  const length = document.querySelector('[data-testid="stMain"]').scrollHeight;
  const idle = document.querySelector('[data-testid="stApp"]').dataset.testScriptState === 'notRunning';
  window.looks = idle ? [...(window.looks ?? []), length].slice(-3) : [];
  return window.looks.length === 3 && new Set(window.looks).size === 1;
}"""
STANDS = """([selector, y, near]) => {
  const app = document.querySelector('[data-testid="stApp"]');
  const box = document.querySelector(selector)?.getBoundingClientRect();
  return app.dataset.testScriptState === 'notRunning' && box && box.height > 0
    && box.top >= 0 && box.bottom <= innerHeight && Math.abs(box.top - y) <= near;
}"""


def ways(page, asked: Asked) -> Iterator[tuple[Locator, str]]:
    """What is pressed to answer, with what is typed there before; each time the question is asked anew."""
    card, name = page.locator(f".st-key-ask-{asked.name}"), f"st-key-guess-{asked.name}"
    for number in NUMBERS.get(asked.name, ()):
        yield card.locator("input"), number
    for place in CELLS.get(asked.name, ()):
        yield card.locator(cell("scaled_scores", *place)), ""
    if asked.name not in (NUMBERS | CELLS):
        options = card.locator(f'[class*="{name}-"]:not(.{name}-shown) button')
        card.locator(f".{name}-shown button").wait_for(timeout=60_000)  # it stands behind the options
        for i in range(options.count()):
            yield options.nth(i), ""


@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_the_verdict_stands_where_the_click_was(new_page, asked):
    """A right and a wrong answer: each verdict is in the window, near the click, and no toast repeats it."""
    query = to_query(asked.settings, asked.view(), asked.place)
    page = new_page(f"/{asked.lesson}?{urlencode(query)}")
    verdict, again = f".st-key-verdict-{asked.name}", page.locator(f".st-key-again-{asked.name} button")
    seen = set()
    for target, text in ways(page, asked):
        target.wait_for(timeout=60_000)
        page.wait_for_function(AT_REST, polling=200)
        target.scroll_into_view_if_needed()
        y = target.bounding_box()["y"]
        if text:
            target.fill(text)
            target.press("Enter")
        else:
            target.click()
        again.wait_for(timeout=60_000)
        page.wait_for_function(STANDS, arg=[verdict, y, NEAR])
        assert page.locator("[data-testid=stToast]").count() == 0
        seen.add(page.locator(f"{verdict} [data-testid=stAlertContentSuccess]").count() == 1)
        if seen == {True, False}:
            return
        again.click()
        target.wait_for(timeout=60_000)
    raise AssertionError(f"a right and a wrong answer were expected, and found were {seen}")


def test_the_keyboard_goes_on_from_the_card(visit):
    page = visit("/order?lang=en&part=rotary", ".st-key-guess-order_shift-none button")
    page.locator(".st-key-guess-order_shift-none button").press("Enter")
    page.locator(".st-key-again-order_shift").wait_for()
    page.wait_for_function(AT_REST, polling=200)
    for key, name in (("Tab", "The other options"), ("Tab", "Ask me again"), ("Tab", None)):
        page.keyboard.press(key)
        where = page.evaluate("document.activeElement.closest('.st-key-ask-order_shift')?.innerText")
        assert (where is None) is (name is None)
        if name is not None:
            assert name in page.evaluate("document.activeElement.innerText")


def test_the_verdict_is_a_status(visit):
    page = visit("/order?lang=en&part=rotary", ".st-key-guess-order_shift-none button")
    page.locator(".st-key-guess-order_shift-all button").click()
    page.locator(".st-key-ask-order_shift").get_by_role("status").get_by_text("Not quite").wait_for()
