"""Numbers in a real browser: Back and Forward, and a reload at another place than the changed one."""

import re

from pages.draw.texts import Texts
from tests.browser.gestures import answered, cell, lesson_link, type_into, wait_value
from tests.browser.wire import RESTS

STOPS = "[data-testid=stSidebar] [data-testid=stPageLink] a[href*='{}?'][href*='part={}']"


def to_lesson(page, lesson: str) -> None:
    lesson_link(page, Texts("en", lesson)("lesson.title")).click()
    page.wait_for_url(re.compile(f"/{lesson}.*example="))
    page.wait_for_selector(RESTS)


def to_stop(page, lesson: str, part: str) -> None:
    """Goes to a stop by the sidebar."""
    page.locator(STOPS.format(lesson, part)).first.click()
    page.wait_for_url(re.compile(f"/{lesson}.*part={part}"))
    page.wait_for_selector(RESTS)


def test_a_reload_at_one_stop_keeps_what_was_changed_at_others(visit):
    page = visit("/one_head?lang=en&part=picture", cell("x", 0, 0), fresh=True)
    type_into(page, "x", 0, 0, "9")
    page.wait_for_url(re.compile("1-1_9"))
    for lesson, value in (("cross_attention", "8"), ("many_heads", "7")):
        to_lesson(page, lesson)
        type_into(page, "x", 0, 0, value)
        page.wait_for_url(re.compile(f"1-1_{value}"))
    to_stop(page, "masks", "no_looking")
    page.wait_for_selector(".st-key-whose")
    page.reload()
    page.wait_for_selector(".st-key-whose")  # the way to the learner's own, and back
    before = page.locator("[data-matrix-box]").first.bounding_box()
    page.locator(".st-key-frame_mine button:visible").first.click()
    page.wait_for_selector(".st-key-frame_mine button:disabled")
    assert page.locator("[data-matrix-box]").first.bounding_box()["y"] == before["y"]
    page.locator(".st-key-undo button").first.click()
    page.wait_for_selector(".st-key-frame_mine button:enabled")
    for lesson, value in (("cross_attention", 8), ("many_heads", 7), ("one_head", 9)):
        to_lesson(page, lesson)
        wait_value(page, "x", 0, 0, value)


def test_each_page_is_one_entry_of_the_history_and_a_head_stays_trained(visit):
    """After Back and the sidebar, and after Back and Forward."""
    page = visit("/?lang=en", answers=answered("train_a_head"), fresh=True)
    to_stop(page, "one_head", "row")
    entries = page.evaluate("history.length")
    to_stop(page, "one_head", "hand")
    to_stop(page, "train_a_head", "train")
    assert page.evaluate("history.length") == entries + 2
    page.locator(".st-key-start-ran button:visible").click()
    page.wait_for_selector("[data-slider=train_step]", timeout=60_000)
    page.wait_for_url(re.compile("ran=on"))
    assert page.evaluate("history.length") == entries + 2
    for how in (page.go_forward, lambda: to_stop(page, "train_a_head", "train")):
        page.go_back()
        page.wait_for_url(re.compile("/one_head.*part=hand"))
        page.wait_for_selector(RESTS)
        how()
        page.wait_for_url(re.compile("/train_a_head.*ran=on"))
        page.wait_for_selector("[data-slider=train_step]", timeout=60_000)
