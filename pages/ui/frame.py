"""The frame of every lesson: title, parts, toolbar, the part, the link. All of it is one fragment.

What depends on a number is drawn here and nowhere else. An edit, a switch, undo, another part: each reruns this
fragment, and the rest of the page stays as it is.
"""

from __future__ import annotations

import importlib

import streamlit as st

from pages.lessons import lesson

from . import address, core, entry, inputs, session, toolbar
from .messages import show_problems
from .page import Page
from .texts import Texts


def show(name: str) -> None:
    """Draws the lesson of that name."""
    entry.through_app()
    session.enter(name)
    _body(name)


def page_of(name: str) -> Page:
    """The lesson's page in the present state."""
    view, place, this = session.view(), session.place(name), lesson(name)
    return Page(this, this.part(place.part), Texts(view.language, name), session.settings(), view, place)


@st.fragment
def _body(name: str) -> None:
    page = page_of(name)
    _head(page)
    toolbar.draw(page)
    if core.is_ready():
        show_problems(page)
        importlib.import_module(f"pages.lessons.{name}.{page.part.name}").draw(page)
        address.write(name)
        return
    core.start()
    inputs.waiting(page)
    core.wait()
    st.rerun()


def _head(page: Page) -> None:
    """The title, a line that says what is done here, and the parts."""
    t = page.t
    with st.container(key="head", horizontal=True, vertical_alignment="center"):
        st.title(t("lesson.title"), anchor=False, width="content")
        st.caption(t("lesson.lead"), width="content")
    if len(page.lesson.parts) > 1:
        names = [part.name for part in page.lesson.parts]
        st.segmented_control(
            t("frame.part"),
            names,
            required=True,
            label_visibility="collapsed",
            format_func=lambda name: t(f"part.{name}"),
            **session.bind("part", page.part.name, lambda part: page.go(part=part)),
        )
