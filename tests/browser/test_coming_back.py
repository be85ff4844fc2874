"""Coming back: the browser keeps what was done, and nothing else does."""

import json

from playwright.sync_api import expect

from tests.browser.gestures import type_into
from tests.browser.wire import RESTS

SIDEBAR = "[data-testid=stSidebar]"


def kept(page):
    return json.loads(page.evaluate("localStorage.getItem('attention-progress') || '{}'"))


def answered(visit, link="/one_head?lang=en&part=predict&topic=swap", option="same", **options):
    """A page on which a question was answered wrong."""
    page = visit(link, ready=f".st-key-guess-swap-{option} button", **options)
    page.locator(f".st-key-guess-swap-{option} button").click()
    page.wait_for_selector(".st-key-verdict-swap")
    page.wait_for_selector(RESTS)
    return page


def test_the_next_visit_goes_on_where_this_one_ended(visit):
    page = answered(visit, fresh=True)
    page.wait_for_function("(localStorage.getItem('attention-progress') || '').includes('swap')")
    assert kept(page)["answers"]["swap"][0] is False
    page.goto(page.url.split("/one_head")[0])
    offer = page.locator(".st-key-continue")
    expect(offer).to_contain_text("Continue: One head, Before you look")
    expect(page.locator(f"{SIDEBAR} img[alt=Begun]")).to_have_count(1)
    offer.locator("a").click()
    page.wait_for_selector(".st-key-answered-swap")
    expect(offer).to_have_count(0)
    assert "progress" not in page.url


def test_each_lesson_goes_on_where_it_was_left(visit):
    page = visit("/softmax?lang=en&part=stable", ready=".st-key-onward_button button", fresh=True)
    home = page.url.split("/softmax")[0]
    page.goto(f"{home}/masks?lang=en")
    page.wait_for_function("(localStorage.getItem('attention-progress') || '').includes('masks/')")
    page.goto(home)
    offer = page.locator(".st-key-continue")
    expect(offer).to_contain_text("Continue: Masks")
    page.locator(SIDEBAR).get_by_role("link", name="Softmax").click()
    expect(offer).to_contain_text("Continue: Softmax, Stability")
    offer.locator("a").click()
    expect(page.get_by_role("radio", name="Stability")).to_have_attribute("aria-checked", "true")
    expect(offer).to_have_count(0)


def test_a_page_that_was_embedded_twice_goes_on(visit):
    """A learning platform opens `?embed=true`, a part that Streamlit reads in no link of a page."""
    page = visit("/one_head?embed=true&lang=en", fresh=True)
    home = page.url.split("/one_head")[0]
    for _ in range(2):
        page.goto(f"{home}/?embed=true")
        page.wait_for_selector(RESTS)
        page.wait_for_selector('[data-matrix="output"]')
    page.locator(".st-key-continue a").wait_for()
    type_into(page, "x", 0, 0, "7")
    page.wait_for_function("location.search.includes('x=')")
    assert "embed" in page.url and not page.locator("[data-testid=stException]").count()
    assert "embed" not in page.evaluate("localStorage['attention-progress']")


def test_who_wants_to_stay_is_not_asked_again(visit):
    page = answered(visit, fresh=True)
    page.goto(page.url.split("/one_head")[0])
    page.get_by_role("button", name="Stay here").click()
    expect(page.locator(".st-key-continue")).to_have_count(0)


def test_the_button_to_the_next_part_leads_the_header_and_the_progress_too(visit):
    page = visit("/softmax?lang=en&part=stable", ready=".st-key-onward_button button", fresh=True)
    page.locator(".st-key-onward_button button").click()
    expect(page.get_by_role("radio", name="Rows or columns")).to_have_attribute("aria-checked", "true")
    page.wait_for_function("localStorage.getItem('attention-progress').includes('softmax/axes')")


def test_two_tabs_keep_what_both_have_done(visit):
    page = answered(visit, fresh=True)
    other = page.context.new_page()
    other.goto(page.url.split("/one_head")[0] + "/softmax?lang=en")
    other.wait_for_function("localStorage.getItem('attention-progress').includes('softmax/')")
    assert {"one_head/predict"} < set(kept(other)["parts"]) and "swap" in kept(other)["answers"]


def test_one_press_deletes_it_all(visit):
    page = answered(visit, fresh=True)
    page.locator(".st-key-about button").first.click()
    page.locator(".st-key-delete_progress button").click()
    page.wait_for_function("!localStorage.getItem('attention-progress')")
    page.wait_for_selector(RESTS)
    page.goto("about:blank")
    page.go_back()
    page.wait_for_selector(RESTS)


def test_a_presentation_records_nothing(visit):
    page = visit("/one_head?lang=en&part=predict&topic=swap&present=on", ready="h1", fresh=True)
    page.wait_for_selector(".st-key-guess-swap-same button")
    page.locator(".st-key-guess-swap-same button").click()
    page.wait_for_selector(".st-key-verdict-swap")
    page.wait_for_selector(RESTS)
    assert kept(page) == {}
