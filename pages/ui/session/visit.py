"""The visit: one typed object with the settings, the view, undo, the link, and what went wrong.

This is the only module that names a key of Streamlit's session state.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import urlsplit

import streamlit as st

from pages.model import edits
from pages.model.entries import SettingsError
from pages.model.fields import specs, with_fields
from pages.model.link import OF_SETTINGS, OF_STREAMLIT, from_query, to_query
from pages.model.own import replaced as replaced_by
from pages.model.settings import Settings
from pages.model.view import Place, View, with_answer, without_answers

KEY = "visit"
HISTORY = 100

Edit = Callable[[Settings], Settings]
Taker = Callable[[dict], None]
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Replaced:
    """The learner's own entries that the last change replaced."""

    names: tuple[str, ...]  # where they stood
    example: str | None  # what stands there now; None: what a link brought


@dataclass
class Visit:
    """Everything that lasts as long as the visit."""

    settings: Settings
    view: View
    arrived: Place | None  # what the link says of the lesson that it opens
    places: dict[str, Place] = field(default_factory=dict)  # lesson → where the learner is in it
    here: str = ""  # the lesson on the screen
    start: str = "cats"  # the example it begins with
    seen: set[str] = field(default_factory=set)  # the lessons that were left, or linked to with answers
    past: list[Settings] = field(default_factory=list)
    future: list[Settings] = field(default_factory=list)
    problems: list[SettingsError] = field(default_factory=list)
    replaced: Replaced | None = None  # said until the next change
    gesture: tuple[str, int] | None = None  # the gesture in a picture that the last edit belongs to
    held: bool = False  # a number is being dragged
    stamp: int = 0  # grows with every change that did not come from a picture
    drawn: int = -1  # the stamp that the toolbar shows
    seqs: dict[str, int] = field(default_factory=dict)  # picture → its last message that was taken in
    path: str = ""  # of the page, in the address bar
    queries: tuple[dict[str, str], ...] = ()  # what the address bar may say without asking for anything new
    takers: dict[str, Taker] = field(default_factory=dict)  # picture → what takes its edits
    kept: dict[str, object] = field(default_factory=dict)  # what a lesson keeps and no link carries


def visit() -> Visit:
    """The present visit. One that is new opens the link, also where a picture's message comes first."""
    if KEY not in st.session_state:
        language = "zh" if (st.context.locale or "").lower().startswith("zh") else "en"
        settings, view, place, problems = from_query(_query(), language)
        queries = (_query(),)
        st.session_state[KEY] = Visit(settings, view, place, problems=problems, queries=queries, path=_path())
    return st.session_state[KEY]


def _query() -> dict[str, str]:
    return {key: st.query_params[key] for key in st.query_params}


def _path() -> str:
    return urlsplit(st.context.url or "").path


# ---- the link


def open_link() -> None:
    """Takes over the address bar's link, if the reader went back in the browser or changed it by hand."""
    now, query = visit(), _query()
    moved, now.path = _path() != now.path, _path()
    # Streamlit's way from page to page drops the query: then the state stays.
    if query in now.queries or (moved and not set(query) - set(OF_STREAMLIT)):
        return
    settings, now.view, now.arrived, problems = from_query(query, now.view.language)
    now.queries = (query,)
    now.problems += problems
    if not set(query).isdisjoint(OF_SETTINGS):  # else it was typed, and says nothing of the numbers
        before = now.settings
        _change_to(settings)
        _say_replaced(before, None)


def enter(lesson: str, start: str) -> None:
    """The lesson is on the screen: what the link said of its part, row and cell is meant for it.

    start: the example that the lesson begins with. It takes the place of another lesson's start, but not of
    the learner's own numbers, nor of those that a link brought. Undo brings the former start back.
    """
    now = visit()
    linked = now.arrived is not None and not set(_query()).isdisjoint(OF_SETTINGS)
    untouched = is_untouched()
    if now.here and now.here != lesson:
        now.seen.add(now.here)
    if now.here != lesson and untouched and not linked:
        edit(lambda now: edits.load_example(now, start))
    now.here, now.start = lesson, start
    if now.arrived is not None:
        now.places[lesson], now.arrived = now.arrived, None
        if now.view.answers:
            now.seen.add(lesson)


