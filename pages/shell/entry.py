"""The way into a page: without app.py, and after the server was away; when it was last taken."""

import runpy
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

import streamlit as st

APP = Path(__file__).parents[2] / "app.py"
CALM = 2.0  # seconds without a visitor
_routed: ContextVar[bool] = ContextVar("routed", default=False)
_last = [time.monotonic()]  # when somebody visited last, at first the server's start


@contextmanager
def routing() -> Iterator[None]:
    """app.py runs the page inside of this."""
    _last[0] = time.monotonic()
    token = _routed.set(True)
    try:
        yield
    finally:
        _routed.reset(token)


def wait_for_calm(until: float) -> None:
    """Returns when nobody has opened a page for some time, or at the time `until` of time.monotonic."""
    while (left := min(_last[0] + CALM, until) - time.monotonic()) > 0:
        time.sleep(left)


def through_app() -> bool:
    """Runs app.py, which runs the page again, if the page was run on its own; whether it did so.

    Streamlit does that after the server's start, when the first visitor comes by a page's own address: it
    does not know yet that app.py is the router, and looks for the page in pages/ by its file's name. The
    script has to go on to its end: st.stop() would drop what was clicked in the meantime.
    """
    if _routed.get():
        return False
    runpy.run_path(str(APP), run_name="__main__")
    return True


@st.fragment(run_every=86_400)
def stay_in_touch() -> None:
    """Call it on every page: then the first click after a restart of the server works.

    A browser that finds its server again sends nothing by itself. A server that was started again does
    not know the controls on that page, so it would draw over what the first click changed. Where a page has a
    fragment that is run at intervals, Streamlit's frontend asks for a run as soon as it is connected again.
    The interval itself is of no use here, so it is a whole day.
    """
