"""Votes of a class on a question, in its room.

A room belongs to the person who has opened a vote: its code stays the same from question to question, and it
has one vote at a time. Its owner closes the vote, shows the bars and reveals the answer, in three acts. Each
round of a vote is a topic of the room (see store.py), whose name has the number of the vote and of the round:
so a vote that comes too late finds no open topic, and a vote that is sent twice counts once.
"""

import math
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from pages.model import turns
from pages.model.ballots import Form, NumberForm, form_of, written
from pages.model.codes import new_code
from pages.model.entries import SettingsError

from .attendance import HERE
from .guesses import PER_SERVER, Guesses
from .reading import made, reading
from .store import MAX_PEOPLE, MAX_TOPICS, Away, Closed, Full, Gone, NotYours, Room, Store, from_environment

MAX_VOTERS = MAX_PEOPLE  # in one round
MAX_SETUP = 24_000  # characters of the link to the question's setup
MAX_TEXT = 600  # characters of a question's or an answer's words
MAX_ANSWERS = 8  # typed answers in the distribution: the most frequent ones
OTHERS = ""  # in the distribution: all other answers
KEPT_ROUNDS = 2  # that are shown
EARLIER = 30  # votes before the present one whose rounds the room keeps, until it ends
FACT = "vote"  # of the room: the present vote
PAST = "votes"  # of the room: the votes before it
TOPIC = re.compile(r"\bvote-([0-9]{1,9})-")  # of a round

Counts = tuple[tuple[str, int], ...]
Ticket = tuple[int, int, str]  # serial number of the vote, round, question


@dataclass(frozen=True)
class Vote:
    """A vote, as the room keeps it."""

    serial: int  # of the vote, from 1
    lesson: str
    question: str
    form: Any  # of an answer, as JSON
    setup: Mapping[str, str]
    round: int = 1
    bars: bool = False
    revealed: bool = False
    times: tuple[tuple[float, float], ...] = ()  # of each round: opened, and closed or 0
    title: str = ""  # of the question, as the owner has read it
    told: Mapping[str, str] = field(default_factory=dict)  # answer → its text, likewise
    right: tuple[str, ...] = ()  # of these answers; for the results alone
    secret: str = ""  # what the setup must not say before the answer is revealed

    @property
    def ticket(self) -> Ticket:
        return self.serial, self.round, self.question

    @property
    def topics(self) -> list[str]:
        """Of all rounds."""
        return [topic_of(self.serial, number) for number in range(1, self.round + 1)]

    @property
    def topic(self) -> str:
        return self.topics[-1]


def topic_of(serial: int, number: int) -> str:
    """The topic of a round."""
    return f"vote-{serial}-{number}"


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
    version: int  # of the room's record

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
    def topic(self) -> str:
        return topic_of(self.serial, self.round)

    @property
    def stage(self) -> tuple[object, ...]:
        """The part of the state that the owner changes."""
        return self.code, *self.ticket, self.open, self.bars, self.revealed

    @property
    def full(self) -> bool:
        """Whether nobody else can vote in this round."""
        return self.count >= MAX_VOTERS

    @property
    def asks(self) -> bool:
        """Whether the person may vote now."""
        return self.open and not self.mine


@dataclass(frozen=True)
class VoteResult:
    """A vote of the hour: its question, and the distribution of each round."""

    vote: Vote
    rounds: tuple[Counts, ...]


