"""Where positions and query-key normalization are in a picture of the whole computation."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.model import edits

from .page import Page
from .steps import Steps

Rows = list[list[str | None]]


def beside(found: Steps, rows: Rows) -> Rows:
    """The rows of a grid whose last one has Q, K, V, with X in front of it, and with what positions add.

    X + P is where X is without them, below P; normalized and rotated Q and K are below Q and K.
    """
    *upper, last = rows
    prepared = [[None, f"{form}_query", f"{form}_key", None] for form in found.forms]
    if found.added:
        upper = [[None, None, *row] for row in upper]
        upper[0][:2] = ["x", "p"]
        return [*upper, [None, "x_p", *last], *([None, *row] for row in prepared)]
    return [*([None, *row] for row in upper), ["x", *last], *prepared]


def without(page: Page) -> Page:
    """The page without positions and query-key normalization, for what is not said of these; if they are on,
    the page says so.
    """
    if page.now.position == "none" and not page.now.qk_norm:
        return page
    st.caption(page.t("position.set_aside"))
    return replace(page, now=edits.with_choice(page.now, position="none", qk_norm=False))
