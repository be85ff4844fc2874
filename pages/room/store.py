"""The store of rooms: what the owner of a room has set, and what the people in it say.

A room is a record that only its owner changes, one change after the other (`change`). It has facts, which
are JSON under a name: the vote, the teacher's step. And it has topics, about which people may say a word each
as long as the topic is open (`say`): a round of a vote, where they are. A word is counted once for each
person, however often it is sent. Each change and each word is an event, which reaches all processes
(`listen`).

Owners and voters are random names, which are in no link; of the owner's the store keeps a hash. Memory is
limited: rooms, topics, people and the size of a record have limits. A room ends some time after the last
change by its owner, by default three hours. While all rooms are taken, a new one replaces a room whose owner
has not looked for some minutes.

MemoryStore keeps the rooms of one process. redis_store.py keeps those of several.
"""

import hashlib
import hmac
import importlib
import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from pages.model import turns

ADDRESS = "ATTENTION_REDIS"  # in the environment: redis://host:port, where several processes share the rooms
LIFETIME = 3 * 3600.0  # seconds of a room after the last change by its owner
LIFETIMES = {"lesson": LIFETIME, "day": 24 * 3600.0, "week": 7 * 24 * 3600.0}  # that the owner may choose
MAX_ROOMS = 1_000  # one visitor needs as many open pages to take all of them
MAX_TOPICS = 100  # of a room
MAX_PEOPLE = 500  # in a topic
MAX_WORD = 100  # characters that a person says about a topic, such as a vote
MAX_RECORD = 100_000  # bytes of all facts of a room
# If all rooms are taken, a new one replaces a room whose owner has been absent for some minutes. The owner's
# page looks several times a minute.
ABSENT = 300.0  # seconds after which a room can be replaced
UNUSED = 120.0  # likewise while nobody has said anything in it
ATTEMPTS = 50  # changes of one room at the same moment, from several windows of its owner


class RoomError(Exception):
    """The store has refused, and nothing was changed."""


class Gone(RoomError):
    """The room does not exist."""


class NotYours(RoomError):
    """Only the owner may do that."""


class Closed(RoomError):
    """The topic is not open."""


class Full(RoomError):
    """There is no place left: for another room, person or topic, or for a longer record."""


class Away(RoomError):
    """The store cannot be reached now. What was sent may have arrived or not; it can be sent again."""


@dataclass(frozen=True)
class Event:
    """News of a room. Of each kind the newest is enough, so that a browser may miss earlier ones."""

    kind: str
    data: Any = None  # JSON
    for_owner: bool = False  # nobody else gets it

    @property
    def slot(self) -> str:
        """Events of the same slot replace each other where they wait."""
        return f"{SAID} {self.data['topic']}" if self.kind == SAID else self.kind


CHANGED = (
    "changed"  # kind of event: the owner has changed the room (see rules.news); without data it has ended
)
SAID = "said"  # kind of event, for the owner: topic, and how many people have said something about it


@dataclass(frozen=True)
class Room:
    """The record of a room."""

    code: str
    owner: str  # the hash of the owner's name
    ends: float  # time
    version: int = 0  # grows with each change
    facts: Mapping[str, Any] = field(default_factory=dict)  # name → JSON
    # In the order of their opening: topic → how many people may say something, 0 if it is closed. If a change
    # leaves out a topic, all words about it are deleted.
    topics: Mapping[str, int] = field(default_factory=dict)

    @property
    def lifetime(self) -> float:
        """Seconds after the last change by the owner."""
        return LIFETIMES.get(str(self.facts.get("stays")), LIFETIME)

    def is_of(self, person: str) -> bool:
        """In constant time, whatever other programs have written."""
        owner, other = self.owner.encode("utf-8", "surrogatepass"), hash_of(person).encode()
        return hmac.compare_digest(owner, other)

    def having(self, **facts: object) -> "Room":
        """The room with these facts; None deletes a fact."""
        kept = {name: fact for name, fact in {**self.facts, **facts}.items() if fact is not None}
        return replace(self, facts=kept)

    def opening(self, topic: str, most: int = MAX_PEOPLE) -> "Room":
        return replace(self, topics={**self.topics, topic: most})

    def closing(self, topic: str) -> "Room":
        return replace(self, topics={**self.topics, topic: 0})


