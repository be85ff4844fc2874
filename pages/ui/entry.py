"""The way into a page that is run without app.py."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import streamlit as st

APP = Path(__file__).parents[2] / "app.py"
_routed: ContextVar[bool] = ContextVar("routed", default=False)


@contextmanager
def routing() -> Iterator[None]:
    """app.py runs the page inside of this."""
    token = _routed.set(True)
    try:
        yield
    finally:
        _routed.reset(token)


def through_app() -> None:
    """Runs app.py, which runs the page again, if the page was run on its own.

    Streamlit does that after the server's start, when the first visitor comes by a page's own address: it
    does not know yet that app.py is the router, and looks for the page in pages/ by its file's name.
    """
    if not _routed.get():
        runpy.run_path(str(APP), run_name="__main__")
        st.stop()
