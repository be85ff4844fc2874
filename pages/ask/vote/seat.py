"""Who a visit is in a room, what it sees there, and where its page is (see room/rules.py).

A person is a random name, which the browser keeps. It is in no link: the owner's address lets others come in,
and nothing else. Who opened a room is its owner in that browser until the room ends, whatever dies meanwhile:
the browser gives the name to each new visit.
"""

import contextlib
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from pages import session
from pages.draw.page import Page
from pages.model.entries import SettingsError
from pages.model.fields import UNREADABLE
from pages.model.handout import is_own, parts_of, read
from pages.model.view import SHOWN
from pages.room import Away, rules
from pages.room.channel import Channel, Listener
from pages.room.rooms import ROOMS
from pages.room.rules import Scene, Sight, Ticket, VoteSight

MOST_VOICES = 20  # that a browser keeps
NAME = re.compile(r"[\w-]{22}", re.ASCII)
CHANNEL = Channel(ROOMS.store)  # app.py gives it what it has to know of the visits


@dataclass
class Followed:
    """What the page has seen of its room."""

    code: str = ""
    invited: bool = False  # the visit has opened the link of the room, without numbers, or has followed
    scene: Scene | None = None  # that was opened last, or, on the owner's page, was written last
    vote: tuple[int, int] | None = None  # serial number and round to which the page has come
    copies: int | None = None  # that the room had at the last look
    copied: bool = False  # the learner has left with a copy


@dataclass
class Seat:
    """The part of a visit in rooms."""

    person: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    bound: bool = False  # the name cannot change any more, so that a visit has one vote
    settled: tuple | None = None  # the stage of the vote that the answer on the page agrees with
    drawn: bool = False  # the card of the vote is on the page
    typed: str = ""  # the code of a room that was typed and is there, until the page leaves for it
    introduced: str = ""  # the room for which the browser has sent its name
    followed: Followed = field(default_factory=Followed)
    # While the store cannot be reached: the last view of the room, and a vote that is not confirmed yet.
    is_away: bool = False
    last: Sight | None = None
    pending: tuple[str, Ticket, str] | None = None  # room, ticket, answer


def of(visit: session.Visit | None = None) -> Seat:
    return session.memory("vote", Seat, visit)


def person() -> str:
    return of().person


def known_as(code: str, name: object) -> None:
    """Takes the person's name in this room from the browser, which may know one from before a reload.

    Anybody can send names: a visit accepts one name, and none after it has voted or opened a vote.
    """
    seat = of()
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return
    seat.introduced = code
    if not seat.bound and name != seat.person:
        seat.person, seat.bound, seat.settled = name, True, None
        CHANNEL.rename(session.visit().name)
    session.redraw()


def take_over(code: str, key: object) -> None:
    """Makes this visit one of the owner's if the key, which an address had, is the owner's name."""
    is_name = isinstance(key, str) and NAME.fullmatch(key)
    sight = None
    with contextlib.suppress(Away):
        sight = ROOMS.sight(code, str(key)) if is_name else None
    known_as(code, key if sight is not None and sight.mine else person())


def asks_for_name(code: str) -> bool:
    """Whether the browser has not sent the person's name in this room yet."""
    return of().introduced != code


# ---- what it sees


def look(visit: session.Visit | None = None) -> Sight | None:
    """This person's view of the visit's room: the last one while the store cannot be reached."""
    visit = visit or session.visit()
    seat, code = of(visit), visit.view.vote
    if seat.followed.code != code:
        seat.followed = Followed(code)
    if not code:
        return None
    try:
        sight = ROOMS.sight(code, seat.person)
        seat.last, seat.is_away = sight and _known(sight, visit), False
    except Away:
        seat.is_away = True
        if seat.last is not None and seat.last.code != code:
            seat.last = None
    return seat.last


def _known(sight: Sight, visit: session.Visit) -> Sight:
    """The view without what belongs to a course of another version."""
    course, vote, scene = visit.course, sight.vote, sight.document.scene
    if vote is not None and not (
        vote.lesson in course.pages and (is_own(vote.question) or vote.question in course.questions)
    ):
        sight = replace(sight, vote=None, document=replace(sight.document, vote=None))
    if scene is not None and scene.lesson not in course.pages:
        sight = replace(sight, document=replace(sight.document, leads=False))
    return sight


def vote_of(visit: session.Visit | None = None) -> VoteSight | None:
    """This person's view of the vote in the visit's room."""
    sight = look(visit)
    return None if sight is None else sight.vote


def sight_of(page: Page, question: str) -> VoteSight | None:
    """This person's view of the vote on this question; None without a vote."""
    sight = vote_of()
    return sight if sight is not None and sight.question == question else None


def listener(name: str) -> Listener | None:
    """The person of the visit of that name, in the room in which the visit is."""
    visit = session.visit_by_id(name)
    return Listener(visit.view.vote, of(visit).person) if visit is not None and visit.view.vote else None


def is_open() -> bool:
    """Whether the class of this page is voting."""
    sight = vote_of()
    return sight is not None and sight.open


def takes_part(voices: object) -> bool:
    """Whether one of these people has opened a vote that is open, or has voted in it.

    voices: what a browser says, pairs of a room and a name.
    """
    pairs = [pair for pair in voices[:MOST_VOICES] if _is_pair(pair)] if isinstance(voices, list) else []
    try:
        sights = [ROOMS.sight(code, name) for code, name in pairs]
    except Away:
        return bool(pairs)
    votes = [sight.vote for sight in sights if sight is not None and sight.vote is not None]
    return any(vote.open and (vote.mine or vote.choice is not None) for vote in votes)


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(word, str) for word in value)


