"""Who takes part in a vote, and what they do.

A person is a random name, which this browser keeps. It is in no link, so that a person who gets the address
of the one who has opened a vote can vote and nothing else.
"""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from pages import session
from pages.draw.page import Page
from pages.model.ballots import Form
from pages.model.entries import SettingsError
from pages.model.handout import Plan, parts_of, stop_of
from pages.model.view import SHOWN
from pages.model.votes import VOTES, Sight

MOST_VOICES = 20  # that a browser keeps
NAME = re.compile(r"[\w-]{22}", re.ASCII)


@dataclass
class Seat:
    """What the visit keeps."""

    person: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    bound: bool = False  # the person stays the same for the rest of the visit, so that it has one voice
    settled: tuple | None = None  # the stage of a vote that the answer on the page has followed
    drawn: bool = False  # the card of the vote is on the page
    led: tuple[str, int] | None = None  # the vote to whose question this visit was led: room, serial number
    introduced: str = ""  # the room for which the browser has said which name it knows


def _seat(visit: session.Visit | None = None) -> Seat:
    return session.memory("vote", Seat) if visit is None else visit.memory.setdefault("vote", Seat())


def person() -> str:
    return _seat().person


def known_as(code: str, name: object) -> None:
    """The name by which the browser knows this person in the room, perhaps another one, from before a reload.

    Anybody can send names: a visit takes one name, and no name once it has voted or opened a vote.
    """
    seat = _seat()
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return
    seat.introduced = code
    if not seat.bound and name != seat.person:
        seat.person, seat.bound, seat.settled = name, True, None
    session.redraw()


def asks_for_name(code: str) -> bool:
    """The browser has not said yet by which name it knows this person in the room."""
    return _seat().introduced != code


def sight_of(page: Page, question: str) -> Sight | None:
    """What may be known of the vote on this question; None without a vote."""
    sight = now(page.view.vote)
    return sight if sight is not None and sight.question == question else None


def now(code: str) -> Sight | None:
    """What may be known of the vote in this room."""
    return VOTES.sight(code, person()) if code else None


def is_open(code: str) -> bool:
    """The class votes in this room now."""
    sight = now(code)
    return sight is not None and sight.open


def takes_part(voices: object) -> bool:
    """Whether one of these people has opened a vote that is open, or has voted in it.

    voices: what a browser says, pairs of a room and a name.
    """
    pairs = [one for one in voices[:MOST_VOICES] if _is_pair(one)] if isinstance(voices, list) else []
    sights = [VOTES.sight(code, name) for code, name in pairs]
    return any(one.open and (one.mine or one.choice is not None) for one in sights if one is not None)


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(one, str) for one in value)


def withheld(visit: session.Visit) -> str:
    """The question that is voted on, until its answer is revealed: this visit shows no answer to it."""
    code = visit.view.vote
    sight = VOTES.sight(code, _seat(visit).person) if code else None
    return "" if sight is None or sight.revealed else sight.question


def lead(lesson: str) -> None:
    """Call it before a lesson is entered: it leads a voter to the question of a new vote, with its numbers.

    A link that says more than the room may be the owner's, after a reload: there the browser first says who
    this is.
    """
    seat, sight = _seat(), now(session.view().vote)
    if sight is None or sight.mine:
        return
    this, plain = (sight.code, sight.serial), session.is_plain_link("lang", "vote", "present")
    if session.has_arrived():  # a link was opened
        seat.led = this if plain and lesson == sight.lesson else None
    if seat.led != this and (seat.led or plain or not asks_for_name(sight.code)):
        seat.led = this
        session.leave_for(sight.lesson, {"lang": session.view().language, "vote": sight.code})


def go(code: str) -> None:
    """The voter is led to the question once more."""
    seat = _seat()
    seat.led, seat.introduced = None, code
    session.redraw()


def holds(page: Page) -> bool:
    """Whether this page must show no numbers: a vote that is not revealed is about something else."""
    sight = now(page.view.vote)
    if sight is None or sight.mine or sight.revealed:
        return False
    at = page.course.asked_at(sight.question)
    here = at.lesson == page.lesson.name and at.part == page.part.name
    here = here and at.topic in (None, page.part.topics and page.topic.name)
    return not here or _seat().led != (sight.code, sight.serial)


