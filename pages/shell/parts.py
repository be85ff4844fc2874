"""The choice of a lesson's part: its stops of the hour in front, its other parts behind *Deeper*.

At a stop nothing is in front, for the sidebar has the stops; at another part it is in front as well. All
parts are in front in a lesson without stops, a plan and a vote. A part that is no stop says in one line when
one needs it, and how long it takes. In a presentation, whose title names the part, all parts are in a list
behind the lesson's title.
"""

from typing import Any

import streamlit as st

from pages import session
from pages.draw import say
from pages.draw.page import Page
from pages.model.course import Part

from . import hour


def deeper(page: Page) -> tuple[Part, ...]:
    """The parts of the lesson that are no stops of the hour; none where the hour does not lead."""
    lesson = page.lesson
    if page.view.presenting or not hour.leads(page.view) or lesson not in page.course.lessons:
        return ()
    return tuple(part for part in lesson.parts if page.course.stop_at(lesson.name, part.name) is None)


def line(page: Page) -> str:
    """What the part says below the title of its lesson; nothing where its picture takes all the room.

    Nor in a teacher's plan: the lead of a lesson may say what a stop asks.
    """
    if page.part.tall or page.view.plan is not None:
        return ""
    return page.t(f"deeper.{page.part.name}" if page.part in deeper(page) else "lesson.lead")


def choose(page: Page) -> None:
    """The parts in front, and the list of the others."""
    behind, t = deeper(page), page.t
    if page.view.presenting:
        _listed(page, t("lesson.title"), page.lesson.parts)
        return
    front = [stop.part for stop in page.course.hour if stop.lesson == page.lesson.name] if behind else []
    if not front:
        behind, front = (), [part.name for part in page.lesson.parts]
    else:
        front = [] if page.part.name in front else [*front, page.part.name]
    row: dict[str, Any] = {"horizontal": True, "vertical_alignment": "center", "gap": "xsmall"}
    with st.container(key="parts", width="content", **row):
        if len(front) > 1:
            st.segmented_control(
                t("frame.part"),
                front,
                required=True,
                label_visibility="collapsed",
                format_func=lambda name: _name(page, name),
                **session.bind("part", page.part.name, lambda part: page.go(part=part)),
            )
        if behind:
            _listed(page, t("frame.deeper"), behind)


def _listed(page: Page, label: str, parts: tuple[Part, ...]) -> None:
    """A button that opens a list of parts."""
    box = session.popover(label, "deeper", type="tertiary")
    if box is not None:
        with box, st.container(key="deeper_list", gap=None):
            _list(page, parts)


def _list(page: Page, parts: tuple[Part, ...]) -> None:
    for part in parts:
        st.button(
            _name(page, part.name),
            key=f"deeper_{part.name}",
            type="tertiary",
            disabled=part == page.part,
            on_click=_go,
            args=(page, part),
        )
        if not page.view.presenting:
            say.caption(page.t(f"deeper.{part.name}"))


def _go(page: Page, part: Part) -> None:
    session.close("deeper")
    page.go(part=part.name)


def _name(page: Page, name: str) -> str:
    """The name of a part, the same as in the hour."""
    stop = hour.leads(page.view) and page.course.stop_at(page.lesson.name, name)
    return say.with_formulas(page.t(f"stop.{name}" if stop else f"part.{name}"))
