"""Typical wrong answers to the lessons' questions, and what they show."""

import streamlit as st

from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.model.view import Place

from .places import opened

# question → the lesson and the part that ask it, and the part's topic
ANSWERS = {
    "swap": ("one_head", "predict", "swap"),
    "value": ("one_head", "predict", "value"),
    "shift": ("one_head", "predict", "shift"),
    "transposed": ("one_head", "misconceptions", "transposed"),
    "one_head_end": ("one_head", "misconceptions", "transposed"),
    "soft_axis": ("softmax", "axes", None),
    "root_n": ("why_scale", "divisors", None),
    "times_zero": ("masks", "wrong", "times_zero"),
    "polarity": ("masks", "libraries", "polarity"),
    "view": ("many_heads", "view", None),
    "train_agree": ("train_a_head", "two_runs", None),
    "cross_shape": ("cross_attention", "predict", None),
    "real_heads_end": ("real_heads", "explain_yours", None),
}


def draw(page: Page) -> None:
    """For each the question's place, the answer, and what it shows."""
    t = page.t
    st.markdown(t("teachers.answers"))
    for question, (lesson, part, topic) in ANSWERS.items():
        texts = Texts(t.language, lesson)
        with st.container(border=True, key=f"answer-{question}"):
            label = t("teachers.place", lesson=texts("lesson.title"), part=texts(f"part.{part}"))
            opened(page, lesson, label, Place(part=part, topic=topic))
            st.markdown(f"{t(f'wrong.{question}')}\n\n{t(f'shows.{question}')}")
