"""Votes of a class on a question, kept in the memory of this process, and only for as long as they are used.

Who opens a vote and who votes are known by random names alone, which are never in a link. A room is what
one person opens: its code stays the same from question to question, and it has one vote at a time. Nothing
here grows without end: rooms, voters and the size of a setup are limited, and a room that nobody uses goes.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from .entries import WORD, SettingsError

MAX_ROOMS = 200
MAX_VOTERS = 500  # in one vote
MAX_SETUP = 24_000  # characters of the link to what is voted on
MAX_ANSWERS = 8  # of those that are not chosen from a list: the most frequent ones are counted
KEPT_ROUNDS = 2
LIFETIME = 3 * 3600.0  # seconds after a room was used last
IDLE = 900.0  # where all rooms are taken, one that was not used for so long makes way
LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is read as another
LENGTH = 6

Counts = tuple[tuple[str, int], ...]


@dataclass
class _Room:
    owner: str
    used: float = 0.0
    serial: int = 0  # of the vote, from 1
    lesson: str = ""
    question: str = ""
    options: tuple[str, ...] = ()  # none: any answer that is a short word
    setup: Mapping[str, str] = field(default_factory=dict)
    rounds: list[dict[str, str]] = field(default_factory=list)  # voter → answer, of the last rounds
    round: int = 0  # from 1
    open: bool = False
    revealed: bool = False


@dataclass(frozen=True)
class Sight:
    """What one person may know of a vote."""

    code: str
    lesson: str
    question: str
    options: tuple[str, ...]
    stage: tuple[int, int, bool, bool]  # the vote, its round, whether it is open, whether it is revealed
    count: int  # who has voted in this round
    choice: str | None  # one's own in this round
    mine: bool  # this person has opened it
    rounds: tuple[Counts, ...]  # the distributions of the last rounds; none while it is open

    @property
    def open(self) -> bool:
        return self.stage[2]

    @property
    def asks(self) -> bool:
        """This person may vote now, and answers in no other way."""
        return self.open and not self.mine

    @property
    def leaves_free(self) -> bool:
        """This person may answer as always: after the vote the person who opened it, after the answer all."""
        return self.revealed or (self.mine and not self.open)

    @property
    def revealed(self) -> bool:
        return self.stage[3]

    @property
    def serial(self) -> int:
        return self.stage[0]

    @property
    def round(self) -> int:
        return self.stage[1]


def tidy(code: str) -> str:
    """A code as it may be typed. Raises ValueError for what is none."""
    clean = code.strip().upper()
    if clean and not WORD.fullmatch(clean):
        raise ValueError("no code")
    return clean


class Votes:
    """All rooms of this process."""

    def __init__(self, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._lock = threading.Lock()
        self._rooms: dict[str, _Room] = {}

    def start(
        self, owner: str, lesson: str, question: str, options: tuple[str, ...], setup: Mapping[str, str]
    ) -> str:
        """Opens a vote in the owner's room, in place of the one before it; returns the room's code.

        options: the answers to choose from; none: a short word. setup: the link to what is voted on.
        """
        if len(urlencode(setup)) > MAX_SETUP:
            raise SettingsError("vote_too_long", limit=MAX_SETUP)
        with self._lock:
            self._rooms = {code: room for code, room in self._rooms.items() if not self._is_old(room)}
            code = next((code for code, room in self._rooms.items() if room.owner == owner), "")
            if not code:
                self._make_way()
                code = self._new_code()
                self._rooms[code] = _Room(owner)
            room = self._rooms[code]
            room.used, room.serial, room.round = self._now(), room.serial + 1, 1
            room.lesson, room.question = lesson, question
            room.options, room.setup = options, dict(setup)
            room.rounds, room.open, room.revealed = [{}], True, False
            return code

    def vote(self, code: str, voter: str, answer: str) -> None:
        """Casts a vote, or changes it."""
        with self._lock:
            room = self._room(code)
            if not room.open:
                raise SettingsError("vote_closed")
            if answer not in room.options and (room.options or not WORD.fullmatch(answer)):
                raise SettingsError("vote_unknown")
            now = room.rounds[-1]
            if voter not in now and len(now) >= MAX_VOTERS:
                raise SettingsError("voters_full", limit=MAX_VOTERS)
            now[voter] = answer
            room.used = self._now()

    def close(self, code: str, owner: str) -> None:
        """Ends the round: the distribution may be seen."""
        with self._lock:
            self._owned(code, owner).open = False

    def reveal(self, code: str, owner: str) -> None:
        """The answer may be seen; a round that goes on ends with it."""
        with self._lock:
            room = self._owned(code, owner)
            room.open, room.revealed = False, True

    def again(self, code: str, owner: str) -> None:
        """Another round on the same question."""
        with self._lock:
            room = self._owned(code, owner)
            if not room.open:
                room.rounds = [*room.rounds, {}][-KEPT_ROUNDS:]
                room.round, room.open, room.revealed = room.round + 1, True, False

    def end(self, code: str, owner: str) -> None:
        """The room goes, with all that was kept of it."""
        with self._lock:
            self._owned(code, owner)
            del self._rooms[code]

    def sight(self, code: str, person: str) -> Sight | None:
        """What this person may know of the vote; None where there is no such room."""
        with self._lock:
            room = self._rooms.get(code)
            if room is None or self._is_old(room):
                return None
            now = room.rounds[-1]
            return Sight(
                code=code,
                lesson=room.lesson,
                question=room.question,
                options=room.options,
                stage=(room.serial, room.round, room.open, room.revealed),
                count=len(now),
                choice=now.get(person),
                mine=room.owner == person,
                rounds=() if room.open else tuple(_counts(room.options, one) for one in room.rounds),
            )

    def setup(self, code: str) -> dict[str, str]:
        """The link to what is voted on; empty where there is no such room."""
        with self._lock:
            room = self._rooms.get(code)
            return {} if room is None or self._is_old(room) else dict(room.setup)

    # ---- with the lock

    def _room(self, code: str) -> _Room:
        room = self._rooms.get(code)
        if room is None or self._is_old(room):
            raise SettingsError("vote_gone", room=code)
        return room

    def _owned(self, code: str, owner: str) -> _Room:
        room = self._room(code)
        if room.owner != owner:
            raise SettingsError("vote_not_yours")
        room.used = self._now()
        return room

    def _is_old(self, room: _Room) -> bool:
        return self._now() - room.used > LIFETIME

    def _make_way(self) -> None:
        if len(self._rooms) < MAX_ROOMS:
            return
        oldest = min(self._rooms, key=lambda code: self._rooms[code].used)
        if self._now() - self._rooms[oldest].used < IDLE:
            raise SettingsError("votes_full", limit=MAX_ROOMS)
        del self._rooms[oldest]

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
            if code not in self._rooms:
                return code


def _counts(options: tuple[str, ...], votes: Mapping[str, str]) -> Counts:
    """How often each option was chosen; without options the most frequent answers, in order."""
    counted = Counter(votes.values())
    if options:
        return tuple((option, counted[option]) for option in options)
    most = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_ANSWERS]
    return tuple(sorted(most, key=lambda pair: (len(pair[0]), pair[0])))


VOTES = Votes()  # of this process: several processes behind one address do not share them
