"""The tour of the first lesson: offered once, to who comes without a link; each stop waits for the hand."""

import pytest
from playwright.sync_api import expect

from tests.browser.gestures import bound, cell, press_and_move
from tests.browser.wire import RESTS

STRIP = ".st-key-tour"


def offered(visit, link="/", **options):
    page = visit(link, fresh=True, **options)
    page.wait_for_selector(STRIP, timeout=60_000)
    return page


def said(page, text: str) -> None:
    expect(page.locator(f"{STRIP} p.said")).to_contain_text(text)


def test_every_stop_waits_for_what_is_done_there(visit):
    page = offered(visit, "/one_head", viewport={"width": 1280, "height": 720})
    page.get_by_role("button", name="Start", exact=True).click()
    said(page, "1 of 6")
    press_and_move(page, "x", 0, 0, 40).up()
    said(page, "2 of 6")
    page.locator(cell("output", 0, 1)).click()
    said(page, "3 of 6")
    page.locator(".pic-walk").first.click()
    said(page, "4 of 6")
    page.locator(f"{bound('mask')} [role=combobox]").click()
    page.get_by_role("option", name="causal", exact=True).click()
    said(page, "5 of 6")
    page.locator(bound("num_heads")).get_by_test_id("stNumberInputStepUp").click()
    said(page, "6 of 6")
    page.wait_for_selector(RESTS)
    page.locator("h1").click()
    page.keyboard.press("Control+z")
    said(page, "That was the tour")
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.locator(STRIP)).to_have_count(0)


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_the_offer_moves_nothing_and_comes_once(visit, size):
    viewport = dict(zip(("width", "height"), size, strict=True))
    top = "document.querySelector('.pic').getBoundingClientRect().top"
    page = offered(visit, viewport=viewport)
    with_offer = page.evaluate(top)
    box = page.locator(STRIP).bounding_box()
    covered = page.evaluate(
        """({x, y, width, height}) =>
          [...document.querySelectorAll('.pic-cell, a, button, h1, [role=combobox]')]
          .filter((node) => !node.closest('.st-key-tour') && node.checkVisibility())
          .map((node) => [node.getBoundingClientRect(), node.innerText || node.className])
          .filter(([one]) => one.right > x && one.left < x + width && one.bottom > y && one.top < y + height)
          .map(([, name]) => name)""",
        box,
    )
    assert covered == []
    text, start, no = (
        page.locator(f"{STRIP} {part}").bounding_box()
        for part in ("p.said", ".st-key-tour_start", ".st-key-tour_leave")
    )
    for one, other in ((text, start), (start, no)):
        beside = one["x"] + one["width"] <= other["x"]
        assert beside or one["y"] + one["height"] <= other["y"]
    assert box["y"] >= 0 and box["y"] + box["height"] <= size[1]
    page.get_by_role("button", name="Not now").click()
    expect(page.locator(STRIP)).to_have_count(0)
    assert page.evaluate(top) == with_offer
    page.goto(page.url.split("?")[0])
    page.wait_for_selector(cell("output", 0, 0), timeout=60_000)
    page.wait_for_function("location.search.includes('lang=')")
    page.wait_for_selector(RESTS)
    expect(page.locator(STRIP)).to_have_count(0)
    assert page.evaluate(top) == with_offer


def test_a_link_is_not_disturbed_and_the_tour_is_found(visit):
    page = visit("/one_head?lang=zh&mask=causal", fresh=True)
    expect(page.locator(STRIP)).to_have_count(0)
    page.locator(".st-key-about button").click()
    page.get_by_role("button", name="查看本页导览").click()
    said(page, "1/6")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="退出").click()
    expect(page.locator(STRIP)).to_have_count(0)
