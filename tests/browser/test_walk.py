"""The walk through the steps of the computation, the names of its columns, and what moves."""

import pytest
from playwright.sync_api import expect

from pages.model.settings import Settings
from tests.browser.gestures import answered, cell, until, wait_value
from tests.browser.wire import RESTS


def test_a_walk_begins_without_the_pinned_cell(visit):
    page = visit("/one_head?lang=en&cell=output,1,1")
    expect(page.locator(".pic-line")).to_contain_text("O[我, 1]")
    page.get_by_role("button", name="Walk from step 1").click()
    expect(page.locator(".pic-line")).to_contain_text("Q[")
    page.wait_for_function("!location.search.includes('cell=')")


def test_a_column_gets_a_name_that_stays_in_the_link(visit):
    page = visit("/one_head?lang=en")
    name = page.locator("[data-name-col='1']")
    name.click()
    name.fill("tired, <b>")
    name.press("Enter")
    expect(page.locator('[data-matrix-box="w_q"] .pic-label').nth(1)).to_have_text("tired, <b>")
    page.wait_for_function("location.search.includes('dims=')")
    page.reload()
    expect(name).to_have_value("tired, <b>")
    name.click()
    name.fill("")
    name.press("Enter")
    page.wait_for_function("!location.search.includes('dims=')")
    expect(name).to_have_value("2")


MOVING = """() => {
  document.querySelector('.pic-walk').click(); // ◀: from the output to the attention weights
  return document.getAnimations().filter((one) => one.constructor === Animation)
    .map(({ effect: { target } }) => target.dataset.matrix ?? 'all of it');
}"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_step_moves_what_a_cell_is_made_from_and_then_its_matrix(visit, motion):
    page = visit("/?lang=en&example=cats", reduced_motion=motion)
    moving = ["masked_scores"] * 3 + ["all of it"]
    assert page.evaluate(MOVING) == (moving if motion == "no-preference" else [])


RECORD = """() => {
  window.moves = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, how) {
    if (this.matches('.pic-row')) window.moves.push([this.textContent, frames[0].transform]);
    return animate.call(this, frames, how);
  };
}"""


@pytest.mark.parametrize(("motion", "rows"), [("no-preference", 8), ("reduce", 0)])
def test_rows_that_change_places_slide_there(visit, motion, rows):
    answers = {"order_reversed": "shown"}
    page = visit("/order?part=along&lang=en", cell("x_moved", 2, 1), answers=answers, reduced_motion=motion)
    page.evaluate(RECORD)
    page.locator(cell("x_moved", 2, 1)).click()
    wait_value(page, "x_moved", 1, 0, Settings().x[0][0])
    page.wait_for_selector(RESTS)
    until(page, lambda: len(page.evaluate("window.moves")) == rows)
    ways = [float(way[11:-3]) for _, way in page.evaluate("window.moves")]
    assert sum(ways) == 0  # two each of X′, A′, O′ and the difference


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_can_be_done_with_a_picture_is_read_in_full(visit, language):
    link = f"/softmax?lang={language}&part=temperature"
    line = (
        visit(link, cell("argmax", 0, 0), answers=answered("softmax")).locator(".pic-line[data-idle]").first
    )
    whole = "node => node.textContent.length > 20 && node.scrollWidth <= node.clientWidth"
    until(line.page, lambda: line.evaluate(whole))
