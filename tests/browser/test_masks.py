"""The lesson `Masks` in a real browser: choosing a mask, and answering."""

from pages.model import edits
from pages.model.compute import trace_of
from tests.browser.gestures import cell, wait_link, wait_value
from tests.support.states import with_own

LESSON = EXAMPLE = "masks"
START = edits.example_start(EXAMPLE)
OPEN = edits.with_choice(START, mask="none")
READY = {"gallery": "output_change"}


def test_a_click_on_a_thumbnail_chooses_the_mask_and_the_keyboard_too(lesson):
    page = lesson("gallery")
    wait_value(page, "weights", 0, 0, 1.0)
    page.locator('[data-matrix-box="kind_padding"]').click()
    wait_link(page, edits.with_choice(START, mask="padding"))
    wait_value(page, "masked_scores", 0, 3, "-inf")
    page.locator('[data-matrix-box="kind_padding"]').press("ArrowRight")
    page.keyboard.press("Enter")
    wait_link(page, edits.with_choice(START, mask="window"))


def test_an_answer_is_given_by_the_keyboard_and_then_a_click_masks_a_score(lesson):
    page = lesson("no_looking", answers={}, ready="free_weights")
    page.locator(cell("free_weights", 0, 0)).press("Enter")
    page.locator(".st-key-ask-causal", has_text="Correct.").wait_for()
    wait_value(page, "weights_with", 2, 0, trace_of(OPEN).heads.weights[0, 2, 0].item())
    page.locator(cell("masked_scores", 2, 0)).click()
    wait_value(page, "masked_scores", 2, 0, "-inf")
    wait_value(page, "weights_with", 2, 0, 0.0)
    wait_link(page, with_own(START, barred=frozenset({(2, 0)})))
    page.locator(cell("masked_scores", 2, 0)).click()
    wait_link(page, START)
