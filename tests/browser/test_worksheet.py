"""The worksheet is downloaded after an edit, opened, and compared with the numbers on the screen."""

import pytest
from playwright.sync_api import expect

from pages.model import edits
from pages.model.settings import Settings
from pages.ui.export.worksheet import make
from pages.ui.steps import NAMES
from pages.ui.texts import Texts
from tests.browser.gestures import type_into, wait_link, wait_output
from tests.sheets import Sheet, page_of

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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_worksheet_of_the_present_setup(visit, blank_page, language):
    page, t = visit(f"/one_head?lang={language}"), Texts(language)
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
    with page.expect_download() as download:
        page.locator(".st-key-export_worksheet button").click()
    assert download.value.suggested_filename == "attention-worksheet-one-head.html"
    file = download.value.path().rename(download.value.path().with_suffix(".html"))
    found = Sheet(file.read_text("utf-8"))
    for step in STEPS:
        assert found.key[step].rows == shown(page, step), step
    assert found.sheet["weights"].rows == found.key["weights"].rows
    assert {cell for row in found.sheet["scores"].rows for cell in row} == {""}
    assert set(found.links) == {page.url}

    paper = blank_page(fresh=True)
    paper.goto(file.as_uri())
    paper.emulate_media(media="print")
    expect(paper.locator("#key h1")).to_have_text(t("sheet.key"))
    expect(paper.locator("svg.qr")).to_be_visible()
    assert paper.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert paper.locator("#key").evaluate("key => getComputedStyle(key).breakBefore") == "page"


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
    page.set_content(make(page_of(now), frozenset(NAMES), "https://example.org/?lang=en"))
    over = page.locator("figure, section section, main section, li, header").evaluate_all(
        """places => places.filter((place) => [...place.querySelectorAll('table')].some((table) =>
            table.getBoundingClientRect().right > place.getBoundingClientRect().right + 1
        )).map((place) => place.textContent.slice(0, 40))"""
    )
    page.emulate_media(media="screen")
    assert over == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
