"""Presenting to a class: the picture in the full width, with large numbers, and keys that walk through it.

The view and the link have a flag for it. During a presentation a component is on the page: its style hides
what a class does not need, and its script handles the keys (see present.js).
"""

from pathlib import Path

import streamlit as st

from pages import session
from pages.ask import vote
from pages.draw.page import Page

KEY = "presenting"
_component = st.components.v2.component(
    "attention_present",
    css=(Path(__file__).parent / "present.css").read_text("utf-8"),
    js=(Path(__file__).parent / "present.js").read_text("utf-8"),
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
        shortcut="P",
        on_click=session.present,
        args=(not on,),
        help=page.t(f"help.{name}"),
    )


def keys(page: Page) -> None:
    """Handles the keys of a presentation, and explains them in one line."""
    if page.view.presenting:
        _component(
            key=KEY,
            data=(page.t("toolbar.present_keys"),),
            on_end_change=lambda: session.present(False),
            on_reveal_change=lambda: _reveal(page),
        )


def _reveal(page: Page) -> None:
    """Shows the answer to a question of this part. The message may come from anybody, so it is checked."""
    asked = (session.widget_value(KEY) or {}).get("reveal")
    _, own = page.asked_by_teacher
    if isinstance(asked, str) and asked in (*page.part.questions, page.lesson.ending, own and own.name):
        vote.reveal_by_key(asked)
