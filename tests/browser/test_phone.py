"""A phone: the numbers to change come first, with what follows from them, and the settings are in a sheet."""

import pytest
from playwright.sync_api import expect

from tests.browser.gestures import cell

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SETTINGS = {"en": "Settings", "zh": "设置"}


@pytest.fixture
def phone(visit):
    return lambda link: visit(link, **PHONE)


@pytest.mark.parametrize("language", SETTINGS)
def test_the_picture_begins_with_x_and_the_weights_show_while_it_is_changed(phone, language):
    page = phone(f"/one_head?lang={language}&example=cats")
    top = page.locator(".pic-figure").bounding_box()["y"]
    foot = page.locator(".pic-panel").bounding_box()["y"]
    last = page.locator(cell("x", 2, 3)).bounding_box()
    assert top <= 100 and last["y"] + last["height"] <= foot
    page.locator(cell("x", 0, 0)).tap()
    expect(page.locator(".pic-preview i")).to_have_count(9)
    expect(page.locator(".pic-preview")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("language", SETTINGS)
def test_settings_are_a_sheet_that_a_tap_on_the_page_closes(phone, language):
    page = phone(f"/one_head?lang={language}&example=cats")
    sheet, button = page.locator(".st-key-toolbar"), page.get_by_role("button", name=SETTINGS[language])
    expect(sheet).to_be_hidden()
    button.tap()
    expect(sheet).to_be_in_viewport(ratio=1)
    # The field shows + and − once it has its width.
    sheet.locator('[class*="st-key-set_d_k"] [data-testid="stNumberInputStepUp"]').tap()
    expect(page.locator(cell("query", 0, 4))).to_be_attached()
    expect(sheet).to_be_visible()  # one change after another
    page.locator('[data-matrix-box="scores"] .pic-title').tap()
    expect(sheet).to_be_hidden()
