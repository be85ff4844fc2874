"""An edit has the browser work out the style of what it changes, not of the whole picture.

A rule that looks for a part of a class, such as [class*='st-key-ask-'], may be to blame for more: Streamlit
changes the class of a picture's container at each edit. An edit is watched until its answer is there, for the
browser itself works out all styles again when the address changes.
"""

from contextlib import contextmanager
from urllib.parse import urlencode

import pytest

from pages.model import edits
from pages.model.settings import Settings
from tests.browser.gestures import cell, type_into, wait_link
from tests.browser.wire import RESTS

LARGE = "/?" + urlencode(
    {"lang": "en", "tokens": ",".join(f"t{i}" for i in range(12)), "dmodel": "16", "heads": "8"}
)
UPDATES = 4
MOST = 120  # elements an update: cells with numbers, each of which has its own colour, and Streamlit's
OUTPUT = cell("output", 0, 0)


def follows(page, before):
    """Waits until the output is another number than before."""
    other = "([selector, before]) => document.querySelector(selector).dataset.value !== before"
    page.wait_for_function(other, arg=[OUTPUT, before])


def output(page):
    return page.locator(OUTPUT).get_attribute("data-value")


def dragged(page, x, y):
    """One more step of the hand, until the output has followed."""
    before = output(page)
    page.mouse.move(x, y)
    follows(page, before)


@contextmanager
def restyled(page):
    """A list, which gets the number of elements of each time that styles are worked out meanwhile."""
    session, events, ended, counts = page.context.browser.new_browser_cdp_session(), [], [], []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda data: ended.append(data))
    session.send("Tracing.start", {"traceConfig": {"includedCategories": ["devtools.timeline"]}})
    yield counts
    session.send("Tracing.end")
    while not ended:
        page.evaluate("0")  # Playwright passes events on while it is called
    counts += [
        event["args"].get("elementCount", 0) for event in events if event["name"] == "UpdateLayoutTree"
    ]


@pytest.mark.parametrize("link", ["/?lang=en&example=cats", LARGE])
def test_a_drag_restyles_little_but_what_it_changes(visit, link):
    page = visit(link)
    box = page.locator(cell("x", 0, 0)).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(1, UPDATES):
        dragged(page, x + 20 * i, y)
    page.wait_for_selector(RESTS)
    with restyled(page) as counts:
        for i in range(UPDATES, 2 * UPDATES):
            dragged(page, x + 20 * i, y)
    page.mouse.up()
    assert 0 < sum(counts) / UPDATES < MOST, counts


def test_a_typed_number_restyles_little_but_what_it_changes(visit):
    page = visit()
    type_into(page, "x", 0, 0, "1.5")
    wait_link(page, edits.set_cell(Settings(), "x", 0, 0, 1.5))
    page.wait_for_selector(RESTS)
    before = output(page)
    with restyled(page) as counts:
        type_into(page, "x", 0, 0, "1.7")
        follows(page, before)
    # Once all styles may be worked out again, for the address of the number before.
    assert 0 < sorted(counts)[-2] < 2 * MOST, counts
