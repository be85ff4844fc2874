"""The lesson `Softmax` in a real browser: dragging, answering, drawing again, saving numbers, on a phone."""

import re

import pytest
from playwright.sync_api import expect

from attention.lab.softmax import scores as softmax
from pages.model.scores import Scores
from pages.model.settings import Settings
from tests.browser.gestures import answered, cell, press_and_move, state_of, wait_link, wait_said, wait_value
from tests.states import value_of, with_own

LESSON = "softmax"
SCORES = Scores().logits
READY = {
    "bars": "weights",
    "temperature": "argmax",
    "stable": "shifted_weights",
    "axes": "row_sums",
    "jacobian": "jacobian",
    "dropout": "dropped_weights",
}


def wait_chart(page, name, text):
    page.wait_for_function(
        """([name, text]) => [...document.querySelectorAll(`.st-key-plot-${name} svg text`)]
           .some((node) => node.textContent === text)""",
        arg=[name, text],
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_can_be_done_with_the_picture_is_read_in_full(visit, language):
    page = visit(f"/softmax?lang={language}&part=temperature{answered('softmax')}", '[data-matrix="argmax"]')
    line = page.locator(".pic-line[data-idle]").first
    assert line.evaluate("node => node.textContent.length > 20 && node.scrollWidth <= node.clientWidth")


def test_weights_bars_and_sentence_follow_a_dragged_score_and_the_link_keeps_it(lesson):
    page = lesson("bars")
    wait_chart(page, "bars", "0.659")
    mouse = press_and_move(page, "logits", 0, 2, 80)
    moved = softmax.softmax((2.0, 1.0, 1.1))
    wait_value(page, "weights", 0, 2, moved[2])
    wait_chart(page, "bars", f"{moved[2]:.3f}")
    wait_said(page, "7.389 + 2.718 + 3.004")
    mouse.up()
    wait_link(page, with_own(Settings(), logits=(2.0, 1.0, 1.1)))
    page.reload()
    page.wait_for_selector(cell("weights", 0, 2))
    wait_value(page, "weights", 0, 2, moved[2])


def test_cause_and_effect_of_the_first_part_are_on_one_screen(lesson):
    page = lesson("bars", "", guess="", ready="logits")
    page.locator(".st-key-guess-soft_three-exps button").click()
    page.locator(".st-key-plot-bars svg").last.wait_for()
    page.locator(cell("logits", 0, 0)).scroll_into_view_if_needed()
    page.wait_for_function(
        """() => {
          const chart = [...document.querySelectorAll('.st-key-plot-bars svg')].pop().getBoundingClientRect();
          const row = document.querySelector('[data-matrix="logits"]').getBoundingClientRect();
          return row.top >= 0 && chart.bottom - row.top < innerHeight;
        }"""
    )


def test_a_cell_of_the_weights_lights_its_exponentials_and_writes_its_arithmetic(lesson):
    page = lesson("bars")
    page.locator(cell("weights", 0, 0)).hover()
    page.get_by_text("p₁ = 7.3891 / 11.2125 = 0.6590").first.wait_for()
    page.locator(f'{cell("exps", 0, 0)}[data-lit="source"]').wait_for()


def test_scores_are_added_and_tied_by_a_click(lesson):
    page = lesson("bars")
    page.get_by_role("button", name="Add a score").click()
    page.wait_for_selector(cell("logits", 0, 3))
    page.get_by_role("button", name="Make a tie").click()
    tied = softmax.softmax((2.0, 1.0, 0.1, 2.0))
    wait_value(page, "weights", 0, 3, tied[3])
    wait_link(page, with_own(Settings(), logits=(2.0, 1.0, 0.1, 2.0)))


def test_a_lower_temperature_concentrates_the_weights_while_it_is_dragged(lesson):
    page = lesson("temperature")
    mouse = press_and_move(page, "temperature", 0, 0, -80)
    page.wait_for_function(
        "(selector) => Number(document.querySelector(selector).dataset.value) > 0.7",
        arg=cell("weights", 0, 0),
    )
    mouse.up()
    page.wait_for_url(re.compile("temperature="))
    now = value_of(state_of(page), "temperature")
    assert now < 0.8
    wait_value(page, "weights", 0, 0, softmax.softmax(SCORES, now)[0])
    wait_said(page, f"At T = {now:g} the largest weight is")


def test_a_question_hides_what_it_asks_and_the_answer_stays_after_a_reload(lesson):
    page = lesson("temperature", guess="", ready="logits")
    page.wait_for_selector(".st-key-ask-soft_double")
    expect(page.locator('[data-matrix="argmax"]')).to_have_count(0)
    page.get_by_role("button", name="it shrinks", exact=True).click()
    page.wait_for_selector('[data-matrix="argmax"]')
    page.wait_for_url(re.compile("guess=soft_double"))
    page.reload()
    page.wait_for_selector('[data-matrix="argmax"]')
    expect(page.locator(".st-key-answered-soft_double")).to_contain_text("Not quite. The answer: it grows")


def test_the_formula_as_written_overflows_as_the_scores_grow_and_undo_mends_it(lesson):
    page = lesson("stable", "&precision=float32&topscore=80")
    wait_said(page, "right, but for rounding")
    mouse = press_and_move(page, "top_score", 0, 0, 40)
    wait_value(page, "naive_weights", 0, 0, "nan")
    mouse.up()
    wait_said(page, "∞/∞ is NaN")
    expect(page.locator(cell("shifted_weights", 0, 0))).not_to_have_attribute("data-value", "nan")
    page.get_by_role("button", name="Undo").click()
    wait_said(page, "right, but for rounding")


def test_a_click_in_the_overview_shows_that_format_and_size_above(lesson):
    page = lesson("stable")
    page.locator(cell("outcomes_naive", 1, 0)).click()
    wait_value(page, "naive_scores", 0, 0, -1000.0)
    wait_said(page, "0/0 is NaN")
    page.get_by_role("radio", name="float32", exact=True, checked=True).wait_for()


def test_a_cell_of_the_overview_is_chosen_with_the_keyboard(lesson):
    page = lesson("stable")
    page.locator(cell("outcomes_naive", 0, 0)).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    wait_value(page, "naive_scores", 0, 0, -100.0)


def test_the_axis_is_a_click_and_the_sums_follow_an_edit_of_x(lesson):
    page = lesson("axes")
    page.get_by_role("radio", name="queries (dim=-2)", exact=True).click()
    wait_value(page, "column_sums", 0, 0, 1.0)
    page.wait_for_url(re.compile("axis=queries"))
    expect(page.locator("[data-testid=stCode]").first).to_contain_text("dim=-2")
    before = page.locator(cell("row_sums", 0, 0)).get_attribute("data-value")
    mouse = press_and_move(page, "x", 0, 0, 80)
    page.wait_for_function(
        "([selector, before]) => document.querySelector(selector).dataset.value !== before",
        arg=[cell("row_sums", 0, 0), before],
    )
    wait_value(page, "column_sums", 0, 0, 1.0)
    mouse.up()
    wait_said(page, "over keys (dim=-1) the check passes. With the softmax over queries (dim=-2) it fails.")


def test_real_and_predicted_change_follow_the_change_of_the_score(lesson):
    page = lesson("jacobian")
    mouse = press_and_move(page, "nudge", 0, 0, 80)
    before_after = softmax.answer(SCORES, 0, 0.3)
    wait_value(page, "real", 0, 0, before_after.real[0])
    wait_value(page, "predicted", 0, 0, before_after.predicted[0])
    mouse.up()
    page.wait_for_url(re.compile("nudge=0.3"))
    page.get_by_role("radio", name="2", exact=True).click()
    wait_value(page, "real", 0, 0, softmax.answer(SCORES, 1, 0.3).real[0])


def test_dropout_is_drawn_again_and_undo_brings_the_draw_back(lesson):
    page = lesson("dropout", "&dropout=0.5")
    view = "document.querySelectorAll('[data-matrix=\"dropped_weights\"]')"
    values = f"() => [...{view}].map((cell) => cell.dataset.value).join()"
    first = page.evaluate(values)
    page.get_by_role("button", name="Draw again").click()
    page.wait_for_function(f"(before) => ({values})() !== before", arg=first)
    page.wait_for_url(re.compile("dropoutseed=1"))
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function(f"(before) => ({values})() === before", arg=first)


def test_the_axes_of_a_chart_are_seen_in_the_dark_theme(lesson):
    """Axis lines were black on black."""
    page = lesson("temperature", color_scheme="dark")
    page.wait_for_selector(".stVegaLiteChart svg.marks")
    parts = ".stVegaLiteChart :is([class*=role-axis] line, [class*=role-axis] text)"
    drawn = page.locator(parts).evaluate_all(
        """(nodes) => nodes.map((node) => getComputedStyle(node))
             .map(({ stroke, fill }) => (stroke === 'none' ? fill : stroke))"""
    )
    light = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in drawn]
    assert len(drawn) > 20 and min(light) > 100
