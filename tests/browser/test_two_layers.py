"""Two layers in a browser: a number of layer 1 moves layer 2; a run is watched and gone back over; a cut."""

from attention.lab.two_layers import TwoLayersOptions, accuracy_of, held_out, train
from pages.lessons.two_layers import by_hand, scene
from tests.browser.gestures import cell, choose_part, press_and_move, state_of, wait_said, wait_value
from tests.support.states import page_in

LESSON = "two_layers"
READY = {"by_hand": "weights_2", "train": "weights_2"}
EXAMPLE = "copy_before"
SEED = 83


def test_layer_2_follows_a_number_of_layer_1_that_is_dragged(lesson):
    page = lesson("by_hand")
    before = page.locator(cell("weights_2", 3, 2)).get_attribute("data-value")
    press_and_move(page, "w_q", 5, 1, -300)
    page.wait_for_function(
        "([selector, before]) => document.querySelector(selector).dataset.value !== before",
        arg=[cell("weights_2", 3, 2), before],
    )
    page.mouse.up()
    page.wait_for_function("location.search.includes('wq=')")
    _, second = by_hand.layers(page_in(LESSON, "by_hand", state_of(page)))
    wait_value(page, "weights_2", 3, 2, second.head.weights[3, 2].item())


def test_a_run_is_watched_gone_back_over_and_cut(lesson):
    page = lesson("train", f"&twoseed={SEED}")
    picture = page.locator(".pic:has([data-matrix=weights_2])").element_handle()
    page.get_by_role("button", name="Train two layers").click()
    slider = page.locator("[data-slider=two_step]")
    slider.wait_for(timeout=60_000)
    assert picture.evaluate("node => node.isConnected")
    slider.press("Home")
    start = train(TwoLayersOptions(2, SEED, 1)).snapshots[0]
    trace = scene.trace_at(start, held_out()[0])
    wait_value(page, "weights_2", 5, 2, trace.layers[1].heads.weights[0, 5, 2].item())
    choose_part(page, LESSON, "apart")
    page.locator(".st-key-set_cut_key label").click()
    wait_said(page, f"{accuracy_of(start.matrices, held_out(), ('key',)):.1%}")
