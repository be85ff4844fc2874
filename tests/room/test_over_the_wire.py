"""A room over the wire: two processes behind nginx with one Redis, each with people of every room.

A class votes and follows, hostile people try what they can send, and a process and Redis are killed.
"""

import asyncio
import contextlib
import functools
import json
import os
import signal
from contextlib import ExitStack
from dataclasses import dataclass
from urllib.parse import urlsplit

import aiohttp
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.draw.texts import Texts
from pages.room import channel
from pages.room.store import ADDRESS
from tests.support.classroom import EVENTS, LESSON, QUESTION, Person, together
from tests.support.course import lesson
from tests.support.nginx import find_nginx, nginx
from tests.support.programs import ROOT, missing, serving
from tests.support.redis_server import RedisServer, redis_server
from tests.support.visitor import apart, in_a_loop

TEXTS, OPTIONS = Texts("en", LESSON), lesson(LESSON).by_name[QUESTION].options
FIRST = ("x", 0, 0)
MARKUP = "<img src=x onerror=alert(1)>"
pytestmark = pytest.mark.slow


@dataclass
class School:
    """The address that all use, and what is behind it."""

    address: str
    processes: dict[int, int]  # ports and process ids
    redis: RedisServer
    stack: ExitStack

    def serve(self, port: int | None = None) -> int:
        """Starts a process; returns its port."""
        environment = {ADDRESS: self.redis.address}
        server = serving(ROOT / "app.py", port=port, environment=environment)
        address, process = self.stack.enter_context(server)
        self.processes[port := urlsplit(address).port] = process
        return port


@pytest.fixture(scope="module")
def school(tmp_path_factory):
    if find_nginx() is None:
        missing("no nginx found (Debian: apt-get install nginx)")
    with ExitStack() as stack:
        redis = stack.enter_context(redis_server(tmp_path_factory.mktemp("redis")))
        result = School("", {}, redis, stack)
        result.address = stack.enter_context(nginx([result.serve() for _ in range(2)]))
        yield result


async def in_class(address: str, number: int) -> tuple[Person, list[Person], str]:
    """A teacher with an open vote, and people in the room, of whom each process has some."""
    host, people = Person(address), [Person(address) for _ in range(number)]
    code = await host.start()
    await together([person.enter(code) for person in people])
    assert len({person.cookie for person in (host, *people)}) == 2
    return host, people, code


async def leave(*people: Person) -> None:
    await together([person.close() for person in people])


def texts_of(person: Person) -> str:
    return " ".join(getattr(element, "body", "") for _, element, _ in person.elements.values())


@in_a_loop
async def test_all_vote_at_once_and_nothing_is_told_before_it_is_shown(school):
    """A page runs for its own vote only."""
    host, people, code = await in_class(school.address, 8)
    await asyncio.gather(*(person.vote("same") for person in people), people[0].vote("same"))
    await asyncio.gather(*(person.vote("all") for person in people[:2]))
    await host.until(lambda: host.count == 8)
    votes = ["all"] * 2 + ["same"] * 6
    assert [person.statuses for person in (host, *people)] == [[200]] * 9
    assert [person.runs for person in (host, *people)] == [0] * 9
    assert [person.choice for person in people] == votes
    for person in (host, *people):
        await person.introduce(person.memory["person"])
    window = await overview(school.address, code, host.memory["person"])
    assert TEXTS("overview.here", here=8, all=8) in texts_of(window)
    assert sorted(window.bars) == [0, 0, 2, 6]
    asides = [sidebar_of(person) for person in people]
    await host.press(f"vote_close-{QUESTION}")
    reasons = [TEXTS(f"because.{QUESTION}_{option}")[:20] for option in OPTIONS]
    for person, own in zip(people, votes, strict=True):
        await person.until(lambda person=person: person.is_closed)
        assert person.choice == own
        states = [data for kind, data in person.heard if kind == "changed"]
        assert all(set(state) == {"scene", "copies", "vote"} for state in states)
        assert {kind for kind, _ in person.heard} <= {"changed", "yours"}
        assert {data for kind, data in person.heard if kind == "yours"} <= {own, "same"}
        assert not person.bars and not any(reason in texts_of(person) for reason in reasons)
    await host.press(f"vote_bars-{QUESTION}")
    for person in people:
        await person.until(lambda person=person: sorted(person.bars) == [0, 0, 2, 6])
    assert all(asides) and asides == [sidebar_of(person) for person in people]  # their pages ran in part
    await leave(host, window, *people)


