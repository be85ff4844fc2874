"""What pictures send: cells that were typed or dragged, as long as they are not confirmed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from pages.model import edits
from pages.model.fields import with_entry
from pages.model.state import State

from .visit import Reader, attempt, numbers_with, visit

Taker = Callable[[dict], None]
# From a number that was read to the next one. A restarted server knows none, and the browser goes on.
FURTHEST = 1_000_000


def take_edits(key: str, sent: dict) -> None:
    """Reads what a picture sent: every cell whose newest value is not confirmed yet."""
    now = visit()
    if not _is_next(now.seqs, key, int(sent["seq"])):
        return
    now.held = bool(sent["held"])
    taker = now.takers.get(key, None)
    if taker is None:
        attempt(*map(_change, sent["edits"]), gesture=(key, int(sent["gesture"])))
    else:
        for one in sent["edits"]:
            taker(one)


def _is_next(numbers: dict[str, int], key: str, number: int) -> bool:
    """Notes a picture's number if it is a later one. One that is far too late would block all that follow."""
    last = numbers.get(key, 0)
    if not last < number <= last + FURTHEST:
        return False
    numbers[key] = number
    return True


def is_new_command(key: str, number: int) -> bool:
    """Reads a picture's command, unless it was read before: without an answer it is sent again."""
    return _is_next(visit().commands, key, number)


def last_command(key: str) -> int:
    """The picture's last command that was read."""
    return visit().commands.get(key, 0)


def _change(one: dict) -> Callable[[State], State]:
    """What an edit changes: a lesson's own number, a token's name, or a number of the core settings."""
    name, row = one["matrix"], int(one["row"])
    kind = numbers_with(name)

    def change(state: State) -> State:
        if kind is not None:
            return state.having(with_entry(state.of(kind), name, int(one["col"]), one["value"]))
        if name == "tokens":
            return replace(state, core=edits.rename_token(state.core, row, one["text"]))
        return replace(state, core=edits.set_cell(state.core, name, row, int(one["col"]), one["value"]))

    return change


def picture_seq(key: str, read: Reader, taker: Taker | None = None) -> int:
    """The last message of this picture that was read; the picture is known from now on.

    read: reads the edits that it sends. taker: gets each of them, where they are not edits of the state.
    """
    visit().readers[key] = read
    if taker is not None:
        visit().takers[key] = taker
    return visit().seqs.setdefault(key, 0)


def leave_old_edits(key: str) -> None:
    """Call it whenever the picture is on the page.

    A browser that has lost its server gives a new one the picture's last message. The link has what that
    message changed, and what was changed since. What no server has confirmed, the picture sends once more.
    """
    visit().old.setdefault(key, _message(key))


def _message(key: str) -> object:
    return (st.session_state.get(key) or {}).get("edit")


def take_waiting_edits() -> None:
    """Reads edits that were sent in one run with a button: they were made before the button was reached."""
    now = visit()
    for key, read in now.readers.items():
        message = _message(key)
        sent = None if message == now.old.get(key) else read(message)
        if sent is not None:
            take_edits(key, sent)
