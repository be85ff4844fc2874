"""What people do in a room: its owner leads the class, asks it and shows the answer; the others vote."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any, NoReturn

from pages import session
from pages.draw.page import Page
from pages.model.ballots import Form
from pages.model.entries import SettingsError
from pages.model.handout import Plan, Stop, is_own, read, write
from pages.model.link import to_query
from pages.model.view import SHOWN
from pages.room import Away, Event, rules
from pages.room.channel import YOURS
from pages.room.rooms import ROOMS, VoteResult
from pages.room.rules import Act, Scene, VoteSight

from . import presence, seat

# ---- the owner leads


def scene_of(page: Page, asked: str = "") -> Scene:
    """What the page shows, without a room and a presentation: of a plan the present stop, without notes.

    asked: the question of a vote, by default of the present one until its answer is revealed; the scene has
    no answer to it, while those that the lesson's page shows to other questions are with it: a question may
    depend on them.
    """
    vote = seat.vote_of()
    asked = asked or ("" if vote is None or vote.revealed else vote.question)
    asking = replace(page, shows=False)
    names = dict.fromkeys((*page.asked, *page.lesson.questions))
    shown = tuple(
        name
        for name in names
        if name != asked and (page if name in page.asked else asking).answer(name) is not None
    )
    view = replace(page.view, vote="", presenting=False, follows=True).alone(page.lesson.name)
    if view.plan is not None:
        view = replace(view, plan=replace(view.plan, stops=tuple(_sealed(view.plan, shown, asked))))
    query = to_query(page.numbers, view, page.place)
    del query["lang"]
    return Scene(page.lesson.name, query, shown)


def _sealed(plan: Plan, shown: Collection[str], asked: str) -> Iterator[Stop]:
    """The stops without the answer to a question of the teacher's own, until it is shown.

    The question itself is there while the class votes on it.
    """
    for stop in plan.stops:
        own = stop.question
        if own is not None and own.name not in shown:
            stop = replace(stop, question=own.sealed() if own.name == asked else None)
        yield stop


def lead(page: Page) -> None:
    """The class follows this page from now on, in the owner's room, which is new if there is none."""

    def begin() -> None:
        code, scene = _open(), scene_of(page)
        ROOMS.act(code, seat.person(), rules.leads(scene))
        seat.look()  # from here on it is the room that the visit follows
        seat.of().followed.scene = scene

    _try(begin)


def resume(page: Page) -> NoReturn:
    """Presents, in another browser of the owner, what the room shows: the scene in the owner's plan.

    Of the plan the scene has its own stop alone, as the class has it.
    """
    code, sight, attendance = page.view.vote, seat.look(), presence.of_class(page.view.vote)
    scene = (sight and sight.document.scene) or Scene(page.lesson.name, {})
    link = {**scene.query, "lang": page.view.language, "room": code, "present": "on"}
    plan = presence.plan_of(attendance.plan) if attendance else None
    if attendance and plan:
        shown = presence.plan_of(scene.query.get("plan", ""))
        here = [(stop.lesson, stop.query) for stop in shown.stops] if shown else []
        alike = [i for i, stop in enumerate(plan.stops, start=1) if (stop.lesson, stop.query) in here]
        stop = attendance.host.stop if attendance.host.stop in alike or not alike else alike[0]
        link |= {"plan": attendance.plan, "stop": str(max(stop, 1))}
    for question in scene.shown:
        session.reveal(question)
    session.leave_for(scene.lesson, link)


def _open() -> str:
    """The code of this person's room, in which the visit is from now on."""
    code = ROOMS.open(seat.person())
    seat.of().bound = True
    if session.view().vote != code:
        session.set_view(vote=code)
    return code


def publish(page: Page) -> None:
    """Writes what the owner's page shows, unless a hand holds a number.

    While the class votes the owner may look elsewhere; what the page shows later is written.
    """
    sight, followed = seat.look(), seat.of().followed
    if sight is None or not sight.mine or sight.scene is None or session.visit().inbox.rest is not None:
        return
    before, followed.scene = followed.scene, scene_of(page)
    if seat.is_open() or followed.scene.is_like(before):
        return
    if (
        before
        and not before.is_like(sight.scene)
        and _without_answers(before) == _without_answers(followed.scene)
    ):
        return  # a vote of another page of the owner, where the class is, has changed the answers here
    try:
        ROOMS.act(sight.code, seat.person(), rules.shows(followed.scene))
    except SettingsError as problem:
        if problem.code == "room_full":
            seat.tell(problem)
            session.rerun()  # says so
        followed.scene = None  # it is tried again


def _without_answers(scene: Scene) -> tuple[str, dict[str, str]]:
    return scene.lesson, {**scene.query, "plan": ""}  # it has those to questions of the teacher's own


def act(act: Act) -> None:
    """Changes the owner's room by this rule."""
    _try(lambda: ROOMS.act(session.view().vote, seat.person(), act))


def welcome(on: bool) -> None:
    """Newcomers may come to the owner's room, or only those who are here already."""

    def change() -> None:
        code = session.view().vote
        people = len(ROOMS.store.words(code, rules.HERE))
        ROOMS.act(code, seat.person(), rules.welcomes(on, people))

    _try(change)


