"""A vote in two browsers, a teacher's that presents and a student's phone; what runs by itself on a page."""

import contextlib
import itertools
import re

import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.draw.texts import Texts
from pages.room.store import ADDRESS
from tests.browser.gestures import until, wait_narrow
from tests.browser.wire import RESTS
from tests.support.course import lesson
from tests.support.programs import ROOT, free_port, serving
from tests.support.redis_server import redis_server

QUESTION = "swap"
OPTIONS = lesson("one_head").by_name[QUESTION].options
LINK = f"/one_head?part=predict&topic={QUESTION}&lang="
KEYS = ".present-keys"
PHONE = {"width": 390, "height": 844}
BARS = f".st-key-vote-{QUESTION} [data-testid='stProgress']"
DAY = 86_400
PATIENCE = 30_000  # ms
HIDE = """hidden => {
  Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def button(page, name: str):
    return page.locator(f".st-key-{name} button:visible").first


def close_room(page) -> None:
    """Not in a presentation; a dialog asks first."""
    if "present=on" in page.url:
        page.keyboard.press("Escape")
    button(page, "class_room").click()
    button(page, "class_end").click()
    button(page, "class_end_sure").click()


def option(page, name: str, look: str = ""):
    """The button that votes for this option, in any round. look: primary, where it is chosen."""
    kind = f"[data-testid='stBaseButton-{look}']" if look else ""
    return page.locator(f"[class*='st-key-ballot-{QUESTION}-{name}-'] button{kind}:visible")


def opened(visit, language: str = "en", **options):
    """The page of a teacher with an open vote."""
    host = visit(
        f"{LINK}{language}&present=on", fresh=True, viewport={"width": 1280, "height": 720}, **options
    )
    button(host, f"vote_open-{QUESTION}").click()
    said(host, Texts(language, "one_head")("vote.count", count=0))
    return host


def joined(visit, link: str, **options):
    """A phone that has opened the link of the vote."""
    ready = f".st-key-ballot-{QUESTION}"
    return visit(link, ready, **({"fresh": True, "viewport": PHONE, "has_touch": True} | options))


def sees_nothing(page) -> None:
    """Neither the bars nor the verdict."""
    expect(page.locator(BARS)).to_have_count(0)
    expect(page.locator(f".st-key-verdict-{QUESTION}")).to_have_count(0)


def rested(page) -> bool:
    return page.wait_for_selector(RESTS, timeout=60_000) is not None


def said(page, text: str) -> None:
    expect(page.locator(f".st-key-vote-{QUESTION}")).to_contain_text(text, timeout=PATIENCE)


def link_of(page, address: str) -> str:
    """The link to the vote, as it is on the screen."""
    link = page.locator(f".st-key-vote_join-{QUESTION} code")
    expect(link).to_have_text(re.compile(re.escape(f"{address}/?room=") + r"\w{6}"))
    code = page.locator(f".st-key-vote_join-{QUESTION} img")
    until(page, lambda: code.evaluate("node => node.naturalWidth") > 100)
    return link.inner_text().strip().removeprefix(address)


def fill_the_window_with_the_code(host, link: str) -> None:
    code, large = host.locator("#code-vote"), host.locator("#code-vote:popover-open")
    for width, height in ((1920, 1080), (1280, 720)):
        host.set_viewport_size({"width": width, "height": height})
        code.click()
        expect(large).to_be_visible()
        until(host, lambda w=width, h=height: [*large.bounding_box().values()] == [0, 0, w, h])
        image, text = large.locator("img").bounding_box(), large.locator("span")
        assert image["height"] == pytest.approx(image["width"]) and image["height"] > 0.79 * height
        expect(text).to_have_text(link)
        box, size = text.bounding_box(), text.evaluate("one => parseFloat(getComputedStyle(one).fontSize)")
        assert box["x"] >= 0 and box["x"] + box["width"] <= width and size > 0.04 * height
        host.keyboard.press("Escape")
        expect(large).to_be_hidden()
        expect(host.locator(".present-keys")).to_have_count(1)  # the presentation goes on
    code.click()
    large.click()
    expect(large).to_be_hidden()
    expect(code).to_be_visible()


def test_a_class_votes_discusses_votes_again_and_sees_the_answer(visit, address):
    t = Texts("zh", "one_head")
    host = opened(visit, "zh")
    fill_the_window_with_the_code(host, address + link_of(host, address))
    student = joined(visit, link_of(host, address), locale="zh-CN")  # each phone has its own language
    options = student.locator(f"[class*='st-key-ballot-{QUESTION}-'] button")
    expect(options).to_have_count(4)
    expect(options.first).to_be_in_viewport()
    until(student, lambda: min(one.bounding_box()["height"] for one in options.all()) >= 44)
    wait_narrow(student)

    option(student, "all").tap()
    said(student, t("vote.voted", code="")[-12:])
    option(student, "same").tap()
    option(student, "same", "primary").wait_for()
    said(host, t("vote.count", count=1))
    host.locator("#code-vote button").click()  # the enlarged code counts too
    expect(host.locator("#code-vote:popover-open output")).to_have_text(t("vote.count", count=1))
    host.keyboard.press("Escape")
    host.keyboard.press("a")  # shows no answer while the vote is open
    student.reload()  # the phone is asked once
    option(student, "same", "primary").wait_for()
    expect(options.first).to_be_in_viewport()
    host.reload()  # and the owner's page goes on with the vote
    said(host, t("vote.count", count=1))
    button(host, f"vote_close-{QUESTION}").click()
    said(student, t("vote.closed", code="")[-12:])
    late = visit(student.url.removeprefix(address), f".st-key-vote-{QUESTION}", fresh=True, viewport=PHONE)
    for page in (host, student, late):
        sees_nothing(page)
    said(host, t("vote.result", count=1))
    button(host, f"vote_bars-{QUESTION}").click()
    for page in (host, student, late):
        expect(page.locator(BARS)).to_have_count(4, timeout=PATIENCE)
        expect(page.locator(f".st-key-verdict-{QUESTION}")).to_have_count(0)

    button(host, f"vote_again-{QUESTION}").click()
    option(student, "rows").tap()
    said(host, t("vote.count", count=1))
    button(host, f"vote_close-{QUESTION}").click()
    button(host, f"vote_bars-{QUESTION}").click()
    expect(student.locator(BARS)).to_have_count(8, timeout=PATIENCE)
    button(host, f"vote_reveal-{QUESTION}").wait_for()
    host.keyboard.press("a")
    for page in (host, student):
        page.locator(f".st-key-verdict-{QUESTION}").wait_for()
        said(page, t("vote.right"))
        expect(page.get_by_role("progressbar")).to_have_count(8)
        for bar, (chosen, name) in enumerate(itertools.product(("same", "rows"), OPTIONS)):
            share = str(100 * (name == chosen))
            expect(page.get_by_role("progressbar").nth(bar)).to_have_attribute("aria-valuenow", share)

    said_right = t("question.right", said="").split("**")[-1]
    expect(student.locator(f".st-key-verdict-{QUESTION}")).to_contain_text(said_right)

    close_room(host)
    expect(host.locator(BARS)).to_have_count(0)
    expect(student.locator(".st-key-vote_above [role=alert]")).to_be_in_viewport(ratio=1, timeout=PATIENCE)
    expect(student.locator(BARS)).to_have_count(0)
    for page in (host, student):
        page.wait_for_function("!location.search.includes('room=')")


def test_a_press_that_comes_too_late_is_said_where_the_thumb_is(visit, blank_page, address):
    host = opened(visit)
    student = blank_page(fresh=True, viewport=PHONE, has_touch=True)
    student.route("**/room/events", lambda route: route.abort())  # it hears of nothing
    student.add_init_script(  # and it never looks at the vote by itself
        "const later = setTimeout; setTimeout = (act, ms, ...more) => ms === 4000 || later(act, ms, ...more)"
    )
    student.goto(address + link_of(host, address))
    option(student, "all").wait_for(timeout=PATIENCE)
    student.wait_for_selector(RESTS)  # a run that is late would see the closed vote, and nothing asks again
    button(host, f"vote_close-{QUESTION}").click()
    button(host, f"vote_again-{QUESTION}").click()
    said(host, "Votes so far: 0")
    option(student, "all").tap()
    alert = student.locator(f".st-key-vote-{QUESTION} [role=alert]")
    expect(alert).to_contain_text("too late")
    expect(alert).to_be_in_viewport(ratio=1)
    option(student, "same").tap()
    said(host, "Votes so far: 1")


def test_a_second_tab_of_a_phone_shows_the_choice_that_the_first_one_makes(visit, address):
    """Both were opened at the same moment, so that neither knew of the other's name."""
    host = opened(visit)
    link = link_of(host, address)
    first = joined(visit, link)
    second = first.context.new_page()
    second.add_init_script(
        """const read = Storage.prototype.getItem;
        let blind = true;
        Storage.prototype.getItem = function (key) {
          if (key !== 'attention-vote' || !blind) return read.call(this, key);
          blind = false;
          return null;
        };"""
    )
    second.goto(address + link)
    option(second, "all").wait_for(timeout=PATIENCE)
    second.wait_for_function("(name) => localStorage.getItem('attention-vote').includes(name)", arg=link[-6:])
    option(first, "same").tap()
    option(second, "same", "primary").wait_for(timeout=PATIENCE)
    option(second, "rows").tap()
    option(first, "rows", "primary").wait_for(timeout=PATIENCE)
    first.evaluate(HIDE, True)  # as one of two tabs of a phone always is
    option(second, "two").tap()
    option(second, "two", "primary").wait_for(timeout=PATIENCE)
    first.evaluate(HIDE, False)
    option(first, "two", "primary").wait_for(timeout=PATIENCE)
    said(host, "Votes so far: 1")


