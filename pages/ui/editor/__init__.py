"""The matrix editor: a component of our own in plain JavaScript and CSS, without a build step."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import streamlit as st

FOLDER = Path(__file__).parent


@functools.cache
def _component():
    return st.components.v2.component(
        "attention_matrices",
        html='<div class="att-editor"></div>',
        css=(FOLDER / "editor.css").read_text("utf-8"),
        js=(FOLDER / "editor.js").read_text("utf-8"),
        isolate_styles=False,
    )


def editor(
    data: dict, *, key: str, on_edit: Callable, on_pick: Callable, on_settle: Callable, on_narrow: Callable
):
    """Mounts the editor. What `data` holds and what comes back is described at the top of editor.js."""
    return _component()(
        key=key,
        data=data,
        on_edit_change=on_edit,
        on_pick_change=on_pick,
        on_settle_change=on_settle,
        on_narrow_change=on_narrow,
    )