def lifetimes() -> tuple[str, ...]:
    """How long a room may stay: a process that ends forgets the rooms in its memory."""
    return rules.STAYS if ROOMS.store.outlasts else rules.STAYS[:2]


def _try(act: Any) -> None:
    seat.attempt(act)
    session.redraw()


# ---- the owner asks


def open_vote(page: Page, question: str, form: Form) -> None:
    """Opens a vote on this question in the present state; everybody in the room comes to it."""
    _, own = page.asked_by_teacher
    own = own if own is not None and own.name == question else None
    secret = write(Plan((Stop(page.lesson.name, question=own),))) if own else ""

    def start() -> None:
        scene = scene_of(page, question)
        code = ROOMS.ask(seat.person(), scene, question, form, secret)
        seat.of().bound = True
        session.set_view(vote=code)
        seat.look()
        seat.of().followed.scene = scene
        session.answer(question, None)

    _try(start)


def close(code: str, *kept: Any) -> None:
    """kept: for the results, see rules.closes."""
    seat.attempt(lambda: ROOMS.close(code, seat.person(), *kept))


def show_bars() -> None:
    seat.attempt(lambda: ROOMS.act(session.view().vote, seat.person(), rules.shows_bars))


def reveal() -> None:
    """Shows the answer, here and on all phones."""

    def show() -> None:
        ROOMS.act(session.view().vote, seat.person(), rules.reveals)
        _settle(seat.vote_of())

    seat.attempt(show)


def reveal_by_key(question: str) -> None:
    """Handles the key A of a presentation: no effect while a vote is open, and for voters."""
    sight = seat.vote_of()
    if sight is None:
        session.reveal(question)
    elif sight.open:
        return
    elif sight.question != question or sight.revealed:
        session.reveal(question)
    elif sight.mine:
        reveal()


def again(page: Page, question: str) -> None:
    """Starts another round, which hides the answer again."""

    def start() -> None:
        ROOMS.again(session.view().vote, seat.person(), scene_of(page, question))
        _settle(seat.vote_of())

    seat.attempt(start)


def end(code: str) -> None:
    """Ends the room for all."""
    seat.leave()
    seat.attempt(lambda: ROOMS.end(code, seat.person()))


def results(code: str) -> list[VoteResult]:
    """The votes of this person's room; none if it is somebody else's. Raises Away."""
    try:
        return ROOMS.results(code, seat.person()) if code else []
    except SettingsError as problem:
        if problem.code == "vote_away":
            raise Away from None
        return []


# ---- all


def catch_up() -> None:
    """Answers a revealed question, for voters with their choice. Call it before the page is drawn.

    If the room has ended, the page reports that and goes on without it.
    """
    sight, code = seat.look(), session.view().vote
    if sight is not None:
        _settle(sight.vote)
    elif code and not seat.of().is_away:
        seat.tell(SettingsError("vote_gone", room=code))
        seat.leave()


def _settle(sight: VoteSight | None) -> None:
    if sight is None:
        return
    if sight.revealed and is_own(sight.question):
        _unseal(sight)
    stage = sight.code, sight.ticket, sight.revealed
    if seat.of().settled != stage:
        seat.of().settled = stage
        session.answer(sight.question, (sight.choice or SHOWN) if sight.revealed else None)


def _unseal(sight: VoteSight) -> None:
    """Completes a teacher's own question, whose answer the phones did not have, once it is revealed."""
    visit, room = session.visit(), seat.look()
    plan, vote = visit.view.plan, room and room.document.vote
    if plan is None or not vote or not any(stop.question and stop.question.is_sealed for stop in plan.stops):
        return
    kept = read(vote.secret)
    whole = None if kept is None else kept.stops[0].question
    if whole is not None and whole.name == sight.question:
        stops = (
            replace(stop, question=whole) if stop.question == whole.sealed() else stop for stop in plan.stops
        )
        visit.view = replace(visit.view, plan=replace(plan, stops=tuple(stops)))


def commit(question: str, sight: VoteSight | None, answer: str) -> None:
    """Commits this answer, or votes for it. sight: the vote at the time of the drawing."""
    if sight is not None and sight.asks:
        cast(sight, answer)
    else:
        session.answer(question, answer)


def cast(sight: VoteSight, answer: str) -> None:
    """Votes for this answer, or changes the vote to it. sight: the vote at the time of the drawing."""
    seat.of().pending = sight.code, sight.ticket, answer
    try_again()


def is_pending(sight: VoteSight) -> bool:
    """Whether a vote of this person in this round is not confirmed yet."""
    pending = seat.of().pending
    return pending is not None and pending[:2] == (sight.code, sight.ticket)


def try_again() -> bool:
    """Sends the vote that is not confirmed yet, if there is one; False if it was refused."""
    mine = seat.of()
    if mine.pending is None:
        return True
    code, ticket, answer = mine.pending
    try:
        ROOMS.vote(code, mine.person, ticket, answer)
    except SettingsError as problem:
        if problem.code == "vote_away":
            mine.bound = True  # it may have arrived
            return True
        mine.pending = None
        seat.tell(problem)
        return False
    mine.bound, mine.pending = True, None
    seat.CHANNEL.tell_person(code, mine.person, Event(YOURS, answer))
    return True
