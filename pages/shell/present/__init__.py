"""Presenting to a class: the subject of a part fills the window, below one thin bar; keys lead through it.

The view and the link have a flag for it. During a presentation a component is on the page: its style hides
what a class does not need, and its scripts size the figures (stage.js) and handle the keys (present.js).
"""

from pathlib import Path
from typing import Any

import streamlit as st

from pages import session
from pages.ask import vote
from pages.draw import say
from pages.draw.page import Page
from pages.model.course import HourStop
from pages.picture.modules import joined

from .. import hour, plan_bar

KEY = "presenting"
ICONS = {"back": ":material/arrow_back:", "next": ":material/arrow_forward:"}
_component = st.components.v2.component(
    "attention_present",
    css=(Path(__file__).parent / "present.css").read_text("utf-8"),
    js=joined(Path(__file__).parent / "present.js"),
    isolate_styles=False,
)


def button(page: Page) -> None:
    """Begins a presentation, or ends it."""
    on = page.view.presenting
    name, icon = ("present_end", "close_fullscreen") if on else ("present", "slideshow")
    st.button(
        page.t(f"toolbar.{name}"),
        key="present",
        icon=f":material/{icon}:",
        shortcut=None if page.lesson.front else "P",  # there learners write, and may miss the field
        on_click=session.present,
        args=(not on,),
        help=page.t(f"help.{name}"),
    )


def way(page: Page) -> None:
    """The ways to the places before and after this one: of the plan, of the hour, or else of the lesson.

    The hour begins with the first page.
    """
    _topics(page)
    if plan_bar.is_here(page):
        plan_bar.draw(page)
        return
    stop = page.course.stop_at(page.lesson.name, page.part.name)
    with st.container(key="present_way", horizontal=True, vertical_alignment="center", width="content"):
        if stop is not None or page.lesson.front:
            _stops(page, stop)
        else:
            _places(page)


def _topics(page: Page) -> None:
    """The topics of a stop of the hour before and after, for the keys: all of them belong to the stop."""
    if not page.part.topics or page.course.stop_at(page.lesson.name, page.part.name) is None:
        return
    names = [topic.name for topic in page.part.topics]
    i = names.index(page.topic.name)
    with st.container(key="present_topics", width="content"):
        for name, j in (("back", i - 1), ("next", i + 1)):
            if 0 <= j < len(names):
                text, there = page.t(f"topic.{names[j]}"), {"topic": names[j]}
                st.button(text, key=f"topic_{name}", on_click=page.go, kwargs=there)


def _stops(page: Page, stop: HourStop | None) -> None:
    """The stops of the hour before and after, with the number of this one between them.

    None: the page is the first page.
    """
    front, t, numbers = page.course.front, page.t, page.course.stop_numbers
    first = HourStop(front.name, front.parts[0].name, 0)
    stops = (first, *page.course.hour)
    i = stops.index(stop or first)

    def leave(name: str, j: int) -> None:
        if 0 <= j < len(stops):
            with st.container(key=f"way_{name}", width="content"):
                label, more = t(f"handout.{name}"), hour.going_on(page.view)
                hour.link(stops[j], t.language, label, ICONS[name], **more)

    leave("back", i - 1)
    if stop in numbers:
        say.markdown(t("hour.stop", i=numbers[stop], n=len(numbers)), width="content")
    leave("next", i + 1)


def _places(page: Page) -> None:
    """The parts and topics of the lesson before and after."""
    if "part" in page.stop.hidden:
        return
    places: list[dict[str, str | None]] = [
        {"part": part.name, "topic": topic}
        for part in page.lesson.parts
        for topic in (*(topic.name for topic in part.topics), *(() if part.topics else (None,)))
    ]
    i = places.index({"part": page.part.name, "topic": page.topic.name if page.part.topics else None})
    look: dict[str, Any] = {"type": "tertiary", "on_click": page.go}
    for name, j in (("back", i - 1), ("next", i + 1)):
        if 0 <= j < len(places):
            text = page.t(f"handout.{name}")
            st.button(text, key=f"way_{name}", icon=ICONS[name], kwargs=places[j], **look)


def keys(page: Page) -> None:
    """Handles the keys of a presentation, and says which of them do something."""
    if page.view.presenting:
        _component(
            key=KEY,
            data={**page.t.section("presenting"), "lines": plan_bar.notes(page)},
            on_end_change=lambda: session.present(False),
            on_reveal_change=lambda: _reveal(page),
        )


def _reveal(page: Page) -> None:
    """Shows the answer to a question of this part. The message may come from anybody, so it is checked."""
    asked = (session.widget_value(KEY) or {}).get("reveal")
    _, own = page.asked_by_teacher
    if isinstance(asked, str) and asked in (*page.part.questions, page.lesson.ending, own and own.name):
        vote.reveal_by_key(asked)
