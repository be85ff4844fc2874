import json
import os
from urllib.parse import parse_qs, urljoin

import pytest
from playwright.sync_api import expect

from pages.model.course import OF_SETTINGS
from pages.model.settings import Settings
from tests.browser.every_control import Presser
from tests.browser.gestures import answered, keep_answers
from tests.browser.wire import RESTS
from tests.support.course import LESSONS
from tests.support.course import lesson as declared
from tests.support.programs import FLAGS, find_browser

# As long as Playwright's other waits: how long a state takes depends on the machine.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="session")
def chromium():
    """One browser for all tests. Without one: skipped with the reason, an error in CI."""
    path = find_browser()
    if path is None:
        reason = "no Chromium found (Debian: apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def pages():
    """Pages that tests have left, by the options of their context: a used page loads the app faster."""
    return {}


@pytest.fixture
def blank_page(chromium, pages):
    """blank_page(**context options) gives an empty page.

    fresh: one that no test has used.
    """
    start = []

    def open_page(*, fresh=False, **options):
        options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US"} | options
        left = [] if fresh else pages.setdefault(json.dumps(options), [])
        page = left.pop() if left else chromium.new_context(**options).new_page()
        start.append((page, left, fresh))
        page.set_viewport_size(options["viewport"])
        return page

    yield open_page
    for page, left, fresh in start:
        for tab in page.context.pages:
            if tab != page:
                tab.close()
        if fresh:
            page.context.close()
        else:
            page.mouse.up()
            page.mouse.move(0, 0)
            if page.url.startswith("http"):  # leaving ends its session, and may keep a last word
                page.goto(urljoin(page.url, "/_stcore/health"))
                page.evaluate("localStorage.clear(), sessionStorage.clear()")
            page.goto("about:blank")
            left.append(page)


@pytest.fixture
def new_page(blank_page, address):
    """new_page(link, **options of blank_page) goes to the link. answers: what the browser keeps."""

    def open_page(link="", answers=None, **options):
        page = blank_page(**options)
        if answers:
            keep_answers(page, address, answers)
        page.goto(address + begun(link))
        return page

    return open_page


def begun(link):
    """The link; without numbers it begins with the plain example, whose numbers the tests compute with."""
    path, _, query = link.partition("?")
    name, keys = path.strip("/") or "one_head", parse_qs(query)
    numbers = "lang" not in keys or not keys.keys().isdisjoint(OF_SETTINGS)
    plain = name in LESSONS and declared(name).start == Settings().example
    return f"{link}&example={Settings().example}" if plain and not numbers else link


@pytest.fixture
def press_every_control(chromium, address, server_log):
    """press_every_control(lesson, language) fails with a list of all that was wrong after a press.

    On a phone only the controls of the first part's picture are pressed.
    """

    def press(lesson, language, *, phone=False):
        width, height = (390, 844) if phone else (1280, 800)
        context = chromium.new_context(viewport={"width": width, "height": height}, locale="en-US")
        try:
            presser = Presser(context, address, lesson, language, server_log)
            faults = presser.press_picture() if phone else presser.press_all()
        finally:
            context.close()
        assert not faults, "\n".join(["", *faults])

    return press


@pytest.fixture
def visit(new_page):
    """visit(link, ready, **context options) opens a page; waits for `ready`, the link, the end of the run."""

    def open_page(link="/?lang=en&example=cats", ready='[data-matrix="output"]', **options):
        page = new_page(link, **options)
        page.wait_for_selector(ready, timeout=60_000)
        page.wait_for_function("location.search.includes('lang=')")
        page.wait_for_selector(RESTS)
        return page

    return open_page


@pytest.fixture
def lesson(visit, request):
    """lesson(part) opens a part of the module's LESSON at its start or EXAMPLE, with its questions answered.

    It waits for the matrix or the selector that READY has for the part, or for `ready`.
    """
    name, known = request.module.LESSON, getattr(request.module, "READY", {})
    example = getattr(request.module, "EXAMPLE", declared(name).start)
    start = f"/{name}?lang=en&example={example}"

    def open_page(part, more="", answers=None, ready=None, **options):
        answers, ready = answered(name) if answers is None else answers, ready or known[part]
        ready = ready if ready[0] in ".[" else f'[data-matrix="{ready}"]'
        return visit(f"{start}&part={part}{more}", ready, answers=answers, **options)

    return open_page
