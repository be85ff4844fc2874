"""The sidebar: the course with its numbered lessons, practice, reference, and the reader's choices."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

import streamlit as st

from pages import session
from pages.draw.texts import Texts
from pages.model import handout
from pages.model.languages import LANGUAGES

# Images in the label, for Streamlit's icons have no name in the learner's language. The files set width and
# height: Streamlit's style would scale an image without them down to nothing.
MARKS = {
    name: "data:image/svg+xml," + quote((Path(__file__).parent / f"{name}.svg").read_text("utf-8"))
    for name in ("begun", "finished")
}


def draw(pages: Mapping[str, st.Page], t: Texts, *, at_home: bool) -> None:
    """The links to all pages. Streamlit's own list would show the scripts' names until app.py has run once.

    at_home: the page has the app's own address, where Streamlit does not mark the link to the first lesson.
    """
    with st.sidebar:
        _course(pages, t, at_home)
        course = session.visit().course
        for group in (course.practice, course.reference):
            st.divider()
            for page in group:
                st.page_link(pages[page.name])
        st.divider()
        _asking(t)
        _language(t)


def _course(pages: Mapping[str, st.Page], t: Texts, at_home: bool) -> None:
    """A numbered link per lesson, with a mark for a lesson that is begun or finished."""
    visit = session.visit()
    done = visit.course.finished(visit.view)
    for number, lesson in enumerate(visit.course.taught, start=1):
        finished = lesson.name in done or visit.record.progress.done(lesson)
        how = "finished" if finished else "begun" if visit.record.progress.begun(lesson) else ""
        text = how and t(f"frame.{how}")
        mark = f' ![{text}]({MARKS[how]} "{text}")' if how else ""
        place = st.container(key="home" if at_home else None) if number == 1 else st
        place.page_link(pages[lesson.name], label=f"{number}. {pages[lesson.name].title}{mark}")


def _asking(t: Texts) -> None:
    """The reader's choice: to be asked before a result is shown, or to be shown everything at once."""
    visit = session.visit()
    by_teacher = handout.shows(visit.view)
    shows = by_teacher or bool(visit.record.progress.shows)
    bound = session.bind("asking", shows, lambda on: session.show_me(bool(on)))
    st.segmented_control(
        t("frame.asking"),
        (False, True),
        required=True,
        format_func=lambda on: t("frame.show_me" if on else "frame.ask_first"),
        help=t("frame.shown_by_teacher" if by_teacher else "frame.asking_help"),
        **bound | ({"disabled": True} if by_teacher else {}),
    )


def _language(t: Texts) -> None:
    st.segmented_control(
        t("frame.language"),
        tuple(LANGUAGES),
        required=True,
        format_func=lambda code: LANGUAGES[code].name,
        label_visibility="collapsed",
        **session.bind("language"),
    )
