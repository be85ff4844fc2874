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
from .looks import look, look_with
from .visit import may, memory, numbers_with, place, settings, standing, state, view, visit

Change = Callable[[object], None]


def bind(field_name: str, value: object = None, change: Change | None = None, *, where: str = "") -> dict:
    """The arguments that bind a Streamlit widget to a field.

    It is a field of a record of the lesson on the screen, of the core settings or of the view. The widget
    shows the state again on every run, so undo, links and examples move it too. value, change: what it shows
    and what its new value does, where that is not the field itself. where: if a page has two for it. What a
    teacher's link has locked is disabled.
    """
    field = f"set_{field_name}{where}"
    bound_in(visit().here).setdefault(field_name)
    current = _value(field_name) if change is None and value is None else value
    key = _key(field, current)
    st.session_state[key] = current
    taken = {"key": key, "on_change": _take, "args": (field, key, change or _change(field_name))}
    stop = standing()
    return taken | ({"disabled": True} if stop is not None and field_name in stop.fixed else {})


def bind_edit(
    field_name: str,
    value: object,
    change: Callable[[object], Edit],
    options: Iterable[object],
    apply: Callable[[Edit], None] = edit,
) -> dict:
    """`bind` for a widget that edits the core settings by more than one field.

    change: what a new value does; apply: how (see edit, load). The widget is disabled where a teacher's link
    leaves none of the other options to the learner.
    """
    bound = bind(field_name, value, lambda new: apply(change(new)))
    return bound | ({"disabled": True} if options_left(options, value, change) in ([], [value]) else {})


def options_left(options: Iterable[object], value: object, change: Callable[[object], Edit]) -> list:
    """The present option, and the other options that a teacher's link leaves to the learner."""
    return [option for option in options if option == value or may(change(option))]


def bound_in(lesson: str) -> dict[str, None]:
    """The fields that widgets of the part on the screen have been bound to in this visit, in their order."""
    fields: dict[tuple[str, str | None], dict[str, None]] = memory("bound", dict)
    return fields.setdefault((lesson, place(lesson).part), {})


def _key(field: str, values: object) -> str:
    """The widget's key: another one where the browser knows another value, or names it in another language.

    With each click the browser sends what all widgets show. A click that comes before the answer to the last
    one, and a widget in a closed popover, would bring back what has been undone, loaded or reset meanwhile.
    Under a new key the widget begins again. One that has just been used keeps its key and the focus.
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
    if (kind := look_with(name)) is not None:
        return getattr(view().of(kind), name)
    return getattr(settings() if name in specs(Settings) else view(), name)


def _change(name: str) -> Change:
    if numbers_with(name) is not None:
        return lambda value: set_own(**{name: value})
    if name in specs(Settings):
        return lambda value: edit(lambda now: edits.with_choice(now, **{name: value}))
    return lambda value: look(**{name: value})


def _take(field: str, key: str, change: Change) -> None:
    value = st.session_state.get(key)  # no value where the page has been left meanwhile
    if value is None:
        return
    _, turn = visit().screen.widgets[field]
    if key != _turned(field, turn):
        return  # the browser has not heard of the new widget yet
    visit().screen.widgets[field] = None, turn
    change(value)


def popover(label: str, key: str, *, keep: bool = False, **look: Any) -> DeltaGenerator | None:
    """A popover, while it is open: a visit does not pay for what is in a closed one.

    keep: from its first opening on it is drawn also while it is closed, so that what was entered in it is
    there when it is opened again.
    """
    box, opened = st.popover(label, key=key, on_change="rerun", **look), memory("popovers", set)
    if box.open and keep:
        opened.add(key)
    return box if box.open or key in opened else None


def expander(label: str, key: str, **look: Any) -> DeltaGenerator | None:
    """An expander, while it is open, as with a popover. It stays open while its label follows a number.

    With another label it is another one for Streamlit, which begins as `expanded` says.
    """
    known = visit().screen.expanders
    before, begins, is_open = known.get(key, (label, False, False))
    begins = begins if before == label else is_open
    box = st.expander(label, expanded=begins, key=key, on_change="rerun", **look)
    known[key] = label, begins, bool(box.open)
    return box if box.open else None


def close(key: str) -> None:
    """Closes the popover of that key, which lies over a window that is opened from it."""
    st.session_state[key] = False


def uploaded_file(key: str) -> io.BytesIO | None:
    """An uploader's file. A message may name one that the server refused, or lost in a restart."""
    file = st.session_state.get(key)
    return file if isinstance(file, io.BytesIO) else None


def widget_value(key: str) -> Any:
    """The present value of a widget that is bound to nothing."""
    return st.session_state.get(key)