@pytest.mark.parametrize("discusses", [False, True])
def test_a_clicker_follows_the_advice_or_not_and_another_browser_takes_over(
    visit, blank_page, address, discusses
):
    host = opened(visit)
    link = link_of(host, address)
    phones = [joined(visit, link) for _ in range(2)]

    def clicks(page, *hints: str) -> None:
        for hint in hints:
            until(page, lambda hint=hint: page.locator(f"{KEYS} span").first.inner_text() == hint)
            for one in (page, *phones):
                sees_nothing(one)
            page.keyboard.press("PageDown")

    def choose(*names: str) -> None:
        for phone, name in zip(phones, names, strict=True):
            option(phone, name).tap(timeout=PATIENCE)
            option(phone, name, "primary").wait_for(timeout=PATIENCE)

    choose("rows", "all")
    clicks(host, "→ close the vote")
    expect(host.locator(f"{KEYS} span", has_text="S bars")).to_be_in_viewport(ratio=1)
    if not discusses:
        host.keyboard.press("s")
        for page in (host, *phones):
            expect(page.locator(BARS)).to_have_count(4, timeout=PATIENCE)
        return
    clicks(host, "→ vote again")
    said(host, "Votes so far: 0")
    choose("rows", "all")
    host.keyboard.press("Escape")
    button(host, "class_room").click()
    leader = host.locator(".st-key-copy_leader .save").get_attribute("data-link")
    expect(host.get_by_text("Do not project or share")).to_be_visible()
    assert leader.partition("#")[2] not in host.locator("body").inner_text()

    other = blank_page(fresh=True, viewport={"width": 1280, "height": 720})
    other.goto(leader)
    other.wait_for_function("!location.hash", timeout=PATIENCE)
    other.wait_for_url("**/one_head?*present=on*", timeout=PATIENCE)
    said(other, "Votes so far: 2")
    assert "#" not in other.url
    other.reload()  # it is an owner's without the link
    said(other, "Votes so far: 2")
    clicks(other, "→ close the vote", "→ bars")
    for page in (host, other, *phones):
        expect(page.locator(BARS)).to_have_count(8, timeout=PATIENCE)


