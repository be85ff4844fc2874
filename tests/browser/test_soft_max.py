"""The lesson `Softmax` in a real browser: dragging, guessing, drawing again, saving numbers, on a phone."""

import csv
import re
from pathlib import Path

import pytest

from pages.ui import softmax_facts as facts
from pages.ui.numbers import short

SHOWN = "&guess=" + ",".join(
    f"soft_{question}:shown" for question in ("axis", "double", "drop", "raise", "shift", "tiny")
)
PARTS = ["bars", "temperature", "stable", "axes", "jacobian", "dropout"]


@pytest.fixture
def lesson(new_page):
    """lesson(part, chart) opens the part in a browser of its own and waits for a chart."""

    def open_page(part, chart, more="", guess=SHOWN, **options):
        page = new_page(f"/soft_max?lang=en&part={part}{guess}{more}", **options)
        if chart:
            page.wait_for_selector(f".st-key-step-{chart} svg.marks text", timeout=60_000)
        page.wait_for_timeout(800)
        return page

    return open_page


def settled(page):
    page.wait_for_timeout(700)
    page.wait_for_function("!document.querySelector('[data-testid=stStatusWidget]')")
    page.wait_for_timeout(200)


def texts(page, chart):
    return page.locator(f".st-key-step-{chart} svg.marks text").all_text_contents()


def wait_for_text(page, chart, text):
    has = f"[...document.querySelectorAll('.st-key-step-{chart} svg.marks text')]"
    page.wait_for_function(f"{has}.some((node) => node.textContent === '{text}')", timeout=10_000)


def live(page, name):
    return page.locator(f"[data-live={name}]").inner_text()


