"""The keyboard and the screen reader in a question; all questions are answered in test_controls."""

# Nothing runs, and the page was as long at the last three looks.
AT_REST = """() => {
  const length = document.querySelector('[data-testid="stMain"]').scrollHeight;
  const idle = document.querySelector('[data-testid="stApp"]').dataset.testScriptState === 'notRunning';
  window.looks = idle ? [...(window.looks ?? []), length].slice(-3) : [];
  return window.looks.length === 3 && new Set(window.looks).size === 1;
}"""


def test_the_keyboard_goes_on_from_the_card(visit):
    page = visit("/order?lang=en&part=rotary", ".st-key-guess-order_shift-none button")
    page.locator(".st-key-guess-order_shift-none button").press("Enter")
    page.locator(".st-key-again-order_shift").wait_for()
    page.wait_for_function(AT_REST, polling=200)
    for key, name in (("Tab", "The other options"), ("Tab", "Ask me again"), ("Tab", None)):
        page.keyboard.press(key)
        where = page.evaluate("document.activeElement.closest('.st-key-ask-order_shift')?.innerText")
        assert (where is None) is (name is None)
        if name is not None:
            assert name in page.evaluate("document.activeElement.innerText")


def test_the_verdict_is_read_aloud(visit):
    page = visit("/order?lang=en&part=rotary", ".st-key-guess-order_shift-none button")
    page.locator(".st-key-guess-order_shift-all button").click()
    page.locator(".st-key-ask-order_shift").get_by_role("alert").get_by_text("Not quite").wait_for()


def test_the_vote_is_on_the_line_of_the_other_way_to_the_answer(visit):
    """After these options there is room for one of the two only."""
    page = visit("/masks?lang=en&part=wrong&topic=after_softmax", ".st-key-ask-renormalise button")
    card = page.locator(".st-key-ask-renormalise")
    places = [
        card.get_by_role("button", name=name).bounding_box()["y"] for name in ("Show me", "class vote", "NaN")
    ]
    assert places[0] == places[1] > places[2]


def test_no_option_is_cut_on_a_phone(visit):
    page = visit(
        "/one_head?lang=en&part=predict&topic=swap",
        ".st-key-guess-swap-two button",
        viewport={"width": 390, "height": 844},
    )
    cut = page.eval_on_selector_all(
        "[class*='st-key-guess-swap-'] button *",
        "nodes => nodes.filter(one => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflow"
        " === 'hidden').map(one => one.innerText)",
    )
    assert cut == []
