"""What a held number asks directly: the answer has the core's numbers, and the visit stays as it is."""

import asyncio
import json
import socket
import threading
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.requests import Request
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.model import edits
from pages.model.compute import cross_trace_of, trace_of
from pages.model.handout import Plan, parts_of, stop_of
from pages.model.settings import Settings
from pages.session.visit import Inbox
from pages.shell import bodies, direct
from pages.shell.direct import BUSY, LARGEST, MOST_AT_ONCE, MOST_EDITS, MOST_WAITING, NO_ANSWER
from tests.support.course import from_query
from tests.support.recipe import alike, faults_in, number
from tests.support.visitor import OK, Visitor, apart

START = Settings()
CATS = {"lang": "en", "example": "cats"}


def values(data: dict, name: str) -> list:
    return next(one["values"] for one in data["matrices"] if one["id"] == name)


def differs(data: dict, name: str, wanted) -> bool:
    pairs = zip(values(data, name), wanted.tolist(), strict=True)
    return not all(alike(number(a), b) for row, right in pairs for a, b in zip(row, right, strict=True))


def core_of(one: Visitor) -> Settings:
    return from_query(parse_qs(one.query))[0].core


@pytest.mark.parametrize(("page", "traced"), [("one_head", trace_of), ("cross_attention", cross_trace_of)])
@pytest.mark.parametrize("matrix", ["x", "w_k"])
def test_the_answer_has_the_core_s_numbers_and_the_visit_stays_as_it_is(visitor, page, traced, matrix):
    one = visitor(page, CATS)
    [(_, _, before)] = one.pictures()
    start = core_of(one)
    for value in (3.5, -2.0):
        data = visitor.wait_for(one.hold(matrix, 1, 1, value))
        then = edits.set_cell(start, matrix, 1, 1, value)
        assert values(data, matrix)[1][1] == value
        assert not differs(data, "output", traced(then).output)
        assert not faults_in(data, page, "picture")
        assert data["seq"] == before["seq"] and data["idle"] == "undo redo"
    visitor.wait_for(one.edit(matrix, 1, 1, -2.0))  # the hand lets go
    assert core_of(one) == then
    [(_, _, after)] = one.pictures()
    assert {name: after[name] for name in after if name not in ("seq", "idle")} == {
        name: data[name] for name in data if name not in ("seq", "idle")
    }
    assert after["idle"] == "redo"  # one step of undo


def test_the_answer_leaves_out_what_the_browser_has(visitor):
    one = visitor(link=CATS)
    question = one.question("x", 0, 0, 5.0)
    sizes = []
    for still in (question["still"], ""):
        _, content = visitor.wait_for(one.post(json.dumps(question | {"still": still}).encode()))
        sizes.append(len(content))
    assert 0 < sizes[0] < sizes[1] / 2


def test_two_visits_are_answered_with_their_own_numbers(visitor):
    one, other = visitor(link=CATS), visitor(link=CATS | {"mask": "causal"})
    both = edits.set_cell(START, "x", 0, 0, 9.0), edits.set_cell(core_of(other), "x", 0, 0, -9.0)
    answers = [visitor.wait_for(who.hold("x", 0, 0, value)) for who, value in ((one, 9.0), (other, -9.0))]
    for data, now in zip(answers, both, strict=True):
        assert not differs(data, "output", trace_of(now).output)


def test_what_a_teacher_locks_or_hides_stays_locked_and_hidden(visitor):
    plan = Plan((stop_of("one_head", CATS, locked=("w_q",), hidden=("scores",)),))
    one = visitor(link=parts_of(plan, 1, "en"))
    data = visitor.wait_for(one.hold("x", 0, 0, 5.0))
    assert values(data, "scores") is None and values(data, "x")[0][0] == 5.0
    locked = one.question("x", 0, 0, 5.0) | {"edits": [{"matrix": "w_q", "row": 0, "col": 0, "value": 7.0}]}
    _, content = visitor.wait_for(one.post(json.dumps(locked).encode()))
    assert values(one.pieces.read(content), "w_q")[0][0] == START.w_q[0][0]


