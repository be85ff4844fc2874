import os

import pytest

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
def address():
    with serving(ROOT / "app.py") as (address, _):
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
def visit(new_page):
    """visit(link, ready, **context options) opens a page, waits for `ready` and for the link."""

    def open_page(link="", ready='[data-matrix="output"]', **options):
        page = new_page(link, **options)
        page.wait_for_selector(ready, timeout=60_000)
        page.wait_for_function("location.search.includes('lang=')")
        return page

    return open_page
