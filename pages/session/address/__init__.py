"""Links in the browser: a page is one entry of the history, and links of the sidebar open in new tabs.

Streamlit pushes an entry whenever the server writes the address, so that Back would lead to the same page
without its link, or with the number before. `history.replaceState` replaces the entry.

Streamlit's page link treats every click as a plain click. The links of the sidebar are drawn only in a run of
the whole page, when a state in them would soon be old: they get the state when the pointer or the keyboard
reaches them (see address.js).
"""

from pathlib import Path

import streamlit as st

from pages import session
from pages.model.course import OF_PLACE, OF_SETTINGS, Lesson
from pages.model.languages import LANGUAGES

_component = st.components.v2.component(
    "attention_address", js=(Path(__file__).parent / "address.js").read_text("utf-8")
)


def fill(lesson: Lesson) -> None:
    """Has the browser fill in the address bar. The links of the sidebar get the same state without the place.

    They leave untouched numbers out as well, so that each lesson begins with its own, as after a plain click.
    Numbers are untouched if the address has no core setting other than the example.

    The page also learns its language, and whether undo and redo are idle, as from each picture.
    """
    data = {
        "fill": session.link_to_fill(lesson.name),
        "place": OF_PLACE,
        "numbers": OF_SETTINGS,
        "start": session.start_of(lesson),
        "idle": session.visit().idle,
        "language": LANGUAGES[session.view().language].html,
    }
    # In a tuple: Streamlit imports pandas to inspect other data.
    _component(key="address", data=(data,), height=1, on_filled_change=session.note_filled)
