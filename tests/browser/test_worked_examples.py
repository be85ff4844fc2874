"""Worked examples in a real browser: choose a step, upload a file, open an example and take it back."""

import re

from playwright.sync_api import expect

from tests.browser.gestures import settings_of, until

ANSWERED = "/worked_examples?lang=en&guess=worked_first:shown"
GOOD = b"Q = 1 0; 0 1\nK = 1 0; 0 1\nS = 1 0; 0 2"


def test_a_click_on_a_step_shows_its_numbers(visit):
    page = visit(ANSWERED, '[data-matrix="difference"]')
    page.locator('[data-matrix-box="small_exponentials"]').click()
    cell = page.locator('[data-matrix="printed"][data-row="2"][data-col="2"]')
    expect(cell).to_have_text("22.81")
    page.wait_for_url(re.compile("step=exponentials"))


def test_an_assistant_s_answer_is_pasted_and_a_small_difference_is_seen(visit):
    page = visit("/worked_examples?lang=en&part=own", ".stForm")
    answer = "**Scaled scores**\n\n| | a | b |\n|---|---|---|\n| a | 0 | -0.665421 |\n\nAttention weights:\n"
    page.locator(".stForm textarea").fill(answer + r"$$A = \begin{bmatrix} 0.6604 & 0.3395 \end{bmatrix}$$")
    page.get_by_role("button", name="Check these numbers").click()
    difference = page.locator('[data-matrix="difference"][data-row="0"][data-col="0"]')
    expect(difference).to_have_text("−0.000077")
    expect(difference).to_have_attribute("data-ringed", "")
    expect(page.get_by_text("Read as: S/√dₖ (1 × 2), A (1 × 2).")).to_be_visible()


def test_a_file_is_audited_and_a_bad_one_changes_nothing(visit):
    page = visit("/worked_examples?lang=en&part=own", ".stForm")
    chooser = page.locator("input[type=file]")
    chooser.set_input_files({"name": "good.txt", "mimeType": "text/plain", "buffer": GOOD})
    cell = page.locator('[data-matrix="printed"][data-row="1"][data-col="1"]')
    expect(cell).to_have_text("2")
    page.wait_for_url(re.compile("document="))
    chooser.set_input_files({"name": "bad.json", "mimeType": "application/json", "buffer": b'{"Q": ['})
    expect(page.get_by_text("Nothing was changed")).to_be_visible()
    expect(cell).to_have_text("2")


def test_an_example_opens_in_the_first_lesson_and_undo_takes_it_back(visit):
    link = "/worked_examples?lang=en&topic=five_tokens&guess=worked_range:shown&tokens=a,b,c"
    page = visit(link, '[data-matrix="difference"]')
    page.get_by_role("link", name="Open these numbers").click()
    page.wait_for_selector('[data-matrix="output"]')
    until(page, lambda: settings_of(page).tokens == ("1", "2", "3", "4", "5"))
    page.locator(".st-key-undo button:visible").click()
    until(page, lambda: settings_of(page).tokens == ("a", "b", "c"))


def test_text_and_results_are_there_together_after_back(visit):
    page = visit("/worked_examples?lang=en&part=own", ".stForm")
    text = page.locator(".stForm textarea")
    text.fill("Keys: [[1, 0], [0, 1]]\n" + GOOD.decode())
    page.get_by_role("button", name="Check these numbers").click()
    page.wait_for_url(re.compile("document="))
    page.get_by_role("radio", name="Printed numbers").click()
    expect(text).to_have_count(0)
    page.wait_for_url(re.compile("part=notes"))
    page.go_back()
    expect(text).to_have_value("Keys: [[1, 0], [0, 1]]\n" + GOOD.decode())
    cell = page.locator('[data-matrix="printed"][data-row="1"][data-col="1"]')
    expect(cell).to_have_text("2")
