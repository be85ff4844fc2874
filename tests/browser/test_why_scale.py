"""The lesson `Why √d_k` in a real browser: dragging d_k, guessing, the files, a phone."""

import csv
import re

import pytest

from pages.ui import edits, scale_facts
from pages.ui.compute import trace_of
from pages.ui.numbers import short
from pages.ui.scale_facts import Sample
from pages.ui.settings import Settings

LESSON = "/why_scale?lang=en"
SHOWN = "&guess=factor:shown,flat:shown,fall:shown,note_start:shown,row:shown"
PARTS = ("experiment", "spread", "learning", "limits", "yours")
D_K = '[data-matrix="sample_d_k"][data-row="0"][data-col="0"]'
FIRST = '[data-matrix="x"][data-row="0"][data-col="0"]'
# The data of a chart's marks, by the number of their row.
MARKS = """
(step) => Object.fromEntries(
  [...document.querySelectorAll(`.st-key-step-${step} svg.marks :is(path, line)`)]
    .map((node) => node.__data__?.datum)
    .filter((d) => d && d.i !== undefined)
    .map((d) => [d.i, d]))
"""


@pytest.fixture
def lesson(new_page):
    """lesson(part, chart) opens a part on a page of its own and waits for its chart."""

    def open_page(part, chart=None, query=SHOWN, width=1280):
        page = new_page(f"{LESSON}&part={part}{query}", viewport={"width": width, "height": 900})
        page.wait_for_selector(f".st-key-step-{chart} svg.marks" if chart else "h1", timeout=60_000)
        settled(page)
        return page

    return open_page


def settled(page):
    page.wait_for_timeout(800)
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    page.wait_for_selector("[data-test-script-state=notRunning]")
    page.wait_for_timeout(200)


def drag(page, cell, by):
    """Takes hold of a number and moves it by so many pixels; the mouse stays down."""
    page.locator(cell).scroll_into_view_if_needed()
    box = page.locator(cell).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(1, 21):
        page.mouse.move(x + by * i / 20, y)
        page.wait_for_timeout(15)
    page.wait_for_timeout(500)


def live(page, name):
    return page.inner_text(f"[data-live='{name}']")


def spread_at(d_k):
    return scale_facts.spreads(*scale_facts.queries_and_keys(d_k, 0))


def test_the_four_pictures_and_the_table_follow_a_dragged_width(lesson):
    page = lesson("spread", "bars")
    assert live(page, "spread-0-5") == f"{spread_at(64)[0].share:.1%}"
    drag(page, D_K, 192)
    d_k = int(page.input_value(D_K))
    assert d_k == 256
    found = spread_at(d_k)
    page.wait_for_function(f"document.querySelector('[data-live=spread-1-1]').innerText === '{16:.2f}'")
    marks = page.evaluate(MARKS, "bars")
    assert len(marks) == 4 * 4 * 8
    for mark in marks.values():
        weight = found[mark["scaling"]].weights[mark["query"], mark["token"] - 1].item()
        assert mark["weight"] == pytest.approx(weight)
    for row, one in enumerate(found):
        assert live(page, f"spread-{row}-5") == f"{one.share:.1%}"
    page.mouse.up()
    page.wait_for_url(re.compile(f"sampledk={d_k}"))


def test_the_histogram_and_its_sentence_follow_a_dragged_width(lesson):
    page = lesson("experiment", "products")
    assert "d_k = 64, 5000 pairs" in live(page, "measured")
    before = page.evaluate(MARKS, "products")
    drag(page, D_K, -32)
    assert page.input_value(D_K) == "32"
    page.wait_for_function("document.querySelector('[data-live=measured]').innerText.startsWith('d_k = 32,')")
    point = scale_facts.measured(32, scale_facts.dots(Sample(), 32, 0))
    assert f"variance {short(point.variance)} (theory 32.00)" in live(page, "measured")
    after = page.evaluate(MARKS, "products")
    assert before.keys() == after.keys() and before != after
    page.mouse.up()
    settled(page)
    assert "5000 pairs" in live(page, "measured")


