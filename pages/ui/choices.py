"""What is looked at: one query or all, and which head."""

from __future__ import annotations

import streamlit as st

from . import edits
from . import settings as s
from .sidebar import bound
from .texts import Texts, literal

ALL = -1


def follow_row(t: Texts, now: s.Settings, names: tuple[str, ...]) -> None:
    """All rows, or one query through all the steps."""

    def change(now: s.Settings, value: int) -> s.Settings:
        return edits.with_choice(now, row=None if value == ALL else value)

    st.segmented_control(
        t("page.follow_row"),
        [ALL, *range(len(names))],
        required=True,
        format_func=lambda i: t("page.all_rows") if i == ALL else literal(names[i]),
        **bound("row", ALL if now.row is None else now.row, change),
    )


def shown_head(t: Texts, now: s.Settings) -> None:
    """Which head is shown in full."""
    if now.num_heads > 1:
        st.segmented_control(
            t("page.head"),
            range(now.num_heads),
            required=True,
            format_func=lambda h: str(h + 1),
            **bound("head", now.head),
        )
