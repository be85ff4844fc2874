"""Edits of the state by buttons, widgets and files. All of them can be undone."""

import functools
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any

from pages.model import handout
from pages.model.entries import SettingsError, one_of
from pages.model.fields import with_fields
from pages.model.files import Brought, with_matrices
from pages.model.link import from_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place

from .inbox import take_waiting_edits
from .looks import go
from .visit import (
    active_stop,
    attempt,
    beginning,
    change_to,
    lesson_here,
    numbers_with,
    say_replaced,
    start_of,
    state,
    visit,
)

Edit = Callable[[Settings], Settings]


def edit(change: Edit) -> None:
    """Applies `change` to the core settings. If it raises a SettingsError, the page shows it."""
    take_waiting_edits()
    attempt(lambda state: replace(state, core=change(state.core)))


def bring(read: Callable[[], Brought]) -> None:
    """Loads a file or a text, and reports the entries that were left out."""
    take_waiting_edits()
    notes: list[SettingsError] = []

    def change(state: State) -> State:
        brought = read()
        if brought.state is None:
            after = replace(state, core=with_matrices(state.core, brought.matrices, resize=brought.resize))
            notes.extend(brought.notes)
        else:
            after, _, _, problems = from_query(brought.state, visit().course)
            notes.extend(_of_file(problems))
        return after

    refused = len(visit().problems)
    attempt(change)
    if len(visit().problems) == refused:
        visit().problems += notes


def _of_file(problems: list[SettingsError]) -> list[SettingsError]:
    """The problems of a link in the words of a file: the parts of a link are the entries of a file."""
    names: list[Any] = [
        problem.facts.get("names", (problem.facts.get("name"),))
        for problem in problems
        if _is_of_part(problem)
    ]
    left_out = [SettingsError("file_left_out", names=tuple(chain(*names)))] if names else []
    return left_out + [problem for problem in problems if not _is_of_part(problem)]


def _is_of_part(problem: SettingsError) -> bool:
    return problem.code in ("link_value", "link_unknown")


def set_own(**fields: object) -> None:
    """Sets numbers of the lesson on the screen, each checked against its declaration."""
    take_waiting_edits()

    def change(state: State) -> State:
        for name, value in fields.items():
            kind = numbers_with(name)
            if kind is None:
                one_of("field", name, ())  # raises: the field does not exist
            else:
                state = state.having(with_fields(state.of(kind), **{name: value}))
        return state

    attempt(change)


def load(change: Edit, by: str | None = None) -> None:
    """Loads an example or the word of a story, and reports the learner's entries that it replaces.

    A followed query and a chosen cell are of the numbers before.

    by: text key of the source (`example.<by>`); default: the example's name.
    """
    take_waiting_edits()
    before = state()
    edit(change)
    if state() != before:
        go(visit().here, row=None, cell=None)
    say_replaced(before, by or state().core.example)


def _step(source: list[State], target: list[State]) -> None:
    current = visit()
    current.screen.stamp += 1  # even without a step: a wrong entry leaves the widgets
    if source:
        try:
            handout.keep(active_stop(), current.state, source[-1])
        except SettingsError as problem:
            current.problems.append(problem)
            return
        target.append(current.state)
        current.state = source.pop()
        current.history.gesture, current.inbox.rest, current.replacement = None, None, None


def undo() -> None:
    """Restores the state before the last edit. The learner's place and answers stay."""
    take_waiting_edits()
    _step(visit().history.past, visit().history.future)


def redo() -> None:
    take_waiting_edits()
    _step(visit().history.future, visit().history.past)


def reset() -> None:
    """Restores the settings, numbers, step and cell at the start of the lesson, or those of the stop."""
    take_waiting_edits()
    before, current, lesson = state(), visit(), lesson_here()
    stop, here = current.view.standing(current.here), current.place(current.here)
    begins = Place()
    kinds = lesson.numbers
    begun = beginning(start_of(lesson))
    if lesson.target(here) is not None:
        begun = replace(begun, core=lesson.beginning(current.view.language, here))
    if stop is not None:
        begun, _, begins, _ = from_query(stop.parts, current.course)
    after = replace(before.without(kinds), core=begun.core)
    change_to(functools.reduce(State.having, [begun.of(kind) for kind in kinds], after))
    say_replaced(before, begun.core.example)
    go(current.here, step=begins.step, cell=begins.cell)
