"""The walk through the steps of the computation, and the names of its columns."""

import pytest
from playwright.sync_api import expect


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