def test_a_name_that_gets_lost_on_the_way_is_sent_again(visit, blank_page, address):
    """As when a process dies: the page waits for it, and showed nothing but its title for ever."""
    link = link_of(opened(visit), address).replace("/?", "/masks?lang=en&part=gallery&")
    phone, lost = blank_page(fresh=True, viewport=PHONE, has_touch=True), []

    def between(socket) -> None:
        server = socket.connect_to_server()

        def send(message) -> None:
            if not lost and b'"known"' in message:
                lost.append(message)
            else:
                server.send(message)

        socket.on_message(send)

    phone.route_web_socket("**/_stcore/stream", between)
    phone.goto(address + link)
    option(phone, "all").wait_for(timeout=60_000)
    assert lost


# The row of the title is no content: it scrolls away below the message.
COVERED = """
() => {
  const box = document.querySelector('.st-key-vote_above [role=alert]').getBoundingClientRect();
  return [...document.querySelectorAll('.pic-cell, button, p')].filter((one) => {
    const { left, right, top, bottom, width } = one.getBoundingClientRect();
    const apart = left >= box.right || right <= box.left || top >= box.bottom || bottom <= box.top;
    return width && !apart && !one.closest('.st-key-vote_above, .st-key-head');
  }).map((one) => one.outerHTML.slice(0, 90));
}
"""


