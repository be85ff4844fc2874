"""The line at the top of a page that was opened by a teacher's link."""

import streamlit as st

from pages import session
from pages.draw import say
from pages.draw.page import Page
from pages.draw.texts import literal
from pages.model.handout import Plan, Stop, parts_of, told
from pages.model.view import View

from . import hour


def draw(page: Page) -> None:
    """The plan's title, links to the stop before, after, and to this stop's start; unlock, and leave.

    Drawn only in the stop's own lesson, as its locks hold only there.
    """
    plan, t = page.view.plan, page.t
    if plan is None or not is_here(page):
        return
    number = min(max(page.view.stop, 1), len(plan.stops))
    stop = plan.stop(number)
    with st.container(key="handout_bar", horizontal=True, vertical_alignment="center", gap="small"):
        say.markdown(f"**{t.own(plan.title) or t('handout.by_teacher')}**", width="content")
        if len(plan.stops) > 1:
            _way(page, plan, number - 1, "back", "arrow_back")
            say.markdown(t("handout.stop_of", i=number, n=len(plan.stops)), width="content")
            _way(page, plan, number + 1, "next", "arrow_forward")
        _way(page, plan, number, "return", "replay")
        if page.view.is_unlocked:
            say.caption(t("handout.unlocked"), width="content")
        elif plan.unlocks and (stop.fixed or stop.unasked):
            say.button(t, "handout.unlock", "lock_open", session.set_view, kwargs={"free": True})
        if plan.unlocks:
            free = {"plan": None, "stop": 0, "free": False}
            say.button(t, "handout.leave", "close", session.set_view, kwargs=free)
    if not page.view.presenting:
        _notes(page, stop)


def is_here(page: Page) -> bool:
    """Whether the page is a stop of a plan: in other lessons the learner is free."""
    plan = page.view.plan
    return plan is not None and plan.stop(page.view.stop).lesson == page.lesson.name


def _notes(page: Page, stop: Stop) -> None:
    """The teacher's notes on this stop."""
    if text := _note(page, stop):
        with st.container(key="handout_notes"):
            say.caption(literal(text))


def _note(page: Page, stop: Stop) -> str:
    minutes = [page.t("handout.takes", count=stop.minutes)] if stop.minutes else []
    return page.t.joined([*minutes, told(stop.note, page.t.language)])


def notes(page: Page) -> list[str]:
    """In a presentation, for a window of the teacher's own: the number of the stop, and the notes on it."""
    plan = page.view.plan
    if plan is None or not is_here(page) or not any(_note(page, stop) for stop in plan.stops):
        return []
    number = min(max(page.view.stop, 1), len(plan.stops))
    title = page.t("handout.stop_of", i=number, n=len(plan.stops))
    return [title, _note(page, plan.stop(number))]


def _way(page: Page, plan: Plan, number: int, name: str, icon: str) -> None:
    """A link to a stop of the plan. Next keeps answers, Return clears them (see session.open_link)."""
    if not 1 <= number <= len(plan.stops):
        return
    with st.container(key=f"handout_{name}", width="content"):
        link(page.view, plan, number, page.t(f"handout.{name}"), icon=f":material/{icon}:")


def link(view: View, plan: Plan, number: int, label: str, icon: str | None = None) -> None:
    """A link to that stop of the plan. A presentation and a vote of the class go on."""
    query = parts_of(plan, number, view.language) | hour.going_on(view)
    st.page_link(session.script(plan.stop(number).lesson), label=label, icon=icon, query_params=query)
