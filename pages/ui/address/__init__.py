"""Fills the link into an address bar that has none, in the history entry that is there.

Streamlit can only push a new entry. On the way into a page that would leave an empty one behind each page,
and Back would lead to it. `history.replaceState` is the browser's own public means.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from .. import session

_component = st.components.v2.component(
    "attention_address", js=(Path(__file__).parent / "address.js").read_text("utf-8")
)


def write(lesson: str) -> None:
    """The address bar says the present state of this lesson."""
    _component(key="address", data={"fill": session.write_link(lesson)}, height=1)
