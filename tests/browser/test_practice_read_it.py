"""Reading weights in a real browser: by touch on a phone, where every word is in sight."""


def link(level, number):
    return f"/practice?lang=en&part=read_it&level={level}&exercise={number}"


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
