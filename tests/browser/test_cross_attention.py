"""The lesson `Cross-attention` in a real browser: every gesture that matters."""

from pages.lessons.cross_attention.predict import swap_source
from pages.model import edits
from pages.model.compute import cross_trace_of
from pages.model.settings import Settings
from tests.browser.gestures import bound, cell, press_and_move, type_into, wait_link, wait_value

LESSON, EXAMPLE = "cross_attention", "translation"
START = edits.load_example(Settings(), EXAMPLE)
READY = {"picture": "output", "predict": "weights", "translation": "mask_cross", "alignment": "lower_right"}


def wait_weights(page, now):
    weights = cross_trace_of(now).head(0).weights
    rows, cols = weights.shape
    wait_value(page, "weights", 0, 0, weights[0, 0].item())
    wait_value(page, "weights", rows - 1, cols - 1, weights[-1, -1].item())


def test_a_dragged_number_of_y_moves_keys_values_weights_and_output(lesson):
    page = lesson("picture")
    mouse = press_and_move(page, "y", 0, 0, -80)
    now = edits.set_cell(START, "y", 0, 0, 0.0)
    wait_weights(page, now)  # the button is still held
    wait_value(page, "value", 0, 0, 0.0)
    wait_value(page, "output", 1, 0, cross_trace_of(now).output[1, 0].item())
    mouse.up()
    wait_link(page, now)
    page.reload()
    page.wait_for_selector(cell("output", 0, 0))
    wait_weights(page, now)


def test_the_computation_is_on_one_screen(lesson):
    page = lesson("picture")
    page.wait_for_function(
        """() => ['x', 'y', 'w_v', 'scores', 'output'].every((name) =>
          [...document.querySelectorAll(`[data-matrix="${name}"]`)].every((node) => {
            const box = node.getBoundingClientRect();
            return box.top >= 0 && box.bottom <= innerHeight;
          }))"""
    )


def test_other_tokens_of_y_and_a_mask_on_them(lesson):
    page = lesson("picture")
    field = page.locator(f"{bound('source')} input")
    field.fill("I saw")
    field.press("Enter")
    now = edits.set_source(START, "I saw")
    wait_link(page, now)
    wait_weights(page, now)
    page.locator(f"{bound('cross_mask')} input").click()
    page.get_by_role("option", name="causal").click()
    wait_link(page, edits.with_choice(now, cross_mask="causal"))
    wait_value(page, "masked_scores", 0, 1, "-inf")
    page.get_by_text("lower right").click()
    now = edits.with_choice(now, cross_mask="causal", alignment="lower_right")
    wait_link(page, now)
    wait_value(page, "weights", 0, 0, 0.0)  # more queries than keys: the first rows are fully masked


def test_hovering_the_output_leads_back_to_y(lesson):
    page = lesson("picture")
    page.locator(cell("key", 0, 0)).hover()
    page.locator(".pic-line", has_text="K[I, 1]").wait_for()
    page.locator(cell("scores", 0, 0)).hover()
    page.locator(".pic-line", has_text="S[昨天, I]").wait_for()


def test_two_tokens_of_y_change_places_by_a_button(lesson):
    page = lesson("predict", "&topic=order", ready="output_after")
    page.locator(".st-key-swap_source button").first.click()
    wait_link(page, swap_source(START))
    weights = cross_trace_of(swap_source(START)).head(0).weights
    wait_value(page, "weights_before", 1, 1, weights[1, 1].item())


def test_a_question_shows_its_answer_only_afterwards(lesson):
    page = lesson("predict", guess="", ready="y")
    type_into(page, "x", 0, 0, "2")
    wait_link(page, edits.set_cell(START, "x", 0, 0, 2.0))
    page.locator(".st-key-guess-cross_shape-n_m button").click()
    page.locator(".st-key-ask-cross_shape", has_text="Correct.").wait_for()
    wait_weights(page, edits.set_cell(START, "x", 0, 0, 2.0))
