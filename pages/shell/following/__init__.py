"""A class follows its teacher: what the pages of the room's owner and of the others do, and show of it.

The owner's page writes what it shows as a scene (see room/scenes.py), in each run in which this has changed.
An event of the room has the page of a follower ask for one run, which opens the newest scene in place of the
learner's own state (see session/following.py). While the owner drags a number, the edits go out as an event
too: the picture that follows from them is drawn once for all pages that show the same, and sent to them.

A follower leaves by a press, by going elsewhere, or with a copy, by changing a number. While a vote is open,
the page stays at its question.
"""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from pages import session
from pages.ask import vote
from pages.draw import qr_code, say
from pages.draw.page import Page
from pages.model.entries import SettingsError
from pages.model.handout import Plan, Stop
from pages.model.link import to_query
from pages.model.view import SHOWN
from pages.picture.modules import joined
from pages.room import Away, Event, Full, RoomError, scenes
from pages.room.store import MAX_RECORD
from pages.room.votes import VOTES, refusals

LOOK_EVERY = 3  # seconds between two looks of a follower where no events come (see room/channel.js)
RESTING = 15  # likewise of others
TRY_EVERY = 1  # seconds between two attempts to write a scene
MOST_SIGHTS = 8  # different pages of one scene for which a drag is drawn

_channel = st.components.v2.component(
    "attention_class", js=joined(Path(__file__).parent / "follow.js"), isolate_styles=False
)


@dataclass
class Guide:
    """The part of a visit in following."""

    lead: scenes.Lead | None = None  # the last look at the room
    invited: bool = False  # the visit has opened the link of the room, without numbers, or follows already
    serial: int = 0  # of the scene that was opened last
    lesson: str = ""  # of this scene
    shown: tuple[str, ...] = ()  # the questions whose answers it shows
    copies: int | None = None  # that the room had at the last look
    copied: bool = False  # the learner has left with a copy
    written: scenes.Scene | None = None  # what the owner's page has written last


def _guide(visit: session.Visit | None = None) -> Guide:
    return session.memory("guide", Guide, visit)


def _look() -> scenes.Lead | None:
    """What the class follows: the last view of it while the store cannot be reached."""
    guide, code = _guide(), session.view().vote
    if guide.lead is not None and guide.lead.code != code:
        session.visit().memory["guide"] = guide = Guide()
    with contextlib.suppress(Away):
        lead = scenes.look(VOTES.store, code, vote.person()) if code else None
        if lead and lead.scene and lead.scene.lesson not in session.visit().course.pages:
            lead = replace(lead, scene=None)  # of a newer version
        guide.lead = lead
    return guide.lead


# ---- for followers


def lead(name: str) -> None:
    """Leads a follower to the teacher, and a voter to the vote. Call it before a lesson is entered."""
    seen, guide = _look(), _guide()
    if seen is None or seen.mine or seen.scene is None:
        if session.is_following():  # the teacher has stopped, or the room has ended
            session.leave_class(follows=True)
    elif session.is_following() and name != guide.lesson and seen.scene.serial == guide.serial:
        session.leave_class(follows=False)  # the learner went to another lesson
    _take_copy()
    guide.invited = guide.invited or session.is_plain_link("lang", "room", "vote")
    if seen is None or seen.scene is None or not is_due():
        if seen is not None and session.is_following():
            vote.stay(name)
        vote.lead(name)
        return
    _open(seen.scene)
    if seen.scene.lesson != name:
        session.move_to(seen.scene.lesson)


def is_due() -> bool:
    """Whether there is a scene that the page has to show and does not show yet."""
    guide, seen = _guide(), _guide().lead
    if seen is None or seen.scene is None or seen.mine or not session.view().follows:
        return False
    if session.is_following() and seen.scene.serial == guide.serial:
        return False
    # A link with numbers may be the owner's, after a reload: the browser first sends the name.
    is_known = guide.invited or not vote.asks_for_name(seen.code)
    return is_known and not vote.is_open(seen.code)


def _open(scene: scenes.Scene) -> None:
    """Puts the scene on the screen, with the answers that the teacher's page shows."""
    guide = _guide()
    session.follow_class(scene.lesson, scene.query)
    for question in guide.shown:
        if question not in scene.shown and session.view().answer(question) == SHOWN:
            session.answer(question, None)
    for question in scene.shown:
        if session.view().answer(question) is None:
            session.answer(question, SHOWN)
    guide.serial, guide.lesson, guide.shown = scene.serial, scene.lesson, scene.shown
    guide.invited, guide.copied = True, False


