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

HERE = Path(__file__).parent


@functools.cache
def _component():
    css, js = ((HERE / name).read_text("utf-8") for name in ("pictures.css", "saving.js"))
    return st.components.v2.component("attention_save_file", css=css, js=js, isolate_styles=False)


def button(
    key: str, label: str, name: str, mime: str, make: Callable[[], str | bytes], *, quiet: bool = False
) -> None:
    """quiet: without a border, as below a figure."""
    data = {"label": label, "quiet": quiet, "file": None}
    asked = (session.widget_value(key) or {}).get("asked")
    if isinstance(asked, str):
        content = make()
        content = content.encode() if isinstance(content, str) else content
        encoded = base64.b64encode(content).decode()
        data["file"] = {"asked": asked, "name": name, "mime": mime, "content": encoded}
    _component()(key=key, data=data, width="content", on_asked_change=lambda: None)
