"""The worksheet, a page to print; its answer key; the choice of blank steps."""

import importlib
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

import streamlit as st

from pages import session
from pages.draw.page import Page
from pages.model import core
from pages.model.link import to_query, whole

# Groups of steps that can be blank, in their order → the first step of each.
BLANKS = {
    "projections": "x_p",
    "scores": "scores",
    "scaled_scores": "scaled_scores",
    "masked_scores": "masked_scores",
    "weights": "weights",
    "output": "head_output",
}
BLANK = tuple(BLANKS)[1:]  # initially: all steps after Q, K and V


@dataclass
class Wanted:
    """The teacher's choices for the worksheet."""

    blank: list[str] = field(default_factory=lambda: list(BLANK))
    link: bool = False  # its page shows all solutions


def worksheet(page: Page, link: str) -> str:
    """The worksheet with the teacher's choices, as HTML."""
    return of_choices(page, link, session.memory("worksheet", Wanted))


def of_choices(page: Page, link: str, wanted: Wanted) -> str:
    """The worksheet with these choices. The page of its link has no answers yet."""
    query = to_query(page.numbers, replace(page.view, answers=()), page.place)
    address = whole(link.partition("?")[0], query) if wanted.link else ""
    return make(page, steps_of(wanted.blank), address)


def answer_key(page: Page, link: str) -> str:
    """The answer key, as HTML."""
    return make_key(page)


def steps_of(choices: Collection[str]) -> frozenset[str]:
    """The blank steps for these choices."""
    return _sheet().steps_of(choices, BLANKS)


def make(page: Page, blank: frozenset[str], address: str) -> str:
    """The worksheet of the page, as HTML. blank: names of blank steps; address: the page's link, or ""."""
    return _sheet().document(page, blank, address)


def make_key(page: Page) -> str:
    """The answer key, as HTML."""
    return _sheet().key(page)


def _sheet() -> ModuleType:
    core.load()  # the steps need PyTorch
    return importlib.import_module("pages.hand.export.sheet")


def choices(page: Page) -> None:
    """The controls for the teacher's choices."""
    t, wanted = page.t, session.memory("worksheet", Wanted)

    def choose(value: Any) -> None:
        wanted.blank = [name for name in BLANKS if name in value]

    def link(on: object) -> None:
        wanted.link = bool(on)

    st.pills(
        t("sheet.blank"),
        list(BLANKS),
        selection_mode="multi",
        format_func=lambda name: t(f"sheet.blank_{name}"),
        help=t("sheet.blank_help"),
        **session.bind("worksheet", list(wanted.blank), choose),
    )
    bound = session.bind("worksheet_link", wanted.link, link)
    st.toggle(t("sheet.with_link"), help=t("sheet.with_link_help"), **bound)
