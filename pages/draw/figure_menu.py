"""The menu of a figure: its charts as files, its numbers, and the figure as large as the screen."""

import functools
from collections.abc import Callable

import streamlit as st

from . import saving
from .page import Page
from .picture.modules import joined


@functools.cache
def _component():
    css, js = saving.HERE / "figure_menu.css", joined(saving.HERE / "figure_menu.js")
    return st.components.v2.component(
        "attention_figure_menu", css=css.read_text("utf-8"), js=js, isolate_styles=False
    )


def draw(page: Page, name: str, make: Callable[[], bytes] | None) -> None:
    """A menu in the corner of the container in which it is called: `plot-<name>`. make: the numbers' file."""
    items = ["enlarge", "svg", "png", *(["csv"] if make else [])]
    key, title = f"menu-{name}", page.t(f"title.{name}")
    data = {
        "label": page.t("figure.menu", title=title),
        "items": [(item, page.t(f"figure.{item}")) for item in items],
        "title": title,
        "name": name,
        "file": make and saving.file(key, f"{name}.csv", "text/csv", make),
    }
    _component()(key=key, data=(data,), width="content", on_asked_change=lambda: None)
