"""The actions of the owner and the voters of a vote.

A person is a random name, which the browser keeps. It is in no link: the owner's address lets others vote,
and nothing else.
"""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from pages import session
from pages.draw.page import Page
from pages.model import turns
from pages.model.ballots import Form
from pages.model.entries import SettingsError
from pages.model.handout import Plan, Stop, is_own, parts_of, read, stop_of, write
from pages.model.view import SHOWN
from pages.room import Away, Event
from pages.room.channel import YOURS, Channel, Listener
from pages.room.votes import VOTES, Sight, Ticket, VoteResult

MOST_VOICES = 20  # that a browser keeps
NAME = re.compile(r"[\w-]{22}", re.ASCII)


@dataclass
class Seat:
    """The part of a visit in votes."""

    person: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    bound: bool = False  # the name cannot change any more, so that a visit has one vote
    settled: tuple | None = None  # the stage of the vote that the answer on the page agrees with
    drawn: bool = False  # the card of the vote is on the page
    led: tuple[str, int] | None = None  # room and serial number of the vote to which this visit was led
    typed: str = ""  # the code of a room that was typed and is there, until the page leaves for it
    introduced: str = ""  # the room for which the browser has sent its name
    # While the store cannot be reached: the last view of the room, and a vote that is not confirmed yet.
    is_away: bool = False
    last: Sight | None = None
    pending: tuple[str, Ticket, str] | None = None  # room, ticket, answer


def _seat(visit: session.Visit | None = None) -> Seat:
    return session.memory("vote", Seat, visit)


def person() -> str:
    return _seat().person


def known_as(code: str, name: object) -> None:
    """Takes the person's name in this room from the browser, which may know one from before a reload.

    Anybody can send names: a visit accepts one name, and none after it has voted or opened a vote.
    """
    seat = _seat()
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return
    seat.introduced = code
    if not seat.bound and name != seat.person:
        seat.person, seat.bound, seat.settled = name, True, None
        CHANNEL.rename(session.visit().name)
    session.redraw()


def asks_for_name(code: str) -> bool:
    """Whether the browser has not sent the person's name in this room yet."""
    return _seat().introduced != code


def sight_of(page: Page, question: str) -> Sight | None:
    """This person's view of the vote on this question; None without a vote."""
    sight = current_sight(page.view.vote)
    return sight if sight is not None and sight.question == question else None


def current_sight(code: str) -> Sight | None:
    """This person's view of the vote in this room: the last one while the store cannot be reached."""
    return _sight(session.visit(), code)


def _sight(visit: session.Visit, code: str) -> Sight | None:
    seat, course = _seat(visit), visit.course
    if not code:
        return None
    try:
        sight = VOTES.sight(code, seat.person)
        if sight is not None and not (
            sight.lesson in course.pages and (is_own(sight.question) or sight.question in course.questions)
        ):
            sight = None  # of a newer version
        seat.last, seat.is_away = sight, False
    except Away:
        seat.is_away = True
        if seat.last is not None and seat.last.code != code:
            seat.last = None
    return seat.last


def listener(name: str) -> Listener | None:
    """The person of the visit of that name, in the room in which the visit is."""
    visit = session.visit_by_id(name)
    return Listener(visit.view.vote, _seat(visit).person) if visit is not None and visit.view.vote else None


CHANNEL = Channel(VOTES.store, listener, is_busy=turns.are_waited_for, word=VOTES.choice)


def is_open(code: str) -> bool:
    """Whether the class is voting in this room."""
    sight = current_sight(code)
    return sight is not None and sight.open


def takes_part(voices: object) -> bool:
    """Whether one of these people has opened a vote that is open, or has voted in it.

    voices: what a browser says, pairs of a room and a name.
    """
    pairs = [pair for pair in voices[:MOST_VOICES] if _is_pair(pair)] if isinstance(voices, list) else []
    try:
        sights = [VOTES.sight(code, name) for code, name in pairs]
    except Away:
        return bool(pairs)
    return any(
        sight.open and (sight.mine or sight.choice is not None) for sight in sights if sight is not None
    )


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(word, str) for word in value)


def withheld(visit: session.Visit) -> str:
    """The question of the vote until its answer is revealed: the visit must not show its answer."""
    sight = _sight(visit, visit.view.vote)
    return "" if sight is None or sight.revealed else sight.question


