"""A teacher and two phones, in English and in Chinese: follow, a drag, leave, follow again, a copy, undo."""

from playwright.sync_api import expect

from pages.draw.texts import Texts
from tests.browser.gestures import cell, press_and_move, type_into, wait_narrow, wait_value
from tests.browser.test_vote import LINK, PHONE, QUESTION, button

PATIENCE = 30_000  # ms
T = {language: Texts(language, "one_head") for language in ("en", "zh")}
X = ("x", 0, 0)
CLASS = 1.0  # what the teacher's page shows in this cell


def lead(visit, link: str = "/one_head?lang=en&example=cats"):
    """A teacher's page that a class follows, and the code of the room."""
    host = visit(link, fresh=True)
    button(host, "share").click()
    button(host, "class_lead").click(timeout=PATIENCE)
    host.locator(".st-key-class_bar").wait_for(timeout=PATIENCE)
    host.keyboard.press("Escape")
    host.wait_for_function("location.search.includes('room=')")
    return host, host.evaluate("new URL(location).searchParams.get('room')")


def join(blank_page, address: str, code: str, language: str):
    """A phone that has opened the link of the room."""
    phone = blank_page(fresh=True, viewport=PHONE, has_touch=True)
    phone.goto(f"{address}/?lang={language}&room={code}")
    phone.locator(".st-key-class_leave").wait_for(timeout=60_000)
    return phone


def says(page, text: str) -> None:
    expect(page.locator(".st-key-class_bar")).to_contain_text(text, timeout=PATIENCE)


def test_two_phones_follow_a_teacher_leave_and_get_a_copy(visit, blank_page, address):
    host, code = lead(visit)
    phones = {language: join(blank_page, address, code, language) for language in T}
    for language, phone in phones.items():
        says(phone, T[language]("class.following"))
        wait_value(phone, *X, CLASS)
        wait_narrow(phone)
        phone.wait_for_function("globalThis.attentionRoom?.isOpen")
    expect(phones["zh"].locator("h1")).to_have_text(T["zh"]("lesson.title"))

    press_and_move(host, *X, dx=40)  # the hand still holds the number
    held = float(host.locator(cell(*X)).first.get_attribute("data-value"))
    assert held != CLASS
    for phone in phones.values():
        wait_value(phone, *X, held)
        assert "example=cats" not in phone.url  # the link has the learner's own numbers
    host.mouse.up()

    english, chinese = phones["en"], phones["zh"]
    button(english, "class_leave").tap()
    says(english, T["en"]("class.left"))
    first = english.locator(cell(*X)).first
    expect(first).not_to_have_attribute("data-value", str(held), timeout=PATIENCE)
    own = float(first.get_attribute("data-value"))
    host.locator(cell("scores", 1, 1)).first.click()
    expect(chinese.locator(".pic-line").first).to_contain_text("S[", timeout=PATIENCE)
    wait_value(english, *X, own)  # nobody is pulled back
    english.reload()
    english.locator(".st-key-class_follow").wait_for(timeout=PATIENCE)
    wait_value(english, *X, own)
    button(english, "class_follow").tap()
    wait_value(english, *X, held)
    chinese.reload()  # a phone that comes back has what the class sees
    chinese.locator(".st-key-class_leave").wait_for(timeout=PATIENCE)
    wait_value(chinese, *X, held)

    button(host, "class_copy").click()
    for language, phone in phones.items():
        says(phone, T[language]("class.copied"))
        wait_value(phone, *X, held)
    button(english, "undo").tap()
    wait_value(english, *X, own)
    wait_value(chinese, *X, held)

    host.goto(f"{address}{LINK}en&room={code}")  # the first vote of the room
    button(host, f"vote_open-{QUESTION}").click(timeout=PATIENCE)
    chinese.locator(f".st-key-ballot-{QUESTION}").wait_for(timeout=PATIENCE)


def test_a_phone_that_hears_nothing_for_a_minute_says_so_until_it_hears_of_the_class(
    visit, blank_page, address
):
    """Here it has no stream of events, and asks at intervals."""
    host, code = lead(visit)
    phone = blank_page(fresh=True, viewport=PHONE, has_touch=True)
    phone.route("**/room/events", lambda route: route.abort())
    phone.clock.install()
    phone.goto(f"{address}/?lang=zh&room={code}")
    note = phone.get_by_text(T["zh"]("class.silent"))
    note.wait_for(state="attached", timeout=60_000)
    phone.wait_for_function("globalThis.attentionRoom?.ears.has('class')", timeout=60_000)
    expect(note).to_be_hidden()
    phone.clock.fast_forward(60_000)
    expect(note).to_be_visible()
    type_into(host, *X, "9")
    phone.clock.fast_forward(3000)
    wait_value(phone, *X, 9)
    expect(note).to_be_hidden()
