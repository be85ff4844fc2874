"""The lesson `FlashAttention` in a real browser: dragging, playing, going to a tile, one screen, a phone."""

import torch

from attention import online_softmax
from tests.browser.gestures import cell, press_and_move, wait_said, wait_value

LESSON = "flash_attention"


def test_the_running_sum_follows_a_dragged_score(lesson):
    page = lesson("row", ready="running_sum")
    mouse = press_and_move(page, "logits", 0, 2, 240)  # 0.1 + 30 · 0.1
    one_pass = online_softmax(torch.tensor([2.0, 1.0, 3.1], dtype=torch.float64))
    wait_value(page, "running_maximum", 0, 2, 3.1)
    wait_value(page, "running_sum", 0, 2, one_pass.running_sum[2].item())
    mouse.up()
    wait_said(page, "after the first score: 1")


def test_play_goes_to_the_last_tile_by_itself_and_the_link_says_so(lesson):
    page = lesson("tiles", "&tile=0", ready="score_map")
    page.locator(".st-key-tile-play button:visible").click()
    wait_said(page, "All tiles are done: 4, of which 1 was skipped")
    page.wait_for_function("() => new URL(location).searchParams.get('tile') === '4'")
    page.wait_for_selector('[data-matrix="x"][data-editable]')
    page.wait_for_function("!location.search.includes('play=')")


def test_a_click_on_a_score_goes_to_its_tile_and_x_changes_what_is_held(lesson):
    page = lesson("tiles", ready="score_map")
    page.locator(cell("score_map", 3, 0)).click()
    wait_said(page, "Tile 2 of 4")
    before = page.locator(cell("running_maximum", 2, 0)).get_attribute("data-value")
    press_and_move(page, "x", 2, 2, 80).up()
    page.wait_for_function(
        "([at, old]) => document.querySelector(at).dataset.value !== old",
        arg=[cell("running_maximum", 2, 0), before],
    )


def test_x_the_tiles_and_what_is_held_are_on_one_screen(lesson):
    page = lesson("tiles", ready="partial_output")
    page.wait_for_function(
        """() => {
          const all = ['x', 'score_map', 'partial_output']
            .flatMap((name) => [...document.querySelectorAll(`[data-matrix="${name}"]`)])
            .map((node) => node.getBoundingClientRect());
          const top = Math.min(...all.map((box) => box.top));
          return Math.max(...all.map((box) => box.bottom)) - top < innerHeight - 150;
        }"""
    )
