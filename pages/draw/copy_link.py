"""A button that copies a link, which is not on the screen."""

import functools
from pathlib import Path

import streamlit as st


def draw(label: str, done: str, link: str, *, name: str) -> None:
    """label: of the button. done: what it says then. name: of the button on the page."""
    # In a tuple: Streamlit imports pandas to inspect other data.
    data = ({"label": label, "copied": done, "link": link},)
    _component()(key=f"copy_{name}", data=data, width="content")


@functools.cache
def _component():
    here = Path(__file__).parent
    css, js = ((here / name).read_text("utf-8") for name in ("saving.css", "copy_link.js"))
    return st.components.v2.component("attention_copy_link", css=css, js=js, isolate_styles=False)
