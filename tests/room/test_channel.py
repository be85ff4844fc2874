"""The channel of rooms, without a server: who hears what, and what no number of streams can do."""

import asyncio
import json
from collections.abc import Mapping
from contextlib import asynccontextmanager

import pytest
from starlette.requests import Request

from pages.room import channel as channels
from pages.room import rules
from pages.room.channel import PRESENT, YOURS, Channel, Listener, People
from pages.room.store import CHANGED, SAID, Event, MemoryStore, Store
from tests.room.test_store import CODE, opened
from tests.support.visitor import in_a_loop


class Browser:
    """One stream. What the server sends is in `events`; it ends when the browser goes."""

    def __init__(self):
        self.events: list[tuple[str, object]] = []
        self.status, self.gone, self.takes, self.ended = 0, asyncio.Event(), asyncio.Event(), False
        self.news = asyncio.Condition()
        self.takes.set()

    async def receive(self):
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message) -> None:
        await self.takes.wait()
        async with self.news:
            if message["type"] == "http.response.start":
                self.status = message["status"]
            for part in message.get("body", b"").decode().split("\n\n"):
                if part.startswith("event: "):
                    kind, data = part.removeprefix("event: ").split("\ndata: ")
                    self.events.append((kind, json.loads(data)))
            self.ended = message["type"] == "http.response.body" and not message.get("more_body")
            self.news.notify_all()

    async def until(self, holds) -> None:
        async with self.news, asyncio.timeout(30):
            await self.news.wait_for(holds)

    async def hears(self, kind: str, data: object) -> None:
        await self.until(lambda: (kind, data) in self.events)


def at(scene: int) -> dict:
    """The state of a room without copies and votes."""
    return {"scene": scene, "copies": 0, "vote": ""}


def lead(store: Store, *serials: int) -> None:
    """The class comes to the scenes of these numbers, one after the other."""
    for serial in serials:
        store.change(CODE, "teacher", rules.leads(rules.Scene("masks", {"x": str(serial)})), rules.news)


VISITS = {"t": Listener(CODE, "teacher"), "a": Listener(CODE, "ann"), "b": Listener("OTHERX", "ben")}


@pytest.fixture
def rooms(store):
    opened(store)
    return Channel(store, People(dict(VISITS).get))


def in_memory(clock, visits: Mapping[str, Listener] = VISITS, **options) -> tuple[MemoryStore, Channel]:
    """A store with a room, and its channel."""
    store = MemoryStore(clock)
    opened(store)
    return store, Channel(store, People(visits.get, **options))


@asynccontextmanager
async def browser(rooms: Channel, visit: str):
    """The stream of this visit."""
    page = Browser()
    headers = [(b"x-visit", visit.encode())] if visit else []
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers}
    answer = await rooms.answer(Request(scope))
    task = asyncio.create_task(answer(scope, page.receive, page.send))
    await page.until(lambda: page.status)
    try:
        yield page
    finally:
        page.gone.set()
        page.takes.set()
        await task


@in_a_loop
async def test_people_hear_of_changes_and_the_owner_of_words(rooms, store):
    async with browser(rooms, "t") as host, browser(rooms, "a") as phone:
        await host.hears(CHANGED, at(0))
        await phone.hears(CHANGED, at(0))
        await host.hears(SAID, {"topic": "swap", "count": 0})
        await asyncio.to_thread(store.say, CODE, "swap", "ann", "all")
        await host.hears(SAID, {"topic": "swap", "count": 1})
        await asyncio.to_thread(lead, store, 1)
        await host.hears(CHANGED, at(1))
        await phone.hears(CHANGED, at(1))
        await asyncio.to_thread(store.close, CODE, "teacher")
        await phone.hears(CHANGED, None)
        assert {kind for kind, _ in phone.events} <= {CHANGED, PRESENT}
    assert rooms.of_visits == {}


@in_a_loop
async def test_while_runs_wait_the_phones_hear_of_a_change_one_after_the_other(clock, monkeypatch):
    monkeypatch.setattr(channels, "MOST_PAUSES", 10_000)
    busy = [True]
    store, rooms = in_memory(clock, VISITS | {"a2": VISITS["a"]}, is_busy=lambda: busy[0])
    async with browser(rooms, "t") as host, browser(rooms, "a") as phone, browser(rooms, "a2") as other:
        pages = host, phone, other
        for page in pages:
            await page.hears(CHANGED, at(0))
        lead(store, 1)
        await host.hears(CHANGED, at(1))
        store.say(CODE, "swap", "ann", "all")
        await host.hears(SAID, {"topic": "swap", "count": 1})
        while len(rooms._in_turn) > 1:  # the first phone has its turn at once
            await asyncio.sleep(0)
        assert sum((CHANGED, at(1)) in page.events for page in (phone, other)) <= 1 == len(rooms._in_turn)
        busy[0] = False
        for page in pages:
            await page.hears(CHANGED, at(1))
        assert len(rooms._in_turn) == 0


@in_a_loop
async def test_a_page_that_was_away_hears_the_state_at_once(rooms, store):
    async with browser(rooms, "a") as phone:
        await phone.hears(CHANGED, at(0))
    lead(store, 1, 2)
    async with browser(rooms, "a") as phone:
        await phone.hears(CHANGED, at(2))
        phone.events.clear()
        rooms.take("", Event(CHANGED))  # events may have been missed
        await phone.hears(CHANGED, at(2))


@in_a_loop
async def test_without_a_visit_in_a_room_nobody_listens(rooms):
    for visit in ("", "x", "é", "x" * 5000):
        async with browser(rooms, visit) as page:
            assert page.status == channels.NO_ROOM
    async with browser(rooms, "b") as page:  # its room has ended
        await page.hears(CHANGED, None)


