"""Streamlit's widgets, bound to fields of the state or of the view."""

import io
from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.model import edits
from pages.model.fields import specs
from pages.model.settings import Settings

from .changes import Edit, edit, set_own
from .looks import set_view, view_record_with
from .visit import active_stop, is_allowed, memory, numbers_with, place, settings, state, view, visit

Change = Callable[[object], None]


def bind(field_name: str, value: object = None, change: Change | None = None, *, where: str = "") -> dict:
    """The arguments that bind a Streamlit widget to a field of the lesson, the core settings or the view.

    The widget shows the state on every run, so that undo, links and examples move it too. value: shown in
    place of the field; change: called with a new value; where: distinguishes two widgets for one field. A
    widget for a locked field is disabled.
    """
    field = f"set_{field_name}{where}"
    bound_in(visit().here).setdefault(field_name)
    current = _value(field_name) if change is None and value is None else value
    key = _key(field, current)
    st.session_state[key] = current
    taken = {"key": key, "on_change": _take, "args": (field, key, change or _change(field_name))}
    stop = active_stop()
    return taken | ({"disabled": True} if stop is not None and field_name in stop.fixed else {})


def bind_edit(
    field_name: str,
    value: object,
    change: Callable[[object], Edit],
    options: Iterable[object],
    apply: Callable[[Edit], None] = edit,
) -> dict:
    """`bind` for a widget that edits more than one field of the core settings.

    change: new value → edit; apply: `edit` or `load`. The widget is disabled if the stop of a teacher's link
    allows no other option.
    """
    bound = bind(field_name, value, lambda new: apply(change(new)))
    return bound | ({"disabled": True} if options_left(options, value, change) in ([], [value]) else {})


def options_left(options: Iterable[object], value: object, change: Callable[[object], Edit]) -> list:
    """The present option, and the others that the stop of a teacher's link allows."""
    if active_stop() is None:
        return list(options)
    return [option for option in options if option == value or is_allowed(change(option))]


def bound_in(lesson: str) -> dict[str, None]:
    """The fields with widgets in the part on the screen, in their order."""
    fields: dict[tuple[str, str | None], dict[str, None]] = memory("bound", dict)
    return fields.setdefault((lesson, place(lesson).part), {})


def _key(field: str, values: object) -> str:
    """The widget's key. It changes if value or language changed elsewhere: the browser drops its old value.

    With each click the browser sends the values of all widgets. A fast second click, or a widget in a closed
    popover, would restore a value that was undone, loaded or reset meanwhile. A widget that was just used
    keeps its key and thereby the focus.
    """
    present = values, view().language
    known, turn = visit().screen.widgets.get(field, (None, 0))
    turn += known not in (None, present)
    visit().screen.widgets[field] = present, turn
    return _turned(field, turn)


def _turned(field: str, turn: int) -> str:
    return f"{field}-{turn}" if turn else field


def _value(name: str) -> object:
    if (kind := numbers_with(name)) is not None:
        return getattr(state().of(kind), name)
    if (kind := view_record_with(name)) is not None:
        return getattr(view().of(kind), name)
    return getattr(settings() if name in specs(Settings) else view(), name)


def _change(name: str) -> Change:
    if numbers_with(name) is not None:
        return lambda value: set_own(**{name: value})
    if name in specs(Settings):
        return lambda value: edit(lambda core: edits.with_choice(core, **{name: value}))
    return lambda value: set_view(**{name: value})


def _take(field: str, key: str, change: Change) -> None:
    value = st.session_state.get(key)  # None if the page was left meanwhile
    if value is None:
        return
    _, turn = visit().screen.widgets[field]
    if key != _turned(field, turn):
        return  # sent before the browser had the new widget
    visit().screen.widgets[field] = None, turn
    change(value)


def popover(label: str, key: str, *, keep: bool = False, **extra: Any) -> DeltaGenerator | None:
    """A popover, or None while it is closed, to spare the drawing of its content.

    keep: draw the content also while it is closed, once it was opened, so that entries in it stay.
    """
    box, opened = st.popover(label, key=key, on_change="rerun", **extra), memory("popovers", set)
    if box.open and keep:
        opened.add(key)
    return box if box.open or key in opened else None


def expander(label: str, key: str, **extra: Any) -> DeltaGenerator | None:
    """An expander, or None while it is closed. It stays open when its label changes with a number.

    For Streamlit an expander with a new label is a new one, and `expanded` says whether it is open.
    """
    known = visit().screen.expanders
    before, begins, is_open = known.get(key, (label, False, False))
    begins = begins if before == label else is_open
    box = st.expander(label, expanded=begins, key=key, on_change="rerun", **extra)
    known[key] = label, begins, bool(box.open)
    return box if box.open else None


def close(key: str) -> None:
    """Closes the popover of that key, which would cover a window that is opened from it."""
    st.session_state[key] = False


def uploaded_file(key: str) -> io.BytesIO | None:
    """An uploader's file. None also for a file that the server refused, or lost in a restart."""
    file = st.session_state.get(key)
    return file if isinstance(file, io.BytesIO) else None


def widget_value(key: str) -> Any:
    """The present value of a widget without a field."""
    return st.session_state.get(key)
