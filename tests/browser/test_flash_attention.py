"""The lesson `FlashAttention` in a real browser: playing, and one screen."""

from tests.browser.gestures import wait_said

LESSON = "flash_attention"


def test_play_goes_to_the_last_tile_by_itself_and_the_link_says_so(lesson):
    page = lesson("tiles", "&tile=0", ready="score_map")
    page.locator(".st-key-tile-play button:visible").click()
    wait_said(page, "All tiles are done: 4, of which 1 was skipped")
    page.wait_for_function("() => new URL(location).searchParams.get('tile') === '4'")
    page.wait_for_selector('[data-matrix="x"][data-editable]')
    page.wait_for_function("!location.search.includes('play=')")


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
