"""Reading weights in a real browser: by keyboard, and by touch on a phone where every word is in sight."""

from playwright.sync_api import expect

from pages.lessons.practice.read_exercise import exercise


def link(level, number):
    return f"/practice?lang=en&part=read_it&level={level}&exercise={number}"


def test_ticked_by_keyboard_after_a_wrong_try(visit):
    now = exercise("2", 5)
    page = visit(link("2", 5), '[data-matrix="weights1"]')
    page.get_by_role("button", name="Check my answer").press("Enter")
    page.get_by_test_id("stAlert").first.wait_for()
    expect(page.locator('[data-matrix="output"]')).to_have_count(0)  # no spoiler before the end
    for index, follows in enumerate(now.right):
        if follows:
            box = page.get_by_role("checkbox").nth(index)
            box.focus()
            page.keyboard.press("Space")
            page.wait_for_function("i => document.querySelectorAll('[type=checkbox]')[i].checked", arg=index)
    page.get_by_role("button", name="Check my answer").press("Enter")
    page.get_by_text("Exactly these follow.").wait_for()
    page.wait_for_selector('[data-matrix="output"]')


def test_statements_wrap_on_a_phone(visit):
    page = visit(
        link("3", 3), '[data-matrix="weights2"]', viewport={"width": 390, "height": 844}, has_touch=True
    )
    labels = page.locator('[data-testid="stCheckbox"] p')
    labels.nth(3).wait_for()
    assert labels.evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth + 1)")
    labels.first.tap()
    page.wait_for_function("document.querySelector('[type=checkbox]').checked")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
