"""The rooms of a store, as people act in them: the owner changes the room by its rules, the others vote.

A room belongs to the person who has opened it: its code stays the same from question to question.
"""

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pages.model import turns
from pages.model.ballots import Form, form_of
from pages.model.codes import new_code
from pages.model.entries import SettingsError

from . import rules
from .guesses import PER_SERVER, Guesses
from .rules import KEPT_ROUNDS, MAX_VOTERS, Act, Counts, Scene, Sight, Ticket, Vote, VoteSight
from .store import MAX_RECORD, Away, Closed, Full, Gone, NotYours, Room, Store, from_environment


@dataclass(frozen=True)
class VoteResult:
    """A vote of the hour: its question, and the distribution of each round."""

    vote: Vote
    rounds: tuple[Counts, ...]


class Rooms:
    """The rooms of a store."""

    def __init__(self, store: Store):
        self.store = store
        self._guesses = Guesses(PER_SERVER)
        self._lock = threading.Lock()  # of the guesses

    def open(self, owner: str) -> str:
        """The code of the owner's room, which is new if the owner has none."""
        with refusals("", SettingsError("votes_full", limit=self.store.most_rooms)):
            while (room := self.store.open(owner, new_code())) is None:
                pass  # the code is taken
            return room.code

    def enter(self, code: str, guesses: Guesses) -> None:
        """Raises a SettingsError if there is no such room. guesses: wrong codes of the visit that enters."""
        with refusals(code):
            moment = self.store.clock()
        with self._lock:
            wait = max(guesses.wait(moment), self._guesses.wait(moment) if guesses else 0.0)
        if wait:
            raise SettingsError("vote_wait", room=code, seconds=math.ceil(wait))
        with refusals(code):
            if self.store.room(code) is None:
                with self._lock:
                    guesses.note(moment)
                    self._guesses.note(moment)
                raise Gone

    def act(self, code: str, owner: str, act: Act) -> Room:
        """Changes the owner's room by a rule."""
        with refusals(code, SettingsError("room_full", limit=MAX_RECORD)):
            return self.store.change(code, owner, act, rules.news)

    def ask(self, owner: str, scene: Scene, question: str, form: Form, secret: str = "") -> str:
        """Opens a vote in the owner's room (see rules.asks); returns the room's code."""
        code = self.open(owner)
        self.act(code, owner, rules.asks(scene, question, form, self.store.clock(), secret))
        return code

    def close(
        self,
        code: str,
        owner: str,
        title: str = "",
        tell: Callable[[str], str] = str,
        is_right: Callable[[str], bool] = lambda answer: False,
    ) -> None:
        """Ends the round of the vote (see rules.closes)."""
        with refusals(code):
            counts = self._counted(self.store.owned(code, owner))
        self.act(code, owner, rules.closes(counts, self.store.clock(), title, tell, is_right))

    def _counted(self, room: Room) -> Counts:
        vote = rules.document(room).vote
        return () if vote is None else self._counts(room, vote, vote.topic)

    def _counts(self, room: Room, vote: Vote, topic: str) -> Counts:
        return rules.counts_of(form_of(vote.form), self.store.words(room.code, topic))

    def again(self, code: str, owner: str, scene: Scene) -> None:
        """Starts another round on the same question."""
        self.act(code, owner, rules.asks_again(scene, self.store.clock()))

    def end(self, code: str, owner: str) -> None:
        """Deletes the room with all that was said in it."""
        with refusals(code):
            self.store.close(code, owner)
            turns.forget()

    def vote(self, code: str, voter: str, ticket: Ticket, answer: str) -> None:
        """Casts a vote, or changes it. ticket: of the vote on the voter's page."""
        with refusals(code):
            room = self.store.room(code)
            now = None if room is None else rules.document(room)
            if now is None or now.vote is None:
                raise Gone
            if ticket != now.vote.ticket:
                raise SettingsError("vote_late")
            if not form_of(now.vote.form).takes(answer):
                raise SettingsError("vote_unknown")
            known = (rules.HERE, now.vote.topic)
            if not now.newcomers and not any(self.store.word(code, topic, voter)[1] for topic in known):
                raise SettingsError("room_shut", room=code)
            self.store.say(code, now.vote.topic, voter, answer)
            turns.forget()

    def sight(self, code: str, person: str) -> Sight | None:
        """This person's view of the room; None if the room does not exist. Raises Away.

        One run of a page sees one state, until it votes or changes the room itself.
        """
        return turns.once((self, code, person), lambda: self._sight(code, person))

    def _sight(self, code: str, person: str) -> Sight | None:
        room = self.store.seen(code)
        if room is None:
            return None
        mine, now = room.is_of(person), rules.document(room)
        if mine:
            self.store.look(room)
        vote = None if now.vote is None else self._vote(room, now.vote, person)
        return Sight(code, mine, rules.state_of(room), now, vote)

    def _vote(self, room: Room, vote: Vote, person: str) -> VoteSight:
        count, choice = self.store.word(room.code, vote.topic, person)
        shown = vote.topics[-KEPT_ROUNDS:] if vote.bars else ()
        mine, opened = room.is_of(person), bool(room.topics.get(vote.topic))
        advised = rules.advice(vote, self._counts(room, vote, vote.topic)) if mine and not opened else None
        return VoteSight(
            code=room.code,
            lesson=vote.lesson,
            form=form_of(vote.form),
            ticket=vote.ticket,
            open=opened,
            bars=vote.bars,
            revealed=vote.revealed,
            count=count,
            choice=choice,
            mine=mine,
            again=advised is not None and advised[1],
            rounds=tuple(self._counts(room, vote, topic) for topic in shown),
        )

    def choice(self, room: Room, person: str) -> str | None:
        """This person's vote in the present round. Raises Away."""
        vote = rules.document(room).vote
        return None if vote is None else self.store.word(room.code, vote.topic, person)[1]

    def results(self, code: str, owner: str) -> list[VoteResult]:
        """All votes of the room, the present one too, for its owner. Raises Away."""
        with refusals(code):
            room = self.store.owned(code, owner)
            now = rules.document(room).vote
            votes = [*rules.past(room), *([] if now is None else [now])]
            return [
                VoteResult(vote, tuple(self._counts(room, vote, topic) for topic in vote.topics))
                for vote in votes
            ]


@contextmanager
def refusals(code: str, full: SettingsError | None = None) -> Iterator[None]:
    """Says in words what the store refuses. full: in place of too many voters."""
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


ROOMS = Rooms(from_environment())
