"""The worksheet: which steps are blank, and the downloads of the page to print and of its answer key."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from pages import session
from pages.draw import saving
from pages.draw.page import Page
from pages.model import core
from pages.model.link import to_query

# What can be left blank, and the steps that this is.
CHOICES = {
    "projections": (
        *("x_p", "query", "key", "value"),
        *("normalized_query", "normalized_key", "rotated_query", "rotated_key"),
    ),
    "scores": ("scores",),
    "scaled_scores": ("scaled_scores", "biased_scores"),
    "masked_scores": ("masked_scores",),
    "weights": ("weights",),
    "output": ("head_output", "concatenated", "output"),
}
BLANK = tuple(CHOICES)[1:]  # at first: all that is computed from Q, K and V


@dataclass
class Wanted:
    """What the teacher wants on the sheet."""

    blank: list[str] = field(default_factory=lambda: list(BLANK))
    link: bool = False  # who has it sees all solutions


def make(page: Page, blank: frozenset[str], address: str) -> str:
    """The worksheet of the page's setup, as HTML.

    blank: the names of the steps that are left blank. address: the link to the setup, "" for none.
    """
    return _sheet().document(page, blank, address)


def make_key(page: Page) -> str:
    """The answer key, as HTML."""
    return _sheet().key(page)


def _sheet() -> ModuleType:
    core.load()  # the steps need PyTorch
    return importlib.import_module("pages.hand.export.sheet")


def draw(page: Page, present: Callable[[], tuple[Page, str]]) -> None:
    """What is on the sheet, and the downloads. present: read when a file is asked for."""
    t, wanted = page.t, session.kept("worksheet", Wanted)

    def choose(value: Any) -> None:
        wanted.blank = [name for name in CHOICES if name in value]

    def link(on: object) -> None:
        wanted.link = bool(on)

    st.markdown(f"**{t('sheet.to_print')}** {t('sheet.to_print_why')}")
    st.pills(
        t("sheet.blank"),
        list(CHOICES),
        selection_mode="multi",
        format_func=lambda name: t(f"sheet.blank_{name}"),
        help=t("sheet.blank_help"),
        **session.bind("worksheet", list(wanted.blank), choose),
    )
    bound = session.bind("worksheet_link", wanted.link, link)
    st.toggle(t("sheet.with_link"), help=t("sheet.with_link_help"), **bound)
    with st.container(horizontal=True, gap="small"):
        _download(page, "worksheet", "download", lambda: of_choices(*present(), wanted))
        _download(page, "answer-key", "download_key", lambda: make_key(present()[0]))


def _download(page: Page, file: str, label: str, content: Callable[[], str]) -> None:
    saving.button(
        f"export_{file}",
        page.t(f"sheet.{label}"),
        f"attention-{file}-{page.lesson.name.replace('_', '-')}.html",
        "text/html",
        content,
    )


def of_choices(page: Page, link: str, wanted: Wanted) -> str:
    """The worksheet as it is wanted. Who opens its link finds no answers given."""
    page = replace(page, view=replace(page.view, answers=()))
    query = urlencode(to_query(page.numbers, page.view, page.place))
    blank = frozenset(step for choice in wanted.blank for step in CHOICES[choice])
    return make(page, blank, f"{link.partition('?')[0]}?{query}" if wanted.link and link else "")
