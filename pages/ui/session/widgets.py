"""Streamlit's widgets, bound to fields of the state or of the view."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.model import edits, records
from pages.model.fields import specs
from pages.model.settings import Settings

from .changes import edit, set_own
from .visit import look, record_with, settings, state, view

Change = Callable[[object], None]


def bind(field_name: str, value: object = None, change: Change | None = None, *, where: str = "") -> dict:
    """The arguments that bind a Streamlit widget to a field.

    It is a field of a record of the lesson on the screen, of the core settings or of the view. The widget
    shows the state anew on every run, so undo, links and examples move it too. value, change: what it shows
    and what its new value does, where that is not the field itself. where: if a page has two for it.
    """
    key = f"set_{field_name}{where}"
    st.session_state[key] = _value(field_name) if change is None and value is None else value
    return {"key": key, "on_change": _take, "args": (key, change or _change(field_name))}


def _value(name: str) -> object:
    if (kind := record_with(name, records.NUMBERS)) is not None:
        return getattr(state().of(kind), name)
    if (kind := record_with(name, records.LOOKS)) is not None:
        return getattr(view().of(kind), name)
    return getattr(settings() if name in specs(Settings) else view(), name)


def _change(name: str) -> Change:
    if record_with(name, records.NUMBERS) is not None:
        return lambda value: set_own(**{name: value})
    if name in specs(Settings):
        return lambda value: _choose(name, value)
    return lambda value: look(**{name: value})


def _choose(name: str, value: object) -> None:
    """A select box in a closed popover still says its old label after the language was changed: no choice."""
    options = specs(Settings)[name].options
    if not options or value in options:
        edit(lambda now: edits.with_choice(now, **{name: value}))


def _take(key: str, change: Change) -> None:
    value = st.session_state.get(key)  # none where the page has been left meanwhile
    if value is not None:
        change(value)


def widget_value(key: str) -> object:
    """The present value of a widget that is bound to nothing."""
    return st.session_state.get(key)