def test_after_a_restart_both_stay_at_the_question_and_read_what_happened(visit, blank_page):
    port = free_port()
    with contextlib.ExitStack() as stack:
        address, _ = stack.enter_context(serving(ROOT / "app.py", port=port))
        host, student = blank_page(fresh=True), blank_page(fresh=True, viewport=PHONE, has_touch=True)
        host.goto(f"{address}{LINK}en")
        button(host, f"vote_open-{QUESTION}").click(timeout=60_000)
        said(host, "Votes so far: 0")
        student.goto(address + link_of(host, address))
        option(student, "all").tap(timeout=60_000)
        said(host, "Votes so far: 1")
    with serving(ROOT / "app.py", port=port):
        for page in (host, student):
            alert = page.locator(".st-key-vote_above [role=alert]")
            expect(alert).to_contain_text("is not on this server", timeout=60_000)
            expect(alert).to_be_in_viewport(ratio=1)
            page.locator(f".st-key-guess-{QUESTION}-all").wait_for()
            page.wait_for_function(f"!({COVERED})().length")
            page.wait_for_function("!location.search.includes('room=')")


@pytest.mark.parametrize("way", ["vote", "lead"])
def test_whatever_dies_the_owner_is_the_owner_and_a_phone_is_at_the_vote(blank_page, tmp_path, way):
    """In a room that was opened in either way; the keys work as before."""
    port, host = free_port(), blank_page(fresh=True)
    phone, late = (blank_page(fresh=True, viewport=PHONE, has_touch=True) for _ in range(2))
    runs: list[object] = []
    with contextlib.ExitStack() as stack:
        redis = stack.enter_context(redis_server(tmp_path))
        app = {"environment": {ADDRESS: redis.address}, "port": port}
        with serving(ROOT / "app.py", **app) as (address, _):
            host.goto(f"{address}{LINK}en&present=on")
            if way == "lead":
                button(host, "class_lead-present").click(timeout=60_000)
                expect(host.locator("#code-room")).to_be_visible(timeout=PATIENCE)
            button(host, f"vote_open-{QUESTION}").click(timeout=60_000)
            said(host, "Votes so far: 0")
            phone.goto(address + link_of(host, address))
            option(phone, "all").tap(timeout=60_000)
            said(host, "Votes so far: 1")
        for page in (host, phone):
            page.on("websocket", lambda _, seen=page: runs.append(seen))
        with serving(ROOT / "app.py", **app):
            for page in (host, phone):  # each finds the new process by itself
                until(page, lambda seen=page: seen in runs and rested(seen))
            said(host, "Votes so far: 1")
            option(phone, "all", "primary").wait_for(timeout=PATIENCE)
            option(phone, "same").tap()
            option(phone, "same", "primary").wait_for(timeout=PATIENCE)
            late.goto(address + link_of(host, address))
            option(late, "all").wait_for(timeout=60_000)
            host.keyboard.press("v")
            for page in (phone, late):
                said(page, "is closed")
                sees_nothing(page)
            chosen = f".st-key-ballot-{QUESTION}-same button[data-testid='stBaseButton-primary']"
            expect(phone.locator(chosen)).to_be_disabled()  # in sight for the discussion
            button(host, f"vote_bars-{QUESTION}").wait_for()
            host.keyboard.press("v")  # another round, after the discussion
            option(late, "same").tap(timeout=PATIENCE)
            said(host, "Votes so far: 1")


def test_a_vote_that_is_pressed_while_redis_is_away_counts_once_it_is_back(blank_page, tmp_path):
    """The phone says so, and tries for ten seconds."""
    host, phone = blank_page(fresh=True), blank_page(fresh=True, viewport=PHONE, has_touch=True)
    sent: list[object] = []
    phone.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    with contextlib.ExitStack() as stack:
        redis = stack.enter_context(redis_server(tmp_path))
        server = serving(ROOT / "app.py", environment={ADDRESS: redis.address})
        address, _ = stack.enter_context(server)
        host.goto(f"{address}{LINK}en")
        button(host, f"vote_open-{QUESTION}").click(timeout=60_000)
        said(host, "Votes so far: 0")
        link = address + link_of(host, address)
        phone.goto(link)
        # Where the store answers late a page opens without the vote, and does not ask for it again.
        until(phone, lambda: rested(phone) and (option(phone, "all").count() or not phone.goto(link)))
        redis.kill()
        option(phone, "all").tap()
        said(phone, "has not been counted yet")
        before = len(sent)
        until(phone, lambda: len(sent) >= before + 10)  # it tries once a second
        expect(option(phone, "all", "primary")).to_have_count(0)
        redis.start()
        option(phone, "all", "primary").wait_for(timeout=PATIENCE)
        said(host, "Votes so far: 1")


