"""The opening of a page: also without app.py, and after a restart of the server."""

import runpy
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import streamlit as st

APP = Path(__file__).parents[2] / "app.py"
_routed: ContextVar[bool] = ContextVar("routed", default=False)


class _Style:
    """The styles of every page. At each run Streamlit would read a file again, and clean a text again."""

    text = f"<style>{(Path(__file__).parent / 'page.css').read_text('utf-8')}</style>"

    def _repr_html_(self) -> str:
        return self.text


STYLE = _Style()


@contextmanager
def routing() -> Iterator[None]:
    """The context in which app.py runs the page."""
    token = _routed.set(True)
    try:
        yield
    finally:
        _routed.reset(token)


def through_app() -> bool:
    """Runs app.py, which runs the page again, if Streamlit has run the page's script alone. True if it did.

    Streamlit does so if the first visit after the server's start is to a page's own address: it does not know
    yet that app.py is the router, and finds the script by its name in pages/. The script has to run to its
    end, for st.stop() would drop clicks of the meantime.
    """
    if _routed.get():
        return False
    runpy.run_path(str(APP), run_name="__main__")
    return True


@st.fragment(run_every=86_400)
def stay_in_touch() -> None:
    """Makes the first click after a restart of the server work. Call it on every page.

    The new server does not know the page's controls and would undo the first click by its drawing. If a page
    has a fragment that runs at intervals, Streamlit's frontend asks for a run as soon as it is connected
    again, before any click. The interval itself is not needed, so it is a day.
    """
