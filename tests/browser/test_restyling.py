"""A drag has the browser work out the style of what it changes, not of the whole picture.

A rule that looks for a part of a class, such as [class*='st-key-ask-'], may be to blame for more: Streamlit
changes the class of a picture's container at each edit. A drag is watched between its first answer and its
last one, for the browser itself works out all styles again when the address changes.
"""

from urllib.parse import urlencode

import pytest

from tests.browser.gestures import cell
from tests.browser.wire import RESTS

LARGE = "/?" + urlencode(
    {"lang": "en", "tokens": ",".join(f"t{i}" for i in range(12)), "dmodel": "16", "heads": "8"}
)
UPDATES = 4
MOST = 120  # elements an update: cells with numbers, each of which has its own colour, and Streamlit's
OUTPUT = cell("output", 0, 0)


def dragged(page, x, y):
    """One more step of the hand, until the output has followed."""
    before = page.locator(OUTPUT).get_attribute("data-value")
    page.mouse.move(x, y)
    follows = "([selector, before]) => document.querySelector(selector).dataset.value !== before"
    page.wait_for_function(follows, arg=[OUTPUT, before])


@pytest.mark.parametrize("link", ["/?lang=en&example=cats", LARGE])
def test_a_drag_restyles_little_but_what_it_changes(visit, link):
    page = visit(link)
    session, events, ended = page.context.browser.new_browser_cdp_session(), [], []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda data: ended.append(data))
    box = page.locator(cell("x", 0, 0)).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(1, UPDATES):
        dragged(page, x + 20 * i, y)
    page.wait_for_selector(RESTS)
    session.send("Tracing.start", {"traceConfig": {"includedCategories": ["devtools.timeline"]}})
    for i in range(UPDATES, 2 * UPDATES):
        dragged(page, x + 20 * i, y)
    session.send("Tracing.end")
    while not ended:
        page.evaluate("0")  # Playwright passes events on while it is called
    page.mouse.up()
    restyled = [one["args"].get("elementCount", 0) for one in events if one["name"] == "UpdateLayoutTree"]
    assert 0 < sum(restyled) / UPDATES < MOST, restyled
