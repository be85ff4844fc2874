"""What the browser itself does with links: it fills in the address bar, and opens a link in a tab of its own.

Streamlit can only push a new entry. On the way into a page that would leave an empty one behind each page,
and Back would lead to it. `history.replaceState` is the browser's own public means.

Streamlit's page link takes every click for a plain click. And the links of the sidebar are drawn only in a
run of the whole page, so that a state in them would soon be old: they have no state, and get it
when the pointer or the keyboard reaches them (see address.js).
"""

from pathlib import Path

import streamlit as st

from pages import session
from pages.model.course import Lesson
from pages.model.link import OF_PLACE, OF_SETTINGS

_component = st.components.v2.component(
    "attention_address", js=(Path(__file__).parent / "address.js").read_text("utf-8")
)


def fill(lesson: Lesson) -> None:
    """The address bar says the present state of this lesson; the links of the sidebar leave its place out.

    They leave untouched numbers out as well: then each lesson begins with its own, as after a plain click.
    Where the address bar says nothing else of the core settings, the numbers of the example are untouched.

    The page is also told which of undo and redo have nothing to do, as each picture tells it.
    """
    data = {
        "fill": session.link_to_fill(lesson.name),
        "place": OF_PLACE,
        "numbers": OF_SETTINGS,
        "start": session.start_of(lesson),
        "idle": session.visit().idle,
    }
    # In a tuple: to look into other data, Streamlit imports pandas.
    _component(key="address", data=(data,), height=1, on_filled_change=session.note_filled)