def _take_copy() -> None:
    """Takes the copy that everybody gets, if it is new since the last look."""
    guide, seen = _guide(), _guide().lead
    if seen is None:
        return
    copies = 0 if seen.copy is None else seen.copy.serial
    before, guide.copies = guide.copies, copies
    if seen.copy is not None and before not in (None, copies) and not seen.mine:
        session.take_copy(seen.copy.query)
        guide.copied = True


def _catch_up(name: str) -> None:
    """Looks at the room. A scene with the same lesson is opened at once, without a run of the whole page."""
    seen = _look()
    _take_copy()
    if seen is None or seen.scene is None or seen.scene.lesson != name:
        return
    if session.is_following() and is_due():
        _open(seen.scene)


def marks() -> tuple[object, ...]:
    """The values behind the line at the top of the page."""
    seen = _guide().lead
    there = None if seen is None else (seen.code, seen.mine, seen.scene is not None)
    return there, session.view().follows, session.is_following(), _guide().copied


def _follow() -> None:
    session.set_view(follows=True)
    _guide().copied = False
    session.redraw()


# ---- for the owner


def publish(page: Page) -> None:
    """Writes what the owner's page shows, unless a hand holds a number."""
    guide, seen = _guide(), _guide().lead
    if seen is None or not seen.mine or seen.scene is None or session.visit().inbox.rest is not None:
        return
    scene = _scene(page)
    if scene.is_like(guide.written):
        return
    guide.written = scene
    try:
        written = scenes.show(VOTES.store, seen.code, vote.person(), scene)
        guide.lead = replace(seen, scene=written if written.on else None)
    except Full:
        session.visit().problems.append(SettingsError("scene_too_long", limit=MAX_RECORD))
        session.rerun()  # says so
    except RoomError:
        guide.written = None  # it is tried again


def _scene(page: Page) -> scenes.Scene:
    """What the page shows, without a vote and a presentation: of a plan the present stop, without notes."""
    shown = tuple(question for question in page.asked if page.answer(question) is not None)
    view = replace(page.view, vote="", presenting=False, follows=True).alone(page.lesson.name)
    if view.plan is not None:
        view = replace(view, plan=replace(view.plan, stops=tuple(_without_answer(view.plan, shown))))
    query = to_query(page.numbers, view, page.place)
    del query["lang"]
    return scenes.Scene(page.lesson.name, query, shown)


def _without_answer(plan: Plan, shown: Collection[str]) -> Iterator[Stop]:
    """The stops without a question of the teacher's own, whose answer is in the plan, until it is shown."""
    for stop in plan.stops:
        is_secret = stop.question is not None and stop.question.name not in shown
        yield replace(stop, question=None) if is_secret else stop


def _lead_class(page: Page) -> None:
    """The class follows this page from now on, in the owner's room."""

    def begin() -> None:
        code = vote.open_room()
        scene = _guide().written = _scene(page)
        scenes.begin(VOTES.store, code, vote.person(), scene)

    _try(begin)


def _act(act: Callable[..., None]) -> None:
    code = session.view().vote
    _try(lambda: act(VOTES.store, code, vote.person()))


def _try(act: Callable[[], None]) -> None:
    """Does it, and says why if the room refuses."""
    try:
        with refusals(session.view().vote, SettingsError("scene_too_long", limit=MAX_RECORD)):
            act()
    except SettingsError as problem:
        session.visit().problems.append(problem)
    _look()
    session.redraw()


# ---- a drag


def pass_on(visit: session.Visit, key: str, message: dict) -> None:
    """Tells the followers what the owner drags: the edits of a message of that picture."""
    seen = _guide(visit).lead
    if seen is None or not seen.mine or seen.scene is None or visit.view.vote != seen.code:
        return
    # What else the message has goes to nobody: the store might not be able to write it.
    edits = visit.inbox.pictures[key].read(message)
    sent = {"serial": seen.scene.serial, "key": key, "message": edits}
    with contextlib.suppress(RoomError):  # the last value is written as a scene
        VOTES.store.tell(seen.code, Event(scenes.MOVED, sent))


Sight = tuple[object, ...]


def sights(names: Collection[str], serial: object) -> list[tuple[Sight, list[session.Visit]]]:
    """Those of these visits that show this scene, in groups that see the same, the largest first."""
    groups: dict[Sight, list[session.Visit]] = defaultdict(list)
    for visit in filter(None, map(session.visit_by_id, names)):
        if visit.owner == session.CLASS and _guide(visit).serial == serial:
            groups[_sight(visit)].append(visit)
    return sorted(groups.items(), key=lambda group: -len(group[1]))[:MOST_SIGHTS]


