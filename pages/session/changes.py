"""What buttons, widgets and links change. Undo and redo go over all of it."""

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
    attempt,
    beginning,
    change_to,
    lesson_here,
    numbers_with,
    say_replaced,
    standing,
    start_of,
    state,
    visit,
)

Edit = Callable[[Settings], Settings]


def edit(change: Edit) -> None:
    """Applies `change` to the core settings; what it refuses is said and leaves the state as it was."""
    take_waiting_edits()
    attempt(lambda state: replace(state, core=change(state.core)))


def bring(read: Callable[[], Brought]) -> None:
    """Takes over what a file or a text brings, and says what of it was left out."""
    take_waiting_edits()
    notes: list[SettingsError] = []

    def change(state: State) -> State:
        brought = read()
        if brought.state is None:
            after = replace(state, core=with_matrices(state.core, brought.matrices))
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
    """A link's problems, said of a file: what a link calls its parts are entries of a file."""
    named: list[Any] = [
        problem.facts.get("names", (problem.facts.get("name"),)) for problem in problems if _names(problem)
    ]
    left_out = [SettingsError("file_left_out", names=tuple(chain(*named)))] if named else []
    return left_out + [problem for problem in problems if not _names(problem)]


def _names(problem: SettingsError) -> bool:
    """It is about parts of a link, which a file calls entries."""
    return problem.code in ("link_value", "link_unknown")


def set_own(**fields: object) -> None:
    """Sets fields of the records of the lesson on the screen, each checked against its declaration."""
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
    """Applies a `change` that brings an example, or a story's word: what it replaces is said.

    by: what it brings (`example.<by>`), where that is no example.
    """
    take_waiting_edits()
    before = state()
    edit(change)
    say_replaced(before, by or state().core.example)


def _step(source: list[State], target: list[State]) -> None:
    now = visit()
    now.screen.stamp += 1  # also where there is nothing to undo: a wrong entry goes
    if source:
        try:
            handout.keep(standing(), now.state, source[-1])
        except SettingsError as problem:
            now.problems.append(problem)
            return
        target.append(now.state)
        now.state = source.pop()
        now.history.gesture, now.inbox.rest, now.replacement = None, None, None


def undo() -> None:
    """The state before the last edit. Where the learner is, and what was answered, stays."""
    take_waiting_edits()
    _step(visit().history.past, visit().history.future)


def redo() -> None:
    take_waiting_edits()
    _step(visit().history.future, visit().history.past)


def reset() -> None:
    """The core settings and the own numbers that the lesson on the screen begins with, its step and its cell.

    At a stop of a teacher's link these are the teacher's.
    """
    take_waiting_edits()
    before, now, stop = state(), visit(), standing()
    begins = Place()
    kinds = lesson_here().numbers
    begun = beginning(start_of(lesson_here()))
    if stop is not None:
        begun, _, begins, _ = from_query(stop.parts, now.course)
    after = replace(before.without(kinds), core=begun.core)
    change_to(functools.reduce(State.having, [begun.of(kind) for kind in kinds], after))
    say_replaced(before, begun.core.example)
    go(now.here, step=begins.step, cell=begins.cell)
