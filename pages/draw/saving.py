"""A button that saves a file which the server makes when it is pressed.

The press asks for a run, and the answer contains the file. `st.download_button` would offer an address,
which Streamlit forgets while other visitors work: in a busy class its downloads fail.
"""

import base64
import functools
from collections.abc import Callable
from pathlib import Path

import streamlit as st

from pages import session

from .picture.modules import joined

HERE = Path(__file__).parent


@functools.cache
def _component():
    css, js = (HERE / "pictures.css").read_text("utf-8"), joined(HERE / "save_button.js")
    return st.components.v2.component("attention_save_file", css=css, js=js, isolate_styles=False)


def button(
    key: str, label: str, name: str, mime: str, make: Callable[[], str | bytes], *, quiet: bool = False
) -> None:
    """quiet: without a border, as below a table."""
    data = {"label": label, "quiet": quiet, "file": file(key, name, mime, make)}
    _component()(key=key, data=data, width="content", on_asked_change=lambda: None)


def file(key: str, name: str, mime: str, make: Callable[[], str | bytes]) -> dict[str, str] | None:
    """The file for the component of this key, where the browser has just asked for it."""
    asked = (session.widget_value(key) or {}).get("asked")
    if not isinstance(asked, str):
        return None
    content = make()
    content = content.encode() if isinstance(content, str) else content
    return {"asked": asked, "name": name, "mime": mime, "content": base64.b64encode(content).decode()}
