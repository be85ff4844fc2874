"""A tour of the first lesson's picture for newcomers. Each stop waits for what the learner does there.

It is offered where a visit begins without a link, once in a browser: a link shows what its sender wants to
show. It is next to the page, where nothing moves for it, and the lesson's information leads to it again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from pages import session
from pages.draw import say
from pages.draw.page import Page
from pages.model import edits

OFFER, END = "offer", "end"
_memory = st.components.v2.component(
    "attention_tour_memory", js=(Path(__file__).parent / "memory.js").read_text("utf-8")
)


def _other_numbers(page: Page) -> bool:
    return page.now.x != edits.load_example(page.now, page.now.example).x


# The stops in their order: whether what the learner is to do there is done.
STOPS: dict[str, Callable[[Page], bool]] = {
    "drag": _other_numbers,
    "point": lambda page: (page.place.cell or ("",))[0] == "output",
    "step": lambda page: page.place.step not in (None, "output"),
    "mask": lambda page: page.now.mask == "causal",
    "heads": lambda page: page.now.num_heads == 2,
    "undo": lambda page: bool(session.visit().history.future),
}


@dataclass
class Progress:
    """At which stop the learner is, at the offer or at the end; None: no tour goes on."""

    at: str | None = None

    def go(self, at: str | None) -> None:
        self.at = at


def _progress() -> Progress:
    return session.kept("tour", Progress)


def draw(page: Page) -> None:
    """What is to be done now, at a fixed place next to the page, or the offer."""
    if not _is_here(page) or page.view.presenting:
        return
    progress, names = _progress(), (*STOPS, END)
    while progress.at in STOPS and STOPS[progress.at](page):
        progress.go(names[names.index(progress.at) + 1])
    if progress.at is not None:
        _strip(page, progress)
    elif session.visit().bare:
        _memory(key="tour_memory", on_new_change=lambda: progress.go(OFFER), height=1)


def _is_here(page: Page) -> bool:
    return page.lesson.tour and page.part == page.lesson.parts[0]


def _strip(page: Page, progress: Progress) -> None:
    t, at, names = page.t, progress.at, list(STOPS)
    text = t(f"tour.{at}")
    if at in STOPS:
        text = t("tour.stop", i=names.index(at) + 1, n=len(names), what=text)
    with st.container(key="tour"):
        say.sentence(text)
        if at == OFFER:
            st.button(t("tour.start"), key="tour_start", on_click=progress.go, args=(names[0],))
        last = "no" if at == OFFER else "close" if at == END else "leave"
        st.button(t(f"tour.{last}"), key="tour_leave", type="tertiary", on_click=progress.go, args=(None,))


def button(page: Page) -> None:
    """Begins the tour again."""
    if _is_here(page):
        begin, first = _progress().go, next(iter(STOPS))
        st.button(page.t("tour.again"), key="tour_again", on_click=begin, args=(first,))
