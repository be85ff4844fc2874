"""A killed server, a cut connection, a tab that slept, two tabs, Back and Forward: nothing is lost."""

import os
import re
import signal
from contextlib import contextmanager
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from pages.model import edits
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.browser.gestures import (
    bound,
    cell,
    choose_part,
    lesson_link,
    press_and_move,
    settings_of,
    type_into,
    until,
    wait_link,
    wait_output,
)
from tests.browser.wire import RESTS
from tests.support.programs import ROOT, serving

START = Settings()
NINE = edits.set_cell(START, "x", 0, 3, 9.0)
# The pages that lose their server, in turn.
LESSONS = (("one_head", "en"), ("many_heads", "zh"), ("masks", "en"))
PAGES = 3
WAITS = ".pic-offline:not(:empty)"
TTL = "STREAMLIT_SERVER_DISCONNECTED_SESSION_TTL"  # s after which the server forgets a visit; 120 if not set
FORGOTTEN = 1500  # ms; nothing shows that the server has forgotten a visit


class Line:
    """A page's connection, which can be cut. Make it before the page is opened."""

    def __init__(self, page):
        self.page, self.dead, self.ends = page, False, []
        self.late: list | None = None  # the answers that wait
        self.sent = 0  # messages to the server
        page.route_web_socket("**/_stcore/stream", self._connect)
        page.route("**/direct", lambda question: question.abort() if self.dead else question.fallback())

    def _connect(self, socket) -> None:
        if self.dead:
            socket.close(code=3000)
        else:
            server = socket.connect_to_server()
            server.on_message(lambda answer: self._answer(socket, answer))
            socket.on_message(lambda message: self._send(server, message))
            self.ends = [socket, server]

    def _send(self, server, message) -> None:
        self.sent += 1
        server.send(message)

    def _answer(self, socket, answer) -> None:
        if self.late is None:
            socket.send(answer)
        else:
            self.late.append((socket, answer))

    @contextmanager
    def delayed(self):
        """What the server answers arrives at the end."""
        self.late = []
        yield self.late
        late, self.late = self.late, None
        for socket, answer in late:
            socket.send(answer)

    @contextmanager
    def cut(self):
        """Nothing gets through, and the page knows that it has lost its server."""
        self.dead = True
        for end in self.ends:
            end.close(code=3000)
        expect(self.page.get_by_role("radio", name="English")).to_be_disabled()
        yield
        self.dead = False


def type_in(page, row: int, col: int, text: str) -> None:
    """Typed into X, and not confirmed."""
    page.locator(cell("x", row, col)).click()
    page.keyboard.type(text)


def numbered(number: int) -> Settings:
    """Numbers that no other page has."""
    return edits.set_cell(NINE, "x", 1, 1, number + 0.5)


def open_own(context, address: str, number: int):
    """A page with numbers of its own: one from its link, one entered."""
    lesson, language = LESSONS[number % len(LESSONS)]
    page = context.new_page()
    link = to_query(State(core=NINE), View(language=language), Place())
    page.goto(f"{address}/{lesson}?{urlencode(link)}")
    page.wait_for_selector(cell("weights", 1, 1), timeout=60_000)  # PyTorch is there
    type_into(page, "x", 1, 1, str(number + 0.5))
    wait_link(page, numbered(number))
    return page


def test_pages_under_which_the_server_is_killed_come_back_to_their_exact_state(chromium):
    """Each says that it waits, keeps what was typed and not confirmed, and needs no click."""
    context = chromium.new_context(locale="en-US")
    with serving(ROOT / "app.py") as (address, process):
        pages = [open_own(context, address, number) for number in range(PAGES)]
        for page in pages:
            type_in(page, 0, 0, "7")
            page.wait_for_function("location.search.includes('cell=')")  # it has told what is looked at
        links = [page.url for page in pages]
        os.killpg(process, signal.SIGKILL)
    for page in pages:
        expect(page.locator(WAITS)).to_have_count(1, timeout=60_000)
        expect(page.locator(cell("x", 0, 0))).to_have_value(re.compile(r"7(\.0)?"))
    assert [page.url for page in pages] == links
    with serving(ROOT / "app.py", port=int(address.rsplit(":", 1)[1])):
        for number, page in enumerate(pages):
            wait_link(page, edits.set_cell(numbered(number), "x", 0, 0, 7.0))
            expect(page.locator(WAITS)).to_have_count(0)
            expect(page.get_by_text("Connection error")).to_have_count(0)
            page.wait_for_url(links[number].partition("?")[0] + "?*")
            if "/one_head" in page.url:
                wait_output(page, settings_of(page))
    context.close()


