"""The worksheet: which steps are blank, and the download of the page to print."""

from __future__ import annotations

import functools
import importlib
from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from pages.lessons import lesson
from pages.model.link import to_query
from pages.model.view import Place

from .. import core, session
from ..page import Page
from ..session.visit import Visit
from ..texts import Texts

# What can be left blank, and the steps that this is.
CHOICES = {
    "projections": ("x_p", "query", "key", "value", "rotated_query", "rotated_key"),
    "scores": ("scores",),
    "scaled_scores": ("scaled_scores", "biased_scores"),
    "masked_scores": ("masked_scores",),
    "weights": ("weights",),
    "output": ("head_output", "concatenated", "output"),
}
BLANK = tuple(CHOICES)[1:]


def make(page: Page, blank: frozenset[str], address: str) -> str:
    """The worksheet of the page's setup and its answer key, as HTML.

    blank: the names of the steps that are left blank. address: the link to this setup.
    """
    core.load()  # the steps need PyTorch
    return importlib.import_module("pages.ui.export.sheet").document(page, blank, address)


def draw(page: Page) -> None:
    """The choice of the blank steps, and the download. The sheet is made when the button is pressed."""
    t, chosen = page.t, session.kept("worksheet", lambda: list(BLANK))

    def choose(value: object) -> None:
        chosen[:] = [name for name in CHOICES if name in value]

    st.pills(
        t("sheet.blank"),
        list(CHOICES),
        selection_mode="multi",
        format_func=lambda name: t(f"sheet.blank_{name}"),
        help=t("sheet.blank_help"),
        **session.bind("worksheet", list(chosen), choose),
    )
    st.download_button(
        t("sheet.download"),
        functools.partial(_file, session.visit(), page.lesson.name, st.context.url or "", chosen),
        "attention-worksheet.html",
        "text/html",
        on_click="ignore",
        help=t("sheet.download_help"),
        key="export_worksheet",
    )


def _file(visit: Visit, name: str, url: str, chosen: list[str]) -> bytes:
    """The present sheet. It is asked for outside of a script run, where there is no session state."""
    page = page_of(visit, name)
    query = to_query(visit.state, page.view, page.place)
    blank = frozenset(step for choice in chosen for step in CHOICES[choice])
    return make(page, blank, f"{url}?{urlencode(query)}" if url else "").encode()


def page_of(visit: Visit, name: str) -> Page:
    """The lesson's page in the present state of the visit, without the answers that were given."""
    this = lesson(name)
    place = this.found(visit.places.get(name, Place()))
    view = replace(visit.view, answers=())
    texts = Texts(view.language, name)
    return Page(this, this.part(place.part), texts, visit.state.core, view, place, visit.state)
