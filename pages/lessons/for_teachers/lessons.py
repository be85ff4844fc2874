"""What each lesson is for and how long it takes, in the lessons' own words."""

from __future__ import annotations

import streamlit as st

from pages.lessons import LESSONS
from pages.ui.page import Page
from pages.ui.texts import Texts

from .places import opened


def draw(page: Page) -> None:
    """A card per lesson, and the minutes of all."""
    t = page.t
    minutes = sum(int(Texts(t.language, name)("lesson.minutes")) for name in LESSONS)
    st.markdown(t("teachers.course", count=len(LESSONS), minutes=minutes))
    for name in LESSONS:
        lesson = Texts(t.language, name)
        with st.container(border=True, key=f"lesson-{name}"):
            opened(
                page,
                name,
                t("teachers.lesson", title=lesson("lesson.title"), minutes=lesson("lesson.minutes")),
            )
            st.markdown(lesson("lesson.goals"))
            st.caption(t("teachers.needs", needs=lesson("lesson.needs")))
