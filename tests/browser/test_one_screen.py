"""Cause and effect are on one screen: what is changed, and what it moves, at 1280 by 800."""

import pytest

from tests.browser.gestures import answered

TOGETHER = {
    "one_head?part=meaning&topic=bank&example=bank": "x output .st-key-plot-movement",
    "softmax?part=bars": "logits weights .st-key-plot-bars",
    "masks?part=gallery&example=masks": "x weights output output_change",
    "many_heads?part=split&example=two_jobs": "x weights_2",
    "many_heads?part=overview&example=two_jobs": "x second",
    "cross_attention?part=picture&example=translation": "x y w_v scores output",
    "flash_attention?part=tiles": "x score_map partial_output",
    "transformer": "embedded .pic-cell[data-matrix=probabilities][data-row='3']",
    "transformer?blocks=3&block=1": "embedded .pic-cell[data-matrix=probabilities][data-row='3']",
    "transformer?blocks=3&block=3&modelheads=2": "w_q .pic-cell[data-matrix=probabilities][data-row='3']",
    "practice?part=fill_in&level=1&exercise=1": ".pic-cell[data-editable] .st-key-check",
    "practice?part=fill_in&level=2&exercise=1": ".pic-cell[data-editable] .st-key-check",
    "practice?part=fill_in&level=3&exercise=1": ".pic-cell[data-editable] .st-key-check",
}
SCROLLED = {"softmax": 100}  # px: its chart is beneath its pictures
HEIGHTS = {"transformer": 1000}  # of the window: it has the matrices of a whole model
PLACE = "(node) => { const { top, bottom } = node.getBoundingClientRect(); return [top, bottom]; }"


@pytest.mark.parametrize("link", TOGETHER)
def test_cause_and_effect_are_on_one_screen(visit, link):
    wanted = [name if name[0] == "." else f'[data-matrix="{name}"]' for name in TOGETHER[link].split()]
    path, _, query = link.partition("?")
    height = HEIGHTS.get(path, 800)
    room = {"width": 1280, "height": height}
    page = visit(f"/{path}?lang=en&{query}", wanted[-1], viewport=room, answers=answered(path))
    top = SCROLLED.get(path, 0)
    for selector in wanted:
        page.locator(selector).first.wait_for()
        above, below = page.locator(selector).first.evaluate(PLACE)
        assert top <= above and below <= top + height, selector
