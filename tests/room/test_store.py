"""The store of rooms, in memory and in Redis: who may do what, what is counted once, what goes and when."""

import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from pages.room import store as stores
from pages.room.store import (
    CHANGED,
    SAID,
    Away,
    Closed,
    Event,
    Full,
    Gone,
    NotYours,
    Room,
    from_environment,
)
from tests.support.redis_server import redis_server

CODE = "KLMRST"


def opened(store, owner="teacher", code=CODE, topic="swap", most=stores.MAX_PEOPLE) -> Room:
    room = store.open(owner, code)
    return store.change(room.code, owner, lambda room: room.opening(topic, most))


def test_a_room_is_changed_by_its_owner_only(store):
    room = opened(store)
    assert (room.code, room.version, "teacher" in str(room)) == (CODE, 1, False)
    with pytest.raises(NotYours):
        store.change(CODE, "ann", lambda room: room.having(vote=1))
    with pytest.raises(NotYours):
        store.close(CODE, "ann")
    with pytest.raises(NotYours):
        store.change(CODE, room.owner, lambda room: room.having(vote=1))  # the hash is no name
    with pytest.raises(Gone):
        store.change("KLMRSX", "teacher", lambda room: room.having(vote=1))
    after = store.change(CODE, "teacher", lambda room: room.having(vote={"question": "swap", "rounds": [1]}))
    assert store.room(CODE) == after and after.facts["vote"] == {"question": "swap", "rounds": [1]}
    assert store.change(CODE, "teacher", lambda room: room.having(vote=None)).facts == {}


def test_an_owner_has_one_room_and_a_code_one_owner(store):
    opened(store)
    assert store.open("teacher", "OTHERS").code == CODE
    assert store.open("another", CODE) is None
    assert store.open("another", "OTHERS").code == "OTHERS"
    store.close(CODE, "teacher")
    assert store.open("teacher", "LATERX").code == "LATERX"


def test_a_change_that_fails_changes_nothing(store):
    before = opened(store)

    def fail(room):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.change(CODE, "teacher", fail)
    with pytest.raises(Full):
        store.change(CODE, "teacher", lambda room: room.having(vote="x" * stores.MAX_RECORD))
    many = {str(number): 1 for number in range(stores.MAX_TOPICS + 1)}
    with pytest.raises(Full):
        store.change(CODE, "teacher", lambda room: replace(room, topics=many))
    assert store.room(CODE) == before


def test_no_change_of_two_windows_gets_lost(store):
    opened(store)
    versions = []

    def step(room: Room) -> Room:
        return room.having(step=room.facts.get("step", 0) + 1)

    def slow(room: Room) -> Room:
        versions.append(room.version)
        if len(versions) == 1:
            store.change(CODE, "teacher", step)
        return step(room)

    store.change(CODE, "teacher", slow)
    assert store.room(CODE).facts["step"] == 2 and versions == [1, 2]


def test_a_word_is_counted_once_for_each_person(store):
    opened(store)
    for word in ("all", "none", "none"):
        assert store.say(CODE, "swap", "ann", word) == 1
    assert store.say(CODE, "swap", "ben", "all") == 2
    assert store.word(CODE, "swap", "ann") == (2, "none") and store.word(CODE, "swap", "cem") == (2, None)
    assert store.words(CODE, "swap") == {"ann": "none", "ben": "all"}
    for word in ('"<b>\n', "一\x00", "\ud800", "{}"):
        assert store.say(CODE, "swap", word, word) > 2 and store.word(CODE, "swap", word)[1] is not None


@pytest.mark.parametrize("code", ["", "\ud800", "x" * 100_000, "KLMRST\n", "KLMRST:swap", "*", "\x00"])
def test_a_browser_may_name_any_room(store, code):
    opened(store)
    store.say(CODE, "swap", "ann", "all")
    assert store.room(code) is None and store.words(code, "swap") == {}
    assert store.word(code, "swap", "ann") == (0, None)
    for act in (lambda: store.say(code, "swap", "ann", "all"), lambda: store.close(code, "teacher")):
        with pytest.raises(Gone):
            act()