def lead(lesson: str) -> None:
    """Leads a voter to the question of a new vote, with its numbers. Call it before a lesson is entered.

    A link with more than the room may be the owner's, after a reload: there the browser first sends the name.
    """
    seat, sight = _seat(), current_sight(session.view().vote)
    if sight is None or sight.mine:
        return
    this, plain = (sight.code, sight.serial), session.is_plain_link("lang", "room", "vote", "present")
    if session.visit().arrived:  # a link was opened
        seat.led = this if plain and lesson == sight.lesson else None
    if seat.led != this and (seat.led or plain or not asks_for_name(sight.code)):
        seat.led = this
        session.leave_for(sight.lesson, {"lang": session.view().language, "room": sight.code})


def go(code: str) -> None:
    """Has the voter led to the question again."""
    seat = _seat()
    seat.led, seat.introduced = None, code
    session.redraw()


def type_code(key: str) -> None:
    """Takes a typed code, if there is such a room."""
    typed = str(session.widget_value(key) or "").strip()
    if typed:

        def enter() -> None:
            _seat().typed = session.room_of(typed, session.visit().guesses)

        _try(enter)


def go_in() -> None:
    """Leaves for the room whose code was typed."""
    seat = _seat()
    if seat.typed:
        code, seat.typed = seat.typed, ""
        session.leave_for(session.visit().here, {"lang": session.view().language, "room": code})


def holds(page: Page) -> bool:
    """Whether this page must show no numbers, as its voter's vote is on another question and not revealed."""
    sight = current_sight(page.view.vote)
    if sight is None or sight.mine or sight.revealed:
        return False
    if session.is_following() and not sight.open:
        return False  # the teacher has gone on, and shows these numbers
    if is_own(sight.question):
        _, own = page.asked_by_teacher
        here = own is not None and own.name == sight.question
    else:
        at = page.course.asked_at(sight.question)
        here = at.lesson == page.lesson.name and at.part == page.part.name
        here = here and at.topic in (None, page.part.topics and page.topic.name)
    return not here or _seat().led != (sight.code, sight.serial)


def catch_up() -> None:
    """Answers a revealed question, for voters with their choice. Call it before the page is drawn.

    If the vote has ended, the page reports that and goes on without it.
    """
    code = session.view().vote
    sight = current_sight(code)
    if sight is not None:
        _settle(sight)
    elif code and not _seat().is_away and not _is_room(code):
        _say(SettingsError("vote_gone", room=code))
        leave()


def _is_room(code: str) -> bool:
    try:
        return VOTES.is_there(code)
    except Away:
        return True


def _settle(sight: Sight | None) -> None:
    if sight is None:
        return
    if sight.revealed and is_own(sight.question):
        _unseal(sight)
    stage = sight.code, sight.ticket, sight.revealed
    if _seat().settled != stage:
        _seat().settled = stage
        session.answer(sight.question, (sight.choice or SHOWN) if sight.revealed else None)


def _unseal(sight: Sight) -> None:
    """Completes a teacher's own question, whose answer the phones did not have, once it is revealed."""
    visit = session.visit()
    plan = visit.view.plan
    if plan is None or not any(stop.question and stop.question.is_sealed for stop in plan.stops):
        return
    try:
        kept = read(VOTES.secret(sight.code))
    except Away:
        return
    whole = None if kept is None else kept.stops[0].question
    if whole is not None and whole.name == sight.question:
        stops = (
            replace(stop, question=whole) if stop.question == whole.sealed() else stop for stop in plan.stops
        )
        visit.view = replace(visit.view, plan=replace(plan, stops=tuple(stops)))


def open_vote(page: Page, question: str, form: Form) -> None:
    """Opens a vote on this question in the present state, with the locks of a teacher's link.

    The lesson's other answers are shown to all voters: the question may depend on them.
    """
    marks = {name: getattr(page.stop, name) for name in ("locked", "hidden", "skipped", "withheld")}
    asking = replace(page, shows=False)
    known = [other for other in page.lesson.questions if other != question and asking.answer(other)]
    marks["skipped"] = tuple(dict.fromkeys((*marks["skipped"], *known)))
    _, own = page.asked_by_teacher
    own = own if own is not None and own.name == question else None
    sealed = own and own.sealed()
    stop = stop_of(page.lesson.name, session.link_of(page.lesson.name), **marks, question=sealed)
    plan = page.view.plan
    handed = Plan((stop,)) if plan is None else Plan((stop,), plan.title, plan.unlocks)
    setup = parts_of(handed, 1, page.view.language)
    secret = write(Plan((Stop(page.lesson.name, question=own),))) if own else ""

    def start() -> None:
        code = VOTES.start(person(), page.lesson.name, question, form, setup, secret)
        session.set_view(vote=code)
        _seat().bound = True
        session.answer(question, None)
        session.redraw()

    _try(start)


