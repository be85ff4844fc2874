"""The overview of a room in a teacher's second window, next to the page for the class and two phones."""

from playwright.sync_api import expect

from pages.draw.texts import Texts
from tests.browser.test_vote import PHONE, QUESTION, button, close_room, joined, link_of, opened, option

PATIENCE = 30_000  # ms
T = Texts("en", "one_head")


def test_the_teacher_sees_who_is_here_how_they_vote_and_takes_the_results(visit, blank_page, address):
    host = opened(visit)
    link = link_of(host, address)
    with host.context.expect_page() as tab:
        host.get_by_role("link", name=T("overview.open")).click()
    window = tab.value
    head, bars = window.locator(".st-key-overview_head"), window.get_by_role("progressbar")
    expect(head).to_contain_text(T("overview.nobody"), timeout=PATIENCE)
    first, second = (joined(visit, link, locale=locale) for locale in ("en-US", "zh-CN"))
    expect(head).to_contain_text(T("overview.here", here=2, all=2), timeout=PATIENCE)
    expect(host.locator(".st-key-class_count")).to_contain_text(T("overview.here", here=2, all=2))
    expect(head).to_contain_text(link[-6:])
    expect(bars).to_have_count(0)
    option(first, "all").tap()
    expect(bars).to_have_count(4, timeout=PATIENCE)
    option(second, "all").tap()
    expect(window.locator(".st-key-overview_vote")).to_contain_text("100% (2)", timeout=PATIENCE)
    for page in (host, first, second):
        expect(page.get_by_role("progressbar")).to_have_count(0)
    for page in (first, window):
        page.reload()
    option(first, "all", "primary").wait_for(timeout=PATIENCE)
    expect(window.locator(".st-key-overview_vote")).to_contain_text("100% (2)", timeout=PATIENCE)
    expect(head).to_contain_text(T("overview.here", here=2, all=2))

    button(window, "overview_close").click()
    button(host, f"vote_reveal-{QUESTION}").wait_for(timeout=PATIENCE)
    expect(window.locator(".st-key-overview_vote")).to_contain_text("Last vote", timeout=PATIENCE)
    for name, kind in (("sheet", "html"), ("csv", "csv")):
        with window.expect_download() as saved:
            window.get_by_role("button", name=T(f"results.{name}")).click()
        assert saved.value.suggested_filename == f"attention-{link[-6:]}.{kind}"
        text = saved.value.path().read_text("utf-8")
        assert T("results.round") in text or "2 (100%)" in text
        assert T(f"short.{QUESTION}") in text and T(f"option.{QUESTION}_rows") in text

    stranger = blank_page(fresh=True, viewport=PHONE)
    stranger.goto(f"{address}/?lang=en&teacher={link[-6:]}")
    stranger.wait_for_url(f"**/one_head?*room={link[-6:]}*", timeout=PATIENCE)
    stranger.locator(f".st-key-vote-{QUESTION}").wait_for(timeout=PATIENCE)
    expect(stranger.locator(".st-key-overview_head")).to_have_count(0)

    close_room(host)
    expect(window.get_by_text(T("overview.ended"))).to_be_visible(timeout=PATIENCE)
