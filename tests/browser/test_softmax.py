"""The lesson `Softmax` in a real browser: what is read in full and in the dark."""

import re

import pytest

from tests.browser.gestures import answered

LESSON = "softmax"
READY = {"temperature": "argmax"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_can_be_done_with_the_picture_is_read_in_full(visit, language):
    page = visit(
        f"/softmax?lang={language}&part=temperature", '[data-matrix="argmax"]', answers=answered("softmax")
    )
    line = page.locator(".pic-line[data-idle]").first
    assert line.evaluate("node => node.textContent.length > 20 && node.scrollWidth <= node.clientWidth")


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
