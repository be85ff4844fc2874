"""The lesson `Cross-attention` in a real browser: dragging, and one screen."""

from pages.model import edits
from pages.model.compute import cross_trace_of
from tests.browser.gestures import cell, press_and_move, wait_link, wait_value

LESSON, EXAMPLE = "cross_attention", "translation"
START = edits.example_start(EXAMPLE)
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
