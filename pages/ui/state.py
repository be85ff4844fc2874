"""The session's one copy of the settings: edits, undo, redo, reset, the link, and what went wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

import streamlit as st

from .entries import SettingsError
from .link import OF_STREAMLIT, from_query, to_query
from .settings import Settings

HISTORY = 100
# Seconds that a browser gets to paint what is in sight before the rest of the page comes.
HEAD_START = 0.4
# A change of these is a change of view: undo passes over it.
VIEW = ("language", "row", "cell", "head", "other", "projection", "writing", "part", "guesses")


def settings() -> Settings:
    return st.session_state["settings"]


def _browser_language() -> str:
    return "zh" if (st.context.locale or "").lower().startswith("zh") else "en"


def open_link() -> None:
    """Takes over the address bar's link: at the start, and when the reader went back or edited it."""
    query = {key: st.query_params[key] for key in st.query_params}
    session = st.session_state
    path = urlsplit(st.context.url or "").path
    moved, session["path"] = path != session.get("path"), path
    if "settings" not in session:
        language = _browser_language()
        session["past"], session["future"], session["problems"], session["stamp"] = [], [], [], 0
    elif query == session.get("link") or (moved and not set(query) - set(OF_STREAMLIT)):
        return  # the sidebar's way from page to page drops the query: the state stays
    else:
        language = settings().language
    opened, problems = from_query(query, language)
    if "settings" in session and opened != settings():
        _remember()
        session["stamp"] += 1
    session["settings"] = opened
    session["problems"] += problems


def write_link() -> None:
    """Makes the link in the address bar say the present state."""
    query = to_query(settings())
    if query != {key: st.query_params[key] for key in st.query_params}:
        embed = {key: value for key, value in st.query_params.items() if key.startswith("embed")}
        st.query_params.from_dict(embed | query)
    st.session_state["link"] = {key: st.query_params[key] for key in st.query_params}


def _remember() -> None:
    session = st.session_state
    session["past"] = [*session["past"][-HISTORY + 1 :], settings()]
    session["future"] = []


def _same_data(a: Settings, b: Settings) -> bool:
    return replace(a, **{name: getattr(b, name) for name in VIEW}) == b


def edit(change: Callable[[Settings], Settings], *, by_hand: bool = False) -> None:
    """Applies `change`; what it refuses is said on the screen and leaves the state as it was.

    `by_hand`: an edit in a matrix. The edits of one gesture are one step of undo (see `settle`).
    """
    session = st.session_state
    before = settings()
    try:
        after = change(before)
    except SettingsError as problem:
        session["problems"].append(problem)
        return
    if not _same_data(before, after) and not (by_hand and session.get("gesture")):
        _remember()
    session["gesture"] = by_hand
    session["stamp"] += not by_hand
    session["settings"] = after


def settle() -> None:
    """The gesture is over: the next edit is a new step of undo."""
    st.session_state["gesture"] = False


def _step(source: str, target: str) -> None:
    session = st.session_state
    if not session[source]:
        return
    now, session["gesture"] = settings(), False
    restored = session[source][-1]
    session[source] = session[source][:-1]
    session[target] = [*session[target], now]
    session["settings"] = replace(restored, language=now.language)
    session["stamp"] += 1


def undo() -> None:
    _step("past", "future")


def redo() -> None:
    _step("future", "past")


def reset() -> None:
    edit(lambda s: Settings(language=s.language, part=s.part))


def is_first_run() -> bool:
    """A visit's first run draws only what is in sight, so that it is painted before the rest is compiled."""
    return "visited" not in st.session_state


def end_run() -> None:
    if is_first_run():
        st.session_state["visited"] = True
        time.sleep(HEAD_START)
        st.rerun()
    st.session_state["problems"] = []


def problems() -> list[SettingsError]:
    """What went wrong and was not said yet. Said once: the end of a run clears it, but not a first run's."""
    return st.session_state["problems"]