CHANGES = ({"key": "another"}, {"key": None}, {"key": 3}, {"key": "picture-masks-gallery-gallery"})
CHANGES += ({"seq": -1}, {"seq": "1"}, {"gesture": None}, {"held": 1}, {"edits": "x"})
CHANGES += ({"still": 3}, {"still": ["a"]}, {"still": "a" * 1001})
NO_MESSAGES = (
    b"",
    b"[]",
    b"3",
    b"{",
    b"\xff",
    b"[" * 7_000,
    b'{"key":"\\ud800"}',
    b'{"key":' + b"1" * 5000 + b"}",
)


def test_what_is_no_message_of_this_visit_s_picture_has_no_answer(visitor):
    one = visitor(link=CATS)
    question = one.question("x", 0, 0, 5.0)
    for body in (*(json.dumps(question | change).encode() for change in CHANGES), *NO_MESSAGES):
        assert visitor.wait_for(one.post(body)) == (NO_ANSWER, b""), body[:100]
    body = json.dumps(question).encode()
    for visit in ("another", "", "é", "x" * 5000):
        assert visitor.wait_for(one.post(body, visit)) == (NO_ANSWER, b""), visit[:100]
    statuses = [visitor.wait_for(one.post(body.ljust(size)))[0] for size in (LARGEST, LARGEST + 1)]
    assert statuses == [OK, bodies.TOO_LARGE]
    visitor.wait_for(one.go("masks"))  # the picture was left
    assert visitor.wait_for(one.post(body)) == (NO_ANSWER, b"")


def sent(server: str, *lines: str, body: bytes = b"", ends: bool = False) -> bytes:
    """The first line of the answer to an unfinished request. ends: the client leaves without an answer."""
    host, port = urlsplit(server).hostname, urlsplit(server).port
    with socket.create_connection((host, port), timeout=60) as line:
        line.sendall("\r\n".join(("POST /direct HTTP/1.1", f"Host: {host}", *lines, "", "")).encode() + body)
        return b"" if ends else line.recv(1000).split(b"\r\n")[0]


def test_a_body_is_read_only_for_a_visit_and_with_its_length(server, visitor):
    """The answer comes before a byte of the body has come."""
    name = f"x-visit: {visitor(link=CATS).visit}"
    for lines, status in (
        (("Content-Length: 7000",), NO_ANSWER),
        (("x-visit: another", "Content-Length: 7000"), NO_ANSWER),
        ((name, f"Content-Length: {LARGEST + 1}"), bodies.TOO_LARGE),
        ((name, "Content-Length: 499000"), bodies.TOO_LARGE),
        ((name, "Transfer-Encoding: chunked"), bodies.LENGTH_REQUIRED),
        ((name,), bodies.LENGTH_REQUIRED),
    ):
        assert f" {status} ".encode() in sent(server, *lines), lines


def test_who_leaves_early_leaves_nothing_in_the_log(server, visitor):
    """The server's log is looked at in the end (see conftest)."""
    one = visitor(link=CATS)
    name = f"x-visit: {one.visit}"
    body = json.dumps(one.question("x", 0, 0, 5.0)).encode()
    for _ in range(5):
        sent(server, name, "Content-Length: 7000", body=b"{", ends=True)
        sent(server, name, f"Content-Length: {len(body)}", body=body, ends=True)
        sent(server, name, "Transfer-Encoding: chunked", body=b"5\r\n{", ends=True)
    assert visitor.wait_for(one.hold("x", 0, 0, 5.0))


