"""Two plans, for 45 and for 90 minutes: every step with a link to its state, or walked with “next”."""

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.ask import topics
from pages.draw import say
from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.model.course import Course
from pages.model.handout import Plan, Stop, parts_of, stop_of
from pages.model.link import to_query
from pages.model.view import Place, View

from .places import beginning, opened


@dataclass(frozen=True)
class Item:
    """One step of a plan: the minutes, what is done (`plan.<text>`), and where.

    withheld: questions of that place that are not asked, so that the question that is meant is in sight.
    """

    minutes: int
    text: str
    lesson: str
    place: Place
    example: str | None = None
    withheld: tuple[str, ...] = ()


def _item(minutes: int, text: str, lesson: str, part: str, example: str | None = None, **place: Any) -> Item:
    return Item(minutes, text, lesson, Place(part=part, **place), example)


LIBRARY = _item(5, "library", "one_head", "library")
ENDING = Item(
    3, "ending", "one_head", Place(part="misconceptions", topic="transposed"), withheld=("transposed",)
)
PLANS = {
    "plan_45": (
        LIBRARY,
        _item(10, "picture", "one_head", "picture", step="query", row=2),
        _item(5, "swap", "one_head", "predict", topic="swap"),
        _item(8, "softmax", "softmax", "bars"),
        _item(7, "scale", "why_scale", "experiment"),
        _item(7, "masks", "masks", "gallery"),
        ENDING,
    ),
    "plan_90": (
        LIBRARY,
        _item(7, "bank", "one_head", "meaning", "bank", topic="bank"),
        _item(14, "picture", "one_head", "picture", step="query", row=2),
        _item(8, "swap", "one_head", "predict", topic="swap"),
        _item(5, "transposed", "one_head", "misconceptions", topic="transposed"),
        _item(10, "softmax", "softmax", "bars"),
        _item(10, "scale", "why_scale", "experiment"),
        _item(12, "masks", "masks", "gallery"),
        _item(11, "heads", "many_heads", "overview"),
        _item(5, "translation", "cross_attention", "translation"),
        ENDING,
    ),
}


def walked(course: Course, items: tuple[Item, ...], title: str, t: Texts) -> Plan:
    """The plan as a teacher's own link has it: with nothing locked, and with minutes and advice."""
    return Plan(tuple(_stop(course, item, t) for item in items), title)


def _stop(course: Course, item: Item, t: Texts) -> Stop:
    query = to_query(beginning(course.pages[item.lesson], item.example, t.language), View(), item.place)
    stop = stop_of(item.lesson, query, withheld=item.withheld)
    return replace(stop, minutes=item.minutes, note=t(f"plan.{item.text}"))


def draw(page: Page) -> None:
    """What to prepare, and the plan of the chosen length."""
    t = page.t
    name = topics.choose(page)
    plan = PLANS[name]
    say.markdown(t("teachers.prepare"))
    say.markdown(t("teachers.votes"))
    st.page_link(
        f"pages/{plan[0].lesson}.py",
        label=t("teachers.walk"),
        icon=":material/arrow_forward:",
        query_params=parts_of(walked(page.course, plan, t(f"topic.{name}"), t), 1, t.language),
    )
    begin = 0
    for item in plan:
        title = Texts(t.language, item.lesson)("lesson.title")
        with st.container(border=True, key=f"step-{item.text}"):
            label = t("teachers.step", begin=begin, end=begin + item.minutes, title=title)
            opened(page, item.lesson, label, item.place, item.example)
            say.markdown(t(f"plan.{item.text}"))
        begin += item.minutes
