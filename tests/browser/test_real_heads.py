"""The lesson on real heads in a browser: heads are chosen and found; the chosen one stays in sight."""

from playwright.sync_api import expect

from attention.lab.real_heads import store
from pages.lessons.real_heads.settings import HEADS, LAYERS
from tests.browser.gestures import cell, wait_value

THUMBNAILS = '.pic-box[data-size="thumbnail"]'
# Whether what is pressed and all matrices are within the window, wherever the page is scrolled to.
ON_ONE_SCREEN = """(first) => {
  const all = [...document.querySelectorAll('.pic-box, ' + first)];
  const boxes = all.map((one) => one.getBoundingClientRect());
  const bottom = Math.max(...boxes.map((box) => box.bottom)), top = Math.min(...boxes.map((box) => box.top));
  return bottom - top <= innerHeight && boxes.every((box) => box.left >= 0 && box.right <= innerWidth);
}"""
IN_SIGHT = """() => {
  const { top, bottom } = document.querySelector('[data-matrix-box=model_weights]').getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
}"""


def wait_part(page, key: str, value: str) -> None:
    """Waits until the link says so."""
    page.wait_for_function(
        "([key, value]) => new URLSearchParams(location.search).get(key) === value", arg=[key, value]
    )


def test_a_head_is_in_sight_wherever_it_is_chosen_and_is_answered_with(visit):
    page = visit("/real_heads?lang=en&layer=2", THUMBNAILS)
    expect(page.locator(THUMBNAILS)).to_have_count(LAYERS * HEADS)
    page.locator(THUMBNAILS).last.click()
    wait_value(page, "model_weights", 4, 3, store.load("tired").model_weights[5, 11, 4, 3].item())
    page.wait_for_function(IN_SIGHT)
    page.locator(f"{THUMBNAILS}").nth(2).click()
    wait_value(page, "model_weights", 4, 3, store.load("tired").model_weights[0, 2, 4, 3].item())
    wait_part(page, "realhead", "3")
    page.get_by_role("button", name="Answer: layer 1, head 3").click()
    page.wait_for_selector('[data-matrix="heads"]')
    page.get_by_text("You chose layer 1, head 3").wait_for()
    page.wait_for_function(ON_ONE_SCREEN, arg='[data-matrix="heads"]')
    page.locator(cell("heads", 1, 8)).click()
    wait_value(page, "model_weights", 4, 5, store.load("tired").model_weights[1, 8, 4, 5].item())


def test_on_a_phone_every_thumbnail_is_on_the_screen(visit):
    page = visit("/real_heads?lang=zh&part=which_head", ".pic-box", viewport={"width": 390, "height": 844})
    inside = """(chosen) => [...document.querySelectorAll(chosen)]
      .every((one) => one.getBoundingClientRect().right <= innerWidth)"""
    page.wait_for_function(inside, arg=THUMBNAILS)