@pytest.fixture(scope="module")
def forgetful():
    """The address of a server that forgets a visit as soon as its connection is gone for a second."""
    with serving(ROOT / "app.py", environment={TTL: "1"}) as (address, _):
        yield address


def open_line(page, address: str) -> Line:
    line = Line(page)
    page.goto(f"{address}/one_head?lang=en&example=cats")
    page.wait_for_selector(cell("output", 0, 0), timeout=60_000)
    type_into(page, "x", 0, 3, "9")
    wait_link(page, NINE)
    return line


def drag_over_a_cut(page, address: str) -> None:
    """The hand holds a number while the connection is cut and comes again; it is one step of undo."""
    line = open_line(page, address)
    mouse = press_and_move(page, "x", 0, 0, 40)
    box = page.locator(cell("x", 0, 0)).bounding_box()
    with line.cut():
        mouse.move(box["x"] + 90, box["y"] + 5, steps=10)
        expect(page.locator(WAITS)).to_have_count(1)
        page.wait_for_timeout(FORGOTTEN)
    expect(page.locator(WAITS)).to_have_count(0, timeout=60_000)
    mouse.move(box["x"] + 120, box["y"] + 5, steps=10)
    mouse.up()
    value = float(page.locator(cell("x", 0, 0)).input_value())
    assert value > 2
    wait_link(page, edits.set_cell(NINE, "x", 0, 0, value))
    wait_output(page, settings_of(page))
    page.get_by_role("button", name="Undo", exact=True).click()
    wait_link(page, NINE)


def test_a_connection_that_is_cut_in_mid_drag_loses_nothing(blank_page, address):
    drag_over_a_cut(blank_page(fresh=True), address)


def test_a_drag_goes_on_where_the_server_has_forgotten_the_visit(blank_page, forgetful):
    drag_over_a_cut(blank_page(fresh=True), forgetful)


def test_a_tab_that_slept_comes_back_with_its_link(blank_page, forgetful):
    page = blank_page(fresh=True)
    line = open_line(page, forgetful)
    page.get_by_text("中文", exact=True).click()
    expect(page.locator("h1")).to_have_text("单头注意力")
    type_in(page, 0, 0, "7")
    with line.cut():
        page.wait_for_timeout(FORGOTTEN)
    expect(page.get_by_role("radio", name="English")).to_be_enabled(timeout=60_000)
    wait_output(page, NINE)
    expect(page.locator(cell("x", 0, 0))).to_have_value("7")
    page.keyboard.press("Enter")
    both = edits.set_cell(NINE, "x", 0, 0, 7.0)
    wait_link(page, both)
    wait_output(page, both)
    expect(page.locator("h1")).to_have_text("单头注意力")
    page.get_by_role("button", name="撤销", exact=True).click()
    wait_link(page, NINE)


def test_two_tabs_of_one_person_have_numbers_of_their_own(visit):
    page = visit("/one_head?lang=en&example=cats")
    type_into(page, "x", 0, 3, "9")
    wait_link(page, NINE)
    with page.context.expect_page() as opened:
        page.evaluate("open(location.href)")  # as “Duplicate tab” does
    tab, five = opened.value, edits.set_cell(NINE, "x", 0, 0, 5.0)
    tab.wait_for_selector(cell("output", 0, 0), timeout=60_000)
    type_into(tab, "x", 0, 0, "5")
    wait_link(tab, five)
    tab.get_by_text("中文", exact=True).click()
    expect(tab.locator("h1")).to_have_text("单头注意力")
    page.get_by_role("button", name="Undo", exact=True).click()
    wait_link(page, START)
    wait_output(page, START)
    wait_output(tab, five)
    wait_link(tab, five)
    expect(page.locator("h1")).to_have_text("One head")


