"""The worksheet: which steps are blank, and the download of the page to print."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from pages.model.link import to_query

from .. import core, session
from ..page import Page
from . import saving

# What can be left blank, and the steps that this is.
CHOICES = {
    "projections": ("x_p", "query", "key", "value", "rotated_query", "rotated_key"),
    "scores": ("scores",),
    "scaled_scores": ("scaled_scores", "biased_scores"),
    "masked_scores": ("masked_scores",),
    "weights": ("weights",),
    "output": ("head_output", "concatenated", "output"),
}
BLANK = tuple(CHOICES)[1:]  # at first: all that is computed from Q, K and V


def make(page: Page, blank: frozenset[str], address: str) -> str:
    """The worksheet of the page's setup and its answer key, as HTML.

    blank: the names of the steps that are left blank. address: the link to the setup, "" for none.
    """
    core.load()  # the steps need PyTorch
    return importlib.import_module("pages.ui.export.sheet").document(page, blank, address)


def draw(page: Page, present: Callable[[], tuple[Page, str]]) -> None:
    """The choice of the blank steps, and the download. present: read when the sheet is asked for."""
    t, chosen = page.t, session.kept("worksheet", lambda: list(BLANK))

    def choose(value: object) -> None:
        chosen[:] = [name for name in CHOICES if name in value]

    st.markdown(f"**{t('sheet.to_print')}** {t('sheet.to_print_why')}")
    st.pills(
        t("sheet.blank"),
        list(CHOICES),
        selection_mode="multi",
        format_func=lambda name: t(f"sheet.blank_{name}"),
        help=t("sheet.blank_help"),
        **session.bind("worksheet", list(chosen), choose),
    )
    saving.button(
        "export_worksheet",
        t("sheet.download"),
        f"attention-worksheet-{page.lesson.name.replace('_', '-')}.html",
        "text/html",
        lambda: of_choices(*present(), chosen),
    )


def of_choices(page: Page, link: str, chosen: list[str]) -> str:
    """The worksheet with these of CHOICES blank. Who opens its link finds no answers given."""
    page = replace(page, view=replace(page.view, answers=()))
    query = urlencode(to_query(page.numbers, page.view, page.place))
    blank = frozenset(step for choice in chosen for step in CHOICES[choice])
    return make(page, blank, link and f"{link.partition('?')[0]}?{query}")
