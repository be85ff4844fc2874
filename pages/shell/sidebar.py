"""The sidebar: the hour with its stops, all lessons, those inside a model, the reference pages, and choices.

In a teacher's plan of several stops: these in place of the hour. In a vote and a presentation: no hour.
"""

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path

import streamlit as st

from pages import session
from pages.draw.texts import Texts
from pages.hand.hand_out import title_of
from pages.model.course import Lesson
from pages.model.handout import Plan
from pages.model.languages import LANGUAGES
from pages.model.view import Place, View

from . import hour, plan_bar

_for_touch = st.components.v2.component(
    "attention_touch", js=(Path(__file__).parent / "touch.js").read_text("utf-8")
)


def draw(pages: Mapping[str, st.Page], t: Texts, home: st.Page, *, name: str, at_home: bool) -> None:
    """The links to all pages. Streamlit's own list would show the scripts' names until app.py has run once.

    home: the page at the app's own address. A link to it leads to the first page (see Course.at_home).
    name: of the page. at_home: the first lesson is at the app's own address, where Streamlit marks the link
    to the first page, and not that of the lesson.
    """
    with st.sidebar:
        course, view = session.visit().course, session.view()
        leads = hour.leads(view)
        with st.container(key="home_front") if at_home else nullcontext():
            title = Texts(t.language, course.front.name)("lesson.title")
            st.page_link(home, label=title, query_params={"part": course.front.parts[0].name})
        if leads:
            _hour(t, name)
        elif plan := _walked(view):
            _plan(t, view, plan)
        _lessons(pages, t, at_home=at_home, folds=leads or _walked(view) is not None)
        _group(pages, [page for page in course.reference if not page.front])
        st.divider()
        _asking(t)
        _language(t)
        _for_touch(key="touch", height=1)


def _lessons(pages: Mapping[str, st.Page], t: Texts, *, at_home: bool, folds: bool) -> None:
    course = session.visit().course
    with st.expander(t("hour.lessons"), key="lessons", type="compact") if folds else st.container():
        _course(pages, course.taught, t, at_home=at_home)
        _group(pages, course.practice)
    if course.inside:
        with st.expander(t("hour.inside"), key="inside", type="compact") if folds else st.container():
            _course(pages, course.inside, t, first=len(course.taught) + 1)


def _hour(t: Texts, page: str) -> None:
    """A link per stop, with its mark and its minutes, below the minutes that are left."""
    visit = session.visit()
    full = visit.record.progress.full(visit.course)
    left = visit.record.progress.minutes_left(visit.course)
    here = visit.course.pages[page].resolved(visit.arrived or visit.places.get(page, Place()))
    part = visit.course.pages[page].part(here.part).name
    with st.container(key="hour"):
        st.caption(t("hour.left", minutes=left) if left else t("hour.over"))
        for stop in visit.course.hour:
            name = Texts(t.language, stop.lesson)(f"stop.{stop.part}")
            begun = visit.record.progress.answered(visit.course.questions_of(stop))
            how = "finished" if stop in full else "begun" if begun else "open"
            mark = hour.mark(how, hour.meaning_of(stop, t.language, full))
            minutes = t("hour.minutes", minutes=stop.minutes).replace(" ", "\u00a0")
            label = f"{mark} {name} ·\u00a0{minutes}"
            present = (stop.lesson, stop.part) == (page, part)
            with st.container(key="stop_here") if present else nullcontext():
                hour.link(stop, t.language, label)


def _walked(view: View) -> Plan | None:
    """The teacher's plan, if it has several stops."""
    return view.plan if view.plan is not None and len(view.plan.stops) > 1 else None


def _plan(t: Texts, view: View, plan: Plan) -> None:
    """A link per stop of the teacher's plan, which leads there as *Next* does."""
    here = min(max(view.stop, 1), len(plan.stops))
    with st.container(key="hour"):
        for number, stop in enumerate(plan.stops, start=1):
            with st.container(key="stop_here") if number == here else nullcontext():
                plan_bar.link(view, plan, number, f"{number}. {title_of(t.language, stop)}")


def _course(
    pages: Mapping[str, st.Page],
    lessons: Iterable[Lesson],
    t: Texts,
    *,
    first: int = 1,
    at_home: bool = False,
) -> None:
    """A link per lesson, numbered from `first` on, with a mark for a lesson that is begun or finished."""
    visit = session.visit()
    done = visit.course.finished(visit.view)
    for number, lesson in enumerate(lessons, start=first):
        finished = lesson.name in done or visit.record.progress.done(lesson)
        how = "finished" if finished else "begun" if visit.record.progress.begun(lesson) else ""
        text = how and t(f"frame.{how}")
        mark = f" {hour.mark(how, text)}" if how else ""
        with st.container(key="home") if at_home and number == 1 else nullcontext():
            st.page_link(pages[lesson.name], label=f"{number}. {pages[lesson.name].title}{mark}")


def _group(pages: Mapping[str, st.Page], group: Iterable[Lesson]) -> None:
    st.divider()
    for page in group:
        st.page_link(pages[page.name])


def _asking(t: Texts) -> None:
    """The reader's choice: to be asked before a result is shown, or to be shown everything at once."""
    visit = session.visit()
    by_teacher = visit.view.shows
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
