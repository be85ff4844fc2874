"""The lesson `Masks` in a real browser: every gesture that matters."""

import re
from urllib.parse import urlencode

import pytest

from pages.ui import edits
from pages.ui.link import to_query
from pages.ui.settings import Settings
from tests.browser.test_one_head import FIRST, cells, drag, result, settled, wait_for

GUESSES = [("causal", "shown"), ("closed", "shown"), ("polarity", "shown"), ("times_zero", "shown")]
START = Settings(language="en")
# A figure far down in each part: once it is there, the page is complete.
LAST = {
    "gallery": "aligned",
    "dead": "closed_scores",
    "half": "trap",
    "wrong": "padding_rows",
    "cross": "cross_output",
}
NARROW = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture
def lesson(new_page):
    """lesson(part, guesses, fields, **context options) opens the lesson with these settings."""

    def open_page(part, guesses=(), fields=None, **options):
        now = edits.with_choice(START, part=part, guesses=guesses, **(fields or {}))
        page = new_page(f"/attention_masks?{urlencode(to_query(now))}", **options)
        complete(page, part)
        return page

    return open_page


def click_cell(page, step, row, col):
    page.locator(f".st-key-step-{step} svg.marks").scroll_into_view_if_needed()
    page.wait_for_timeout(200)
    found = cells(page, step)
    last = max(int(key.split(",")[0]) for key in found)
    cell = found[f"{last},{row},{col}"]
    page.mouse.click(cell["x"], cell["y"])
    settled(page)


def row(page, step, number, width=3):
    return [result(page, step)[number, c] for c in range(width)]


def linked(page, part):
    """Waits until the link says so, and the screen too."""
    page.wait_for_function("(part) => location.search.includes(part)", arg=part, timeout=20_000)
    settled(page)


def complete(page, part):
    page.wait_for_selector(f".st-key-step-{LAST[part]} svg.marks", state="attached", timeout=60_000)
    page.wait_for_timeout(1000)
    settled(page)


def reload(page, part):
    page.reload()
    complete(page, part)


def test_a_click_on_a_thumbnail_or_its_button_chooses_the_mask(lesson):
    page = lesson("gallery")
    assert row(page, "masked_scores", 0) == ["1.03", "1.40", "1.74"]
    click_cell(page, "mask_causal", 0, 0)
    linked(page, "mask=causal")
    assert row(page, "masked_scores", 0) == ["1.03", "−∞", "−∞"]
    page.locator(".st-key-take-padding button").press("Enter")  # the keyboard's way
    linked(page, "mask=padding")
    assert row(page, "masked_scores", 0) == ["1.03", "1.40", "−∞"]
    reload(page, "gallery")
    assert row(page, "weights", 0)[2] == "0.00"


def test_a_second_mask_is_chosen_on_the_page(lesson):
    page = lesson("gallery", fields={"mask": "causal", "mask_2": "padding"})
    assert row(page, "two_masks", 2) == ["✓", "✓", "×"]
    page.locator(".st-key-set_combine_here button", has_text=re.compile("^or$")).click()
    linked(page, "combine=or")
    assert row(page, "two_masks", 2) == ["✓", "✓", "✓"]


@pytest.mark.parametrize(("cell", "verdict"), [((0, 0), "Right."), ((0, 2), "Not that one.")])
def test_a_guess_is_a_click_on_a_cell(lesson, cell, verdict):
    page = lesson("gallery")
    click_cell(page, "guess_causal", *cell)
    linked(page, f"causal%3A{cell[0]}_{cell[1]}")
    assert verdict in page.locator(".st-key-ask-causal").inner_text()
    assert row(page, "answer_causal", 0) == ["1.00", "0.00", "0.00"]
    reload(page, "gallery")
    assert verdict in page.locator(".st-key-ask-causal").inner_text()
    ringed = [key for key, found in cells(page, "answer_causal").items() if found["lit"] == "#d6006e"]
    assert ringed == [f"0,{cell[0]},{cell[1]}"]


