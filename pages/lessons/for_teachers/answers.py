"""Typical wrong answers to the lessons' questions, and what they show."""

import streamlit as st

from pages.draw import say
from pages.draw.page import Page
from pages.draw.texts import Texts

from .places import opened

QUESTIONS = (
    *("swap", "value", "shift", "transposed", "one_head_end", "soft_axis", "root_n", "times_zero"),
    *("polarity", "view", "train_agree", "cross_shape", "real_heads_end"),
)


def draw(page: Page) -> None:
    """For each the question's place, the answer, and what it shows."""
    t = page.t
    say.markdown(t("teachers.answers"))
    for question in QUESTIONS:
        lesson, part, _ = place = page.course.asked_at(question)
        texts = Texts(t.language, lesson)
        with st.container(border=True, key=f"answer-{question}"):
            label = t("teachers.place", lesson=texts("lesson.title"), part=texts(f"part.{part}"))
            opened(page, lesson, label, place.place)
            say.markdown(f"{t(f'wrong.{question}')}\n\n{t(f'shows.{question}')}")
