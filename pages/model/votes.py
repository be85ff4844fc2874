"""Votes of a class on a question, in the memory of this process, for as long as they are used.

Owners and voters are random names, which are in no link. A room belongs to the person who has opened a
vote: its code stays the same from question to question, and it has one vote at a time. Its owner
closes the vote, shows the bars and reveals the answer, in three acts. Memory is limited: rooms, voters
and the size of a setup have limits, and unused rooms are deleted.
"""

import math
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

from .ballots import Form
from .entries import WORD, SettingsError
from .guesses import PER_SERVER, Guesses

MAX_ROOMS = 200
MAX_VOTERS = 500  # in one vote
MAX_SETUP = 24_000  # characters of the link to the question's setup
MAX_ANSWERS = 8  # typed answers in the distribution: the most frequent ones
KEPT_ROUNDS = 2
LIFETIME = 3 * 3600.0  # seconds of a room after the last look of its owner
# If all rooms are taken, a new one replaces a room whose owner has been absent for some minutes. The owner's
# page looks every few seconds, and a hidden page once a minute.
ABSENT = 300.0  # seconds after which a room can be replaced
UNVOTED = 120.0  # likewise without any vote ever
LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # without pairs that look alike
LENGTH = 6

Counts = tuple[tuple[str, int], ...]
Ticket = tuple[int, int, str]  # serial number of the vote, round, question


@dataclass
class _Room:
    owner: str
    form: Form
    seen: float  # time of the owner's last look
    voted: bool = False  # somebody has voted in this room
    serial: int = 0  # of the vote, from 1
    lesson: str = ""
    question: str = ""
    setup: Mapping[str, str] = field(default_factory=dict)
    rounds: list[dict[str, str]] = field(default_factory=list)  # voter → answer, of the last rounds
    round: int = 0  # from 1
    open: bool = False
    bars: bool = False
    revealed: bool = False

    @property
    def ticket(self) -> Ticket:
        return self.serial, self.round, self.question

    @property
    def stays_until(self) -> float:
        """The time from which another room may replace it."""
        return self.seen + (ABSENT if self.voted else UNVOTED)


@dataclass(frozen=True)
class Sight:
    """One person's view of a vote."""

    code: str
    lesson: str
    form: Form
    ticket: Ticket
    open: bool
    bars: bool  # the distributions are shown to all
    revealed: bool  # the answer is shown to all
    count: int  # of votes in this round
    choice: str | None  # the person's own in this round
    mine: bool  # the person is the owner
    rounds: tuple[Counts, ...]  # the distributions of the last rounds; empty unless they are shown

    @property
    def serial(self) -> int:
        return self.ticket[0]

    @property
    def round(self) -> int:
        return self.ticket[1]

    @property
    def question(self) -> str:
        return self.ticket[2]

    @property
    def stage(self) -> tuple[object, ...]:
        """The part of the state that the owner changes."""
        return self.code, *self.ticket, self.open, self.bars, self.revealed

    @property
    def asks(self) -> bool:
        """Whether the person may vote now."""
        return self.open and not self.mine


def tidy(code: str) -> str:
    """The code in a typed text. Raises ValueError for any other text."""
    clean = code.strip().upper()
    if clean and not WORD.fullmatch(clean):
        raise ValueError("no code")
    return clean


