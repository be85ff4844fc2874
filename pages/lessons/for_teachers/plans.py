"""Two plans, for 45 and for 90 minutes: every step with a link to its state, or walked with “next”.

Both are made of stops of the path, which say their shortest plan. They leave minutes for the class to join
and to vote: a vote with a discussion and a second vote takes about four.
"""

from dataclasses import dataclass, replace

import streamlit as st

from pages import session
from pages.ask import topics
from pages.draw import say
from pages.draw.page import Page, in_task
from pages.draw.texts import Texts, without_terms
from pages.model.course import Course, HourStop
from pages.model.handout import Plan, Stop, parts_of, stop_of
from pages.model.link import to_query
from pages.model.view import Place, View

from .places import beginning, opened


@dataclass(frozen=True)
class Item:
    """One step of a plan: the minutes, and where."""

    minutes: int
    lesson: str
    place: Place


NAMES = ("plan_45", "plan_90")


def items_of(course: Course, name: str) -> tuple[Item, ...]:
    """The steps of the plan of that name."""
    most = int(name.removeprefix("plan_"))
    return tuple(_of_stop(stop) for stop in course.hour if 0 < stop.plan <= most and not stop.ends)


def _of_stop(stop: HourStop) -> Item:
    return Item(stop.minutes, stop.lesson, Place(part=stop.part))


def title_of(item: Item, t: Texts) -> str:
    """The name of the stop."""
    return Texts(t.language, item.lesson)(f"stop.{item.place.part}")


def note_of(item: Item, course: Course, t: Texts) -> str:
    """Why the stop matters, and its task with the tokens of the lesson's start."""
    own = Texts(t.language, item.lesson)
    names = in_task(t, beginning(course.pages[item.lesson], t.language).core.tokens)
    keys = [f"{item.place.part}_{name}" for name in ("why", "task")]
    sentences = [own(f"stop.{key}", **names) for key in keys if key in own.section("stop")]
    return without_terms(t.joined(sentences))


def walked(course: Course, items: tuple[Item, ...], title: str, t: Texts) -> Plan:
    """The plan as a teacher's own link has it: with nothing locked, and with minutes and advice."""
    return Plan(tuple(_stop(course, item, t) for item in items), title)


def _stop(course: Course, item: Item, t: Texts) -> Stop:
    query = to_query(beginning(course.pages[item.lesson], t.language), View(), item.place)
    return replace(stop_of(item.lesson, query), minutes=item.minutes, note=note_of(item, course, t))


def of_hour(course: Course, t: Texts) -> Plan:
    """The hour as a plan."""
    return walked(course, tuple(_of_stop(stop) for stop in course.hour if not stop.ends), "", t)


def draw(page: Page) -> None:
    """What to prepare, and the plan of the chosen length."""
    t = page.t
    name = topics.choose(page)
    plan = items_of(page.course, name)
    say.markdown(t("teachers.prepare"))
    say.markdown(t("teachers.votes"))
    say.markdown(t("teachers.overview"))
    st.page_link(
        session.script(plan[0].lesson),
        label=t("teachers.walk"),
        icon=":material/arrow_forward:",
        query_params=parts_of(walked(page.course, plan, t(f"topic.{name}"), t), 1, t.language),
    )
    begin = 0
    for item in plan:
        with st.container(border=True, key=f"step-{item.lesson}-{item.place.part}"):
            label = t("teachers.step", begin=begin, end=begin + item.minutes, title=title_of(item, t))
            opened(page, item.lesson, label, item.place)
            say.markdown(note_of(item, page.course, t))
        begin += item.minutes
