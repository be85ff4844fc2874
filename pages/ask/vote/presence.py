"""Where the people in a room are, and what they have answered and reached there.

The pages of a visit note it, and its stream of events says that the person is still there (see `stay`). Only
the owner of the room reads it, as counts and as answers without a name.
"""

import contextlib
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

import streamlit as st

from pages import session
from pages.draw import say
from pages.draw.page import Page
from pages.model import turns
from pages.model.entries import SettingsError
from pages.model.handout import NOT_IN_A_STOP, Plan, read, write
from pages.model.view import SHOWN
from pages.picture.modules import joined
from pages.room import Away, Full, Gone, NotYours, RoomError, attendance
from pages.room.attendance import MAX_REPLY, REFRESH, Attendance, Presence, Reply, Success
from pages.room.channel import People
from pages.room.rooms import ROOMS, refusals

from . import seat

Thing = TypeVar("Thing")
Draw = Callable[[Any, list[str]], Mapping[str, object]]

_component = st.components.v2.component(
    "attention_presence", js=joined(Path(__file__).parent / "presence.js"), isolate_styles=False
)


@dataclass
class Notes:
    """What a visit has noted for its room, and what the room knows of it."""

    replies: dict[tuple[str, str], Reply] = field(default_factory=dict)  # room and question → answer
    reached: dict[tuple[str, str], Success] = field(default_factory=dict)  # room and target → success
    news: tuple[str, str, Presence, Plan | None] | None = None  # room, person, record, plan
    known: tuple[str, str, Presence, Plan | None] | None = None  # the news that the room knows
    told: float = 0.0  # when
    hosts: bool = False  # the person owns the room
    uncounted: str = ""  # the room that has no place for the person's record
    removed: tuple[str, int] = ("", 0)  # the room, and how many people its owner has removed last


def _notes(visit: session.Visit) -> Notes:
    return session.memory("presence", Notes, visit)


def note_answer(page: Page, question: str, option: str | None, right: bool) -> None:
    """Notes an answer that the page has judged."""
    code = page.view.vote
    if not code or option in (None, SHOWN):
        return
    replies, word = _notes(session.visit()).replies, str(option)[:MAX_REPLY]
    if replies.get((code, question), Reply("", False, 0))[:2] != (word, right):
        replies[code, question] = Reply(word, right, ROOMS.store.clock())


def note_target(page: Page, target: str, *, here: bool) -> None:
    """Notes that the person has reached the target. here: with the numbers on the page."""
    code, lesson = page.view.vote, page.lesson.name
    if code:
        link = session.link_of(lesson) if here else {}
        kept = {key: part for key, part in link.items() if key not in NOT_IN_A_STOP}
        success = Success(f"{lesson}?{urlencode(kept)}" if here else "", ROOMS.store.clock())
        _notes(session.visit()).reached.setdefault((code, target), success)


def note_place(page: Page) -> None:
    """Notes where the person is. Call it at the end of a run.

    A visit is a person once the browser has sent the name, which may be of an earlier visit.
    """
    code, plan = page.view.vote, page.view.plan
    if not code or seat.asks_for_name(code):
        return
    notes = _notes(session.visit())
    topic = page.topic.name if page.part.topics else ""
    in_plan = plan is not None and plan.stop(page.view.stop).lesson == page.lesson.name
    record = Presence(
        f"{page.lesson.name}/{page.part.name}/{topic}",
        max(page.view.stop, 1) if in_plan else 0,
        replies=_in_room(code, notes.replies),
        reached=_in_room(code, notes.reached),
        voted=(sight := seat.look()) is not None and sight.vote is not None and sight.vote.choice is not None,
    )
    notes.news = code, seat.person(), record, plan
    before = notes.uncounted
    stay(session.visit().name)
    if notes.uncounted == before:
        return
    if notes.uncounted and sight is not None and not sight.document.newcomers:
        seat.tell(SettingsError("room_shut", room=code))
        seat.leave()
    session.rerun()  # says so


def is_uncounted(code: str) -> bool:
    """Whether the room has no place for this person's record, so that its owner does not see it."""
    return bool(code) and _notes(session.visit()).uncounted == code


def _in_room(code: str, noted: Mapping[tuple[str, str], Thing]) -> dict[str, Thing]:
    return {name: thing for (room, name), thing in noted.items() if room == code}


def stay(name: str) -> None:
    """Tells the room that the person of the visit of that name is there. It may be called in any thread.

    Of its owner the room knows the page on which something happened last: another page that is open says
    nothing.
    """
    visit = session.visit_by_id(name)
    notes = _notes(visit) if visit is not None else Notes()
    if visit is None or notes.news is None or notes.news[0] != visit.view.vote:
        return
    news, moment = notes.news, ROOMS.store.clock()
    if news == notes.known and (notes.hosts or moment < notes.told + REFRESH):
        return
    code, person, record, plan = news
    try:
        notes.hosts = attendance.note(ROOMS.store, code, person, record, write(plan))
    except Full:
        notes.uncounted = code
    except RoomError:
        return
    else:
        notes.uncounted = ""
    notes.known, notes.told = news, moment


def people(draw: Draw) -> People:
    """What the channel of rooms has to know. draw: draws the drags of an owner for the followers."""
    return People(seat.listener, stay, ROOMS.choice, draw, turns.are_waited_for)


def watch_class(*, least: int) -> None:
    """Has the fragment around it drawn again when something happens in the room, every `least` ms at most."""
    data = {"visit": session.visit().name, "every": 5 * least, "least": least}
    _component(key="presence", data=data, on_ask_change=lambda: None, height=1)


@st.fragment
def count(page: Page) -> None:
    """How many are here, for the owner of the room."""
    watch_class(least=3000)
    with contextlib.suppress(Away):
        attendance = of_class(page.view.vote)
        if attendance is not None:
            say.caption(count_of(page, attendance), width="content")


def count_of(page: Page, attendance: Attendance) -> str:
    here, everybody = len(attendance.here), len(attendance.everybody)
    if not everybody:
        return page.t("overview.nobody")
    full = [page.t("overview.full")] if attendance.full else []
    minutes = int(max(0.0, attendance.moment - attendance.begun) // 60) if attendance.begun else 0
    since = [page.t("overview.since", minutes=minutes)] if minutes else []
    counts = " · ".join([page.t("overview.here", here=here, all=everybody), *since])
    return page.t.joined([counts, *full])


def of_class(code: str) -> Attendance | None:
    """The class in this room; None if it is not this person's. Raises Away."""
    try:
        return attendance.of_room(ROOMS.store, code, seat.person())
    except (Gone, NotYours):
        return None


def remove_idle(code: str) -> None:
    """Removes for the owner who has done nothing and has left."""

    def remove() -> None:
        with refusals(code):
            count = attendance.remove_idle(ROOMS.store, code, seat.person())
        _notes(session.visit()).removed = code, count

    seat.attempt(remove)


def removed(code: str) -> int:
    """How many the owner has removed last."""
    room, count = _notes(session.visit()).removed
    return count if room == code else 0


@functools.lru_cache(maxsize=64)
def plan_of(text: str) -> Plan | None:
    """The plan of an attendance."""
    return read(text)