def drag(page, name, col, pixels):
    """Drags a number sideways and holds it: 8 px are a step."""
    box = page.locator(f'[data-matrix="{name}"][data-row="0"][data-col="{col}"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for i in range(1, 11):
        page.mouse.move(x + pixels * i / 10, y)
        page.wait_for_timeout(15)


def test_the_weights_follow_a_dragged_score_and_the_link_keeps_it(lesson):
    page = lesson("bars", "bars")
    assert {"0.659", "0.242", "0.099"} <= set(texts(page, "bars"))
    drag(page, "logits", 2, 80)
    moved = facts.softmax((2.0, 1.0, 1.1))
    wait_for_text(page, "bars", short(moved[2], 3))
    assert "Sum of the exponentials: 7.389 + 2.718 + 3.004" in live(page, "sum")
    page.mouse.up()
    settled(page)
    assert re.search(r"logits=2(%2C|,)1(%2C|,)1\.1", page.url)
    page.reload()
    wait_for_text(page, "bars", short(moved[2], 3))


def test_a_bar_s_length_is_its_weight_while_dragged(lesson):
    """The scale holds still: a weight of ½ is half as long as the axis to 1."""
    page = lesson("bars", "bars", "&logits=0,0")
    drag(page, "logits", 0, 40)
    weight = facts.softmax((0.5, 0.0))[0]
    wait_for_text(page, "bars", short(weight, 3))
    widths = page.evaluate(
        """[...document.querySelectorAll('.st-key-step-bars svg.marks path')]
           .filter((node) => node.__data__?.datum?.weight !== undefined && node.getAttribute('aria-label'))
           .map((node) => node.getBBox().width)"""
    )
    assert any(abs(width - 190 * weight) < 1.5 for width in widths)
    page.mouse.up()


def test_scores_are_added_and_tied_by_a_click(lesson):
    page = lesson("bars", "bars")
    page.get_by_role("button", name="One score more").click()
    page.wait_for_selector('[data-matrix="logits"][data-col="3"]')
    page.get_by_role("button", name="Make a tie").click()
    page.wait_for_url(re.compile(r"logits=2(%2C|,)1(%2C|,)0\.1(%2C|,)2"))
    settled(page)
    assert texts(page, "bars").count(short(facts.softmax((2.0, 1.0, 0.1, 2.0))[0], 3)) == 2


def test_a_colder_softmax_is_sharper_while_the_temperature_is_dragged(lesson):
    page = lesson("temperature", "hard")
    drag(page, "temperature", 0, -80)
    weight = facts.softmax((2.0, 1.0, 0.1), 0.5)[0]
    wait_for_text(page, "hard", short(weight, 3))
    assert f"At T = 0.5: the largest weight is {short(weight, 4)}" in live(page, "reading")
    page.mouse.up()
    page.wait_for_url(re.compile("temperature=0.5"))


def test_a_question_hides_what_it_asks_and_the_guess_comes_back(lesson):
    page = lesson("temperature", None, guess="")
    page.wait_for_selector(".st-key-ask-soft_double")
    assert page.locator(".st-key-step-hard").count() == 0
    page.get_by_role("button", name="smaller", exact=True).click()
    page.wait_for_selector(".st-key-step-hard svg.marks text")
    page.wait_for_url(re.compile("guess=soft_double"))
    page.reload()
    page.wait_for_selector(".st-key-step-hard svg.marks text")
    assert "Not so: it is larger" in page.inner_text(".st-key-ask-soft_double")


def test_the_naive_form_overflows_as_the_scores_grow(lesson):
    page = lesson("stable", "naive", "&precision=float32&scoresize=80")
    assert "NaN" not in texts(page, "naive")
    assert live(page, "screen").endswith("Right, up to rounding.")
    drag(page, "score_size", 0, 40)
    wait_for_text(page, "naive", "NaN")
    assert "∞" in texts(page, "naive") and "NaN" not in texts(page, "shifted")
    page.mouse.up()
    settled(page)
    assert "NaN" in live(page, "screen")


def test_the_axis_is_a_click_and_the_sums_follow_an_edit(lesson):
    page = lesson("axes", "sums")
    page.get_by_role("radio", name="over the queries, dim=-2", exact=True).click()
    page.wait_for_url(re.compile("axis=queries"))
    settled(page)
    assert "dim=-2" in page.inner_text("[data-testid=stCode] >> nth=0")
    before = texts(page, "sums")
    page.get_by_text("The numbers: X and the weights").click()
    page.wait_for_timeout(600)
    drag(page, "x", 0, 80)
    page.wait_for_function(
        """(before) => [...document.querySelectorAll('.st-key-step-sums svg.marks text')]
           .map((node) => node.textContent).join() !== before""",
        arg=",".join(before),
        timeout=10_000,
    )
    page.mouse.up()
    settled(page)
    assert "over the keys, dim=-1: passes; over the queries, dim=-2: caught" in live(page, "check")


def test_the_answer_of_the_weights_follows_the_change_of_the_score(lesson):
    page = lesson("jacobian", "changes")
    drag(page, "nudge", 0, 80)
    found = facts.answer((2.0, 1.0, 0.1), 0, 0.3)
    wait_for_text(page, "changes", short(found.real[0], 4))
    assert short(found.predicted[0], 4) in texts(page, "changes")
    page.mouse.up()
    page.wait_for_url(re.compile("nudge=0.3"))


def test_dropout_is_drawn_again_and_a_seed_draws_the_same(lesson):
    page = lesson("dropout", "one_draw")
    first = texts(page, "one_draw")
    page.get_by_role("button", name="Draw again").click()
    page.wait_for_url(re.compile("dropoutseed=1"))
    settled(page)
    assert texts(page, "one_draw") != first
    page.get_by_role("button", name="Undo").click()
    settled(page)
    assert texts(page, "one_draw") == first


def test_the_numbers_of_a_chart_are_saved_with_one_click(lesson):
    page = lesson("bars", "bars")
    with page.expect_download() as download:
        page.locator(".st-key-csv-bars button").click()
    assert download.value.suggested_filename == "bars.csv"
    rows = list(csv.reader(Path(download.value.path()).read_text("utf-8-sig").splitlines()))
    assert rows[0] == ["score", "s", "exp(s)", "p"]
    assert [float(row[3]) for row in rows[1:]] == facts.softmax((2.0, 1.0, 0.1))


def test_the_sidebar_shows_only_what_does_something_here(lesson):
    page = lesson("bars", "bars")
    side = page.locator("[data-testid=stSidebar]")
    assert side.get_by_role("button", name="Undo").count() == 1
    assert side.get_by_text("d_model: width of X").count() == 0
    page.get_by_role("radio", name="Dropout", exact=True).click()
    side.get_by_text("d_model: width of X").wait_for()


@pytest.mark.parametrize("part", PARTS)
def test_on_a_phone_nothing_is_wider_than_the_screen(lesson, part):
    page = lesson(part, None, viewport={"width": 390, "height": 800})
    page.wait_for_selector("h1")
    page.wait_for_timeout(2500)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 390