def test_words_are_taken_while_their_topic_is_open(store):
    opened(store, most=2)
    with pytest.raises(Closed):
        store.say(CODE, "shift", "ann", "all")
    with pytest.raises(Gone):
        store.say("KLMRSX", "swap", "ann", "all")
    with pytest.raises(Full):
        store.say(CODE, "swap", "ann", "x" * (stores.MAX_WORD + 1))
    store.say(CODE, "swap", "ann", "all"), store.say(CODE, "swap", "ben", "all")
    with pytest.raises(Full):
        store.say(CODE, "swap", "cem", "all")
    assert store.say(CODE, "swap", "ann", "none") == 2
    store.change(CODE, "teacher", lambda room: room.closing("swap").opening("shift"))
    with pytest.raises(Closed):
        store.say(CODE, "swap", "ann", "all")
    assert store.words(CODE, "swap")["ann"] == "none" and list(store.room(CODE).topics) == ["swap", "shift"]
    store.change(CODE, "teacher", lambda room: replace(room, topics={"shift": 1}))
    assert store.words(CODE, "swap") == {}


def test_all_who_speak_in_the_same_moment_are_counted(store):
    opened(store)
    people = [f"person {number}" for number in range(60)]

    def speak(name: str) -> None:
        for word in "ab":
            store.say(CODE, "swap", name, word)

    with ThreadPoolExecutor(2 * len(people)) as threads:
        list(threads.map(speak, 2 * people))  # raises what they raise
    assert set(store.words(CODE, "swap")) == set(people)
    assert store.word(CODE, "swap", people[0])[0] == 60


def test_a_room_ends_three_hours_after_the_last_change(store, clock):
    opened(store)
    clock.seconds += stores.LIFETIME - 1
    store.say(CODE, "swap", "ann", "all")
    store.change(CODE, "teacher", lambda room: room.having(step=1))
    clock.seconds += stores.LIFETIME
    store.say(CODE, "swap", "ann", "none"), store.look(store.room(CODE))
    clock.seconds += 1
    assert store.room(CODE) is None
    for act in (lambda: store.say(CODE, "swap", "ann", "all"), lambda: store.close(CODE, "teacher")):
        with pytest.raises(Gone):
            act()
    assert store.open("teacher", "LATERX").code == "LATERX"
    assert store.open("another", CODE).topics == {}
    assert store.words(CODE, "swap") == {}


def test_everything_in_redis_expires_and_goes_with_the_room(redis_store):
    opened(redis_store)
    redis_store.say(CODE, "swap", "ann", "all")
    keys = redis_store._redis.keys(f"{redis_store._prefix}*")
    assert len(keys) == 4 and all(redis_store._redis.pttl(key) > 0 for key in keys)
    redis_store.close(CODE, "teacher")
    assert redis_store._redis.keys(f"{redis_store._prefix}*") == []


def test_when_all_rooms_are_taken_one_makes_way_whose_owner_is_absent(store, clock):
    store.most_rooms = 3
    for owner in ("used", "unused", "looks"):
        opened(store, owner, owner.upper())
    store.say("USED", "swap", "ann", "all")
    with pytest.raises(Full):
        store.open("new", "NEW")
    assert store.open("used", "NEW").code == "USED"  # this owner has a room
    clock.seconds += stores.UNUSED + 1
    store.look(store.room("LOOKS"))
    assert store.open("new", "NEW") and store.room("UNUSED") is None
    with pytest.raises(Full):
        store.open("newer", "NEWER")
    clock.seconds += stores.ABSENT - stores.UNUSED
    store.look(store.room("LOOKS")), store.look(store.room("NEW"))
    assert store.open("newer", "NEWER") and store.room("USED") is None and store.room("LOOKS")


class Ear:
    """What a listener of the store hears."""

    def __init__(self, store):
        self.heard: list[tuple[str, Event]] = []
        self.news = threading.Condition()
        store.listen(self.take)

    def take(self, code: str, event: Event) -> None:
        with self.news:
            self.heard.append((code, event))
            self.news.notify_all()

    def until(self, code: str, event: Event) -> None:
        with self.news:
            assert self.news.wait_for(lambda: (code, event) in self.heard, timeout=30), self.heard


