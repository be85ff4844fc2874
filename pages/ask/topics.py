"""The choice among the topics of a part, which shows one topic at a time."""

from collections.abc import Callable, Mapping

import streamlit as st

from pages import session
from pages.draw import say
from pages.draw.page import Page


def draw(page: Page, drawings: Mapping[str, Callable[[Page], None]]) -> None:
    """Draws the choice, and below it the topic."""
    drawings[choose(page)](page)


def choose(page: Page) -> str:
    """Draws the choice among the part's topics, with the texts `topic.<name>`; returns the topic's name."""
    chosen = page.topic.name
    st.segmented_control(
        page.t("frame.topic"),
        [topic.name for topic in page.part.topics],
        required=True,
        label_visibility="collapsed",
        format_func=lambda name: say.with_formulas(page.t(f"topic.{name}")),
        **session.bind("topic", chosen, lambda topic: page.go(topic=topic)),
    )
    return chosen
