"""Where the claims of the lessons come from, with year and section."""

from __future__ import annotations

import streamlit as st

from pages.ui.page import Page

SOURCES = (
    "bahdanau",
    "luong",
    "vaswani",
    "dropout",
    "hinton",
    "shazeer",
    "ainslie",
    "raffel",
    "beltagy",
    "henry",
    "jain",
    "wiegreffe",
)


def draw(page: Page) -> None:
    """The sources, in the order of their subject."""
    st.markdown(page.t("teachers.sources"))
    st.markdown("\n".join(f"- {page.t(f'source.{name}')}" for name in SOURCES))
