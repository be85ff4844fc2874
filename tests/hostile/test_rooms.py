"""What rooms read in Redis, where another version or another program may have written anything.

Each kind costs at most one line in the log: no thread ends, nothing is raised, and other rooms go on.
HOSTILE_CASES in the environment sets how many cases there are. The cases are the same in every run.
"""

import contextlib
import itertools
import json
import logging
import os
import threading
from dataclasses import fields

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from pages.model.ballots import OptionsForm
from pages.model.entries import SettingsError
from pages.room import MemoryStore, RoomError, attendance, reading, rules
from pages.room.attendance import Presence, Reply, Success
from pages.room.channel import _written
from pages.room.redis_store import RedisStore
from pages.room.rooms import ROOMS, Rooms
from pages.room.rules import HERE, Scene
from pages.room.store import CHANGED, Event
from tests.hostile.damage import damaged
from tests.hostile.test_strangers import values
from tests.room.conftest import redis  # noqa: F401
from tests.room.test_store import Ear
from tests.shell.test_overview import overview, person, teacher
from tests.support.screen import again, open_link, person_of, room_of

CASES = int(os.environ.get("HOSTILE_CASES", "70"))
hostile = limits(
    max_examples=CASES,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # each case that fails may wait for what does not come
    report_multiple_bugs=False,
    database=None,
    suppress_health_check=list(HealthCheck),
)
ASKED, FORM = Scene("one_head", {"part": "predict"}), OptionsForm(("all", "none"))
_number = itertools.count()


class Log(logging.Handler):
    """The lines that the rooms write."""

    def __init__(self):
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        assert record.exc_info is None
        self.lines.append(record.getMessage())


@pytest.fixture
def log():
    reading._report.cache_clear()
    log = Log()
    logging.getLogger("pages.room").addHandler(log)
    yield log
    logging.getLogger("pages.room").removeHandler(log)
    assert len(log.lines) == len(set(log.lines)), log.lines


EVENTS = {
    str(i): text.encode()
    for i, text in enumerate(
        (
            'KLMRST 0 {"kind":"changed","data":3}',
            'KLMRST 1 {"kind":"said","data":{"topic":"vote-1-1","count":2}}',
            'KLMRST 0 {"kind":"moved","data":{"serial":1,"key":"a","message":{"edits":[]}}}',
            ' 0 {"kind":"changed"}',
        )
    )
}
kinds = st.sampled_from(("changed", "said", "moved", "here", "yours")) | values
sent = st.fixed_dictionaries(
    {}, optional={"kind": kinds, "data": values, "for_owner": values, "more": values}
)
events = damaged(EVENTS) | st.builds(
    lambda begun, event: f"{begun} {json.dumps(event)}".encode("utf-8", "replace"),
    st.sampled_from(("KLMRST 0", "KLMRST 1", "KLMRST", "", " 0", "KLMRST x")),
    sent | values,
)


@hostile
@given(st.lists(events, min_size=1, max_size=8))
def _hear(store, ear, messages):
    for message in messages:
        store._redis.publish(f"{store._prefix}events", message)
    last = f"last {next(_number)}"
    store.tell("KLMRST", Event("end", last))
    ear.until("KLMRST", Event("end", last))
    for _, event in ear.heard:
        assert isinstance(event.kind, str) and event.slot and _written(event)
    ear.heard.clear()


def test_messages_of_the_channel(redis, log):  # noqa: F811
    store = RedisStore(f"{redis.address}#channel")
    ear = Ear(store)
    ear.until("", Event(CHANGED))
    before = threading.active_count()
    _hear(store, ear)
    assert threading.active_count() == before and log.lines


