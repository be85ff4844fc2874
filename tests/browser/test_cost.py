"""The lesson `Cost` in a real browser: a number that is typed, and a measurement that is stopped."""

from pages.model.settings import Settings
from tests.browser.gestures import type_into, wait_link
from tests.states import with_own

SHOWN = "&guess=cost_crossing:shown,cost_fused:shown"


def test_the_sentence_follows_the_number_of_tokens(visit):
    page = visit(f"/cost?lang=en&part=compare{SHOWN}", '[data-matrix="cost_n"]')
    page.get_by_text("the recurrent layer mixes with 4 times").wait_for()
    # On a fresh server the picture that was there before PyTorch goes first.
    page.wait_for_function("""() => document.querySelectorAll('[data-matrix="cost_n"]').length === 1""")
    type_into(page, "cost_n", 0, 0, "1024")
    page.get_by_text("self-attention mixes positions with 4 times").wait_for()
    wait_link(page, with_own(Settings(), cost_n=1024))


def test_a_measurement_shows_its_progress_and_stops(visit):
    page = visit(f"/cost?lang=en&part=measured{SHOWN}", ".st-key-plot-measured svg.marks")
    start = page.get_by_role("button", name="Measure on this machine")
    start.click()
    page.get_by_role("button", name="Stop").click()
    start.wait_for()
    page.get_by_text("Measured now on the machine").wait_for()