def is_untouched() -> bool:
    """The numbers are those that the lesson on the screen begins with."""
    return settings() == _beginning(visit().start)


@functools.cache
def _beginning(example: str) -> Settings:
    return edits.load_example(Settings(), example)


def is_first_visit(lesson: str) -> bool:
    """The lesson has not been left yet, and no link with answers brought the learner back to it."""
    return lesson not in visit().seen


def link_of(lesson: str) -> dict[str, str]:
    """The query of the link that brings back the present state in this lesson."""
    now = visit()
    return to_query(now.settings, now.view, place(lesson))


def write_link(lesson: str) -> dict[str, str] | None:
    """Makes the address bar say the present state, once the hand rests.

    A query that has no `lang` is not one of ours: the page was entered without a link. Then nothing is
    written, for Streamlit would make a second entry in the browser's history. The link is returned instead,
    and the browser fills it into the entry that is there (see address).
    """
    now = visit()
    if now.held:
        return None
    link, query = link_of(lesson), _query()
    embed = {key: value for key, value in query.items() if key in OF_STREAMLIT}
    if "lang" not in query:
        now.queries = (query, embed | link)
        return link
    # The query of a run is the browser's when it asked for the run; what was written since is not in it yet.
    if query != embed | link or now.queries != (embed | link,):
        st.query_params.from_dict(embed | link)
    now.queries = (embed | link,)
    return None


def rerun() -> None:
    """Runs the whole page again.

    Such a run has the query of the run that asks for it. It may be older than the link, where a widget's new
    value and the link's new query have crossed on their way, and asks for nothing new.
    """
    now = visit()
    now.queries = (*now.queries, _query())
    st.rerun()


# ---- changes


def settings() -> Settings:
    return visit().settings


def view() -> View:
    return visit().view


def place(lesson: str) -> Place:
    return visit().places.get(lesson, Place())


def _change_to(after: Settings, gesture: tuple[str, int] | None = None) -> None:
    """New settings; one gesture is one step of undo, and none if it ends where it began."""
    now = visit()
    goes_on = gesture is not None and gesture == now.gesture
    now.stamp += gesture is None
    now.gesture = gesture
    if after == now.settings:
        if not goes_on:
            now.gesture = None
        return
    if goes_on and now.past and now.past[-1] == after:
        now.past, now.gesture = now.past[:-1], None
    elif not goes_on:
        now.past = [*now.past[-HISTORY + 1 :], now.settings]
        now.future = []
    now.settings, now.replaced = after, None


def _say_replaced(before: Settings, example: str | None) -> None:
    """Notes which of the learner's own entries were replaced, by an example or by a link."""
    names = replaced_by(before, settings())
    if names:
        visit().replaced = Replaced(names, example)


def replaced() -> Replaced | None:
    """What the last change replaced."""
    return visit().replaced


def edit(change: Edit, gesture: tuple[str, int] | None = None) -> None:
    """Applies `change`; what it refuses is said on the screen and leaves the state as it was.

    gesture: (picture, number) of an edit made in a picture. Edits of one gesture are undone together.
    """
    if gesture is None:
        take_waiting_edits()
    try:
        _change_to(change(settings()), gesture)
    except SettingsError as problem:
        visit().problems.append(problem)


def load(change: Edit) -> None:
    """Applies a `change` that brings an example, or a story's word: what it replaces is said."""
    take_waiting_edits()
    before = settings()
    edit(change)
    _say_replaced(before, settings().example)


def _step(source: list[Settings], target: list[Settings]) -> None:
    now = visit()
    now.stamp += 1  # also where there is nothing to undo: a wrong entry goes
    if source:
        target.append(now.settings)
        now.settings = source.pop()
        now.gesture, now.held, now.replaced = None, False, None


def undo() -> None:
    """The settings before the last edit. Where the learner is, and what was answered, stays."""
    take_waiting_edits()
    _step(visit().past, visit().future)


