"""Where positions are in a picture of the whole computation."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from pages.model import edits

from .page import Page
from .steps import Steps

Rows = list[list[str | None]]


def beside(found: Steps, rows: Rows) -> Rows:
    """The rows of a grid whose last one has Q, K, V, with X in front of it, and with what positions add.

    X + P is where X is without them, below P; rotated Q and K are below Q and K.
    """
    *upper, last = rows
    if found.added:
        upper = [[None, None, *row] for row in upper]
        upper[0][:2] = ["x", "p"]
        return [*upper, [None, "x_p", *last]]
    turned = [[None, "rotated_query", "rotated_key", None]] if found.rotated else []
    return [*([None, *row] for row in upper), ["x", *last], *turned]


def without(page: Page) -> Page:
    """The page without positions, for what is not said of them; where there are any, it says so."""
    if page.now.position == "none":
        return page
    st.caption(page.t("position.set_aside"))
    return replace(page, now=edits.with_choice(page.now, position="none"))