def test_back_leads_to_the_page_before_in_one_press(visit):
    """An edited number, a part, a lesson by the sidebar, a stop by its short link."""
    page = visit("/one_head?lang=en&example=cats", fresh=True)
    wait_link(page, START)
    entries = page.evaluate("history.length")
    type_into(page, "x", 0, 3, "9")
    wait_link(page, NINE)
    choose_part(page, "one_head", "misconceptions")
    page.wait_for_url(re.compile("part=misconceptions"))
    lesson_link(page, "4. Masks").click()
    page.wait_for_url(re.compile("/masks.*example="))
    expect(page.locator("h1")).to_have_text("Masks")
    page.locator(
        "[data-testid=stSidebar] [data-testid=stPageLink] a[href*='why_scale?'][href*='part=']"
    ).first.click()
    page.wait_for_url(re.compile("/why_scale.*example="))
    wait_link(page, NINE)
    assert page.evaluate("history.length") == entries + 3
    page.go_back()
    page.wait_for_url(re.compile("/masks.*example="))
    expect(page.locator("h1")).to_have_text("Masks")
    page.go_back()
    page.wait_for_url(re.compile("/one_head.*part=misconceptions"))
    expect(page.get_by_role("radio", name="Common mistakes", exact=True)).to_be_checked()
    wait_link(page, NINE)
    page.go_back()
    expect(page.get_by_role("radio", name="The computation", exact=True)).to_be_checked()
    wait_output(page, NINE)
    page.go_forward()
    expect(page.get_by_role("radio", name="Common mistakes", exact=True)).to_be_checked()
    wait_link(page, NINE)


def test_a_click_before_the_answer_to_the_last_one_takes_nothing_back(blank_page, address):
    """With each click the browser sends what all widgets show, here still what undo has changed."""
    page = blank_page(fresh=True)
    line = Line(page)
    two = edits.with_choice(edits.resize(START, num_heads=2), mask="causal")
    page.goto(f"{address}/one_head?lang=en&example=cats&heads=2&mask=causal")
    wait_output(page, two)
    page.locator(".st-key-reset button").first.click()
    wait_link(page, START)
    page.wait_for_selector(RESTS)
    with line.delayed() as late:
        page.locator(".st-key-undo button").first.click()
        until(page, lambda: late)
        sent = line.sent
        page.locator(f"{bound('scaling')} [role=combobox]").click()
        page.get_by_role("option", name="1 (no scaling)").click()
        until(page, lambda: line.sent > sent)
    wanted = edits.with_choice(two, scaling="none")
    wait_link(page, wanted)
    wait_output(page, wanted)


@pytest.mark.parametrize("forgets", [False, True], ids=["known", "forgotten"])
def test_what_is_pressed_without_the_server_is_done_when_it_is_back(blank_page, request, forgets):
    """An entry after a button outside of the picture, then + below X, + next to it, and one more entry."""
    server = request.getfixturevalue("forgetful" if forgets else "address")
    page = blank_page(fresh=True)
    line = Line(page)
    page.goto(f"{server}/one_head?lang=en&example=cats&heads=2")
    two = edits.resize(START, num_heads=2)
    wait_output(page, two)
    page.locator(".st-key-reset button").first.click()
    wait_link(page, START)
    with line.cut():
        type_into(page, "x", 0, 3, "9")
        page.get_by_role("button", name="Add a token").click()
        page.get_by_role("button", name="Add a column").click()
        type_into(page, "x", 1, 1, "5")
        page.wait_for_timeout(FORGOTTEN)
    wanted = edits.add_token(NINE)
    wanted = edits.set_cell(edits.resize(wanted, d_model=wanted.d_model + 1), "x", 1, 1, 5.0)
    wait_link(page, wanted)
    wait_output(page, wanted)