def redo() -> None:
    take_waiting_edits()
    _step(visit().future, visit().past)


def reset() -> None:
    """The numbers that the lesson on the screen begins with."""
    load(lambda now: edits.load_example(now, visit().start))


def look(**fields: object) -> None:
    """Changes the view: the language, the head shown, …"""
    visit().view = with_fields(visit().view, **fields)


def go(lesson: str, **fields: object) -> None:
    """Changes the part, row, step or cell of a lesson."""
    visit().places[lesson] = with_fields(place(lesson), **fields)


def answer(question: str, option: str | None) -> None:
    """Commits an answer; None takes it back."""
    try:
        visit().view = with_answer(view(), question, option)
    except SettingsError as problem:
        visit().problems.append(problem)


def clear_answers(questions: Collection[str]) -> None:
    visit().view = without_answers(view(), questions)


def take_problems() -> list[SettingsError]:
    """What went wrong and was not said yet."""
    problems, visit().problems = visit().problems, []
    return problems


def mark_drawn() -> None:
    """The toolbar shows the present state."""
    visit().drawn = visit().stamp


def is_drawn() -> bool:
    """Nothing has changed since the toolbar was drawn, but by gestures in a picture."""
    return visit().drawn == visit().stamp


# ---- messages from a picture


def take_edits(key: str, sent: dict) -> None:
    """Takes in what a picture sent: every cell whose newest value is not confirmed yet."""
    now, seq = visit(), int(sent["seq"])
    if seq <= now.seqs.get(key, 0):
        return
    now.seqs[key] = seq
    now.held = bool(sent["held"])
    gesture, taker = (key, int(sent["gesture"])), now.takers.get(key)
    for one in sent["edits"]:
        if taker is not None:
            taker(one)
            continue
        name, row = one["matrix"], int(one["row"])
        if name == "tokens":
            edit(lambda now, i=row, text=one["text"]: edits.rename_token(now, i, text), gesture)
        else:
            col, value = int(one["col"]), one["value"]
            edit(lambda now, n=name, r=row, c=col, value=value: edits.set_cell(now, n, r, c, value), gesture)


def picture_seq(key: str, taker: Taker | None = None) -> int:
    """The last message of this picture that was taken in; the picture is known from now on.

    taker: gets each edit that is made in it, where those are not edits of the settings.
    """
    if taker is not None:
        visit().takers[key] = taker
    return visit().seqs.setdefault(key, 0)


def kept(name: str, new: Callable[[], Kept]) -> Kept:
    """What a lesson keeps under that name for the visit; new() at first."""
    return visit().kept.setdefault(name, new())


def take_waiting_edits() -> None:
    """Takes in edits that came in one run with a button: the hand made them before it reached the button."""
    for key in visit().seqs:
        sent = (st.session_state.get(key) or {}).get("edit")
        if sent:
            take_edits(key, sent)


# ---- widgets


def bind(
    field_name: str, value: object = None, change: Callable[[object], None] | None = None, *, where: str = ""
) -> dict:
    """The arguments that bind a Streamlit widget to a field of the settings or of the view.

    The widget shows the state anew on every run, so undo, links and examples move it too. value, change: what
    it shows and what its new value does, where that is not the field itself. where: if a page has two for it.
    """
    of_settings = field_name in specs(Settings)
    record = settings() if of_settings else view()
    key = f"set_{field_name}{where}"
    st.session_state[key] = getattr(record, field_name) if change is None else value
    if change is None:
        change = _set_choice(field_name) if of_settings else _set_view(field_name)
    return {"key": key, "on_change": _take, "args": (key, change)}


def _set_choice(name: str) -> Callable[[object], None]:
    return lambda value: edit(lambda now: edits.with_choice(now, **{name: value}))


def _set_view(name: str) -> Callable[[object], None]:
    return lambda value: look(**{name: value})


def _take(key: str, change: Callable[[object], None]) -> None:
    value = st.session_state[key]
    if value is not None:
        change(value)


def widget_value(key: str) -> object:
    """The present value of a widget that is bound to nothing."""
    return st.session_state.get(key)