def sidebar_of(person: Person) -> list[int]:
    """Which elements the sidebar has: a run of the whole page makes new ones."""
    return [id(element) for place, (_, element, _) in person.elements.items() if place[0] == 1]


async def overview(address: str, code: str, name: str) -> Person:
    """The overview of a room, in a browser that keeps this name for it."""
    person = Person(address)
    await person.open({"lang": "en", "teacher": code}, page=LESSON)
    await person.introduce(name)
    return person


@in_a_loop
async def test_a_hostile_person_is_no_owner_votes_for_nobody_else_and_hears_nothing(school):
    """The owner's ids and guessed names do nothing; what is sent as a vote or a code is no markup."""
    host, (ann, hostile), code = await in_class(school.address, 2)
    visit = ann.watch["visit"]
    await ann.vote("same")
    await host.until(lambda: host.count == 1)
    closing = host.widget(f"vote_close-{QUESTION}")[1].id
    await hostile.run(WidgetState(id=closing, trigger_value=True))
    for known in (code, "x" * 22, visit, host.watch["visit"][:22], visit[:22]):
        await hostile.introduce(known)
        assert hostile.memory.get("used") is not True
        with pytest.raises(LookupError):
            hostile.widget(f"vote_close-{QUESTION}")
    _, element, fragment = hostile.widget(f"ballot-{QUESTION}-same-1-1")
    other = element.id.replace("-same-", f"-{MARKUP}-")
    await hostile.run(WidgetState(id=other, trigger_value=True), fragment=fragment)
    await hostile.vote("all")
    await host.until(lambda: host.count == 2)
    assert ann.choice == "same" and host.watch["text"]  # the vote is open

    stranger = Person(school.address)
    for typed in (MARKUP, "[a](javascript:x)", "A" * 9000):
        await stranger.open({"lang": "en", "room": typed}, page=LESSON)
        texts = [str(element) for _, element, _ in stranger.elements.values()]
        assert not any("<img" in text or "](javascript" in text for text in texts)
    async with aiohttp.ClientSession() as client:
        for name in ("", code, "x" * 4000, "0" * 32, stranger.visit):
            for query in ("", f"?room={code}", f"?visit={visit}"):
                url = f"{school.address}{EVENTS}{query}"
                async with client.get(url, headers={"x-visit": name}) as answer:
                    assert (answer.status, await answer.read()) == (channel.NO_ROOM, b"")
        async with client.post(f"{school.address}{EVENTS}", data=b"x" * 100_000) as answer:
            assert answer.status == 405
    await leave(host, ann, hostile, stranger)


def shown(picture: dict) -> float:
    [values] = [part["values"] for part in picture["matrices"] if part["id"] == "x"]
    return values[0][0]


def on_page(person: Person) -> float | None:
    """The first cell of X; None while the page is being drawn."""
    pictures = [data for _, _, data in person.pictures()]
    return next(
        (shown(data) for data in pictures if any(part["id"] == "x" for part in data["matrices"])), None
    )


async def listens(person: Person) -> None:
    await person.until(lambda: person.statuses[-1:] == [200] and person.heard)