class Class:
    """A room with all that it can have, and everything that its owner and a person do there."""

    def __init__(self, store):
        owner = f"teacher {next(_number)}"
        self.store, self.owner, self.rooms = store, owner, Rooms(store)
        self.code = self.rooms.ask(owner, ASKED, "swap", FORM)
        for name in ("ann", "dan"):
            self.rooms.vote(self.code, name, (1, 1, "swap"), "all")
        self.rooms.close(self.code, owner)
        self.rooms.ask(owner, ASKED, "shift", FORM)
        replies, reached = {"swap": Reply("all", True, 5.0)}, {"goal": Success("one_head?x=1", 6.0)}

        def act(rule):
            return lambda: self.rooms.act(self.code, owner, rule)

        self.acts = [
            lambda: self.rooms.sight(self.code, "ann"),
            lambda: self.rooms.sight(self.code, owner),
            lambda: self.rooms.results(self.code, owner),
            lambda: self.rooms.vote(self.code, "ben", (2, 1, "shift"), "all"),
            act(rules.leads(Scene("one_head", {"lang": "en"}, ("swap",)))),
            act(rules.copies),
            lambda: attendance.note(store, self.code, owner, Presence("one_head/predict/", 1), "plan"),
            lambda: attendance.note(
                store, self.code, "ann", Presence("one_head/predict/swap", 1, 1.0, 2.0, replies, reached)
            ),
            lambda: attendance.of_room(store, self.code, owner),
            act(rules.welcomes(False, 3)),
            lambda: self.rooms.close(self.code, owner),
            act(rules.shows_bars),
            act(rules.shows(Scene("masks", {}))),
            lambda: self.rooms.again(self.code, owner, ASKED),
            act(rules.stops),
            act(rules.welcomes(True, 3)),
            act(rules.stays("day")),
        ]
        self.do()

    def do(self) -> None:
        """Does everything; what is refused is said."""
        for act in self.acts:
            with contextlib.suppress(RoomError, SettingsError):
                act()

    def holds_a_vote(self) -> bool:
        """Whether the owner can go on: a new vote counts the votes for it, and nothing else."""
        code = self.rooms.ask(self.owner, ASKED, "swap", FORM)
        for name in ("ann", "ben"):
            self.rooms.vote(code, name, self.rooms.sight(code, name).vote.ticket, "none")
        self.rooms.close(code, self.owner)
        return dict(self.rooms.results(code, self.owner)[-1].rounds[-1]) == {"all": 0, "none": 2}


FACTS = (*(part.name for part in fields(rules.RoomDocument)), "past")
documents = {
    "facts": b'{"vote":{"serial":2,"lesson":"one_head","question":"swap","form":{},"scene":1}}',
    "topics": b'{"here":500,"vote-1-1":0}',
    "word": b'{"at":["one_head/predict/swap",1,2.5,3.5],"replies":{"a":["b",true,1]},"reached":{"c":["",2]}}',
    "number": b"1800000000.5",
}
garbage = damaged(documents) | values.map(lambda value: json.dumps(value).encode("utf-8", "replace"))


@hostile
@given(st.data())
def _read(store, other, data):
    room = Class(store)
    key, words = store._room(room.code), store._said(room.code, HERE)
    place = data.draw(st.sampled_from(("owner", "ends", "version", "facts", "topics", "fact", "word")))
    if place == "fact":  # one of them, or one part of it, has another form
        facts = json.loads(store._redis.hget(key, "facts"))
        name = data.draw(st.sampled_from(FACTS))
        parts = facts[name][0] if isinstance(facts[name], list) else facts[name]
        parts = parts if isinstance(parts, dict) else {}
        part = data.draw(st.sampled_from((*parts, "more")))
        changed = {**parts, part: data.draw(values)} if data.draw(st.booleans()) else data.draw(values)
        facts[name] = [changed] if isinstance(facts[name], list) and data.draw(st.booleans()) else changed
        store._redis.hset(key, "facts", json.dumps(facts).encode("utf-8", "replace"))
    elif place == "word":
        store._redis.hset(words, data.draw(st.sampled_from(("ann", "cem"))), data.draw(garbage))
    elif data.draw(st.booleans()):
        store._redis.hset(key, place, data.draw(garbage))
    else:
        store._redis.hdel(key, place)
    room.do()
    assert Class.holds_a_vote(other)
    if place != "owner":  # which is another owner's room
        assert room.holds_a_vote()


@pytest.mark.slow
def test_records_of_another_version(redis, log):  # noqa: F811
    store = RedisStore(f"{redis.address}#records")
    _read(store, Class(store))
    assert log.lines


def test_what_is_not_a_record_at_all(redis):  # noqa: F811
    """Another program has a list where the room was."""
    store = RedisStore(f"{redis.address}#others")
    room, other = Class(store), Class(store)
    for key in (store._room(room.code), store._said(room.code, HERE)):
        store._redis.delete(key)
        store._redis.rpush(key, "list")
        room.do()
        assert other.holds_a_vote()


@pytest.mark.parametrize("facts", [{"question": "of_tomorrow"}, {"lesson": "of_tomorrow"}])
def test_a_vote_and_a_scene_of_another_course(facts, monkeypatch):
    """Both versions serve while a new one is brought in."""
    monkeypatch.setattr(ROOMS, "store", MemoryStore())
    host = teacher(plan=None)
    code, owner = room_of(host), person_of(host)
    ROOMS.act(code, owner, rules.leads(Scene("of_tomorrow", {})))
    ROOMS.store.change(code, owner, lambda room: room.having(vote={**room.facts["vote"], **facts}))
    for page in (host, person(host), open_link("softmax", {"room": code}), overview(host)):
        assert not again(page).exception