def test_saturated_is_a_number_that_falls(lesson):
    page = lesson("learning", "norms")

    def norm():
        return float(live(page, "jacobian-0-2").replace("−", "-"))

    before, colours = norm(), page.evaluate(MARKS, "jacobians")
    drag(page, D_K, -56)
    page.wait_for_function(f"document.querySelector('{D_K}').value === '8'")
    assert norm() > 100 * before
    assert page.evaluate(MARKS, "jacobians") != colours
    chosen = [mark for mark in page.evaluate(MARKS, "norms").values() if mark["kind"] == "chosen"]
    assert {mark["d"] for mark in chosen} == {8}
    page.mouse.up()


def test_the_rows_follow_the_learner_s_own_numbers(lesson):
    page = lesson("yours", "moved")
    page.get_by_text("The numbers: X and the weights").click()
    page.wait_for_timeout(800)
    drag(page, FIRST, 80)
    now = edits.set_cell(Settings(), "x", 0, 0, float(page.input_value(FIRST)))
    plain, chosen = (
        trace_of(edits.with_choice(now, scaling=scaling)).heads.weights[0] for scaling in ("none", "sqrt_d_k")
    )
    share = scale_facts.total_variation(plain, chosen)[0].item()
    page.wait_for_function(f"document.querySelector('[data-live=rows-0-1]').innerText === '{share:.1%}'")
    texts = page.locator(".st-key-step-moved svg.marks text").all_text_contents()
    assert short((chosen - plain)[0, 0].item()) in texts
    page.mouse.up()


def test_the_scaling_is_switched_on_the_first_page_too(lesson):
    page = lesson("yours", "moved")
    page.locator(".st-key-set_scaling_page").get_by_role("radio", name="d_k", exact=True).click()
    page.wait_for_url(re.compile("scaling=d_k"))
    settled(page)
    assert "A, divided by 4.00" in page.locator(".st-key-step-moved svg.marks").text_content()


def test_a_guess_is_in_the_link_and_comes_back(lesson):
    page = lesson("spread", query="")
    page.get_by_role("button", name="no scaling").click()
    page.wait_for_selector(".st-key-step-bars svg.marks")
    page.wait_for_url(re.compile("guess=flat"))
    assert "Not so: it is ÷ d_k" in page.inner_text(".st-key-ask-flat")
    page.reload()
    page.wait_for_selector(".st-key-step-bars svg.marks")
    assert "Not so: it is ÷ d_k" in page.inner_text(".st-key-ask-flat")


def test_a_chart_s_numbers_are_one_click_away(lesson):
    page = lesson("experiment", "variances")
    with page.expect_download() as waiting:
        page.locator(".st-key-csv-variances button").click()
    with open(waiting.value.path(), encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["d_k"]) for row in rows] == list(scale_facts.SIZES)
    assert [float(row["theory"]) for row in rows] == list(scale_facts.SIZES)


def test_a_new_run_stops_the_old_one(lesson):
    page = lesson("experiment", "variances", SHOWN + "&pairs=50000&seed=1")
    seed = page.locator(".st-key-set_sample_seed_page input")
    for value in ("2", "3", "4"):
        seed.fill(value)
        seed.press("Enter")  # does not wait for the run before, which says how far it is
        page.wait_for_selector("[data-testid=stProgress]")
    page.wait_for_url(re.compile("seed=4"), timeout=60_000)
    page.wait_for_selector("[data-test-script-state=notRunning]", timeout=60_000)
    assert page.locator("[data-testid=stProgress]").count() == 0
    assert "50000 pairs" in live(page, "measured")


@pytest.mark.parametrize("part", PARTS)
def test_on_a_phone_nothing_is_wider_than_the_screen(lesson, part):
    page = lesson(part, width=390)
    page.wait_for_timeout(1500)
    settled(page)
    assert page.locator("[data-testid=stException]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