class Timers:
    """The fragments that Streamlit's frontend runs at intervals, as the server has asked for them."""

    def __init__(self, page):
        self.seconds: dict[str, float] = {}
        page.on("websocket", lambda socket: socket.on("framereceived", self._take))

    def _take(self, frame) -> None:
        message = ForwardMsg.FromString(frame)
        kind = message.WhichOneof("type")
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self.seconds = {}
        elif kind == "auto_rerun":
            self.seconds[message.auto_rerun.fragment_id] = message.auto_rerun.interval
        elif kind == "stop_auto_rerun":
            for one in message.stop_auto_rerun.fragment_ids:
                self.seconds.pop(one, None)


class Streams:
    """The streams of events that a page has opened."""

    def __init__(self, page):
        self.statuses: list[int] = []
        self.ended = 0
        page.on("response", lambda answer: self._is_ours(answer) and self.statuses.append(answer.status))
        for event in ("requestfinished", "requestfailed"):
            page.on(event, self._end)

    @property
    def open(self) -> int:
        """How many are open; each ends after a while, and another one begins."""
        return len(self.statuses) - self.ended

    def _is_ours(self, answer) -> bool:
        return answer.url.endswith("/room/events")

    def _end(self, request) -> None:
        self.ended += self._is_ours(request)


def test_votes_reach_the_owner_without_a_run_and_what_changes_the_page_reaches_all(blank_page, address):
    """A phone with a stream asks for nothing while others vote; a host without streams asks at intervals.

    Only a page with a vote listens, and nothing of it runs by itself.
    """
    host = blank_page(fresh=True)
    timers, heard = Timers(host), Streams(host)
    host.goto(f"{address}{LINK}en")
    button(host, f"vote_open-{QUESTION}").wait_for(timeout=60_000)
    host.wait_for_function("location.search.includes('example=')")
    until(host, lambda: set(timers.seconds.values()) == {DAY})
    assert heard.statuses == []
    button(host, f"vote_open-{QUESTION}").click()
    said(host, "Votes so far: 0")
    until(host, lambda: heard.open == 1)
    link = link_of(host, address)
    phone, voter = (blank_page(fresh=True, viewport=PHONE, has_touch=True) for _ in range(2))
    streams, sent = Streams(phone), []
    phone.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    voter.route("**/room/events", lambda route: route.fulfill(status=404))
    for page in (phone, voter):
        page.goto(address + link)
        option(page, "all").wait_for(timeout=PATIENCE)
    until(phone, lambda: streams.open == 1)
    phone.wait_for_selector(RESTS)
    host.wait_for_selector(RESTS)
    asked = len(sent)
    option(voter, "all").tap()
    said(host, "Votes so far: 1")
    option(phone, "same").tap()
    said(host, "Votes so far: 2")
    phone.wait_for_selector(RESTS)
    option(phone, "same", "primary").wait_for()
    assert asked <= len(sent) <= asked + 2  # the tap
    phone.evaluate(HIDE, True)
    until(phone, lambda: streams.open == 0)

    button(host, "share").click()  # a link is handed out: each button shows its own code
    button(host, "handout").click()
    host.locator("[data-testid=stDialog] .code button").click()
    expect(host.locator("[data-testid=stDialog] .code:popover-open")).to_be_visible()
    expect(host.locator(".code:popover-open")).to_have_count(1)
    expect(host.locator("[data-testid=stException]")).to_have_count(0)
    host.keyboard.press("Escape")
    host.keyboard.press("Escape")
    host.locator("[data-testid=stDialog]").wait_for(state="detached")

    button(host, f"vote_close-{QUESTION}").click()
    said(voter, "closed")
    assert len(sent) <= asked + 2
    phone.evaluate(HIDE, False)
    said(phone, "closed")
    until(phone, lambda: streams.open == 1)
    close_room(host)
    button(host, f"vote_open-{QUESTION}").wait_for()
    host.wait_for_function("!location.search.includes('room=')")
    until(host, lambda: heard.open == 0, lambda: f"{heard.statuses}, {heard.ended} ended")
    until(host, lambda: set(timers.seconds.values()) == {DAY})
    assert {*heard.statuses, *streams.statuses} <= {200, 204}  # 204: the room has ended, and it asks no more
