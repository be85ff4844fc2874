import os

import pytest

from tests.browser.every_control import Presser
from tests.browser_support import FLAGS, ROOT, find_browser, serving


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)


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
def server_log(tmp_path_factory):
    """The file with all that the server writes."""
    return tmp_path_factory.mktemp("server") / "log.txt"


@pytest.fixture(scope="session")
def address(server_log):
    with serving(ROOT / "app.py", log=server_log) as (address, _):
        yield address


@pytest.fixture
def new_page(chromium, address):
    """new_page(link, **context options) goes to the link in a browser of its own."""
    contexts = []

    def open_page(link="", **options):
        options = {"viewport": {"width": 1280, "height": 800}, "locale": "en-US"} | options
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.goto(address + link)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def press_every_control(chromium, address, server_log):
    """press_every_control(lesson, language) fails with a list of all that was wrong after a press."""

    def press(lesson, language, width=1280, height=800):
        context = chromium.new_context(viewport={"width": width, "height": height}, locale="en-US")
        try:
            faults = Presser(context, address, lesson, language, server_log).press_all()
        finally:
            context.close()
        assert not faults, "\n".join(["", *faults])

    return press


@pytest.fixture
def visit(new_page):
    """visit(link, ready, **context options) opens a page, waits for `ready` and for the link."""

    def open_page(link="", ready='[data-matrix="output"]', **options):
        page = new_page(link, **options)
        page.wait_for_selector(ready, timeout=60_000)
        page.wait_for_function("location.search.includes('lang=')")
        return page

    return open_page
