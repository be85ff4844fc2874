"""What hostile people in a room try over the wire, on both stores; what a killed process or Redis loses.

In memory there is one process, with Redis there are two behind nginx: each room has people on both.
"""

import asyncio
import contextlib
import os
import signal
from contextlib import ExitStack
from dataclasses import dataclass, field
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
from tests.support.visitor import apart

TEXTS, OPTIONS = Texts("en", LESSON), lesson(LESSON).by_name[QUESTION].options
pytestmark = pytest.mark.slow


@dataclass
class School:
    """The address that all use, and what is behind it."""

    address: str
    processes: list[int] = field(default_factory=list)
    redis: RedisServer | None = None


def opened(stack: ExitStack, kind: str, folder) -> School:
    if kind == "memory":
        address, process = stack.enter_context(serving(ROOT / "app.py"))
        return School(address, [process])
    if find_nginx() is None:
        missing("no nginx found (Debian: apt-get install nginx)")
    redis = stack.enter_context(redis_server(folder))
    environment = {ADDRESS: redis.address}
    servers = [stack.enter_context(serving(ROOT / "app.py", environment=environment)) for _ in range(2)]
    address = stack.enter_context(nginx([urlsplit(address).port for address, _ in servers]))
    return School(address, [process for _, process in servers], redis)


@pytest.fixture(scope="module", params=["memory", "redis"])
def school(request, tmp_path_factory):
    with ExitStack() as stack:
        yield opened(stack, request.param, tmp_path_factory.mktemp("redis"))


@pytest.fixture
def wait_for():
    with apart() as wait:
        yield wait


async def in_class(address: str, number: int) -> tuple[Person, list[Person], str]:
    """A teacher with an open vote, and people in the room."""
    host, people = Person(address), [Person(address) for _ in range(number)]
    code = await host.start()
    await together([person.enter(code) for person in people])
    return host, people, code


async def leave(*people: Person) -> None:
    await together([person.close() for person in people])


def test_all_vote_at_once_and_a_page_runs_for_its_own_vote_only(school, wait_for):
    async def vote() -> None:
        host, people, _ = await in_class(school.address, 8)
        if len(school.processes) > 1:
            assert len({person.cookie for person in people}) == 2
        await asyncio.gather(*(person.vote("same") for person in people), people[0].vote("same"))
        await asyncio.gather(*(person.vote("all") for person in people[:2]))
        await host.until(lambda: host.count == 8)
        assert [person.statuses for person in (host, *people)] == [[200]] * 9
        assert [person.runs for person in (host, *people)] == [0] * 9
        assert [person.choice for person in people] == ["all"] * 2 + ["same"] * 6
        await host.press(f"vote_close-{QUESTION}")
        await host.press(f"vote_bars-{QUESTION}")
        for person in people:
            await person.until(lambda person=person: sorted(person.bars) == [0, 0, 2, 6])
        await leave(host, *people)

    wait_for(vote())


def test_nobody_acts_as_the_owner_or_votes_for_another(school, wait_for):
    """The buttons of the owner are on no other page, and their ids and guessed names do nothing."""

    async def try_it() -> None:
        host, (ann, hostile), code = await in_class(school.address, 2)
        await ann.vote("same")
        await host.until(lambda: host.count == 1)
        acts = [host.widget(f"vote_{name}-{QUESTION}")[1].id for name in ("close",)]
        hashed = ann.watch["visit"]  # another visit's secret is no name
        for element in acts:
            await hostile.run(WidgetState(id=element, trigger_value=True))
        for known in (code, "x" * 22, hashed, host.watch["visit"][:22], ann.watch["visit"][:22]):
            await hostile.introduce(known)
            assert hostile.memory.get("used") is not True
            with pytest.raises(LookupError):
                hostile.widget(f"vote_close-{QUESTION}")
        await hostile.vote("all")
        await host.until(lambda: host.count == 2)
        assert ann.choice == "same" and host.watch["text"]  # the vote is open
        await leave(host, ann, hostile)

    wait_for(try_it())


async def overview(address: str, code: str, name: str) -> Person:
    """The overview of a room, in a browser that keeps this name for it."""
    person = Person(address)
    await person.open({"lang": "en", "teacher": code}, page=LESSON)
    await person.introduce(name)
    return person


def html_of(person: Person) -> str:
    return " ".join(element.body for kind, element, _ in person.elements.values() if kind == "html")


