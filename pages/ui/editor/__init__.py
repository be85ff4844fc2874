"""The matrix editor: one component for all the matrices, in plain JavaScript (see editor.js)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent


@functools.cache
def _component():
    return st.components.v2.component(
        "attention_matrix_editor",
        css=(HERE / "editor.css").read_text(encoding="utf-8"),
        js=(HERE / "editor.js").read_text(encoding="utf-8"),
        isolate_styles=False,
    )


def editor(
    data: dict, *, key: str, on_edit: Callable, on_pick: Callable, on_settle: Callable, on_narrow: Callable
):
    """Mounts the editor. `edit` and `narrow` are its state; `pick` and `settle` are triggers."""
    return _component()(
        data=data,
        key=key,
        on_edit_change=on_edit,
        on_pick_change=on_pick,
        on_settle_change=on_settle,
        on_narrow_change=on_narrow,
    )
