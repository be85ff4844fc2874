"""The matrices of the part on the screen as one picture, SVG or PNG.

The browser draws it: it has the numbers, also those that were entered a moment ago, and fonts with Chinese
glyphs, which a server need not have. See pages/ui/picture/save.js.
"""

import functools
from pathlib import Path

import streamlit as st

from ..page import Page

FORMATS = ("svg", "png")
HERE = Path(__file__).parent


@functools.cache
def _component():
    css, js = ((HERE / f"pictures.{kind}").read_text("utf-8") for kind in ("css", "js"))
    return st.components.v2.component("attention_save_pictures", css=css, js=js)


def draw(page: Page) -> None:
    """A button a format, each in a container of its own: `export_svg`, `export_png`."""
    t, lesson, part = page.t, page.lesson, page.part.name
    title, name = t("lesson.title"), lesson.name
    if len(lesson.parts) > 1:
        title, name = f"{title} · {t(f'part.{part}')}", f"{name}-{part}"
    with st.container(horizontal=True, gap="small"):
        for format in FORMATS:
            with st.container(key=f"export_{format}", width="content"):
                data = {"format": format, "label": t(f"pictures.{format}"), "title": title, "name": name}
                _component()(key=f"save_{format}", data=data, width="content")