def hash_of(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


Change = Callable[[Room], Room]
News = Callable[[Room, Room], Event]  # before, after
Take = Callable[[str, Event], None]  # the room's code, the event


class Store(ABC):
    """The rooms. Every call may come from any thread, and may raise Away."""

    most_rooms = MAX_ROOMS
    outlasts = False  # the process

    def __init__(self, clock: Callable[[], float] = time.time):
        self.clock = clock  # the same for all processes

    def change(self, code: str, owner: str, change: Change, news: News | None = None) -> Room:
        """Changes the owner's room, as a whole or not at all; returns it. What is the same is not written.

        change: a pure function, called again if another window of the owner has changed the room meanwhile.
        An error in it leaves the room as it is. news: of the change, for the people in the room; by default
        the record's version. Raises Gone, NotYours, Full.
        """
        for _ in range(ATTEMPTS):
            before = self.owned(code, owner)
            changed = change(before)
            if changed == before:
                return before
            after = replace(changed, version=before.version + 1, ends=self.clock() + changed.lifetime)
            size = sum(len(orjson.dumps(fact)) for fact in after.facts.values())
            if size > MAX_RECORD or len(after.topics) > MAX_TOPICS:
                raise Full(code)
            event = news(before, after) if news else Event(CHANGED, after.version)
            if self._write(before, after, event):
                turns.forget()
                return after
        raise Away(code)

    def seen(self, code: str) -> Room | None:
        """The record as this run of a page sees it (see turns.once)."""
        return turns.once((self, code), lambda: self.room(code))

    def owned(self, code: str, owner: str) -> Room:
        """The room, if it is the owner's. Raises Gone, NotYours."""
        room = self.room(code)
        if room is None:
            raise Gone(code)
        if not room.is_of(owner):
            raise NotYours(code)
        return room

    def say(
        self, code: str, topic: str, person: str, word: str, *, most: int = MAX_WORD, quiet: bool = False
    ) -> int:
        """Takes this person's word about the topic, in place of an earlier one; returns the number of people.

        The answer confirms it. The same word may be sent again. most: characters of the word. quiet: it is no
        event. The owner speaks under the hash of the name. Raises Gone, Closed, Full.
        """
        if len(word) > most:
            raise Full(code)
        return self._say(code, topic, person, word, quiet)

    @abstractmethod
    def open(self, owner: str, code: str) -> Room | None:
        """The owner's room, or a new one with this code; None if the code is taken. Raises Full."""

    @abstractmethod
    def room(self, code: str) -> Room | None:
        """The record, None if there is no such room."""

    @abstractmethod
    def words(self, code: str, topic: str) -> dict[str, str]:
        """person → word."""

    @abstractmethod
    def word(self, code: str, topic: str, person: str) -> tuple[int, str | None]:
        """The number of people who have said something about the topic, and this person's word."""

    @abstractmethod
    def drop(self, code: str, topic: str, people: Collection[str]) -> None:
        """Deletes what these people have said about the topic."""

    @abstractmethod
    def look(self, room: Room) -> None:
        """Notes that the owner looks at the room."""

    @abstractmethod
    def tell(self, code: str, event: Event) -> None:
        """Sends an event that nothing keeps."""

    @abstractmethod
    def close(self, code: str, owner: str) -> None:
        """Deletes the room with all that was said in it. Raises Gone, NotYours."""

    @abstractmethod
    def listen(self, take: Take) -> None:
        """Passes all events of all rooms to `take`, in any thread, as long as the process lives.

        An event of the kind CHANGED for the code "" says that events may have been missed.
        """

    @abstractmethod
    def _write(self, before: Room, after: Room, event: Event) -> bool:
        """Writes the record, unless it has changed since `before`; whether it was written."""

    @abstractmethod
    def _say(self, code: str, topic: str, person: str, word: str, quiet: bool) -> int: ...


@dataclass
class _Kept:
    """A room in memory."""

    record: bytes
    room: Room  # without facts
    stays_until: float  # from then on another room may replace it
    used: bool = False
    said: dict[str, dict[str, str]] = field(default_factory=dict)  # topic → person → word


class MemoryStore(Store):
    """The rooms of this process."""

    def __init__(self, clock: Callable[[], float] = time.time):
        super().__init__(clock)
        self._lock = threading.RLock()
        self._rooms: dict[str, _Kept] = {}
        self._listeners: list[Take] = []

    def open(self, owner: str, code: str) -> Room | None:
        with self._lock:
            moment, hashed = self.clock(), hash_of(owner)
            self._rooms = {code: kept for code, kept in self._rooms.items() if kept.room.ends >= moment}
            known = next((code for code, kept in self._rooms.items() if kept.room.owner == hashed), "")
            if not known and code in self._rooms:
                return None
            if not known:
                self._make_way(moment)
                room = Room(code, hashed, moment + LIFETIME)
                self._rooms[code] = _Kept(b"{}", room, moment + UNUSED)
            return self.room(known or code)

    def room(self, code: str) -> Room | None:
        with self._lock:
            kept = self._there(code)
            return None if kept is None else replace(kept.room, facts=orjson.loads(kept.record))

    def words(self, code: str, topic: str) -> dict[str, str]:
        with self._lock:
            kept = self._there(code)
            return {} if kept is None else dict(kept.said.get(topic, {}))

    def word(self, code: str, topic: str, person: str) -> tuple[int, str | None]:
        with self._lock:
            kept = self._there(code)
            said = {} if kept is None else kept.said.get(topic, {})
            return len(said), said.get(person)

    def drop(self, code: str, topic: str, people: Collection[str]) -> None:
        with self._lock:
            kept = self._there(code)
            said = {} if kept is None else kept.said.get(topic, {})
            for person in people:
                said.pop(person, None)

    def look(self, room: Room) -> None:
        with self._lock:
            kept = self._there(room.code)
            if kept is not None:
                kept.stays_until = self.clock() + (ABSENT if kept.used else UNUSED)

    def tell(self, code: str, event: Event) -> None:
        for take in self._listeners:
            take(code, event)

    def close(self, code: str, owner: str) -> None:
        with self._lock:
            self.owned(code, owner)
            del self._rooms[code]
            self.tell(code, Event(CHANGED))

    def listen(self, take: Take) -> None:
        self._listeners.append(take)

    def _write(self, before: Room, after: Room, event: Event) -> bool:
        with self._lock:
            kept = self._there(before.code)
            if kept is None or kept.room.version != before.version:
                return False
            kept.record, kept.room = orjson.dumps(after.facts), replace(after, facts={})
            kept.said = {topic: kept.said.get(topic, {}) for topic in after.topics}
            self.look(after)
            self.tell(after.code, event)
            return True

    def _say(self, code: str, topic: str, person: str, word: str, quiet: bool) -> int:
        with self._lock:
            kept = self._there(code)
            if kept is None:
                raise Gone(code)
            most, said = kept.room.topics.get(topic, 0), kept.said.get(topic, {})
            if not most:
                raise Closed(code)
            if person not in said and len(said) >= most:
                raise Full(code)
            said[person] = word
            if not kept.used and person != kept.room.owner:
                kept.used, kept.stays_until = True, kept.stays_until + ABSENT - UNUSED
            if not quiet:
                self.tell(code, Event(SAID, {"topic": topic, "count": len(said)}, for_owner=True))
            return len(said)

    def _there(self, code: str) -> _Kept | None:
        kept = self._rooms.get(code)
        return None if kept is None or kept.room.ends < self.clock() else kept

    def _make_way(self, moment: float) -> None:
        if len(self._rooms) < self.most_rooms:
            return
        until, code = min((kept.stays_until, code) for code, kept in self._rooms.items())
        if moment <= until:
            raise Full("rooms")
        del self._rooms[code]
        self.tell(code, Event(CHANGED))


def from_environment(environment: Mapping[str, str] = os.environ) -> Store:
    """The store of this process: Redis if its address is in the environment, or else memory."""
    address = environment.get(ADDRESS, "")
    if not address:
        return MemoryStore()
    try:
        redis_store = importlib.import_module("pages.room.redis_store")
        store: Store = redis_store.RedisStore(address)
        return store
    except ModuleNotFoundError as error:
        if error.name != "redis":
            raise
        raise SystemExit(
            f"{ADDRESS} is set, but the package redis is not installed: pip install redis"
        ) from None
    except ValueError as error:
        raise SystemExit(f"{ADDRESS} should be like redis://127.0.0.1:6379/0: {error}") from None
