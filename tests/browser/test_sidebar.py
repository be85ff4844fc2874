"""The mark of a finished lesson comes and goes at once, and nothing else on the page moves for it."""

from urllib.parse import urlencode

from playwright.sync_api import expect

from pages.model.link import to_query
from tests.browser.gestures import lesson_link
from tests.browser.test_questions import AT_REST
from tests.support.questions import ASKED

LAST = next(one for one in ASKED if one.name == "order_shift")
# In each frame: how far the page is scrolled, and where the question's card, the title and the links begin.
WATCH = """(card) => {
  const top = (node) => node && Math.round(node.getBoundingClientRect().top);
  window.seen = new Set();
  const look = () => {
    const links = document.querySelectorAll('[data-testid=stSidebar] [data-testid=stPageLink] a');
    const nodes = [document.querySelector(card), document.querySelector('h1'), ...links];
    const { scrollTop } = document.querySelector('[data-testid=stMain]');
    window.seen.add([scrollTop, ...nodes.map(top)].join());
    requestAnimationFrame(look);
  };
  look();
}"""


def test_the_mark_comes_with_the_last_answer_and_nothing_moves(new_page):
    query = to_query(LAST.settings, LAST.view(), LAST.place)
    page = new_page(f"/{LAST.lesson}?{urlencode(query)}", dict(LAST.view().answers))
    button = page.locator(f".st-key-guess-{LAST.name}-none button")
    button.wait_for(timeout=60_000)
    page.wait_for_function(AT_REST, polling=200)
    mark = lesson_link(page, "7. Order").get_by_role("img", name="All questions answered")
    expect(mark).to_have_count(0)
    page.evaluate(WATCH, f".st-key-ask-{LAST.name}")
    button.click()
    expect(mark).to_be_visible()
    page.wait_for_function(AT_REST, polling=200)
    assert len(page.evaluate("[...window.seen]")) == 1, page.evaluate("[...window.seen]")
    page.locator(f".st-key-again-{LAST.name} button").click()
    expect(mark).to_have_count(0)


def test_the_mark_goes_with_the_answers(new_page):
    """They are taken back above the toolbar, in another fragment than the questions."""
    query = to_query(LAST.settings, LAST.view("shown"), LAST.place)
    page = new_page(f"/{LAST.lesson}?{urlencode(query)}", dict(LAST.view("shown").answers))
    page.wait_for_selector("h1", timeout=60_000)
    mark = lesson_link(page, "7. Order").get_by_role("img", name="All questions answered")
    expect(mark).to_be_visible()
    page.wait_for_function(AT_REST, polling=200)
    page.locator(".st-key-about button").click()
    page.get_by_role("button", name="Clear").click()
    expect(mark).to_have_count(0)
