"""Worked examples in a real browser: a file is uploaded."""

from playwright.sync_api import expect

GOOD = b"Q = 1 0; 0 1\nK = 1 0; 0 1\nS = 1 0; 0 2"


def test_a_file_is_audited_and_a_bad_one_changes_nothing(visit):
    page = visit("/worked_examples?lang=en&part=own", ".stForm")
    chooser = page.locator("input[type=file]")
    chooser.set_input_files({"name": "good.txt", "mimeType": "text/plain", "buffer": GOOD})
    cell = page.locator('[data-matrix="printed"][data-row="1"][data-col="1"]')
    expect(cell).to_have_text("2")
    chooser.set_input_files({"name": "bad.json", "mimeType": "application/json", "buffer": b'{"Q": ['})
    expect(page.get_by_text("Nothing was changed")).to_be_visible()
    expect(cell).to_have_text("2")


def test_a_hint_is_said_once_on_a_page_of_many_pictures(visit):
    page = visit("/worked_examples?lang=en&part=gallery", ".pic-line >> nth=7")
    hints = "[...document.querySelectorAll('.pic-line')].map((line) => line.textContent !== '')"
    page.wait_for_function(f"{hints}.join() === [true, ...Array({hints}.length - 1).fill(false)].join()")