class Votes:
    """The votes of all rooms in the store."""

    def __init__(self, store: Store):
        self.store = store
        self._guesses = Guesses(PER_SERVER)
        self._lock = threading.Lock()  # of the guesses

    def start(
        self, owner: str, lesson: str, question: str, form: Form, setup: Mapping[str, str], secret: str = ""
    ) -> str:
        """Opens a vote in the owner's room, after its last vote; returns the room's code.

        form: of the answers. setup: the link to the question with its numbers. secret: see Votes.secret.
        """
        if len(urlencode(setup)) > MAX_SETUP:
            raise SettingsError("vote_too_long", limit=MAX_SETUP)

        def started(room: Room) -> Room:
            last, past = _vote(room), _past(room)
            numbers = [int(number) for number in TOPIC.findall(" ".join(room.topics))]
            serial = 1 + max(numbers, default=0)  # no vote has words of another one, whatever was read
            if last is not None:
                past = [*past, replace(last, setup={}, secret="")][-EARLIER:]
            moment = self.store.clock()
            begun = ((moment, 0.0),)
            vote = Vote(serial, lesson, question, written(form), dict(setup), times=begun, secret=secret)
            kept = {topic for former in past for topic in former.topics}
            topics = {topic: 0 if topic.startswith("vote-") else most for topic, most in room.topics.items()}
            topics = {topic: most for topic, most in topics.items() if most or topic in kept}
            return (
                replace(room, topics={HERE: MAX_PEOPLE} | topics)
                .opening(vote.topic, MAX_VOTERS)
                .having(**{FACT: asdict(vote), PAST: list(map(asdict, past))})
            )

        with refusals("", SettingsError("vote_room_full")):
            return self.store.change(self.open(owner), owner, started).code

    def open(self, owner: str) -> str:
        """The code of the owner's room, which is new if the owner has none."""
        with refusals("", SettingsError("votes_full", limit=self.store.most_rooms)):
            while (room := self.store.open(owner, new_code())) is None:
                pass  # the code is taken
            return room.code

    def is_there(self, code: str) -> bool:
        """Whether the room exists. Raises Away."""
        return self.store.seen(code) is not None

    def enter(self, code: str, guesses: Guesses) -> dict[str, str]:
        """The setup of this room's vote. guesses: wrong codes of the visit that enters."""
        with refusals(code):
            moment = self.store.clock()
        with self._lock:
            wait = max(guesses.wait(moment), self._guesses.wait(moment) if guesses else 0.0)
        if wait:
            raise SettingsError("vote_wait", room=code, seconds=math.ceil(wait))
        with refusals(code):
            room = self.store.room(code)
            if room is None:
                with self._lock:
                    guesses.note(moment)
                    self._guesses.note(moment)
                raise Gone
        return _setup(room)

    def vote(self, code: str, voter: str, ticket: Ticket, answer: str) -> None:
        """Casts a vote, or changes it. ticket: of the vote on the voter's page."""
        with refusals(code):
            vote = _vote(self.store.room(code))
            if vote is None:
                raise Gone
            if ticket != vote.ticket:
                raise SettingsError("vote_late")
            if not form_of(vote.form).takes(answer):
                raise SettingsError("vote_unknown")
            self.store.say(code, vote.topic, voter, answer)
            turns.forget()

    def close(
        self,
        code: str,
        owner: str,
        title: str = "",
        tell: Callable[[str], str] = str,
        is_right: Callable[[str], bool] = lambda answer: False,
    ) -> None:
        """Ends the round, without showing anything.

        title, tell, is_right: the words of the question and of an answer, and whether it is right, for the
        results.
        """

        def closed(room: Room, vote: Vote) -> tuple[Room, Vote]:
            counts = _counts(form_of(vote.form), self.store.words(code, vote.topic))
            names = [answer for answer, _ in counts if answer != OTHERS]
            told = {**vote.told, **{answer: tell(answer)[:MAX_TEXT] for answer in names}}
            right = tuple(dict.fromkeys((*vote.right, *filter(is_right, names))))
            *former, (opened, _) = vote.times
            times = (*former, (opened, self.store.clock()))
            title_kept = title[:MAX_TEXT] or vote.title
            return room.closing(vote.topic), replace(
                vote, times=times, title=title_kept, told=told, right=right
            )

        self._change(code, owner, closed)

    def show_bars(self, code: str, owner: str) -> None:
        """Shows the distributions to all."""
        self._change(code, owner, lambda room, vote: (_closed(room, vote), replace(vote, bars=True)))

    def reveal(self, code: str, owner: str) -> None:
        """Shows the answer to all."""
        self._change(code, owner, lambda room, vote: (_closed(room, vote), replace(vote, revealed=True)))

    def again(self, code: str, owner: str) -> None:
        """Starts another round on the same question."""

        def start(room: Room, vote: Vote) -> tuple[Room, Vote]:
            if room.topics.get(vote.topic):
                return room, vote
            times = (*vote.times, (self.store.clock(), 0.0))
            vote = replace(vote, round=vote.round + 1, times=times, bars=False, revealed=False)
            return room.opening(vote.topic, MAX_VOTERS), vote

        self._change(code, owner, start)

    def _change(self, code: str, owner: str, act: Callable[[Room, Vote], tuple[Room, Vote]]) -> None:
        def changed(room: Room) -> Room:
            vote = _vote(room)
            if vote is None:
                raise Gone
            room, vote = act(room, vote)
            return room.having(**{FACT: asdict(vote)})

        with refusals(code, SettingsError("vote_room_full")):
            self.store.change(code, owner, changed)

    def end(self, code: str, owner: str) -> None:
        """Deletes the room with its votes."""
        with refusals(code):
            self.store.close(code, owner)
            turns.forget()

    def sight(self, code: str, person: str) -> Sight | None:
        """This person's view of the vote; None if the room does not exist or had no vote yet. Raises Away.

        One run of a page sees one state, until it votes or changes the room itself.
        """
        return turns.once((self, code, person), lambda: self._sight(code, person))

    def _sight(self, code: str, person: str) -> Sight | None:
        room = self.store.seen(code)
        vote = _vote(room)
        if room is None or vote is None:
            return None
        mine, form = room.is_of(person), form_of(vote.form)
        if mine:
            self.store.look(room)
        count, choice = self.store.word(code, vote.topic, person)
        shown = vote.topics[-KEPT_ROUNDS:] if vote.bars else ()
        return Sight(
            code=code,
            lesson=vote.lesson,
            form=form,
            ticket=vote.ticket,
            open=bool(room.topics.get(vote.topic)),
            bars=vote.bars,
            revealed=vote.revealed,
            count=count,
            choice=choice,
            mine=mine,
            rounds=tuple(_counts(form, self.store.words(code, topic)) for topic in shown),
            version=room.version,
        )

    def choice(self, room: Room, person: str) -> str | None:
        """This person's vote in the present round. Raises Away."""
        vote = _vote(room)
        return None if vote is None else self.store.word(room.code, vote.topic, person)[1]

    def results(self, code: str, owner: str) -> list[VoteResult]:
        """All votes of the room, the present one too, for its owner. Raises Away."""
        with refusals(code):
            room = self.store.owned(code, owner)
            votes = _past(room)
            votes += [vote] if (vote := _vote(room)) is not None else []
            return [self._result(room, vote) for vote in votes]

    def _result(self, room: Room, vote: Vote) -> VoteResult:
        form = form_of(vote.form)
        rounds = tuple(_counts(form, self.store.words(room.code, topic)) for topic in vote.topics)
        return VoteResult(vote, rounds)

    def secret(self, code: str) -> str:
        """What the setup of this room's vote does not say, once the answer is revealed. Raises Away."""
        vote = _vote(self.store.seen(code))
        return vote.secret if vote is not None and vote.revealed else ""


