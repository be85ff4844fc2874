"""Links from one page of the app to another."""

from __future__ import annotations

import streamlit as st

from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.view import Place

from . import session


def to_lesson(lesson: str, label: str, place: Place, settings: Settings | None = None, **look) -> None:
    """A link to a place of a lesson: with the learner's numbers, or with others where they are given."""
    query = to_query(session.settings() if settings is None else settings, session.view(), place)
    st.page_link(f"pages/{lesson}.py", label=label, query_params=query, **look)
