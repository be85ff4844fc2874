"""Exercises to hand out by link: the same for everyone who opens it."""

import streamlit as st

from pages.ask import links
from pages.ask.exercise.look import LEVELS, at_level
from pages.draw import say
from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.model.view import Place, View

from .places import beginning

KINDS = (("bug_hunt", None), ("fill_in", "numbers"), ("fill_in", "shapes"), ("read_it", None))


def draw(page: Page) -> None:
    """How it is done, and for each kind of exercise the first one of every level."""
    t, practice = page.t, Texts(page.t.language, "practice")
    say.markdown(t("teachers.exercises"))
    for part, topic in KINDS:
        name = practice(f"part.{part}")
        if topic:
            name = t("frame.of_topic", part=name, topic=practice(f"topic.{topic}"))
        with st.container(border=True, horizontal=True, key=f"exercises-{topic or part}"):
            for level in LEVELS:
                label = t("teachers.exercise", part=name, level=practice(f"level.{level}"))
                view = at_level(View(language=t.language), level)
                settings = beginning(page.course.pages["practice"], t.language).core
                links.to_lesson("practice", label, Place(part=part, topic=topic), settings, view)