def test_the_owner_s_overview_counts_the_people_of_all_processes_and_nobody_else_opens_it(school, wait_for):
    async def look() -> None:
        host, people, code = await in_class(school.address, 4)
        owner = host.memory["person"]
        for person in (host, *people):
            await person.introduce(person.memory["person"])
        await people[0].vote("same")
        window = await overview(school.address, code, owner)
        assert TEXTS("overview.here", here=4, all=4) in html_of(window)
        bars = [element.text for kind, element, _ in window.elements.values() if kind == "progress"]
        assert [bar.startswith("**100%** (1)") for bar in bars].count(True) == 1
        others = [window]
        for name in (people[0].memory["person"], "x" * 22, host.watch["visit"][:22], owner[:-1], ""):
            others.append(await overview(school.address, code, name))
            assert TEXTS("overview.here", here=4, all=4) not in html_of(others[-1]) and not others[-1].bars
            assert not others[-1].data_of("attention_presence")
            assert not any(known in str(others[-1].elements) for known in (owner, people[1].memory["person"]))
        await leave(host, *people, *others)

    wait_for(look())


def test_bars_and_answers_are_in_no_event_and_on_no_page_before_they_are_shown(school, wait_for):
    async def look() -> None:
        host, people, _ = await in_class(school.address, 3)
        votes = ("same", "same", "all")
        for person, option in zip(people, votes, strict=True):
            await person.vote(option)
        await host.until(lambda: host.count == 3)
        await host.press(f"vote_close-{QUESTION}")
        for person, own in zip(people, votes, strict=True):
            await person.until(lambda person=person: person.choice is None)
            assert {kind for kind, _ in person.heard} <= {"changed", "yours"}
            assert all(
                data == own if kind == "yours" else isinstance(data, int) for kind, data in person.heard
            )
            texts = " ".join(getattr(element, "body", "") for _, element, _ in person.elements.values())
            reasons = [TEXTS(f"because.{QUESTION}_{option}")[:20] for option in OPTIONS]
            assert not person.bars and not any(reason in texts for reason in reasons)
        await leave(host, *people)

    wait_for(look())


def test_the_route_of_events_answers_only_a_visit_that_is_in_a_room(school, wait_for):
    async def listen() -> None:
        host, (ann,), code = await in_class(school.address, 1)
        stranger = Person(school.address)
        await stranger.open({"lang": "en"}, page="one_head")
        async with aiohttp.ClientSession() as client:
            names = ["", code, "x" * 4000, "0" * 32, stranger.visit]
            for name in names:
                for query in ("", f"?room={code}", f"?visit={ann.watch['visit']}"):
                    url = f"{school.address}{EVENTS}{query}"
                    async with client.get(url, headers={"x-visit": name}) as answer:
                        assert (answer.status, await answer.read()) == (channel.NO_ROOM, b"")
            async with client.post(f"{school.address}{EVENTS}", data=b"x" * 100_000) as answer:
                assert answer.status == 405
        await leave(host, ann, stranger)

    wait_for(listen())


MARKUP = "<img src=x onerror=alert(1)>"


def test_what_is_sent_as_a_vote_or_a_code_is_no_markup(school, wait_for):
    async def send() -> None:
        host, (ann,), _ = await in_class(school.address, 1)
        stranger = Person(school.address)
        for code in (
            MARKUP,
            "[a](javascript:x)",
            "\ud800x".encode("utf-16", "surrogatepass").hex(),
            "A" * 9000,
        ):
            await stranger.open({"lang": "en", "room": code}, page="one_head")
            texts = [str(element) for _, element, _ in stranger.elements.values()]
            assert not any("<img" in text or "](javascript" in text for text in texts)
        _, element, fragment = ann.widget(f"ballot-{QUESTION}-same-1-1")
        other = element.id.replace("-same-", f"-{MARKUP}-")
        await ann.run(WidgetState(id=other, trigger_value=True), fragment=fragment)
        assert host.count == 0
        await leave(host, ann, stranger)

    wait_for(send())


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


@pytest.fixture
def fragile(tmp_path):
    """Two processes with Redis, of a test that kills them."""
    with ExitStack() as stack:
        yield opened(stack, "redis", tmp_path)


def test_a_killed_process_and_an_absent_redis_lose_no_vote(fragile, wait_for):
    async def kill() -> None:
        host, people, _ = await in_class(fragile.address, 6)
        for person in people[:4]:
            await person.vote("same")
        await host.until(lambda: host.count == 4)

        fragile.redis.kill()
        late = people[4]
        await late.vote("all")
        assert late.choice is None and late.watch["tries"]  # it is kept, and sent again
        await asyncio.to_thread(fragile.redis.start)
        while late.choice != "all":
            await late.look()
            await asyncio.sleep(0.2)
        await host.until(lambda: host.count == 5)

        os.kill(fragile.processes[0], signal.SIGKILL)
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

    wait_for(kill())