def test_edits_that_cannot_be_made_change_nothing(visitor):
    one = visitor(link=CATS)
    wrong = [
        {"matrix": "x", "row": 99, "col": 0, "value": 1.0},
        {"matrix": "x", "row": 0, "col": 0, "value": 1e300},
    ]
    wrong += [
        {"matrix": "scores", "row": 0, "col": 0, "value": 1.0},
        {"matrix": "x", "row": 0, "col": 0, "value": None},
    ]
    status, content = visitor.wait_for(
        one.post(json.dumps(one.question("x", 0, 0, 1.0) | {"edits": wrong}).encode())
    )
    assert status == OK and not differs(one.pieces.read(content), "output", trace_of(START).output)


def test_a_label_s_edit_with_other_fields_is_made_or_left_out(visitor):
    one = visitor(link=CATS)
    for more in ({"col": [1]}, {"col": {}}, {"value": [1]}, {"row": [0]}, {"row": True}, {"text": ["a"]}):
        edit = {"matrix": "tokens", "row": 0, "text": "a"} | more
        body = json.dumps(one.question("x", 0, 0, 1.0) | {"edits": [edit]}).encode()
        assert visitor.wait_for(one.post(body))[0] == OK
        sent = {"edit": one.question("x", 0, 0, 1.0) | {"edits": [edit]}, "lack": {"a": 1}}
        element, fragment, _ = one.picture_with("x")
        visitor.wait_for(one.run(WidgetState(id=element.id, json_value=json.dumps(sent)), fragment=fragment))


def test_more_numbers_than_a_hand_can_hold_have_no_answer(visitor):
    one = visitor(link=CATS | {"tokens": "a,b,c,d,e,f", "dmodel": "8"})
    cells = [{"matrix": "x", "row": i % 6, "col": i // 6, "value": 1.0} for i in range(MOST_EDITS + 1)]
    statuses = []
    for count in (MOST_EDITS, MOST_EDITS + 1):
        question = one.question("x", 0, 0, 1.0) | {"edits": cells[:count]}
        statuses.append(visitor.wait_for(one.post(json.dumps(question).encode()))[0])
    assert statuses == [OK, NO_ANSWER]


def test_a_visitor_who_asks_more_at_a_time_is_told_to_wait(monkeypatch):
    visit = SimpleNamespace(inbox=Inbox())
    assert asked_at_once(monkeypatch, lambda name: visit, MOST_WAITING + 3) == [BUSY] * 3 + [OK] * (
        MOST_WAITING + 1
    )


def test_many_visitors_who_ask_at_a_time_are_told_that_the_server_is_busy(monkeypatch):
    def anyone(name):
        return SimpleNamespace(inbox=Inbox())

    assert asked_at_once(monkeypatch, anyone, MOST_AT_ONCE + 5) == [BUSY] * 5 + [OK] * (MOST_AT_ONCE + 1)


def asked_at_once(monkeypatch, named, count: int) -> list[int]:
    """The answers to so many questions, none of which is computed before all are asked; then to one more."""
    go_on = threading.Event()
    monkeypatch.setattr(direct.session, "visit_by_id", named)
    monkeypatch.setattr(direct.core, "is_ready", lambda: True)
    monkeypatch.setattr(direct, "_data", lambda visit, sent: go_on.wait(60) and b"data")
    scope = {"type": "http", "method": "POST", "headers": [(b"content-length", b"2")]}

    async def body():
        return {"type": "http.request", "body": b"{}"}

    async def ask() -> int:
        return (await direct.answer(Request(scope, body))).status_code

    async def all_at_once() -> list[int]:
        questions = [asyncio.ensure_future(ask()) for _ in range(count)]
        for _ in range(100):
            await asyncio.sleep(0)
        refused = [one.result() for one in questions if one.done()]
        go_on.set()
        answers = await asyncio.gather(*questions)
        assert answers[-len(refused) :] == refused  # the last ones
        return [*refused, *answers[: -len(refused)], await ask()]

    with apart() as wait_for:
        return wait_for(all_at_once())
