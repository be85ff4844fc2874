"""A picture to save, as SVG or PNG: all of the part on the screen.

The browser draws them: it has the numbers, also the numbers of a moment ago, and fonts with Chinese glyphs,
which a server need not have. See pages/draw/picture/save.js.
"""

import functools
from pathlib import Path

import streamlit as st

from .page import Page

HERE = Path(__file__).parent


@functools.cache
def _component():
    css, js = ((HERE / f"pictures.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return st.components.v2.component("attention_save_pictures", css=css, js=js, isolate_styles=False)


def whole(page: Page, form: str, label: str) -> None:
    """A button for the whole part in that format, in a container of its own: `export_svg`, `export_png`."""
    t, lesson, part = page.t, page.lesson, page.part.name
    title, name = t("lesson.title"), lesson.name
    if len(lesson.parts) > 1:
        title, name = f"{title} · {t(f'part.{part}')}", f"{name}-{part}"
    with st.container(key=f"export_{form}", width="content"):
        data = {"labels": {form: label}, "title": title, "name": name}
        _component()(key=f"save_{form}", data=(data,), width="content")
