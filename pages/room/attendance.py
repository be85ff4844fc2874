"""Who is in a room, where, and with which answers, for its owner alone.

A person has one record, the word under the topic HERE: the place, and what the person has answered and
reached in this room. Each of the person's pages adds to it. A person of whom nothing was heard for some time
is not here; the record stays until the room ends, as its results need it, unless the room is full and the
person has done nothing: then it makes way.

The owner's own record says where the lesson is: at which stop of the plan, and since when. The plan is a fact
of the room. No record leaves the server with the name of its person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import orjson

from . import rules
from .reading import made, reading
from .rules import HERE
from .store import Full, Gone, Room, Store

REFRESH = 30.0  # seconds between two words of a page on which nothing happens
SILENT = 90.0  # seconds without a word, after which a person is not here
MAX_PRESENCE = 4_000  # characters of a person's record
MAX_REPLY = 60  # characters of an answer
MAX_LINK = 700  # characters of a link to the numbers that have reached a target


class Reply(NamedTuple):
    """An answer to a question."""

    word: str
    right: bool
    time: float


class Success(NamedTuple):
    """A reached target. link: to the page with the numbers, "" if they are not known."""

    link: str
    time: float


@dataclass(frozen=True)
class Presence:
    """The record of a person.

    place  lesson/part/topic
    stop   of the owner's plan, 0 outside of it
    since  time of the arrival at this stop, or at this part of a lesson
    heard  time of the last word
    """

    place: str = ""
    stop: int = 0
    since: float = 0.0
    heard: float = 0.0
    replies: Mapping[str, Reply] = field(default_factory=dict)  # question → the last answer
    reached: Mapping[str, Success] = field(default_factory=dict)  # word for a target → success
    cut: bool = False  # something is left out: the oldest answers, or the owner's newest plan
    voted: bool = False

    @property
    def part(self) -> str:
        """The place without its topic."""
        return self.place.rpartition("/")[0]

    def is_idle(self, moment: float) -> bool:
        """Whether nothing was heard of the person for some time, who has done nothing."""
        return self.heard < moment - SILENT and not (self.replies or self.reached or self.voted)

    def joined(self, news: Presence, moment: float) -> Presence:
        """The record with the news of a page."""
        stays = self.stop == news.stop and (news.stop > 0 or self.part == news.part)
        changed = {
            question: reply
            for question, reply in news.replies.items()
            if (former := self.replies.get(question)) is None or former[:2] != reply[:2]
        }
        return Presence(
            news.place,
            news.stop,
            self.since if stays else moment,
            moment,
            {**self.replies, **changed},
            {**news.reached, **self.reached},
            news.cut or self.cut,
            news.voted or self.voted,
        )


@dataclass(frozen=True)
class Attendance:
    """A class at a moment.

    everybody  who was in the room at some time, in an order that says nothing
    host       the owner's record
    plan       the owner's plan as a link has it
    begun      time at which the owner has opened the room's first page
    full       later people are not among them
    """

    moment: float
    everybody: tuple[Presence, ...] = ()
    host: Presence = Presence()
    plan: str = ""
    begun: float = 0.0
    full: bool = False

    @property
    def here(self) -> list[Presence]:
        return [presence for presence in self.everybody if presence.heard >= self.moment - SILENT]

    @property
    def idle(self) -> int:
        """How many can be removed."""
        return sum(presence.is_idle(self.moment) for presence in self.everybody)

    def replies(self, question: str) -> list[Reply]:
        return [other.replies[question] for other in self.everybody if question in other.replies]

    def successes(self, target: str) -> list[Success]:
        return [other.reached[target] for other in self.everybody if target in other.reached]


def note(store: Store, code: str, person: str, news: Presence, plan: str = "") -> bool:
    """Takes the news of a person's page; returns whether the person owns the room. Raises RoomError.

    plan: of the page, kept if it is the owner's and the room has space for it.
    """
    room = store.seen(code)
    if room is None:
        raise Gone(code)
    moment, owns, refused = store.clock(), room.is_of(person), False
    if owns:
        if HERE not in room.topics or rules.document(room).plan.text != plan:
            try:
                store.change(code, person, rules.plans(plan, moment), rules.news)
            except Full:
                refused = True
        person, news = room.owner, replace(news, replies={}, reached={})
    former = _read(store.word(code, HERE, person)[1])
    former = replace(former, cut=refused) if owns else former
    word = _written(former.joined(news, moment))
    same = word == _written(replace(former, heard=moment)) and former.heard >= moment - SILENT
    try:
        store.say(code, HERE, person, word, most=MAX_PRESENCE, quiet=same)
    except Full:
        if not _make_way(store, room, moment):
            raise
        store.say(code, HERE, person, word, most=MAX_PRESENCE, quiet=same)
    return owns


def _make_way(store: Store, room: Room, moment: float) -> bool:
    """Deletes the records of idle people, if newcomers may come; whether there were any."""
    idle = _idle(room, store.words(room.code, HERE), moment) if rules.document(room).newcomers else []
    store.drop(room.code, HERE, idle)
    return bool(idle)


def remove_idle(store: Store, code: str, owner: str) -> int:
    """Deletes the records of idle people for the owner; how many these were. Raises RoomError.

    In a room without newcomers nobody gets their places.
    """
    room, words = store.owned(code, owner), store.words(code, HERE)
    idle = _idle(room, words, store.clock())
    if not rules.document(room).newcomers:
        store.change(code, owner, rules.welcomes(False, len(words) - len(idle)), rules.news)
    store.drop(code, HERE, idle)
    return len(idle)


def _idle(room: Room, words: Mapping[str, str], moment: float) -> list[str]:
    return [name for name, word in words.items() if name != room.owner and _read(word).is_idle(moment)]


def of_room(store: Store, code: str, owner: str) -> Attendance:
    """The class, for the owner of its room. Raises Gone, NotYours, Away."""
    room = store.owned(code, owner)
    words = store.words(code, HERE)
    now = rules.document(room)
    full = now.newcomers and 0 < room.topics.get(HERE, 0) <= len(words)
    host = _read(words.pop(room.owner, None))
    everybody = tuple(map(_read, sorted(words.values())))
    return Attendance(store.clock(), everybody, host, now.plan.text, now.plan.begun, full)


# ---- the record as a word


def _written(presence: Presence) -> str:
    """The word, without the oldest answers and successes if it would be too long."""
    replies = {
        question: (_text(reply.word[:MAX_REPLY]), reply.right, int(reply.time))
        for question, reply in presence.replies.items()
    }
    reached = {
        target: (success.link if len(success.link) <= MAX_LINK else "", int(success.time))
        for target, success in presence.reached.items()
    }
    at = presence.place, presence.stop, presence.since, presence.heard
    data: dict[str, Any] = {"at": at, "replies": replies, "reached": reached}
    spare = 2  # two entries have no comma after them
    if presence.voted:
        data["voted"] = True
    if presence.cut or len(_json(data)) + spare > MAX_PRESENCE:
        data["cut"] = True
    left = len(_json(data)) + spare - MAX_PRESENCE  # too long by so many
    parts: tuple[dict[str, Any], ...] = (replies, reached)
    sizes = [[len(_json({name: part[name]})) - 1 for name in part] for part in parts]
    oldest = [zip(list(part), own, strict=True) for part, own in zip(parts, sizes, strict=True)]
    lengths = [*map(sum, sizes)]
    while left > 0 and any(lengths):  # each entry is measured once
        longest = lengths.index(max(lengths))
        name, size = next(oldest[longest])
        del parts[longest][name]
        lengths[longest] -= size
        left -= size
    return _json(data)


def _json(data: object) -> str:
    return orjson.dumps(data).decode()


def _text(word: str) -> str:
    """The word without halves of surrogate pairs, which have no form in UTF-8."""
    return word.encode("utf-8", "replace").decode()


def _read(word: str | None) -> Presence:
    return Presence() if word is None else reading("word", lambda: _presence(orjson.loads(word)), Presence())


def _presence(data: Any) -> Presence:
    replies = {question: Reply(*reply) for question, reply in data["replies"].items()}
    reached = {target: Success(*success) for target, success in data["reached"].items()}
    for reply in replies.values():
        made(Reply, reply._asdict())
    for success in reached.values():
        made(Success, success._asdict())
    place, stop, since, heard = data["at"]
    if place:
        _lesson, _part, _topic = place.split("/")
    facts = {"place": place, "stop": stop, "since": since, "heard": heard}
    facts |= {name: data.get(name, False) for name in ("cut", "voted")}
    return replace(made(Presence, facts), replies=replies, reached=reached)
