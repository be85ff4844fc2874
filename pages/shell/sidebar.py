"""The sidebar: the course with its numbered lessons, the practice, the reference pages, and the language."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages import session
from pages.draw.texts import Texts
from pages.model.languages import LANGUAGES

# Images in the label, for Streamlit's icons have no name in the learner's language. The files set width and
# height: Streamlit's style would scale an image without them down to nothing.
MARKS = {
    name: "data:image/svg+xml," + quote((Path(__file__).parent / f"{name}.svg").read_text("utf-8"))
    for name in ("begun", "finished")
}


def draw(pages: Mapping[str, st.Page], t: Texts, *, at_home: str) -> None:
    """The links to all pages. Streamlit's own list would show the scripts' names until app.py has run once.

    at_home: the page that is at the app's own address now, if any. There Streamlit does not mark its link.
    """
    with st.sidebar:
        course = session.visit().course
        _place(course.front.name, at_home).page_link(pages[course.front.name])
        _course(pages, t, at_home)
        for group in (course.practice, course.reference):
            st.divider()
            for page in group:
                if not page.front:
                    st.page_link(pages[page.name])
        st.divider()
        _language(t)


def _place(name: str, at_home: str) -> DeltaGenerator:
    """The place of a link, which is marked if its page is at the app's own address."""
    return st.container(key="home" if name == at_home else None)


def _course(pages: Mapping[str, st.Page], t: Texts, at_home: str) -> None:
    """A numbered link per lesson, with a mark for a lesson that is begun or finished."""
    visit = session.visit()
    done = visit.course.finished(visit.view)
    for number, lesson in enumerate(visit.course.taught, start=1):
        finished = lesson.name in done or visit.record.progress.done(lesson)
        how = "finished" if finished else "begun" if visit.record.progress.begun(lesson) else ""
        text = how and t(f"frame.{how}")
        mark = f' ![{text}]({MARKS[how]} "{text}")' if how else ""
        place = _place(lesson.name, at_home) if number == 1 else st
        place.page_link(pages[lesson.name], label=f"{number}. {pages[lesson.name].title}{mark}")


def _language(t: Texts) -> None:
    st.segmented_control(
        t("frame.language"),
        tuple(LANGUAGES),
        required=True,
        format_func=lambda code: LANGUAGES[code].name,
        label_visibility="collapsed",
        **session.bind("language"),
    )
