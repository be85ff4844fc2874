"""The lesson `Why √d_k` in a real browser: the slider, assumptions, answers, files, a phone."""

import csv
import re

import torch
from playwright.sync_api import expect

from attention.lab.scaling import draws as lab
from attention.lab.scaling import variance
from pages.draw.numbers import short
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings
from tests.browser.gestures import (
    bound,
    cell,
    figure_item,
    press_and_move,
    state_of,
    type_into,
    wait_link,
    wait_said,
    wait_value,
)
from tests.states import value_of, with_own

LESSON = "why_scale"
SLIDER = '[data-slider="sample_d_k"]'
READY = {"yours": "weights"} | dict.fromkeys(("spread", "experiment", "learning", "limits"), SLIDER)


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


def test_the_measured_sentence_follows_and_a_typed_number_too(lesson):
    page = lesson("experiment")
    wait_said(page, "dₖ = 64, 5000 pairs")
    slide(page, 0.5)
    wait_said(page, "dₖ = 32, 5000 pairs")
    page.mouse.up()
    type_into(page, "sample_d_k", 0, 0, "100")
    wait_said(page, "dₖ = 100, 5000 pairs")


def test_a_dropped_assumption_brings_its_number_and_its_slider(lesson):
    page = lesson("experiment")
    page.get_by_text("Uncorrelated inside q and inside k").click()
    page.wait_for_selector('[data-slider="sample_inside"]')
    assert value_of(state_of(page), "sample_inside") in (0.0, 0.5)
    page.wait_for_selector("text=which grows with")
    wait_link(page, with_own(Settings(), sample_inside=0.5))
    type_into(page, "sample_inside", 0, 0, "0.2")
    wait_link(page, with_own(Settings(), sample_inside=0.2))


def test_the_jacobian_pales_when_d_k_grows(lesson):
    page = lesson("learning", "&topic=saturation")
    narrow, wide = weights(4, 1)[0], weights(512, 1)[0]
    slide(page, 0.2)
    wait_value(page, "jacobian_none", 0, 0, (narrow[0] * (1 - narrow[0])).item())
    page.mouse.move(0, 0)
    page.mouse.up()
    slide(page, 0.9)
    wait_value(page, "jacobian_none", 0, 0, (wide[0] * (1 - wide[0])).item())
    page.mouse.up()


def test_the_rows_follow_the_learner_s_own_numbers(lesson):
    page = lesson("yours")
    press_and_move(page, "x", 0, 0, 80)  # ten steps of 0.1
    wait_value(page, "x", 0, 0, 2)
    now = edits.set_cell(Settings(), "x", 0, 0, 2.0)
    plain, chosen = (
        trace_of(edits.with_choice(now, scaling=scaling)).heads.weights[0] for scaling in ("none", "sqrt_d_k")
    )
    wait_value(page, "difference", 1, 2, (chosen - plain)[1, 2].item())
    wait_value(page, "moved", 0, 0, variance.total_variation(plain, chosen)[0].item())
    page.mouse.up()
    wait_link(page, now)
    for matrix in ("scores", "moved"):
        expect(page.locator(cell(matrix, 0, 0))).to_be_visible()


def test_a_chart_s_numbers_are_one_click_away(lesson):
    page = lesson("experiment")
    with page.expect_download() as waiting:
        figure_item(page, "variances", "csv")
    with open(waiting.value.path(), encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["d_k"]) for row in rows] == list(variance.SIZES)
    assert [float(row["theory"]) for row in rows] == list(variance.SIZES)


def test_long_work_says_how_far_it_is_and_ends_with_the_last_entry(lesson):
    page = lesson("experiment", "&pairs=20000&seed=1")
    seed = page.locator(f"{bound('sample_seed_page')} input")
    seed.fill("2")
    seed.press("Enter")
    page.wait_for_selector("[data-testid=stProgress]")
    for value in ("3", "4"):
        seed.fill(value)
        seed.press("Enter")  # does not wait for the run before
    page.wait_for_url(re.compile("seed=4"), timeout=120_000)
    wait_said(page, "20000 pairs")
    page.wait_for_function("!document.querySelector('[data-testid=stProgress]')", timeout=60_000)


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
