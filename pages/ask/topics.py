"""A part that has several topics shows one of them at a time."""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from pages import session
from pages.draw.page import Page


def draw(page: Page, topics: Mapping[str, Callable[[Page], None]]) -> None:
    """Draws the choice, and below it the topic."""
    topics[choose(page, tuple(topics))](page)


def choose(page: Page, topics: Sequence[str]) -> str:
    """Draws the choice, with the texts `topic.<name>`, and returns the topic: the first one to begin with."""
    chosen = page.place.topic
    if chosen is None or chosen not in topics:
        chosen = topics[0]
    st.segmented_control(
        page.t("frame.topic"),
        topics,
        required=True,
        label_visibility="collapsed",
        format_func=lambda name: page.t(f"topic.{name}"),
        **session.bind("topic", chosen, lambda topic: page.go(topic=topic)),
    )
    return chosen
