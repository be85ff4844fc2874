"""The worksheet is downloaded after an edit, opened, and compared with the numbers on the screen."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from pages.draw.steps import NAMES
from pages.draw.texts import Texts
from pages.hand.export.worksheet import make, make_key
from pages.model import edits
from pages.model.settings import Settings
from tests.browser.gestures import bound, type_into, wait_link, wait_narrow, wait_output
from tests.support.worksheets import Sheet, page_of

NINE = edits.set_cell(Settings(), "x", 0, 3, 9.0)
STEPS = ("query", "key", "value", "scores", "scaled_scores", "weights", "output")


def shown(page, name: str) -> list[list[str]]:
    """The texts of a computed matrix on the screen."""
    return page.evaluate(
        """(name) => {
            const rows = [];
            for (const cell of document.querySelectorAll(`[data-matrix="${name}"][data-row]`))
                (rows[cell.dataset.row] ??= [])[cell.dataset.col] = cell.textContent;
            return rows;
        }""",
        name,
    )


def test_the_worksheet_of_the_present_setup(visit, blank_page):
    page, t = visit("/one_head?lang=zh&example=cats"), Texts("zh")
    page.locator(".st-key-share button").first.click()
    pill = page.get_by_test_id("stButtonGroup").get_by_role(
        "button", name=t("sheet.blank_weights"), exact=True
    )
    pill.click()  # from now on the weights are given
    expect(pill).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("Escape")
    type_into(page, "x", 0, 3, "9")  # the popover is not drawn again
    wait_link(page, NINE)
    wait_output(page, NINE)
    page.locator(".st-key-share button").first.click()
    sheet, key = (saved(page, name) for name in ("worksheet", "answer_key"))
    assert not Sheet(sheet.read_text("utf-8")).links
    page.locator(f"{bound('worksheet_link')} label").click()
    expect(page.locator(f"{bound('worksheet_link')} input")).to_be_checked()
    sheet = saved(page, "worksheet")
    result = Sheet(sheet.read_text("utf-8") + key.read_text("utf-8"))
    for step in STEPS:
        assert result.key[step].rows == shown(page, step), step
    assert result.sheet["weights"].rows == result.key["weights"].rows
    assert {cell for row in result.sheet["scores"].rows for cell in row} == {""}
    assert set(result.links) == {page.url}

    paper = blank_page(fresh=True)
    for file, heading in ((sheet, t("sheet.title")), (key, t("sheet.key"))):
        paper.goto(file.as_uri())
        paper.emulate_media(media="print")
        expect(paper.locator("h1")).to_have_text(heading)
        expect(paper.locator("svg.qr")).to_be_visible(visible=file == sheet)
        wait_narrow(paper)


def saved(page, name: str) -> Path:
    """A file of the popover, as a page that can be opened."""
    with page.expect_download() as download:
        page.locator(f".st-key-export_{name} button").click()
    assert download.value.suggested_filename == f"attention-one-head-{name.replace('_', '-')}.html"
    return download.value.path().rename(download.value.path().with_suffix(".html"))


LONG = tuple("W" * 22 + letter * 2 for letter in "abcdefghijkl")
TWELVE = edits.resize(Settings(tokens=LONG, x=((1.5,) * 4,) * 12), d_model=16, num_heads=2, d_k=16, d_v=16)
SETUPS = {
    "A4": (703, Settings(tokens=LONG[:3])),  # the width of its text in pixels
    "Letter, landscape": (965, edits.fill(edits.with_choice(TWELVE, mask="causal"), "x", "normal", 1)),
}


@pytest.mark.parametrize(("width", "now"), SETUPS.values(), ids=SETUPS)
def test_every_table_keeps_to_its_place_on_paper(blank_page, width, now):
    page = blank_page(viewport={"width": width, "height": 1000})
    page.emulate_media(media="print")
    sheet = page_of(now)
    page.set_content(make(sheet, frozenset(NAMES), "https://example.org/?lang=en") + make_key(sheet))
    over = page.locator("figure, section section, main section, li, header").evaluate_all(
        """places => places.filter((place) => [...place.querySelectorAll('table')].some((table) =>
            table.getBoundingClientRect().right > place.getBoundingClientRect().right + 1
        )).map((place) => place.textContent.slice(0, 40))"""
    )
    page.emulate_media(media="screen")
    assert over == []
    wait_narrow(page)