def test_nobody_is_forced_to_guess(lesson):
    page = lesson("dead")
    assert page.locator(".st-key-step-fates").count() == 0
    page.get_by_text("Just show me").click()
    linked(page, "closed%3Ashown")
    assert row(page, "fates", 0) == ["0.00", "0.00", "0.00"]
    broken = cells(page, "fates")["0,0,0"]
    assert broken["text"] == "NaN" and broken["fill"] in ("#000000", "rgb(0, 0, 0)", "#000")


def test_another_row_is_closed(lesson):
    page = lesson("dead", GUESSES)
    page.locator(".st-key-set_row_closed button").nth(2).click()
    linked(page, "row=3")
    assert row(page, "closed_scores", 2) == ["−∞"] * 3
    assert cells(page, "fates")["0,2,0"]["text"] == "NaN"


def test_a_number_is_dragged_and_the_wrong_weights_follow(lesson):
    page = lesson("wrong", GUESSES)
    before = row(page, "mask_after", 0, 1), row(page, "times_zero", 0, 1), cells(page, "times_zero")
    page.get_by_text("The numbers: X and the weights").click()
    page.wait_for_timeout(600)
    mouse = drag(page, FIRST, 80)
    page.wait_for_timeout(800)
    moved = cells(page, "mask_after")["1,0,0"]["text"]  # the button still held
    assert moved != before[0][0]
    mouse.up()
    linked(page, "x=2")
    assert row(page, "mask_after", 0, 1) != before[0]
    assert row(page, "times_zero", 0, 1) == ["1.00"]
    assert cells(page, "times_zero")["1,0,0"]["text"] != before[2]["1,0,0"]["text"]


def test_a_mask_is_turned_round(lesson):
    page = lesson("half", GUESSES)
    assert row(page, "polarity", 2) == ["NaN"] * 3
    page.locator(".st-key-set_reversed label").click()
    linked(page, "reversed=on")
    assert row(page, "polarity", 0) == ["1.00", "0.00", "0.00"]
    assert cells(page, "polarity")["1,2,0"]["text"] == "0.00"


def test_other_tokens_to_cross_to(lesson):
    page = lesson("cross")
    assert row(page, "cross_weights", 0)[0] == "0.77"
    field = page.locator(".st-key-set_source input")
    field.fill("I love")
    field.press("Enter")
    linked(page, "source=I%2Clove")
    assert max(c for _, c in result(page, "cross_weights")) == 1
    page.locator('[data-matrix="y"][data-row="0"][data-col="0"]').fill("0")
    page.locator('[data-matrix="y"][data-row="0"][data-col="0"]').press("Enter")
    wait_for(page, "cross_key", (0, 0), "−1.20")
    settled(page)
    shown = row(page, "cross_weights", 0, 2)
    reload(page, "cross")
    assert row(page, "cross_weights", 0, 2) == shown
    assert result(page, "cross_key")[0, 0] == "−1.20"


@pytest.mark.parametrize("part", ["gallery", "dead", "half", "wrong", "cross"])
@pytest.mark.parametrize("colors", ["light", "dark"])
def test_nothing_is_wider_than_a_phone(lesson, part, colors):
    page = lesson(part, GUESSES, {"mask": "causal", "language": "zh"}, color_scheme=colors, **NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator('[data-testid="stException"]').count() == 0


@pytest.mark.parametrize("part", ["gallery", "dead", "half", "wrong", "cross"])
def test_every_chart_says_what_it_shows(lesson, part):
    page = lesson(part, GUESSES, {"mask": "causal", "mask_2": "window"})
    labels = page.evaluate(
        """() => [...document.querySelectorAll('[class*="st-key-step-"] .stVegaLiteChart')].map((node) =>
          (node.querySelector('[aria-label]') || node).getAttribute('aria-label'))"""
    )
    assert labels and all(labels)
