"""What each lesson is for and how long it takes, in the lessons' own words."""

import streamlit as st

from pages.draw import say
from pages.draw.page import Page
from pages.draw.texts import Texts

from .places import opened

# Lessons that suit a class or reading best; all others are homework.
IN_CLASS = {
    "one_head",
    "softmax",
    "why_scale",
    "masks",
    "many_heads",
    "real_heads",
    "practice",
    "transformer",
}
ALONE = {"flash_attention", "worked_examples", "newer_models"}


def draw(page: Page) -> None:
    """The hour, a card per lesson, and the minutes of all."""
    t = page.t
    lessons = {
        lesson.name: Texts(t.language, lesson.name).section("lesson") for lesson in page.course.lessons
    }
    minutes = sum(int(own["minutes"]) for own in lessons.values())
    hour = page.course.stop_numbers
    stops = t.listed(Texts(t.language, stop.lesson)(f"stop.{stop.part}") for stop in hour)
    say.markdown(t("teachers.hour", count=len(hour), minutes=page.course.minutes, stops=stops))
    say.markdown(t("teachers.course", count=len(page.course.taught + page.course.inside), minutes=minutes))
    places = {"in_class": IN_CLASS, "at_home": lessons.keys() - IN_CLASS - ALONE, "alone": ALONE}
    titles = {
        place: t.listed(own["title"] for name, own in lessons.items() if name in names)
        for place, names in places.items()
    }
    say.markdown(t("teachers.suits", **titles))
    for name, own in lessons.items():
        with st.container(border=True, key=f"lesson-{name}"):
            opened(page, name, t("teachers.lesson", title=own["title"], minutes=own["minutes"]))
            say.markdown(own["goals"])
            say.caption(t("teachers.needs", needs=own["needs"]))
