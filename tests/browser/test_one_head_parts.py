"""What attention is for, the questions, the terms and the links of the page for teachers, in a browser."""

import pytest
from playwright.sync_api import expect

from pages.lessons.one_head import by_hand, changes
from pages.model.compute import trace_of
from pages.model.edits import load_example, set_cell
from pages.model.settings import Settings
from pages.model.stories import STORIES, start, with_word
from tests.browser.gestures import cell, press_and_move, settings_of, wait_link, wait_output, wait_value

ANSWERED = "guess=bank_rows:one"


def choose(page, text):
    page.get_by_role("radio", name=text, exact=True).click()


@pytest.mark.parametrize(
    ("name", "word", "text"), [("bank", "money", "money"), ("library", "cooking", "food")]
)
def test_another_word_changes_the_weights_and_moves_the_point(visit, name, word, text):
    story = STORIES[name]
    page = visit(f"?lang=en&part=meaning&topic={name}&{ANSWERED}")
    wait_output(page, start(story))
    page.wait_for_selector(".st-key-plot-movement svg.marks")
    choose(page, text)
    after = with_word(start(story), story, word)
    wait_output(page, after)
    wait_link(page, after)
    page.get_by_text("Rows of A that differ from the beginning").wait_for()
    page.get_by_role("button", name="Undo").click()
    wait_link(page, Settings())
    wait_output(page, start(story))


def test_a_dragged_number_of_the_story_moves_its_output_in_sight(visit):
    now = load_example(Settings(), "bank")
    page = visit(f"?lang=en&part=meaning&topic=bank&example=bank&{ANSWERED}")
    wait_output(page, now)
    for place in (cell("x", 1, 2), cell("output", 4, 1)):
        box = page.locator(place).bounding_box()
        assert box["y"] > 0 and box["y"] + box["height"] < 800
    assert page.locator(".st-key-plot-movement svg.marks").bounding_box()["y"] < 800
    mouse = press_and_move(page, "x", 1, 2, 40)
    page.wait_for_function(
        "selector => document.querySelector(selector).dataset.value > 3", arg=cell("x", 1, 2)
    )
    mouse.up()
    page.wait_for_function("location.search.includes('x=')")
    after = settings_of(page)
    assert after.x[1][2] > 3
    wait_output(page, after)


def test_one_click_from_the_story_to_the_picture(visit):
    page = visit("?lang=en&part=meaning&topic=it")
    page.get_by_role("button", name="Open in “The computation”").click()
    page.wait_for_selector(cell("w_q", 0, 0))
    wait_link(page, load_example(Settings(), "it"))


def test_a_question_is_answered_and_its_edit_made(visit):
    page = visit("?lang=en&part=predict&topic=swap")
    expect(page.locator('[data-matrix="output_after"]')).to_have_count(0)
    page.get_by_role("button", name="its two rows change places, nothing else").click()
    after = trace_of(changes.first_and_last_swapped(Settings())).output
    wait_value(page, "output_after", 0, 0, after[0, 0].item())
    page.get_by_role("button", name="Swap the first and the last token").click()
    wait_link(page, changes.first_and_last_swapped(Settings()))


def test_a_row_is_filled_in_by_hand_and_a_wrong_number_corrected(visit):
    page = visit("?lang=en&part=predict&topic=by_hand", '[data-matrix="scores"]')
    exercise = by_hand.exercise_of(Settings(), 0)
    right = [f"{exercise.right(place):.2f}" for place in exercise.blank]
    page.locator(cell("scores", 0, 0)).focus()
    for text in [*right[:-1], "9"]:
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.get_by_text("Next, compute O[猫, 4] again.").wait_for()
    page.wait_for_selector(cell("output", 0, 3) + "[data-ringed]")
    page.locator(cell("output", 0, 3)).fill(right[-1].replace(".", ","))
    page.get_by_role("button", name="Answer", exact=True).click()  # leaving the cell takes its entry
    page.locator(".st-key-verdict-by_hand").get_by_text("Correct.").wait_for()
    wait_value(page, "output", 0, 3, exercise.right(("output", 3)))


def test_the_form_with_columns_shows_the_transposed_numbers(visit):
    page = visit("?lang=en&part=misconceptions&topic=columns&guess=columns:down")
    weights = trace_of(Settings()).head(0).weights
    wait_value(page, "weights", 0, 2, weights[0, 2].item())
    page.get_by_role("radio", name="columns").last.click()
    wait_value(page, "weights", 2, 0, weights[0, 2].item())


def test_a_term_leads_to_where_it_is_seen_with_the_learners_numbers(visit):
    now = set_cell(Settings(), "x", 0, 0, 7.0)
    page = visit("/terms?lang=en&x=7,0.5,0.2,0.1;0.3,1.2,0.8,0.4;0.6,0.1,1.5,0.9", ready=".st-key-row-token")
    search = page.get_by_role("textbox", name="Search")
    search.fill("scaled score")
    search.press("Enter")
    page.wait_for_selector(".st-key-row-token", state="detached")
    page.locator(".st-key-row-scaled_score").get_by_role("link").click()
    wait_output(page, now)
    page.get_by_text("Scaled scores", exact=True).first.wait_for()
    wait_link(page, now)


def test_a_link_of_the_plan_opens_its_story_unanswered(visit):
    page = visit("/for_teachers?lang=en&part=plans&topic=plan_90", ready=".st-key-step-bank")
    page.locator(".st-key-step-bank").get_by_role("link").click()
    page.wait_for_selector(".st-key-ask-bank_rows")
    wait_value(page, "query", 1, 0, 3)
    wait_link(page, load_example(Settings(), "bank"))
