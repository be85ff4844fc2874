"""What pictures send: cells that were typed or dragged, as long as they are not confirmed, and commands."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.model import edits
from pages.model.fields import with_entry
from pages.model.state import State

from .visit import (
    EditReader,
    Mailbox,
    StateEdit,
    Taker,
    Visit,
    attempt,
    numbers_with,
    outcome,
    visit,
)

# The largest difference between the number of an edit and the number before it. A restarted server has read
# no edit, while the browser goes on counting.
FURTHEST = 1_000_000


def picture(
    key: str, read: EditReader, taker: Taker | None = None, direct: Callable[[Any], object] | None = None
) -> Mailbox:
    """What is known of a picture that is about to be drawn. Its messages are read from now on.

    taker: says what each of its edits changes, where an edit is not a number of the settings. direct: there
    where pictures are all that depends on the numbers.
    """
    known = visit().inbox.pictures.setdefault(key, Mailbox(read))
    known.read, known.taker, known.direct = read, taker, direct
    return known


def _waiting(key: str, known: Mailbox) -> dict | None:
    """The edits that the browser holds for a picture. A session that was begun again may not know it yet."""
    return known.read((st.session_state.get(key) or {}).get("edit"))


def leave_old_edits(key: str) -> None:
    """Call it whenever the picture has been drawn.

    A browser that has lost its server gives a new server the picture's last message. The link already has
    what that message changed. The picture sends again the edits that no server has confirmed.
    """
    known = visit().inbox.pictures[key]
    if not known.drawn:
        known.drawn, known.old = True, _name(_waiting(key, known))


def piece_held(known: Mailbox) -> str:
    """The still piece of its data that the browser holds: it says so with each edit, and for one answer."""
    held, known.still = known.still, ""
    return held


def take_edits(key: str, sent: dict) -> None:
    """Takes what a picture sent: every cell whose newest value is not confirmed yet."""
    now = visit().inbox
    known = now.pictures[key]
    number = int(sent["seq"])
    if not _is_next(known.edit, number):
        return
    known.edit, known.old = number, None
    now.rest = (now.rest or visit().state) if sent["held"] else None
    known.still = sent.get("still", "")
    attempt(*_changes(known, sent), gesture=(key, int(sent["gesture"])))


def _changes(known: Mailbox, sent: dict) -> list[StateEdit]:
    return [*filter(None, map(known.taker or _change, sent["edits"]))]


def foreseen(known: Mailbox, sent: dict) -> Visit:
    """The visit as what a picture sent would leave it. The visit itself stays as it is."""
    after, _ = outcome(_changes(known, sent))
    return replace(visit(), state=after)


def take_waiting_edits() -> None:
    """Takes edits that were sent in one run with a button: they were made before the button was reached."""
    for key, known in visit().inbox.pictures.items():
        sent = _waiting(key, known)
        if sent is not None and _name(sent) != known.old:
            take_edits(key, sent)


def _name(sent: dict | None) -> tuple[int, int] | None:
    """What tells a message from the others of its picture."""
    return None if sent is None else (sent["seq"], sent["gesture"])


def is_new_command(key: str, number: int) -> bool:
    """Notes a picture's command, unless it was read before: without an answer it is sent again."""
    known = visit().inbox.pictures[key]
    if not _is_next(known.command, number):
        return False
    known.command = number
    return True


def _is_next(last: int, number: int) -> bool:
    """Whether it is a later number. One that is far too late would block all that follow."""
    return last < number <= last + FURTHEST


def _change(one: dict) -> StateEdit:
    """What an edit changes: a lesson's own number, a token's name, or a number of the core settings."""
    name, row = one["matrix"], int(one["row"])
    kind = numbers_with(name)

    def change(state: State) -> State:
        if kind is not None:
            return state.having(with_entry(state.of(kind), name, int(one["col"]), one["value"]))
        if name in edits.RENAMES:
            return replace(state, core=edits.RENAMES[name](state.core, row, one["text"]))
        return replace(state, core=edits.set_cell(state.core, name, row, int(one["col"]), one["value"]))

    return change
