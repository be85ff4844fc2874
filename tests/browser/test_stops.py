"""The stops of the hour in a browser: what follows a hand is in sight together with the hand."""

import pytest
from playwright.sync_api import expect

from tests.browser.gestures import answered, cell
from tests.browser.test_phone import PHONE

# Of the links of the sidebar to the stops: Streamlit marks all to the present page.
BOLD = """(names) => names.filter((name) => getComputedStyle(name).fontWeight > 400)
  .map((name) => name.textContent.replaceAll('\u00a0', ' ').trim())"""
STRIP = 56  # px at the head of a phone, which the page is scrolled beneath

each_screen = pytest.mark.parametrize("options", [{}, PHONE], ids=["laptop", "phone"])


def bottom(page, selector: str) -> float:
    box = page.locator(selector).last.bounding_box()
    return box["y"] + box["height"]


@each_screen
def test_the_lines_of_a_row_are_in_sight_with_the_number_that_they_follow(visit, options):
    link = "/one_head?lang=en&part=row&step=row_output"
    page = visit(link, cell("output", 0, 0), answers={"row_raised": "equal"}, **options)
    lines = page.locator(".pic-passages p")
    expect(lines).to_have_count(7)
    ends = [bottom(page, cell("x", 0, 0)), bottom(page, ".pic-passages p")]
    top = min(page.locator(part).first.bounding_box()["y"] for part in (cell("x", 0, 0), ".pic-passages p"))
    assert max(ends) - top < page.viewport_size["height"] * (0.5 if options else 0.9)
    if not options:
        assert page.locator(".st-key-hour a p").evaluate_all(BOLD) == ["One row by hand · 10 min"]


@each_screen
def test_the_next_step_of_a_row_is_in_sight_where_the_button_was(visit, options):
    link = "/one_head?lang=en&part=row"
    page = visit(link, cell("query", 0, 0), answers={"row_raised": "equal"}, **options)
    for name in ("scores", "scaled_scores", "weights", "output"):
        page.locator(".st-key-row_next button").click()
        expect(page.locator(cell(name, 0, 0))).to_be_in_viewport()


@each_screen
def test_the_weights_of_a_training_are_on_one_screen_with_the_step_and_its_share(visit, options):
    link = "/train_a_head?lang=en&part=train"
    page = visit(link, cell("weights", 0, 0), answers=answered("train_a_head"), **options)
    page.locator(".st-key-start-ran button:visible").click()
    page.wait_for_selector("[data-slider=train_step]", timeout=60_000)
    parts = ("[data-slider=train_step]", cell("weights", 0, 0), ".st-key-loss_now .said")
    top = min(page.locator(part).bounding_box()["y"] for part in parts)
    last = max(bottom(page, part) for part in parts)
    assert last - top <= page.viewport_size["height"] - (STRIP if options else 0)


def test_every_column_of_a_real_head_has_its_name(visit):
    page = visit("/real_heads?lang=en&part=a_model", cell("model_weights", 0, 0))
    heads = page.locator('[data-matrix-box="model_weights"] .pic-col')
    names = [head.inner_text() for head in heads.all() if head.is_visible()]
    assert (
        names[2] == "animal"
        and len(names) == page.locator('[data-matrix="model_weights"][data-row="0"]').count()
    )
