"""What is looked at in a picture of a whole computation: one query or all, and which head."""

from __future__ import annotations

import streamlit as st

from . import session
from .page import Page
from .picture import Arrow, Flow, Group

ALL = -1


def follow_query(page: Page) -> None:
    """All rows, or one query through all the steps."""
    names = page.tokens
    st.segmented_control(
        page.t("setting.row"),
        [ALL, *range(len(names))],
        required=True,
        format_func=lambda i: page.t("steps.all_rows") if i == ALL else names[i],
        help=page.t("help.row"),
        **session.bind(
            "row",
            ALL if page.row is None else page.row,
            lambda row: page.go(row=None if row == ALL else row),
        ),
    )


def heads_band(page: Page) -> Flow:
    """The thumbnails of all heads, and the way from the concatenated heads to the output."""
    heads = [f"head_weights_{head + 1}" for head in range(page.now.num_heads)]
    bias = ["b_o"] if page.now.b_o is not None else []
    group = Group(heads, page.t("steps.heads"))
    return Flow([group, "concatenated", Arrow("· W_O"), "w_o", *bias, Arrow("="), "output"])


def choose_head(picked: dict) -> None:
    """A click on a thumbnail shows its head."""
    if "choose" in picked:
        session.look(head=int(picked["choose"]))
