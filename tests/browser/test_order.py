"""The lesson on order in a browser: a number is dragged, positions hold in all lessons."""

from pages.model import edits
from pages.model.compute import positions_of, trace_of
from pages.model.settings import Settings
from tests.browser.gestures import press_and_move, settings_of, wait_link, wait_value

START = Settings()
ANSWERED = {"order_reversed": "shown", "order_waves": "shown"}


def test_the_base_is_dragged_and_everything_follows(visit):
    page = visit("/order?part=sinusoidal&lang=en", '[data-matrix="x_p"]', answers=ANSWERED)
    press_and_move(page, "position_base", 0, 0, -400).up()
    page.wait_for_function("location.search.includes('base=')")
    now = settings_of(page)
    assert now.position_base < START.position_base
    waves = edits.with_choice(now, position="sinusoidal")
    wait_value(page, "p", 2, 3, positions_of(waves)[2, 3].item())
    wait_value(page, "weights", 1, 2, trace_of(waves).heads.weights[0, 1, 2].item())


def test_positions_are_chosen_under_more_and_hold_in_the_first_lesson(visit):
    page = visit("/?lang=en")
    page.get_by_role("button", name="More").click()
    page.get_by_role("combobox", name="Positional encoding").click()
    page.get_by_role("option", name="rotary (RoPE)").click()
    turned = edits.with_choice(START, position="rotary")
    wait_value(page, "rotated_query", 2, 0, trace_of(turned).heads.query[0, 2, 0].item())
    wait_value(page, "output", 2, 3, trace_of(turned).output[2, 3].item())
    wait_link(page, turned)