def test_every_change_and_every_word_is_told(store):
    ear = Ear(store)
    if not isinstance(store, stores.MemoryStore):
        ear.until("", Event(CHANGED))  # it is connected
    opened(store)
    ear.until(CODE, Event(CHANGED, 1))
    store.say(CODE, "swap", "ann", "all")
    ear.until(CODE, Event(SAID, {"topic": "swap", "count": 1}, for_owner=True))
    store.change(CODE, "teacher", lambda room: room.having(step=2), lambda *_: Event("step", {"x": [1]}))
    ear.until(CODE, Event("step", {"x": [1]}))
    assert store.change(CODE, "teacher", lambda room: room.having(step=2)).version == 2
    store.tell(CODE, Event("here", 3, for_owner=True))
    ear.until(CODE, Event("here", 3, for_owner=True))
    store.close(CODE, "teacher")
    ear.until(CODE, Event(CHANGED))
    told = [event.kind for code, event in ear.heard if code]
    assert told == [CHANGED, SAID, "step", "here", CHANGED]


def test_redis_that_was_killed_has_lost_nothing_confirmed_and_nobody_waits_for_it(tmp_path):
    from pages.room.redis_store import RedisStore

    with redis_server(tmp_path) as server:
        store = RedisStore(server.address)
        opened(store)
        ear = Ear(store)
        ear.until("", Event(CHANGED))
        for number in range(50):
            store.say(CODE, "swap", f"person {number}", "all")
        server.kill()
        for _ in range(3):
            with pytest.raises(Away):
                store.say(CODE, "swap", "ann", "all")
        ear.heard.clear()
        server.start()
        ear.until("", Event(CHANGED))
        store._away_until = 0.0
        assert store.word(CODE, "swap", "ann") == (50, None)
        assert store.say(CODE, "swap", "ann", "all") == 51 and store.room(CODE).version == 1


def test_no_process_s_clock_ends_a_room(redis, monkeypatch):
    from pages.room.redis_store import RedisStore

    store = RedisStore(f"{redis.address}#clocks")
    opened(store)
    later = time.time() + 4 * 3600
    monkeypatch.setattr(time, "time", lambda: later)
    ahead = RedisStore(f"{redis.address}#clocks")
    opened(ahead, "another", "OTHERX")
    assert ahead.room(CODE)
    assert store.room(CODE) and abs(store.room(CODE).ends - store.room("OTHERX").ends) < stores.UNUSED
    for code, owner in ((CODE, "teacher"), ("OTHERX", "another")):
        store.close(code, owner)


def test_a_redis_that_hangs_is_waited_for_once(monkeypatch):
    from pages.room import redis_store

    monkeypatch.setattr(redis_store, "TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        store = redis_store.RedisStore(f"redis://127.0.0.1:{silent.getsockname()[1]}")
        with pytest.raises(Away):
            store.room(CODE)
        silent.setblocking(False)
        silent.accept()[0].close()
        with pytest.raises(BlockingIOError):  # nobody has tried again
            silent.accept()


def test_installations_with_names_share_a_redis(redis):
    from pages.room.redis_store import RedisStore

    one, other = (RedisStore(f"{redis.address}#{name}") for name in ("algebra", "physics"))
    ear = Ear(one)
    ear.until("", Event(CHANGED))
    opened(other), opened(one)
    other.say(CODE, "swap", "ann", "all"), other.close(CODE, "teacher")
    one.tell(CODE, Event("end"))
    ear.until(CODE, Event("end"))
    assert [event.kind for code, event in ear.heard if code] == [CHANGED, "end"]
    assert one.word(CODE, "swap", "ann") == (0, None) and one.room(CODE).is_of("teacher")


def test_what_is_missing_for_redis_is_said_at_the_start(monkeypatch):
    assert isinstance(from_environment({}), stores.MemoryStore)
    monkeypatch.delitem(sys.modules, "pages.room.redis_store", raising=False)
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(SystemExit, match="pip install redis"):
        from_environment({stores.ADDRESS: "redis://127.0.0.1:1"})


def test_a_wrong_address_of_redis_is_said_at_the_start():
    with pytest.raises(SystemExit, match="should be like redis://"):
        from_environment({stores.ADDRESS: "127.0.0.1:6379"})