def follow() -> None:
    """Call it before the page is drawn: what is revealed is answered, for voters with their choice.

    Where the vote is gone, that is said and the page goes on without it.
    """
    code = session.view().vote
    sight = now(code)
    if sight is not None:
        _settle(sight)
    elif code:
        _say(SettingsError("vote_gone", room=code))
        leave()


def _settle(sight: Sight | None) -> None:
    if sight is None:
        return
    stage = sight.code, sight.ticket, sight.revealed
    if _seat().settled != stage:
        _seat().settled = stage
        session.answer(sight.question, (sight.choice or SHOWN) if sight.revealed else None)


def open_vote(page: Page, question: str, form: Form) -> None:
    """Opens a vote on this question in the present state, and keeps what a link of a teacher has locked.

    The answers that are on this page are shown to all: without them the question may not be asked at all.
    """
    marks = {name: getattr(page.stop, name) for name in ("locked", "hidden", "skipped", "withheld")}
    known = [one for one in page.lesson.questions if one != question and page.answer(one) is not None]
    marks["skipped"] = tuple(dict.fromkeys((*marks["skipped"], *known)))
    stop = stop_of(page.lesson.name, session.link_of(page.lesson.name), **marks)
    plan = page.view.plan
    handed = Plan((stop,)) if plan is None else Plan((stop,), plan.title, plan.unlocks)
    setup = parts_of(handed, 1, page.view.language)

    def start() -> None:
        session.look(vote=VOTES.start(person(), page.lesson.name, question, form, setup))
        _seat().bound = True
        session.answer(question, None)
        session.redraw()

    _try(start)


def mark(*, drawn: bool) -> None:
    """Notes whether the card of the vote is on the page."""
    _seat().drawn = drawn


def is_drawn() -> bool:
    return _seat().drawn


def may_answer(sight: Sight | None) -> bool:
    """Whether this person may answer the question now, in a vote or as always."""
    return sight is None or sight.asks or sight.revealed


def commit(question: str, sight: Sight | None, answer: str) -> None:
    """Commits this answer, or votes for it. sight: the vote as it was drawn when the answer was chosen."""
    if sight is not None and sight.asks:
        cast(sight, answer)
    else:
        session.answer(question, answer)


def cast(sight: Sight, answer: str) -> None:
    """Votes for this answer, or changes the vote to it. sight: the vote as it was drawn."""

    def vote() -> None:
        VOTES.vote(sight.code, person(), sight.ticket, answer)
        _seat().bound = True

    _try(vote)


def close(code: str) -> None:
    _try(lambda: VOTES.close(code, person()))


def show_bars(code: str) -> None:
    _try(lambda: VOTES.show_bars(code, person()))


def reveal(code: str) -> None:
    """The answer is shown, here and on all phones."""

    def show() -> None:
        VOTES.reveal(code, person())
        _settle(now(code))

    _try(show)


def reveal_by_key(question: str) -> None:
    """What the key A of a presentation does: nothing while a vote is open, and nothing for voters."""
    sight = now(session.view().vote)
    if sight is None:
        session.reveal(question)
    elif sight.open:
        return
    elif sight.question != question or sight.revealed:
        session.reveal(question)
    elif sight.mine:
        reveal(sight.code)


def again(code: str) -> None:
    """Another round; the answer that was revealed is hidden."""

    def start() -> None:
        VOTES.again(code, person())
        _settle(now(code))

    _try(start)


def end(code: str) -> None:
    """The vote goes, for all."""
    leave()
    _try(lambda: VOTES.end(code, person()))


def leave() -> None:
    """This page takes part no longer."""
    session.look(vote="")


def _try(act: Callable[[], None]) -> None:
    try:
        act()
    except SettingsError as problem:
        _say(problem)


def _say(problem: SettingsError) -> None:
    session.visit().problems.append(problem)