def open_room() -> str:
    """The code of this person's room, in which the visit is from now on."""
    code = VOTES.open(person())
    _seat().bound = True
    if session.view().vote != code:
        session.set_view(vote=code)
    return code


def stay(lesson: str) -> None:
    """Lets a page that follows the teacher stay, if the class votes on a question that it shows."""
    sight = current_sight(session.view().vote)
    if sight is None or not sight.open or sight.mine or is_own(sight.question):
        return
    at, here = session.visit().course.asked_at(sight.question), session.place(lesson)
    if (at.lesson, at.part) == (lesson, here.part) and at.topic in (None, here.topic):
        _seat().led = sight.code, sight.serial


def is_on(page: Page) -> bool:
    """Whether the page shows a question on which the class votes, or has voted last."""
    sight = current_sight(page.view.vote)
    return sight is not None and sight.question in page.asked


def mark(*, drawn: bool) -> None:
    """Notes whether the card of the vote is on the page."""
    _seat().drawn = drawn


def is_drawn() -> bool:
    return _seat().drawn


def may_answer(sight: Sight | None) -> bool:
    """Whether this person may answer the question now, in a vote or without."""
    return sight is None or sight.asks or sight.revealed


def commit(question: str, sight: Sight | None, answer: str) -> None:
    """Commits this answer, or votes for it. sight: the vote at the time of the drawing."""
    if sight is not None and sight.asks:
        cast(sight, answer)
    else:
        session.answer(question, answer)


def cast(sight: Sight, answer: str) -> None:
    """Votes for this answer, or changes the vote to it. sight: the vote at the time of the drawing."""

    _seat().pending = sight.code, sight.ticket, answer
    try_again()


def is_pending(sight: Sight) -> bool:
    """Whether a vote of this person in this round is not confirmed yet."""
    pending = _seat().pending
    return pending is not None and pending[:2] == (sight.code, sight.ticket)


def try_again() -> bool:
    """Sends the vote that is not confirmed yet, if there is one; False if it was refused."""
    seat = _seat()
    if seat.pending is None:
        return True
    code, ticket, answer = seat.pending
    try:
        VOTES.vote(code, seat.person, ticket, answer)
    except SettingsError as problem:
        if problem.code == "vote_away":
            seat.bound = True  # it may have arrived
            return True
        seat.pending = None
        _say(problem)
        return False
    seat.bound, seat.pending = True, None
    CHANNEL.tell_person(code, seat.person, Event(YOURS, answer))
    return True


def close(code: str, *kept: Any) -> None:
    """kept: for the results, see Votes.close."""
    _try(lambda: VOTES.close(code, person(), *kept))


def results(code: str) -> list[VoteResult]:
    """The votes of this person's room; none if it is somebody else's. Raises Away."""
    try:
        return VOTES.results(code, person()) if code else []
    except SettingsError as problem:
        if problem.code == "vote_away":
            raise Away from None
        return []


def show_bars(code: str) -> None:
    _try(lambda: VOTES.show_bars(code, person()))


def reveal(code: str) -> None:
    """Shows the answer, here and on all phones."""

    def show() -> None:
        VOTES.reveal(code, person())
        _settle(current_sight(code))

    _try(show)


def reveal_by_key(question: str) -> None:
    """Handles the key A of a presentation: no effect while a vote is open, and for voters."""
    sight = current_sight(session.view().vote)
    if sight is None:
        session.reveal(question)
    elif sight.open:
        return
    elif sight.question != question or sight.revealed:
        session.reveal(question)
    elif sight.mine:
        reveal(sight.code)


def again(code: str) -> None:
    """Starts another round, which hides the answer again."""

    def start() -> None:
        VOTES.again(code, person())
        _settle(current_sight(code))

    _try(start)


def end(code: str) -> None:
    """Ends the vote for all."""
    leave()
    _try(lambda: VOTES.end(code, person()))


def leave() -> None:
    """Leaves the room."""
    session.leave_class(follows=True)
    session.set_view(vote="")


def _try(act: Callable[[], None]) -> None:
    try:
        act()
    except SettingsError as problem:
        _say(problem)


def _say(problem: SettingsError) -> None:
    session.visit().problems.append(problem)
