"""Buttons that save a file of the server or a picture of the page, and the menu of a chart.

A press asks for a run, whose answer contains the file. `st.download_button` offers an address, which
Streamlit forgets while other visitors work: in a busy class its downloads fail. Pictures are drawn by the
browser, which has the newest numbers and fonts with Chinese glyphs (see pages/picture/save.js).
"""

import base64
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pages import session
from pages.picture.modules import joined

from .page import Page

HERE = Path(__file__).parent
Make = Callable[[], str | bytes]


@functools.cache
def _component():
    css, js = (HERE / "saving.css").read_text("utf-8"), joined(HERE / "saving.js")
    return st.components.v2.component("attention_save", css=css, js=js, isolate_styles=False)


def _mount(key: str, data: dict[str, Any]) -> None:
    # In a tuple: Streamlit imports pandas to inspect other data.
    _component()(key=key, data=(data,), width="content", on_asked_change=lambda: None)


def button(key: str, label: str, name: str, mime: str, make: Make, *, quiet: bool = False) -> None:
    """A button that saves a file. quiet: without a border, as below a table."""
    _mount(key, {"label": label, "quiet": quiet, "file": _file(key, name, mime, make)})


def page_picture(page: Page, form: str, label: str) -> None:
    """A button for the part as a picture, "svg" or "png", in a container of its own: `export_<form>`."""
    t, lesson, part = page.t, page.lesson, page.part.name
    title, name = t("lesson.title"), lesson.name
    if len(lesson.parts) > 1:
        title, name = f"{title} · {t(f'part.{part}')}", f"{name}-{part}"
    with st.container(key=f"export_{form}", width="content"):
        _mount(f"save_{form}", {"label": label, "format": form, "title": title, "name": name})


def chart_menu(page: Page, name: str, make: Make | None) -> None:
    """A menu in the corner of the current container, `plot-<name>`. make: returns the file of the numbers."""
    items = ["enlarge", "svg", "png", *(["csv"] if make else [])]
    key, title = f"menu-{name}", page.t(f"title.{name}")
    data = {
        "label": page.t("figure.menu", title=title),
        "items": [(item, page.t(f"figure.{item}")) for item in items],
        "title": title,
        "name": name,
        "file": make and _file(key, f"{name}.csv", "text/csv", make),
    }
    _mount(key, data)


def _file(key: str, name: str, mime: str, make: Make) -> dict[str, str] | None:
    """The file for the component of this key, if the browser has just asked for it."""
    asked = (session.widget_value(key) or {}).get("asked")
    if not isinstance(asked, str):
        return None
    content = make()
    content = content.encode() if isinstance(content, str) else content
    return {"asked": asked, "name": name, "mime": mime, "content": base64.b64encode(content).decode()}
