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
_last = [time.monotonic()]  # when a page was last opened in full, initially the server's start
_opening: set[object] = set()  # pages that are being opened: on a fresh server this takes as long as PyTorch


@contextmanager
def routing() -> Iterator[None]:
    """app.py runs the page inside of this."""
    token, this = _routed.set(True), object()
    _opening.add(this)
    try:
        yield
    finally:
        _routed.reset(token)
        _opening.discard(this)
        _last[0] = time.monotonic()


def wait_for_calm(until: float) -> None:
    """Returns when no page was opened for some time, or at the time `until` of time.monotonic."""
    while (now := time.monotonic()) < until:
        calm = CALM if _opening else _last[0] + CALM - now
        if calm <= 0:
            return
        time.sleep(min(calm, until - now))


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