def _vote(room: Room | None) -> Vote | None:
    """The present vote of the room."""
    return None if room is None or FACT not in room.facts else _made(room.facts[FACT])


def _past(room: Room) -> list[Vote]:
    """The votes before the present one."""
    past = room.facts.get(PAST, ())
    return [vote for vote in map(_made, past if isinstance(past, list) else ()) if vote is not None]


def _made(kept: Any) -> Vote | None:
    def read() -> Vote:
        vote = made(Vote, kept)
        if not 1 <= vote.round <= MAX_TOPICS or len(vote.times) != vote.round:
            raise ValueError
        [None for _opened, _closed in vote.times]
        form = form_of(vote.form)
        hash(form), form.takes("0"), form.takes("0_0")  # raise if its facts are of other types
        return vote

    return reading("vote", read, None)


def _setup(room: Room | None) -> dict[str, str]:
    vote = _vote(room)
    return {} if vote is None else dict(vote.setup)


def _closed(room: Room, vote: Vote) -> Room:
    if room.topics.get(vote.topic):
        raise SettingsError("vote_open")
    return room


@contextmanager
def refusals(code: str, full: SettingsError | None = None) -> Iterator[None]:
    """Says in the words of votes what the store refuses. full: in place of too many voters."""
    try:
        yield
    except Gone:
        raise SettingsError("vote_gone", room=code) from None
    except NotYours:
        raise SettingsError("vote_not_yours") from None
    except Closed:
        raise SettingsError("vote_closed") from None
    except Full:
        raise full or SettingsError("voters_full", limit=MAX_VOTERS) from None
    except Away:
        raise SettingsError("vote_away") from None


def _counts(form: Form, votes: Mapping[str, str]) -> Counts:
    """The number of votes for each option or cell; of numbers, for the most frequent ones, in order."""
    counted = Counter(votes.values())
    if form.options:
        return tuple((option, counted[option]) for option in form.options)
    limit = MAX_ANSWERS if isinstance(form, NumberForm) else len(counted)  # a picture has room for all cells
    ranked = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    others = sum(count for _, count in ranked[limit:])
    shown = sorted(ranked[:limit], key=lambda pair: (len(pair[0]), pair[0]))
    return (*shown, (OTHERS, others)) if others else tuple(shown)


VOTES = Votes(from_environment())
