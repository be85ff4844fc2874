"""Who takes part in a vote, and what they do.

A person is a random name, which this browser keeps. It is in no link, so that a person who gets the address
of the one who has opened a vote can vote and nothing else.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

from pages.model.entries import SettingsError
from pages.model.fields import specs
from pages.model.handout import Plan, parts_of, stop_of
from pages.model.view import SHOWN, View
from pages.model.votes import VOTES, Sight

from .. import session
from ..page import Page

NAME = re.compile(r"[\w-]{22}", re.ASCII)


@dataclass
class Seat:
    """What the visit keeps."""

    person: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    settled: tuple | None = None  # the stage of a vote that this person's answer has followed
    drawn: bool = False  # the card of the vote is on the page


def _seat() -> Seat:
    return session.kept("vote", Seat)


def person() -> str:
    return _seat().person


def known_as(name: object) -> None:
    """The browser knows this person by another name, from before it was reloaded."""
    if isinstance(name, str) and NAME.fullmatch(name):
        _seat().person, _seat().settled = name, None
        session.redraw()


def seen(page: Page, question: str, given: str | None) -> Sight | None:
    """What may be known of the vote on this question; None where there is none.

    given: the answer that the page shows. If the one who has opened the vote sees it, so do all.
    """
    code = page.view.vote
    sight = now(code) if code else None
    if sight is None or sight.question != question:
        return None
    if sight.mine and given is not None and not sight.revealed:
        _try(lambda: VOTES.reveal(code, person()))
        return now(code)
    return sight


def now(code: str) -> Sight | None:
    """What may be known of the vote in this room."""
    return VOTES.sight(code, person())


def follow() -> None:
    """Call it before the page is drawn: who votes has no answer before it is revealed, and then their own.

    Where the vote is gone, that is said and the page goes on without it.
    """
    code = session.view().vote
    if not code:
        return
    sight, seat = now(code), _seat()
    if sight is None:
        _say(SettingsError("vote_gone", room=code))
        leave()
    elif not sight.mine and seat.settled != sight.stage:
        seat.settled = sight.stage
        session.answer(sight.question, (sight.choice or SHOWN) if sight.revealed else None)


def open_vote(page: Page, question: str, options: tuple[str, ...]) -> None:
    """Opens a vote on this question in the present state, and keeps what a link of a teacher has locked.

    The answers that are seen here are shown to all: there may be no such question without them.
    """
    marks = {name: getattr(page.stop, name) for name in ("locked", "hidden", "skipped", "withheld")}
    stop = stop_of(page.lesson.name, session.link_of(page.lesson.name), **marks)
    plan = page.view.plan
    handed = Plan((stop,)) if plan is None else Plan((stop,), plan.title, plan.unlocks)
    setup = parts_of(handed, 1, page.view.language)
    known = [one for one in page.lesson.questions if one != question and page.answer(one) is not None]
    if known:
        answers = specs(View)["answers"]
        setup[answers.key] = answers.write(tuple((one, SHOWN) for one in known))

    def start() -> None:
        session.look(vote=VOTES.start(person(), page.lesson.name, question, options, setup))
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
    return sight is None or sight.asks or sight.leaves_free


def commit(question: str, answer: str) -> None:
    """Votes for this answer, or commits it where there is no vote on the question."""
    code = session.view().vote
    sight = now(code) if code else None
    if sight is not None and sight.question == question and sight.asks:
        cast(code, answer)
    else:
        session.answer(question, answer)


def cast(code: str, answer: str) -> None:
    """Votes for this answer, or changes the vote to it."""
    _try(lambda: VOTES.vote(code, person(), answer))


def close(code: str) -> None:
    _try(lambda: VOTES.close(code, person()))


def again(code: str, question: str) -> None:
    """Another round; the answer that was revealed is hidden."""

    def start() -> None:
        VOTES.again(code, person())
        session.answer(question, None)

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
