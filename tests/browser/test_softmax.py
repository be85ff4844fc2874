"""The lesson `Softmax` in a real browser: dragging, one screen, and what is read in full and in the dark."""

import re

import pytest

from attention.lab.softmax import scores as softmax
from pages.model.settings import Settings
from tests.browser.gestures import answered, cell, press_and_move, wait_link, wait_said, wait_value
from tests.support.states import with_own

LESSON = "softmax"
READY = {
    "bars": "weights",
    "temperature": "argmax",
    "stable": "shifted_weights",
    "axes": "row_sums",
    "jacobian": "jacobian",
    "dropout": "dropped_weights",
}


def wait_chart(page, name, text):
    page.wait_for_function(
        """([name, text]) => [...document.querySelectorAll(`.st-key-plot-${name} svg text`)]
           .some((node) => node.textContent === text)""",
        arg=[name, text],
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_can_be_done_with_the_picture_is_read_in_full(visit, language):
    page = visit(
        f"/softmax?lang={language}&part=temperature", '[data-matrix="argmax"]', answers=answered("softmax")
    )
    line = page.locator(".pic-line[data-idle]").first
    assert line.evaluate("node => node.textContent.length > 20 && node.scrollWidth <= node.clientWidth")


def test_weights_bars_and_sentence_follow_a_dragged_score_and_the_link_keeps_it(lesson):
    page = lesson("bars")
    wait_chart(page, "bars", "0.659")
    mouse = press_and_move(page, "logits", 0, 2, 80)
    moved = softmax.softmax((2.0, 1.0, 1.1))
    wait_value(page, "weights", 0, 2, moved[2])
    wait_chart(page, "bars", f"{moved[2]:.3f}")
    wait_said(page, "7.389 + 2.718 + 3.004")
    mouse.up()
    wait_link(page, with_own(Settings(), logits=(2.0, 1.0, 1.1)))
    page.reload()
    page.wait_for_selector(cell("weights", 0, 2))
    wait_value(page, "weights", 0, 2, moved[2])


def test_cause_and_effect_of_the_first_part_are_on_one_screen(lesson):
    page = lesson("bars", answers={}, ready="logits")
    page.locator(".st-key-guess-soft_three-exps button").click()
    page.locator(".st-key-plot-bars svg").last.wait_for()
    page.locator(cell("logits", 0, 0)).scroll_into_view_if_needed()
    page.wait_for_function(
        """() => {
          const chart = [...document.querySelectorAll('.st-key-plot-bars svg')].pop().getBoundingClientRect();
          const row = document.querySelector('[data-matrix="logits"]').getBoundingClientRect();
          return row.top >= 0 && chart.bottom - row.top < innerHeight;
        }"""
    )


def test_the_axes_of_a_chart_are_seen_in_the_dark_theme(lesson):
    """Axis lines were black on black."""
    page = lesson("temperature", color_scheme="dark")
    page.wait_for_selector(".stVegaLiteChart svg.marks")
    parts = ".stVegaLiteChart :is([class*=role-axis] line, [class*=role-axis] text)"
    drawn = page.locator(parts).evaluate_all(
        """(nodes) => nodes.map((node) => getComputedStyle(node))
             .map(({ stroke, fill }) => (stroke === 'none' ? fill : stroke))"""
    )
    light = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in drawn]
    assert len(drawn) > 20 and min(light) > 100
