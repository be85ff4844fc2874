"""A class follows its teacher: what the pages of the room's owner and of the others do, and show of it.

The owner's page writes what it shows as the scene of the room (see room/rules.py), in each run in which this
has changed. An event of the room has the page of a follower ask for one run, which opens the newest scene in
place of the learner's own state (see session/following.py). While the owner drags a number, the edits go out
as an event too: the picture that follows from them is drawn once for all pages that show the same, and sent
to them.

A follower leaves by a press, by going elsewhere, or with a copy, by changing a number.
"""

import contextlib
from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import streamlit as st

from pages import session
from pages.ask import vote
from pages.draw import copy_link, qr_code, say
from pages.draw.page import Page
from pages.picture.modules import joined
from pages.room import Event, RoomError, rules
from pages.room.channel import MOVED
from pages.room.rooms import ROOMS
from pages.room.rules import Sight

LOOK_EVERY = 3  # seconds between two looks of a follower where no events come (see room/channel.js)
RESTING = 15  # likewise of others
TRY_EVERY = 1  # seconds between two attempts to write a scene
MOST_SIGHTS = 8  # different pages of one scene for which a drag is drawn

_channel = st.components.v2.component(
    "attention_class", js=joined(Path(__file__).parent / "follow.js"), isolate_styles=False
)


def marks() -> tuple[object, ...]:
    """The values behind the line at the top of the page."""
    seen = vote.look()
    there = None if seen is None else (seen.code, seen.mine, seen.scene is not None, seen.document.newcomers)
    votes = (
        seen is not None and seen.mine and vote.is_open()
    )  # phones, which draw all at once, draw their part alone
    return there, session.view().follows, session.is_following(), vote.of().followed.copied, votes


# ---- a drag


def pass_on(visit: session.Visit, key: str, message: dict) -> None:
    """Tells the followers what the owner drags: the edits of a message of that picture."""
    seen = vote.of(visit).last
    if (
        seen is None
        or seen.code != visit.view.vote
        or not seen.mine
        or seen.scene is None
        or (seen.vote is not None and seen.vote.open)
    ):
        return
    # What else the message has goes to nobody: the store might not be able to write it.
    edits = visit.inbox.pictures[key].read(message)
    sent = {"serial": seen.scene.serial, "key": key, "message": edits}
    with contextlib.suppress(RoomError):  # the last value is written as a scene
        ROOMS.store.tell(seen.code, Event(MOVED, sent))


Seen = tuple[object, ...]


def sights(names: Collection[str], serial: object) -> list[tuple[Seen, list[session.Visit]]]:
    """Those of these visits that show this scene, in groups that see the same, the largest first."""
    groups: dict[Seen, list[session.Visit]] = defaultdict(list)
    for visit in filter(None, map(session.visit_by_id, names)):
        if visit.owner == session.CLASS and _serial(visit) == serial:
            groups[_sight(visit)].append(visit)
    return sorted(groups.items(), key=lambda group: -len(group[1]))[:MOST_SIGHTS]


def _serial(visit: session.Visit | None = None) -> int:
    """The serial number of the scene that the page has opened last."""
    scene = vote.of(visit).followed.scene
    return 0 if scene is None else scene.serial


def _sight(visit: session.Visit) -> Seen:
    """What a picture of the scene depends on, apart from the numbers; each page has its own step and cell."""
    place = replace(visit.place(visit.here), step=None, cell=None)
    answers = tuple(map(visit.view.answer, visit.course.pages[visit.here].questions))
    return replace(visit.view, answers=()), place, answers


# ---- on the page


def draw(page: Page) -> None:
    """The line at the top of a page in a room."""
    seen = vote.look()
    if seen is None or page.view.presenting:
        return
    if seen.mine or seen.scene is not None:
        with st.container(key="class_bar", horizontal=True, vertical_alignment="center", gap="small"):
            _of_owner(page, seen) if seen.mine else _of_follower(page)
    if vote.is_uncounted(seen.code):
        with st.container(key="class_full"):
            say.caption(page.t("class.full"))
    if seen.vote is None:
        vote.introduce(seen.code, owns=seen.mine)