@in_a_loop
async def test_a_class_follows_a_drag_and_its_end_and_only_the_owner_leads(school):
    host, people = Person(school.address), [Person(school.address) for _ in range(4)]
    code = await host.lead()
    languages = ("en", "zh", "zh", "en")
    await together([person.enter(code, lang=one) for person, one in zip(people, languages, strict=True)])
    for person in people:
        await person.until(lambda person=person: person.led.get("follows"))
        await listens(person)
        for key in ("class_copy", "class_stop", "class_lead"):
            with pytest.raises(LookupError):
                person.widget(key)
    # A follower's own drag goes to nobody else, with any key and number.
    own = people[0].question(*FIRST, 9.0) | {"serial": 1}
    assert (await people[0].post(json.dumps(own).encode()))[0] == 200
    await host.hold(*FIRST, 1.5)
    for person in people:
        await person.until(lambda person=person: person.moved and shown(person.moved) == 1.5)
        assert sum(kind == "moved" for kind, _ in person.heard) == 1
    for value in (2.5, 3.5):
        await host.hold(*FIRST, value)
    for person in people:
        await person.until(lambda person=person: shown(person.moved) == 3.5)
        async with person.turn:
            assert on_page(person) == 1.0  # no run
    titles = {json.dumps(person.moved["texts"], sort_keys=True) for person in people}
    assert len(titles) == 2 and {person.moved["visit"] for person in people} == {""}
    # What no picture sends goes to nobody, and stops nothing.
    question = host.question(*FIRST, 4.0) | {"more": functools.reduce(lambda deep, _: [deep], range(300))}
    assert (await host.post(json.dumps(question).encode()))[0] == 200
    for person in people:
        await person.until(lambda person=person: shown(person.moved) == 4.0)
    ann = people[0]
    await ann.press("class_leave")
    await host.edit(*FIRST, 4.5)
    for person in people[1:]:
        await person.until(lambda person=person: on_page(person) == 4.5)
    late = Person(school.address)
    await late.enter(code)
    assert on_page(late) == 4.5
    await listens(late)
    await host.hold(*FIRST, 5.5)
    await late.until(lambda: late.moved and shown(late.moved) == 5.5)
    assert shown(ann.moved) == 4.0 and on_page(ann) != 4.5
    await ann.press("class_follow")
    assert on_page(ann) == 4.5
    await leave(host, late, *people)


@in_a_loop
async def test_a_killed_process_and_an_absent_redis_lose_no_vote(school):
    host, people, _ = await in_class(school.address, 6)
    for person in people[:4]:
        await person.vote("same")
    await host.until(lambda: host.count == 4)

    school.redis.kill()
    late = people[4]
    await late.vote("all")
    assert late.choice is None and late.watch["tries"]  # it is kept, and sent again
    await asyncio.to_thread(school.redis.start)
    while late.choice != "all":
        await late.look()
        await asyncio.sleep(0.2)
    await host.until(lambda: host.count == 5)

    port, process = next(iter(school.processes.items()))
    os.kill(process, signal.SIGKILL)
    everybody = [host, *people]
    lost = [person for person in everybody if await person.is_cut_off()]
    assert lost and len(lost) < len(everybody)
    await together([person.come_back() for person in lost])
    assert [person.choice for person in people[:5]] == ["same"] * 4 + ["all"]
    await people[5].vote("rows")
    await host.press(f"vote_close-{QUESTION}")
    await host.press(f"vote_bars-{QUESTION}")
    for person in everybody:
        await person.until(lambda person=person: sorted(person.bars) == [0, 1, 1, 4])
    await leave(*everybody)
    await asyncio.to_thread(school.serve, port)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as client:
        while True:  # until new visitors come to both processes again
            async with client.get(school.address) as answer:
                if f"={port};" in answer.headers["Set-Cookie"]:
                    break
            await asyncio.sleep(0.2)


def test_what_a_failed_test_leaves_ends_even_if_it_misses_a_cancellation():
    left = []

    async def miss() -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    async def fail() -> None:
        left.append(asyncio.create_task(miss()))
        await asyncio.sleep(0)
        raise LookupError

    with pytest.raises(LookupError), apart() as wait:
        wait(fail())
    assert left[0].cancelled()
