"""The lesson `Why √d_k` in a real browser: the slider, long work, and typed numbers."""

import re

import torch
from playwright.sync_api import expect

from attention.lab.scaling import draws as lab
from attention.lab.scaling import variance
from pages.draw.numbers import short
from pages.model.settings import Settings
from tests.browser.gestures import (
    bound,
    cell,
    wait_link,
    wait_said,
    wait_value,
)
from tests.support.states import with_own

LESSON = "why_scale"
SLIDER = '[data-slider="sample_d_k"]'
READY = {"yours": "weights"} | dict.fromkeys(("spread", "assumptions", "learning", "limits"), SLIDER)


def slide(page, share):
    """Takes the slider's thumb to that share of the track; the mouse stays down."""
    page.locator(SLIDER).scroll_into_view_if_needed()
    box = page.locator(SLIDER).bounding_box()
    y, x = box["y"] + box["height"] / 2, box["x"]
    page.mouse.move(x + 0.6 * box["width"], y)
    page.mouse.down()
    for i in range(1, 11):
        page.mouse.move(x + box["width"] * (0.6 + (share - 0.6) * i / 10), y)


def weights(d_k, by):
    query, key = variance.queries_and_keys(d_k, 0)
    return torch.softmax(query @ key.T / by, dim=-1)


def test_the_pictures_and_the_sentence_follow_the_slider(lesson):
    page = lesson("spread")
    wait_value(page, "weights_none", 0, 0, weights(64, 1)[0, 0].item())
    slide(page, 0.8)  # of ten doublings: 2⁸
    wait_value(page, "sample_d_k", 0, 0, 256)
    wait_value(page, "weights_none", 2, 7, weights(256, 1)[2, 7].item())
    wait_value(page, "weights_sqrt_d_k", 2, 7, weights(256, 16)[2, 7].item())
    top = lab.concentration(lab.rows_of_scores(256), 1.0).largest.median
    wait_said(page, f"dₖ = 256, largest attention weight of a typical row: no scaling {short(top, 3)}")
    page.mouse.up()
    wait_link(page, with_own(Settings(), sample_d_k=256))


def test_the_slider_is_moved_by_keys_and_one_drag_is_one_undo(lesson):
    page = lesson("limits")
    page.locator(SLIDER).focus()
    page.keyboard.press("ArrowRight")
    wait_value(page, "sample_d_k", 0, 0, 76)  # a quarter of a doubling: 64 · 2^¼
    page.keyboard.press("Home")
    wait_value(page, "sample_d_k", 0, 0, 1)
    wait_link(page, with_own(Settings(), sample_d_k=1))
    slide(page, 0.9)
    wait_value(page, "sample_d_k", 0, 0, 512)
    page.mouse.up()
    page.get_by_role("button", name="Undo").click()
    wait_value(page, "sample_d_k", 0, 0, 1)
    expect(page.locator(SLIDER)).to_have_attribute("aria-valuenow", "1")


def test_escape_takes_a_slide_back(lesson):
    page = lesson("limits")
    slide(page, 0.2)
    wait_value(page, "sample_d_k", 0, 0, 4)
    page.keyboard.press("Escape")
    page.mouse.up()
    wait_value(page, "sample_d_k", 0, 0, 64)


# Notes in `progressed` whether there ever was a bar that says how far the work is.
WATCH = """new MutationObserver(() => {
  window.progressed ||= Boolean(document.querySelector('[data-testid=stProgress]'));
}).observe(document.body, { subtree: true, childList: true })"""


def test_long_work_says_how_far_it_is_and_ends_with_the_last_entry(lesson):
    page = lesson("assumptions", "&sample=uniform&pairs=50000&seed=1")
    page.evaluate(WATCH)
    seed = page.locator(f"{bound('sample_seed_page')} input")
    for value in ("2", "3", "4"):
        seed.fill(value)
        seed.press("Enter")  # does not wait for the run before
    page.wait_for_url(re.compile("seed=4"), timeout=120_000)
    wait_said(page, "50000 pairs")
    page.wait_for_function("!document.querySelector('[data-testid=stProgress]')", timeout=60_000)
    assert page.evaluate("window.progressed")


def test_enter_commits_a_number(visit):
    page = visit("/why_scale?lang=en&part=limits", ".st-key-guess-note_start input")
    field = page.locator(".st-key-guess-note_start input")
    field.fill("8")
    field.press("Enter")
    page.locator(".st-key-ask-note_start", has_text="Correct.").wait_for()


def test_a_cell_is_chosen_again_after_one_of_another_picture(lesson):
    """Streamlit passes on only what differs from a picture's last message."""
    first, other = cell("weights_sqrt_d_k", 0, 0), cell("failing_scores", 0, 0)
    page = lesson("spread", ready=first)
    for one in (first, other, first):
        page.locator(one).click()
        matrix = page.locator(one).get_attribute("data-matrix")
        page.wait_for_function("matrix => location.search.includes(`cell=${matrix}`)", arg=matrix)
