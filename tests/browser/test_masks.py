"""The lesson `Masks` in a real browser: every gesture that matters."""

import re

from playwright.sync_api import expect

from attention import causal_mask
from attention.lab.masks import masking
from attention.lab.mistakes import forms
from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings
from tests.browser.gestures import bound, cell, press_and_move, wait_link, wait_value
from tests.states import with_own

LESSON = EXAMPLE = "masks"
START = edits.load_example(Settings(), EXAMPLE)
CAUSAL = causal_mask(5)
# A matrix of a part, or of a topic as links before it called it, once the questions are answered.
READY = {
    "gallery": "output_change",
    "fully_masked": "output_zero",
    "wrong": "leak",
    "polarity": "weights_layer",
    "left_padding": "weights_self",
}


def test_a_click_on_a_thumbnail_chooses_the_mask_and_the_keyboard_too(lesson):
    page = lesson("gallery")
    wait_value(page, "weights", 0, 0, 1.0)
    page.locator('[data-matrix-box="kind_padding"]').click()
    wait_link(page, edits.with_choice(START, mask="padding"))
    wait_value(page, "masked_scores", 0, 3, "-inf")
    page.locator('[data-matrix-box="kind_padding"]').press("ArrowRight")
    page.keyboard.press("Enter")
    wait_link(page, edits.with_choice(START, mask="window"))


def test_an_answer_is_a_click_on_a_cell(lesson):
    page = lesson("gallery", guess="", ready="scaled_scores")
    expect(page.locator('[data-matrix="weights"]')).to_have_count(0)
    page.locator(cell("scaled_scores", 0, 2)).click()
    page.locator(".st-key-ask-causal", has_text="Not this one.").wait_for()
    wait_value(page, "weights", 0, 0, 1.0)
    page.wait_for_function("location.search.includes('causal')")
    page.reload()
    page.locator(".st-key-answered-causal", has_text="Not this one.").wait_for()


def test_an_answer_is_given_by_the_keyboard(lesson):
    page = lesson("gallery", guess="", ready="scaled_scores")
    page.locator(cell("scaled_scores", 0, 0)).press("Enter")
    page.locator(".st-key-ask-causal", has_text="Correct.").wait_for()


def test_the_mask_is_clicked_where_it_stands(lesson):
    page = lesson("gallery", ready="mask")
    page.locator(".st-key-edit_mask button").first.click()
    page.locator(f"{cell('mask', 0, 1)}[data-editable]").click()
    now = edits.with_choice(START, mask="custom", blocked=map(tuple, (~CAUSAL).nonzero().tolist()))
    now = edits.set_blocked(now, 0, 1, False)
    wait_value(page, "weights", 0, 1, trace_of(now).head(0).weights[0, 1].item())
    wait_link(page, now)


def test_gallery_and_effect_are_on_one_screen(lesson):
    page = lesson("gallery")
    page.wait_for_function(
        """() => {
          const inside = (name) => [...document.querySelectorAll(`[data-matrix="${name}"]`)]
            .every((node) => { const box = node.getBoundingClientRect();
                               return box.top >= 0 && box.bottom <= innerHeight; });
          return inside('x') && inside('weights') && inside('output') && inside('output_change');
        }"""
    )


def test_another_row_is_fully_masked(lesson):
    page = lesson("fully_masked")
    wait_value(page, "weights_nan", 0, 0, "nan")
    page.locator(f"{bound('row')} button", has_text=re.compile("爱")).click()
    wait_value(page, "weights_nan", 2, 0, "nan")
    wait_value(page, "weights_alike", 2, 4, 0.2)
    page.wait_for_function("location.search.includes('row=3')")


def test_the_wrong_weights_follow_a_dragged_number(lesson):
    page = lesson("wrong")
    mouse = press_and_move(page, "x", 0, 0, 80)
    now = edits.set_cell(START, "x", 0, 0, 1.5)
    scores = trace_of(now).head(0).scaled_scores
    wrong = forms.after_softmax(scores, CAUSAL)
    wait_value(page, "sums_after", 1, 0, wrong.sum(-1)[1].item())  # the button is still held
    leak = masking.masked_score_influence(scores, CAUSAL, renormalise=False)
    wait_value(page, "leak", 1, 2, leak[1, 2].item())
    mouse.up()
    wait_link(page, now)


def test_true_and_false_are_exchanged(lesson):
    page = lesson("polarity")
    wait_value(page, "weights_layer", 4, 0, "nan")
    page.locator(f"{bound('reversed')} label").click()
    wait_value(page, "weights_layer", 4, 0, trace_of(START).head(0).weights[4, 0].item())
    wait_link(page, with_own(START, reversed=True))


def test_one_more_token_is_real(lesson):
    page = lesson("left_padding")
    wait_value(page, "weights_plain", 1, 0, "nan")
    page.locator(f"{bound('padding_here')} button").last.click()
    wait_link(page, edits.with_choice(START, padding=4))
    wait_value(page, "weights_plain", 1, 1, 1.0)


def test_nobody_is_forced_to_answer(lesson):
    page = lesson("fully_masked", guess="", ready="masked_scores")
    expect(page.locator('[data-matrix="weights_nan"]')).to_have_count(0)
    page.get_by_text("Show me the answer").click()
    wait_value(page, "output_zero", 0, 0, 0)
