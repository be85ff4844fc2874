"""The worksheet, a page to print, and its answer key; which steps are blank."""

import importlib
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages import session
from pages.draw.page import Page
from pages.model import core
from pages.model.link import to_query

# What can be left blank, in the order of the steps; each with its first step.
BLANKS = {
    "projections": "x_p",
    "scores": "scores",
    "scaled_scores": "scaled_scores",
    "masked_scores": "masked_scores",
    "weights": "weights",
    "output": "head_output",
}
BLANK = tuple(BLANKS)[1:]  # at first: all that is computed from Q, K and V


@dataclass
class Wanted:
    """What the teacher wants on the sheet."""

    blank: list[str] = field(default_factory=lambda: list(BLANK))
    link: bool = False  # who has it sees all solutions


def worksheet(page: Page, link: str) -> str:
    """The worksheet as it is wanted, as HTML."""
    return of_choices(page, link, session.memory("worksheet", Wanted))


def of_choices(page: Page, link: str, wanted: Wanted) -> str:
    """The worksheet with these choices. Who opens its link finds no answers given."""
    page = replace(page, view=replace(page.view, answers=()))
    query = urlencode(to_query(page.numbers, page.view, page.place))
    address = f"{link.partition('?')[0]}?{query}" if wanted.link and link else ""
    return make(page, steps_of(wanted.blank), address)


def answer_key(page: Page, link: str) -> str:
    """The answer key, as HTML."""
    return make_key(page)


def steps_of(choices: Collection[str]) -> frozenset[str]:
    """The steps that are blank with these choices."""
    return _sheet().steps_of(choices, BLANKS)


def make(page: Page, blank: frozenset[str], address: str) -> str:
    """The worksheet of the page's setup, as HTML.

    blank: the names of the steps that are left blank. address: the link to the setup, or "".
    """
    return _sheet().document(page, blank, address)


def make_key(page: Page) -> str:
    """The answer key, as HTML."""
    return _sheet().key(page)


def _sheet() -> ModuleType:
    core.load()  # the steps need PyTorch
    return importlib.import_module("pages.hand.export.sheet")


def choices(page: Page) -> None:
    """What is on the sheet."""
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
