"""A vote in two browsers, a teacher's that presents and a student's phone; what runs by itself on a page."""

import pytest
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.ui.texts import Texts

QUESTION = "swap"
LINK = f"/one_head?part=predict&topic={QUESTION}&lang="
PHONE = {"width": 390, "height": 844}
BARS = f".st-key-vote-{QUESTION} [data-testid='stProgress']"
DAY = 86_400
PATIENCE = 30_000  # ms


def button(page, name: str):
    return page.locator(f".st-key-{name} button:visible").first


def said(page, text: str) -> None:
    expect(page.locator(f".st-key-vote-{QUESTION}")).to_contain_text(text, timeout=PATIENCE)


def link_of(page, address: str) -> str:
    """The link to the vote, as it is on the screen."""
    text = page.locator(f".st-key-vote_join-{QUESTION} code").inner_text().strip()
    assert text.startswith(f"{address}/one_head?vote=") and len(text) < len(address) + 30
    assert page.locator(f".st-key-vote_join-{QUESTION} img").evaluate("node => node.naturalWidth") > 100
    return text.removeprefix(address)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_class_votes_discusses_votes_again_and_sees_the_answer(visit, address, language):
    t = Texts(language, "one_head")
    host = visit(f"{LINK}{language}&present=on", fresh=True, viewport={"width": 1280, "height": 720})
    button(host, f"vote_open-{QUESTION}").click()
    said(host, t("vote.count", count=0))
    other = {"en": "zh-CN", "zh": "en-US"}[language]  # the class has the teacher's language
    ready = f".st-key-ballot-{QUESTION}"
    student = visit(link_of(host, address), ready, fresh=True, viewport=PHONE, locale=other, has_touch=True)
    options = student.locator(f"[class*='st-key-ballot-{QUESTION}-'] button")
    expect(options).to_have_count(4)
    expect(options.first).to_be_in_viewport()
    assert min(one.bounding_box()["height"] for one in options.all()) >= 44
    assert student.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]

    button(student, f"ballot-{QUESTION}-all").tap()
    said(student, t("vote.voted", code="")[-12:])
    button(student, f"ballot-{QUESTION}-same").tap()
    student.locator(f".st-key-ballot-{QUESTION}-same [data-testid='stBaseButton-primary']").wait_for()
    said(host, t("vote.count", count=1))
    student.reload()  # the phone is asked once
    student.locator(f".st-key-ballot-{QUESTION}-same [data-testid='stBaseButton-primary']").wait_for()
    host.reload()  # and who has opened the vote goes on with it
    said(host, t("vote.count", count=1))
    expect(host.locator(BARS)).to_have_count(0)
    button(host, f"vote_close-{QUESTION}").click()
    for page in (host, student):
        expect(page.locator(BARS)).to_have_count(4, timeout=PATIENCE)
        expect(page.locator(f".st-key-verdict-{QUESTION}")).to_have_count(0)

    button(host, f"vote_again-{QUESTION}").click()
    button(student, f"ballot-{QUESTION}-rows").tap()
    said(host, t("vote.count", count=1))
    button(host, f"vote_close-{QUESTION}").click()
    expect(student.locator(BARS)).to_have_count(8, timeout=PATIENCE)
    host.keyboard.press("a")
    for page in (host, student):
        page.locator(f".st-key-verdict-{QUESTION}").wait_for()
        said(page, t("vote.right"))
        values = [bar.get_attribute("aria-valuenow") for bar in page.get_by_role("progressbar").all()]
        assert values == ["0", "100", "0", "0", "100", "0", "0", "0"]

    said_right = t("question.right", said="").split("**")[-1]
    expect(student.locator(f".st-key-verdict-{QUESTION}")).to_contain_text(said_right)

    button(host, f"vote_end-{QUESTION}").click()
    expect(host.locator(BARS)).to_have_count(0)
    expect(student.locator(".st-key-problems")).to_be_visible(timeout=PATIENCE)
    expect(student.locator(BARS)).to_have_count(0)
    assert "vote=" not in host.url and "vote=" not in student.url


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


def test_only_a_page_with_a_vote_looks_at_it_again_and_again(blank_page, address):
    page = blank_page(fresh=True)
    timers = Timers(page)
    page.goto(f"{address}{LINK}en")
    button(page, f"vote_open-{QUESTION}").wait_for(timeout=60_000)
    page.wait_for_function("location.search.includes('example=')")
    assert set(timers.seconds.values()) == {DAY}
    button(page, f"vote_open-{QUESTION}").click()
    said(page, "Votes so far: 0")
    assert sorted(timers.seconds.values()) == [1, DAY]
    button(page, f"vote_close-{QUESTION}").click()
    button(page, f"vote_end-{QUESTION}").click()
    button(page, f"vote_open-{QUESTION}").wait_for()
    page.wait_for_function("!location.search.includes('vote=')")
    assert set(timers.seconds.values()) == {DAY}