def _sight(visit: session.Visit) -> Sight:
    """What a picture of the scene depends on, apart from the numbers; each page has its own step and cell."""
    place = replace(visit.place(visit.here), step=None, cell=None)
    answers = tuple(map(visit.view.answer, visit.course.pages[visit.here].questions))
    return replace(visit.view, answers=()), place, answers


# ---- on the page


def draw(page: Page) -> None:
    """The line at the top of a page in a room."""
    seen = _guide().lead
    if seen is None or page.view.presenting:
        return
    if seen.mine or seen.scene is not None:
        with st.container(key="class_bar", horizontal=True, vertical_alignment="center", gap="small"):
            _of_owner(page, seen) if seen.mine else _of_follower(page)
    if vote.is_uncounted(seen.code):
        with st.container(key="class_full"):
            say.caption(page.t("class.full"))
    if vote.current_sight(seen.code) is None:
        vote.introduce(seen.code, owns=seen.mine)


def way_in(page: Page) -> None:
    """How to come into the room, and how many have: for its owner, in the line of a presentation.

    A key enlarges it (see present.js).
    """
    seen, t = _guide().lead, page.t
    if seen is None or not seen.mine:
        return
    link = session.room_link(seen.code)
    with st.container(key="class_way", horizontal=True, width="content", gap="xsmall"):
        qr_code.draw(link, t("class.code"), t("handout.enlarge"), name="room")
        with st.container(key="class_count", width="content"):
            say.caption(f"**{seen.code}** · {link.partition('://')[2]}", width="content")
            vote.count(page)


def watch(page: Page) -> None:
    """Listens to the room. Call it in the fragment that draws the numbers, which an event runs."""
    guide, seen = _guide(), _guide().lead
    if seen is None:
        return
    waits = seen.mine and seen.scene is not None and guide.written is None  # for the store
    leads_to_vote = not seen.mine and vote.current_sight(seen.code) is None  # or else the vote's card listens
    every = TRY_EVERY if waits else LOOK_EVERY if session.is_following() else RESTING
    data = {
        "visit": session.visit().name,
        "state": seen.state,
        "version": seen.version if leads_to_vote else None,
        "serial": guide.serial,
        "follows": session.is_following(),
        "wants": page.view.follows,
        "stays": seen.mine,
        "again": waits,
        "every": 1000 * every,
    }
    _channel(key="class_watch", data=data, height=1, on_ask_change=lambda: _catch_up(page.lesson.name))


def offer(page: Page) -> None:
    """Opens a room that follows this page."""
    seen = _guide().lead
    if seen is None:
        say.button(page.t, "class.lead", "cast_for_education", _lead_class, page)


def _of_owner(page: Page, seen: scenes.Lead) -> None:
    t = page.t
    look: dict[str, Any] = {"icon": ":material/qr_code_2:", "type": "tertiary"}
    # It stays drawn while it is closed, since a press in it opens a window.
    room = session.popover(t("class.room", code=seen.code), "class_room", keep=True, **look)
    if room is not None:
        with room:
            link = session.room_link(seen.code)
            qr_code.draw(link, t("class.code"), t("handout.enlarge"), name="class")
            st.code(link, language=None, wrap_lines=True)
            vote.overview(page)
            close: dict[str, Any] = {"on_click": session.close, "args": ("class_room",), "type": "tertiary"}
            if st.button(t("vote.end"), key="class_end", help=t("vote.end_help"), **close):
                st.dialog(t("vote.end"))(_closing)(page, seen.code)
    with st.container(width="content"):
        vote.count(page)
    if seen.scene is None:
        say.button(page.t, "class.lead", "cast_for_education", _lead_class, page)
        return
    say.sentence(t("class.leading"))
    say.button(page.t, "class.copy", "content_copy", _act, scenes.copy)
    say.button(page.t, "class.stop", "close", _act, scenes.end)


def _closing(page: Page, code: str) -> None:
    """What is lost with the room; its results come first."""
    say.markdown(page.t("class.end_lost"))
    with st.container(horizontal=True, gap="small"):
        vote.overview(page)
        st.button(page.t("vote.end"), key="class_end_sure", type="primary", on_click=vote.end, args=(code,))


def _of_follower(page: Page) -> None:
    waits = page.view.follows and vote.is_open(page.view.vote)  # for the end of the vote, after a reload
    if session.is_following() or waits:
        say.sentence(page.t("class.following"))
        with st.container(key="class_silent", width="content"):
            say.caption(page.t("class.silent"))
        say.button(page.t, "class.leave", "close", lambda: session.leave_class(follows=False))
        return
    say.sentence(page.t("class.copied" if _guide().copied else "class.left"))
    if not page.view.follows:
        say.button(page.t, "class.follow", "play_arrow", _follow)
