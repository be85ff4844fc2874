"""The lesson `Many heads` in a real browser: pointing, choosing, guessing, dragging, from page to page."""

import re

import pytest

from pages.model import edits
from pages.model.compute import trace_of
from pages.model.settings import Settings
from tests.browser.gestures import answered, cell, press_and_move, wait_value

START = Settings()
JOBS = edits.load_example(START, "two_jobs")
LINK = "/many_heads?lang=en&example=two_jobs"


def lit(page) -> set[str]:
    """The matrices with a cell that is lit as a source of the one pointed at, directly or further back."""
    nodes = page.locator("[data-picture] [data-lit=source], [data-picture] [data-lit=origin]")
    return set(nodes.evaluate_all("nodes => nodes.map((node) => node.dataset.matrix)"))


def lit_cells(page, matrix: str) -> set[tuple[int, int]]:
    nodes = page.locator(
        f'[data-matrix="{matrix}"][data-lit=source], [data-matrix="{matrix}"][data-lit=origin]'
    )
    return {
        tuple(map(int, place))
        for place in nodes.evaluate_all("ns => ns.map((n) => [n.dataset.row, n.dataset.col])")
    }


def test_it_opens_on_the_sentence_in_two_heads_and_the_link_says_so(visit):
    page = visit("/many_heads", '[data-matrix="difference"]')
    page.wait_for_url(re.compile("example=tired_heads"))
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_text("There is only one head now").wait_for()
    page.wait_for_url(re.compile("example=tired"))


@pytest.mark.parametrize("part", ["split", "overview"])
def test_who_drags_a_number_of_x_sees_the_weights_move_without_scrolling(visit, part):
    ready = '[data-matrix="weights_2"]' if part == "split" else '[data-matrix="second"]'
    page = visit(f"{LINK}&part={part}{answered('many_heads')}", ready)
    target = page.locator(f"{ready}[data-row='0'][data-col='0']")
    box = target.bounding_box()
    assert box["y"] + box["height"] <= 800
    mouse = press_and_move(page, "x", 0, 4, 80)
    moved = edits.set_cell(JOBS, "x", 0, 4, 2.0)
    expected = trace_of(moved).heads.weights[1, 0, 0].item()
    wait_value(page, "weights_2" if part == "split" else "second", 0, 0, expected)
    mouse.up()
    page.wait_for_url(re.compile("x=1"))
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 0


def test_a_cell_of_the_output_leads_back_through_values_and_scores_to_x(visit):
    page = visit(f"{LINK}&part=split{answered('many_heads')}", '[data-matrix="weights_2"]')
    page.locator(cell("concatenated", 2, 0)).hover()
    page.wait_for_selector('[data-matrix="head_output_1"][data-lit=source]')
    assert lit(page) == {"head_output_1", "weights_1", "value"}
    page.locator(cell("scores_2", 1, 3)).hover()
    page.wait_for_selector('[data-matrix="query"][data-lit=source]')
    assert lit(page) == {"query", "key", "x", "w_q", "w_k"}
    assert lit_cells(page, "query") == {(1, column) for column in range(4, 8)}
    assert lit_cells(page, "key") == {(3, column) for column in range(4, 8)}


def test_a_head_is_chosen_by_its_thumbnail(visit):
    page = visit("/many_heads?lang=en&heads=4", '[data-matrix="first"]')
    page.locator('[data-matrix-box="head_weights_3"]').click()
    page.wait_for_url(re.compile("head=3"))
    four = trace_of(edits.resize(START, num_heads=4)).heads.weights
    wait_value(page, "first", 0, 0, four[2, 0, 0].item())


def test_sharing_is_tried_out_by_hand(visit):
    page = visit(f"{LINK}&part=sharing{answered('many_heads')}", '[data-matrix="moved_1"]')
    page.get_by_role("radio", name="2 (multi-head)").click()
    page.get_by_text("so nothing changes").wait_for()
    wait_value(page, "moved_1", 0, 0, 0.0)