class Votes:
    """All rooms of this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._now = clock
        self._lock = threading.Lock()
        self._rooms: dict[str, _Room] = {}
        self._guesses = Guesses(PER_SERVER)

    def start(self, owner: str, lesson: str, question: str, form: Form, setup: Mapping[str, str]) -> str:
        """Opens a vote in the owner's room, in place of its last vote; returns the room's code.

        form: of the answers. setup: the link to the question with its numbers.
        """
        if len(urlencode(setup)) > MAX_SETUP:
            raise SettingsError("vote_too_long", limit=MAX_SETUP)
        with self._lock:
            self._rooms = {code: room for code, room in self._rooms.items() if not self._is_old(room)}
            code = next((code for code, room in self._rooms.items() if room.owner == owner), "")
            if not code:
                self._make_way()
                code = self._new_code()
                self._rooms[code] = _Room(owner, form, self._now())
            room = self._rooms[code]
            room.serial, room.round = room.serial + 1, 1
            room.lesson, room.question = lesson, question
            room.form, room.setup, room.rounds = form, dict(setup), [{}]
            self._open(room)
            return code

    def enter(self, code: str, guesses: Guesses) -> dict[str, str]:
        """The setup of this room's vote. guesses: wrong codes of the visit that enters."""
        with self._lock:
            moment = self._now()
            wait = max(guesses.wait(moment), self._guesses.wait(moment) if guesses else 0.0)
            if wait:
                raise SettingsError("vote_wait", room=code, seconds=math.ceil(wait))
            try:
                return dict(self._room(code).setup)
            except SettingsError:
                guesses.note(moment)
                self._guesses.note(moment)
                raise

    def vote(self, code: str, voter: str, ticket: Ticket, answer: str) -> None:
        """Casts a vote, or changes it. ticket: of the vote on the voter's page."""
        with self._lock:
            room = self._room(code)
            if ticket != room.ticket:
                raise SettingsError("vote_late")
            if not room.open:
                raise SettingsError("vote_closed")
            if not room.form.takes(answer):
                raise SettingsError("vote_unknown")
            votes = room.rounds[-1]
            if voter not in votes and len(votes) >= MAX_VOTERS:
                raise SettingsError("voters_full", limit=MAX_VOTERS)
            votes[voter] = answer
            room.voted = True

    def close(self, code: str, owner: str) -> None:
        """Ends the round, without showing anything."""
        with self._lock:
            self._owned(code, owner).open = False

    def show_bars(self, code: str, owner: str) -> None:
        """Shows the distributions to all."""
        with self._lock:
            self._closed(code, owner).bars = True

    def reveal(self, code: str, owner: str) -> None:
        """Shows the answer to all."""
        with self._lock:
            self._closed(code, owner).revealed = True

    def again(self, code: str, owner: str) -> None:
        """Starts another round on the same question."""
        with self._lock:
            room = self._owned(code, owner)
            if not room.open:
                room.rounds = [*room.rounds, {}][-KEPT_ROUNDS:]
                room.round += 1
                self._open(room)

    def end(self, code: str, owner: str) -> None:
        """Deletes the room with its votes."""
        with self._lock:
            self._owned(code, owner)
            del self._rooms[code]

    def sight(self, code: str, person: str) -> Sight | None:
        """This person's view of the vote; None if the room does not exist."""
        with self._lock:
            room = self._rooms.get(code)
            if room is None or self._is_old(room):
                return None
            mine = room.owner == person
            if mine:
                room.seen = self._now()
            votes = room.rounds[-1]
            return Sight(
                code=code,
                lesson=room.lesson,
                form=room.form,
                ticket=room.ticket,
                open=room.open,
                bars=room.bars,
                revealed=room.revealed,
                count=len(votes),
                choice=votes.get(person),
                mine=mine,
                rounds=tuple(_counts(room.form, votes) for votes in room.rounds) if room.bars else (),
            )

    def setup(self, code: str) -> dict[str, str]:
        """The setup of this room's vote; empty if the room does not exist."""
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
        room.seen = self._now()
        return room

    def _closed(self, code: str, owner: str) -> _Room:
        room = self._owned(code, owner)
        if room.open:
            raise SettingsError("vote_open")
        return room

    def _open(self, room: _Room) -> None:
        room.seen = self._now()
        room.open, room.bars, room.revealed = True, False, False

    def _is_old(self, room: _Room) -> bool:
        return self._now() - room.seen > LIFETIME

    def _make_way(self) -> None:
        if len(self._rooms) < MAX_ROOMS:
            return
        until, code = min((room.stays_until, code) for code, room in self._rooms.items())
        if self._now() <= until:
            raise SettingsError("votes_full", limit=MAX_ROOMS)
        del self._rooms[code]

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
            if code not in self._rooms:
                return code


def _counts(form: Form, votes: Mapping[str, str]) -> Counts:
    """The number of votes for each option; without options, for the most frequent answers, in order."""
    counted = Counter(votes.values())
    if form.options:
        return tuple((option, counted[option]) for option in form.options)
    most = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:MAX_ANSWERS]
    return tuple(sorted(most, key=lambda pair: (len(pair[0]), pair[0])))


VOTES = Votes()  # of this process: several processes behind one address do not share them
