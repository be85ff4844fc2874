"""Links from one page of the app to another."""

import streamlit as st

from pages import session
from pages.model.course import Location
from pages.model.link import fitting, to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View

ARROW = ":material/arrow_forward:"


def to_place(place: Location, label: str, language: str) -> None:
    """A link to a place that leaves the learner's numbers as they are. A place without a part: the lesson."""
    query = {"lang": language} | ({"part": place.part} if place.part else {})
    st.page_link(session.script(place.lesson), label=label, query_params=query, icon=ARROW)


def to_lesson(
    lesson: str, label: str, place: Place, settings: Settings | None = None, view: View | None = None
) -> None:
    """A link to a place of a lesson. settings, view: default to the learner's own numbers and answers."""
    state = session.state() if settings is None else State(core=settings)
    query = fitting(to_query(state, view or session.view(), place), session.visit().course)
    st.page_link(session.script(lesson), label=label, query_params=query, icon=ARROW)
