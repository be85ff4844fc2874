"""Messages of pictures: edits of cells, sent again until the server confirms them, and commands."""

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
    Replacement,
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
    """Opens or updates the mailbox of a picture that is about to be drawn.

    taker: turns an edit into a change of the state; default: the edit names a cell. direct: draws the picture
    without a run of the page; given if nothing but pictures depends on the numbers.
    """
    known = visit().inbox.pictures.setdefault(key, Mailbox(read))
    known.read, known.taker, known.direct = read, taker, direct
    return known


def _waiting(key: str, known: Mailbox) -> dict | None:
    """The edits of a picture that Streamlit holds; None if the session is new and has no message of it."""
    return known.read((st.session_state.get(key) or {}).get("edit"))


def leave_old_edits(key: str) -> None:
    """Ignores the message of a picture to an earlier server. Call it after each drawing of the picture.

    A browser that has lost its server gives the new server the picture's last message, whose changes are in
    the link already. The picture itself sends unconfirmed edits again.
    """
    known = visit().inbox.pictures[key]
    if not known.drawn:
        known.drawn, known.old = True, _name(_waiting(key, known))


def piece_held(known: Mailbox) -> str:
    """The still piece of its data in the browser, according to its last edit. Valid for one answer."""
    held, known.still = known.still, ""
    return held


def take_edits(key: str, sent: dict) -> None:
    """Applies the edits of a picture's message: the newest value of every unconfirmed cell."""
    inbox = visit().inbox
    known = inbox.pictures[key]
    number = int(sent["seq"])
    if not _is_next(known.edit, number):
        return
    known.edit, known.old = number, None
    known.still, before = sent.get("still", ""), visit().state
    attempt(*_changes(known, sent), gesture=(key, int(sent["gesture"])))
    inbox.rest = (inbox.rest or before) if sent["held"] else None
    renamed = any(change["matrix"] in edits.RENAMES for change in sent["edits"])
    if renamed and not visit().memory.setdefault("renamed", False):
        visit().memory["renamed"] = True
        visit().replacement = Replacement((), None)


def _changes(known: Mailbox, sent: dict) -> list[StateEdit]:
    return [*filter(None, map(known.taker or change_of, sent["edits"]))]


def visit_after(known: Mailbox, sent: dict) -> Visit:
    """A copy of the visit with the edits of a picture's message. The visit itself stays as it is."""
    after, _ = outcome(_changes(known, sent))
    current = visit()
    shown = replace(current.numbers[current.owner], state=after)
    return replace(current, numbers=current.numbers | {current.owner: shown})


def take_waiting_edits() -> None:
    """Applies the edits of a run in which a button was pressed after them."""
    for key, known in visit().inbox.pictures.items():
        sent = _waiting(key, known)
        if sent is not None and _name(sent) != known.old:
            take_edits(key, sent)


def _name(sent: dict | None) -> tuple[int, int] | None:
    """The numbers that distinguish a message from the others of its picture."""
    return None if sent is None else (sent["seq"], sent["gesture"])


def is_new_command(key: str, number: int) -> bool:
    """Notes a picture's command. False for a repetition: a picture sends a command until it is answered."""
    known = visit().inbox.pictures[key]
    if not _is_next(known.command, number):
        return False
    known.command = number
    return True


def _is_next(last: int, number: int) -> bool:
    """Whether the number is a later one. A number that is far too high would block all that follow."""
    return last < number <= last + FURTHEST


def change_of(entry: dict) -> StateEdit:
    """The change that an edit asks for: of a lesson's number, a token's name, or a number of the settings."""
    name, row = entry["matrix"], int(entry["row"])
    kind = numbers_with(name)

    def change(state: State) -> State:
        if kind is not None:
            return state.having(with_entry(state.of(kind), name, int(entry["col"]), entry["value"]))
        if name in edits.RENAMES:
            return replace(state, core=edits.RENAMES[name](state.core, row, entry["text"]))
        return replace(state, core=edits.set_cell(state.core, name, row, int(entry["col"]), entry["value"]))

    return change
