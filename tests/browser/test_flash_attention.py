"""The lesson `FlashAttention` in a real browser: playing."""

from tests.browser.gestures import wait_said

LESSON = "flash_attention"


def test_play_goes_to_the_last_tile_by_itself_and_the_link_says_so(lesson):
    page = lesson("tiles", "&tile=0", ready="score_map")
    page.locator(".st-key-tile-play button:visible").click()
    wait_said(page, "All tiles are done: 4, of which 1 was skipped")
    page.wait_for_function("() => new URL(location).searchParams.get('tile') === '4'")
    page.wait_for_selector('[data-matrix="x"][data-editable]')
    page.wait_for_function("!location.search.includes('play=')")