@in_a_loop
async def test_a_visit_has_one_stream_and_all_together_have_a_limit(rooms, monkeypatch):
    monkeypatch.setattr(channels, "MOST_STREAMS", 2)
    async with browser(rooms, "t") as first, browser(rooms, "t") as second, browser(rooms, "a"):
        await first.until(lambda: first.ended)
        await second.hears(CHANGED, at(0))
        async with browser(rooms, "b") as refused:
            assert refused.status == channels.BUSY
        async with browser(rooms, "a") as other:
            await other.hears(CHANGED, at(0))
    assert rooms.of_visits == {} and not rooms._rooms


@in_a_loop
async def test_a_slow_browser_gets_the_newest_event_of_each_kind(clock):
    store, rooms = in_memory(clock)
    async with browser(rooms, "t") as host:
        await host.hears(CHANGED, at(0))
        host.takes.clear()
        for number in range(1000):
            store.tell(CODE, Event("step", number))
            store.say(CODE, "swap", f"person {number % 300}", "all")
        await asyncio.sleep(0)
        (stream,) = rooms.of_visits.values()
        assert len(stream.waiting) <= 2
        host.takes.set()
        await host.hears("step", 999)
        await host.hears(SAID, {"topic": "swap", "count": 300})
        assert len(host.events) < 20


@in_a_loop
async def test_what_is_said_about_one_topic_does_not_replace_another(clock):
    store, rooms = in_memory(clock)
    store.change(CODE, "teacher", lambda room: room.opening("shift"))
    async with browser(rooms, "t") as host:
        await host.hears(CHANGED, at(0))
        host.takes.clear()
        store.say(CODE, "swap", "ann", "all")
        store.say(CODE, "shift", "ann", "all")
        host.takes.set()
        for topic in ("swap", "shift"):
            await host.hears(SAID, {"topic": topic, "count": 1})


@in_a_loop
async def test_a_person_stays_in_the_room_while_the_stream_is_open(clock, monkeypatch):
    monkeypatch.setattr(channels, "HEARTBEAT", 0.01)
    stays: list[str] = []
    _, rooms = in_memory(clock, stay=stays.append)
    async with browser(rooms, "a") as phone:
        await phone.hears(CHANGED, at(0))
        while len(stays) < 3:
            await asyncio.sleep(0.01)
    assert set(stays) == {"a"}


@in_a_loop
async def test_a_stream_ends_with_its_time_its_visit_or_a_browser_that_takes_nothing(clock, monkeypatch):
    monkeypatch.setattr(channels, "HEARTBEAT", 0.01)
    visits = dict(VISITS)
    _, rooms = in_memory(clock, visits)
    async with browser(rooms, "a") as phone:
        await phone.hears(CHANGED, at(0))
        visits["a"] = VISITS["b"]  # it has left for another room
        await phone.until(lambda: phone.ended)
    visits["a"] = VISITS["a"]
    monkeypatch.setattr(channels, "PATIENCE", 0.01)
    async with browser(rooms, "a") as phone:
        phone.takes.clear()
        while rooms.of_visits:
            await asyncio.sleep(0.01)
    monkeypatch.setattr(channels, "LONGEST", 0.0)
    async with browser(rooms, "a") as phone:
        await phone.until(lambda: phone.ended)


@in_a_loop
async def test_a_server_that_has_to_stop_ends_all_streams(clock, monkeypatch):
    """It would wait for them."""
    monkeypatch.setattr(channels, "STOPS", 0.01)
    _, rooms = in_memory(clock)
    async with browser(rooms, "t") as host, browser(rooms, "a") as phone:
        await phone.hears(CHANGED, at(0))
        monkeypatch.setattr(channels, "is_stopping", lambda: True)
        for page in (host, phone):
            await page.until(lambda page=page: page.ended)
        async with browser(rooms, "b") as late:
            assert late.status == channels.BUSY


@in_a_loop
async def test_a_page_hears_the_word_of_its_person_also_later_and_under_a_new_name(store):
    """A tab that was hidden, or that took over the name of another tab, has missed what was said there."""
    opened(store)
    visits = VISITS | {"a2": VISITS["a"]}
    people = People(visits.get, word=lambda room, person: store.word(room.code, "swap", person)[1])
    rooms = Channel(store, people)
    store.say(CODE, "swap", "ann", "all")
    async with browser(rooms, "t") as host, browser(rooms, "a") as phone, browser(rooms, "a2") as other:
        for page in (phone, other):
            await page.hears(YOURS, "all")
        store.say(CODE, "swap", "eve", "same")
        visits["a"] = Listener(CODE, "eve")
        rooms.rename("a")
        await phone.hears(YOURS, "same")
        rooms.tell_person(CODE, "ann", Event(YOURS, "two"))
        rooms.tell_person(CODE, "eve", Event(YOURS, "rows"))
        await other.hears(YOURS, "two")
        await phone.hears(YOURS, "rows")
        visits["a"] = VISITS["t"]
        rooms.rename("a")
        await phone.hears(SAID, {"topic": "swap", "count": 2})
        assert not phone.ended and (YOURS, "two") not in phone.events and YOURS not in dict(host.events)


@in_a_loop
async def test_the_owner_who_listens_keeps_the_room(clock, monkeypatch):
    monkeypatch.setattr(channels, "HEARTBEAT", 0.01)
    store, rooms = in_memory(clock)
    store.most_rooms = 1
    async with browser(rooms, "t") as host:
        await host.hears(CHANGED, at(0))
        clock.seconds += 1000
        host.events.clear()
        await host.hears(CHANGED, at(0))
        with pytest.raises(Exception, match="rooms"):
            store.open("another", "OTHERX")