def way_in(page: Page) -> None:
    """How to come into the room, and how many have: for its owner, in the line of a presentation.

    A key enlarges it, or opens a room where there is none (see present.js).
    """
    seen, t = vote.look(), page.t
    if seen is None or (seen.mine and seen.scene is None):
        say.button(t, "class.lead", "cast_for_education", vote.lead, page, where="present")
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
    seen = vote.look()
    if seen is None:
        return
    vote.note_vote()
    waits = seen.mine and seen.scene is not None and vote.of().followed.scene is None  # for the store
    every = TRY_EVERY if waits else LOOK_EVERY if session.is_following() else RESTING
    data = {
        "visit": session.visit().name,
        "state": seen.state,
        "serial": _serial(),
        "follows": session.is_following(),
        "wants": page.view.follows,
        "votes": seen.vote is None,  # or else the vote's card listens
        "stays": seen.mine,
        "again": waits,
        "every": 1000 * every,
    }
    _channel(key="class_watch", data=data, height=1, on_ask_change=lambda: vote.keep_up(page.lesson.name))


def offer(page: Page) -> None:
    """Opens a room that follows this page."""
    seen = vote.look()
    if seen is None:
        say.button(page.t, "class.lead", "cast_for_education", vote.lead, page)


def _of_owner(page: Page, seen: Sight) -> None:
    t = page.t
    look: dict[str, Any] = {"icon": ":material/qr_code_2:", "type": "tertiary"}
    # It stays drawn while it is closed, since a press in it opens a window.
    room = session.popover(t("class.room", code=seen.code), "class_room", keep=True, **look)
    if room is not None:
        with room:
            join, lead = st.columns([2, 3])  # all of it is in sight without scrolling
        with join:
            link = session.room_link(seen.code)
            qr_code.draw(link, t("class.code"), t("handout.enlarge"), name="class")
            st.code(link, language=None, wrap_lines=True)
        with lead:
            with st.container(horizontal=True, gap="small"):
                vote.overview(page)
                shut = "class.shut" if seen.document.newcomers else "class.welcome"
                say.button(t, shut, "door_front", vote.welcome, not seen.document.newcomers)
            _stays(page, seen.document.stays)
            say.caption(t("class.leader_why"))
            secret = session.leader_link(seen.code, vote.person())
            copy_link.draw(t("class.leader_copy"), t("share.copied"), secret, name="leader")
            close: dict[str, Any] = {"on_click": session.close, "args": ("class_room",), "type": "tertiary"}
            if st.button(t("vote.end"), key="class_end", help=t("vote.end_help"), **close):
                st.dialog(t("vote.end"))(_closing)(page, seen.code)
    with st.container(width="content"):
        vote.count(page)
    if seen.scene is None:
        say.button(page.t, "class.lead", "cast_for_education", vote.lead, page)
        return
    say.sentence(t("class.leading"))
    say.button(page.t, "class.copy", "content_copy", vote.act, rules.copies)
    say.button(page.t, "class.stop", "close", vote.act, rules.stops)


def _stays(page: Page, present: str) -> None:
    """How long the room stays."""
    bound = session.bind("room_stays", present, lambda name: vote.act(rules.stays(str(name))))
    names = {name: page.t(f"class.stays_{name}") for name in vote.lifetimes()}
    st.selectbox(page.t("class.stays"), list(names), format_func=names.__getitem__, width=280, **bound)


def _closing(page: Page, code: str) -> None:
    """What is lost with the room; its results come first."""
    say.markdown(page.t("class.end_lost"))
    with st.container(horizontal=True, gap="small"):
        vote.overview(page)
        st.button(page.t("vote.end"), key="class_end_sure", type="primary", on_click=vote.end, args=(code,))


def _of_follower(page: Page) -> None:
    if session.is_following():
        say.sentence(page.t("class.following"))
        with st.container(key="class_silent", width="content"):
            say.caption(page.t("class.silent"))
        say.button(page.t, "class.leave", "close", lambda: session.leave_class(follows=False))
        return
    say.sentence(page.t("class.copied" if vote.of().followed.copied else "class.left"))
    if not page.view.follows:
        say.button(page.t, "class.follow", "play_arrow", vote.follow)
