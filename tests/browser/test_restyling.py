"""An edit has the browser work out the style of what it changes, not of the whole picture.

A rule that looks for a part of a class, such as [class*='st-key-ask-'], may be to blame for more: Streamlit
changes the class of a picture's container at each edit.
"""

from tests.benchmarks.speed import LARGE
from tests.browser.gestures import cell, type_into, wait_value
from tests.browser.wire import RESTS

EDITS = 3
ELEMENTS = "document.querySelectorAll('.pic *').length"


def test_an_edit_restyles_a_small_part_of_the_picture(visit):
    page = visit(LARGE)
    page.wait_for_selector(cell("output", 11, 15))
    type_into(page, "x", 0, 0, "0.5")
    wait_value(page, "x", 0, 0, 0.5)
    page.wait_for_selector(RESTS)
    session, events, ended = page.context.browser.new_browser_cdp_session(), [], []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.on("Tracing.tracingComplete", lambda data: ended.append(data))
    session.send("Tracing.start", {"traceConfig": {"includedCategories": ["devtools.timeline"]}})
    for i in range(EDITS):
        before = page.locator(cell("output", 0, 0)).get_attribute("data-value")
        type_into(page, "x", 0, 0, str(i + 1))
        page.wait_for_function(
            "([selector, before]) => document.querySelector(selector).dataset.value !== before",
            arg=[cell("output", 0, 0), before],
        )
    page.wait_for_selector(RESTS)
    session.send("Tracing.end")
    while not ended:
        page.evaluate("0")  # Playwright passes events on while it is called
    restyled = [one["args"].get("elementCount", 0) for one in events if one["name"] == "UpdateLayoutTree"]
    assert 0 < sum(restyled) / EDITS < page.evaluate(ELEMENTS) / 2, restyled