def withheld(visit: session.Visit) -> str:
    """The question of the vote until its answer is revealed: the visit must not show its answer."""
    sight = vote_of(visit)
    return "" if sight is None or sight.revealed else sight.question


def is_on(page: Page) -> bool:
    """Whether the page shows a question on which the class votes, or has voted last."""
    sight = vote_of()
    return sight is not None and sight.question in page.asked


def may_answer(sight: VoteSight | None) -> bool:
    """Whether this person may answer the question now, in a vote or without."""
    return sight is None or sight.asks or sight.revealed


# ---- where its page is


def arrive(name: str) -> None:
    """Brings the page to the place where the class is. Call it before a lesson is entered."""
    sight, followed = look(), of().followed
    _take_copy(sight)
    if sight is None or rules.where(sight, follows=True) == "own":
        if session.is_following():  # the teacher has stopped, or the room has ended
            session.leave_class(follows=True)
        elif sight is not None and not followed.invited and session.is_plain_link("lang", "room", "vote"):
            followed.invited = True
            _open_plan(sight)
        return
    scene = sight.scene
    followed.invited = followed.invited or session.is_plain_link("lang", "room", "vote")
    if session.is_following() and followed.scene and name != followed.scene.lesson and not is_due():
        session.leave_class(follows=False)  # the learner went to another lesson
    if scene is not None and is_due():
        open_scene(scene)
        if scene.lesson != name:
            session.move_to(scene.lesson)
    note_vote()


def _open_plan(sight: Sight) -> None:
    """Opens the plan that the owner has handed out by the link of the room, without the notes."""
    with contextlib.suppress(*UNREADABLE):
        plan = read(sight.document.plan.text)
        if plan is not None and session.visit().course.has(plan) and not sight.mine:
            query = parts_of(plan.without_notes(), 1, session.view().language) | {"room": sight.code}
            session.leave_for(plan.stops[0].lesson, query)


def is_due() -> bool:
    """Whether there is a scene that the page has to show and does not show yet."""
    sight, followed = look(), of().followed
    if sight is None or not is_known():
        return False
    follows = session.view().follows or _is_called(sight)
    if rules.where(sight, follows=follows) != "scene" or sight.scene is None:
        return False
    return not (session.is_following() and followed.scene and followed.scene.serial == sight.scene.serial)


def is_known() -> bool:
    """Whether this person is no owner whose name the browser has not sent yet, after a reload.

    A link with numbers may be the owner's; that of the room alone is for the others.
    """
    followed = of().followed
    return followed.invited or not asks_for_name(followed.code)


def _is_called(sight: Sight) -> bool:
    """Whether a vote has begun since the page was with the class: it brings everybody once."""
    vote = sight.vote
    return vote is not None and vote.open and vote.ticket[:2] != of().followed.vote


def note_vote() -> None:
    """Notes that the page has come to the vote, during which the numbers of the scene rest."""
    vote = vote_of()
    if vote is not None and session.is_following():
        of().followed.vote = vote.ticket[:2]
        session.rest_class(vote.open)


def open_scene(scene: Scene) -> None:
    """Puts the scene on the screen, with the answers that the teacher's page shows."""
    followed = of().followed
    session.follow_class(scene.lesson, scene.query)
    session.set_view(follows=True)
    before = followed.scene.shown if followed.scene else ()
    for question in before:
        if question not in scene.shown and session.view().answer(question) == SHOWN:
            session.answer(question, None)
    for question in scene.shown:
        if session.view().answer(question) is None:
            session.answer(question, SHOWN)
    followed.scene, followed.invited, followed.copied = scene, True, False


def _take_copy(sight: Sight | None) -> None:
    """Takes the copy that everybody gets, if it is new since the last look."""
    if sight is None:
        return
    followed, room = of().followed, sight.document
    before, followed.copies = followed.copies, room.copies
    if room.copied is not None and before not in (None, room.copies) and not sight.mine:
        session.take_copy(room.copied.query)
        followed.copied = True


def keep_up(name: str) -> None:
    """Looks at the room. A scene with the same lesson is opened at once, without a run of the whole page."""
    sight = look()
    _take_copy(sight)
    scene = None if sight is None else sight.scene
    if scene is not None and scene.lesson == name and session.is_following() and is_due():
        open_scene(scene)
    note_vote()


def follow() -> None:
    """Brings the page back to the class."""
    session.set_view(follows=True)
    followed = of().followed
    followed.copied, followed.invited = False, True
    session.redraw()


def holds() -> bool:
    """Whether the page shows no numbers: the class is at a question, and this page is not with the class."""
    sight = look()
    return sight is not None and rules.where(sight, follows=session.is_following()) == "held"


def leave() -> None:
    """Leaves the room."""
    session.leave_class(follows=True)
    session.set_view(vote="")


def type_code(key: str) -> None:
    """Takes a typed code, if there is such a room."""
    typed = str(session.widget_value(key) or "").strip()
    if typed:

        def enter() -> None:
            of().typed = session.room_of(typed, session.visit().guesses)

        attempt(enter)


def go_in() -> None:
    """Leaves for the room whose code was typed."""
    seat = of()
    if seat.typed:
        code, seat.typed = seat.typed, ""
        session.leave_for(session.visit().here, {"lang": session.view().language, "room": code})


def mark(*, drawn: bool) -> None:
    """Notes whether the card of the vote is on the page."""
    of().drawn = drawn


def is_drawn() -> bool:
    return of().drawn


def attempt(act: Callable[[], object]) -> None:
    """Does it, and says why if the room refuses."""
    try:
        act()
    except SettingsError as problem:
        tell(problem)


def tell(problem: SettingsError) -> None:
    session.visit().problems.append(problem)
