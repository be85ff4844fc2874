"""What follows the numbers of a part: an edit draws it again, and nothing else of the page.

Most of what a part shows does not follow them: headings, switches, questions, what a chart is for. Streamlit
sends all that a fragment draws, at every step of a drag. So what follows the numbers is drawn by a fragment
of its own, in places that the part's fragment leaves for it.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages import session

from .page import Page

PART = "numbers"  # the fragment that draws all of a part
Draw = Callable[[Page], None]
Take = Callable[[dict], None]


@dataclass
class Places:
    """The places that a part has left, each with what draws there."""

    drawings: list[tuple[DeltaGenerator, Draw]] = field(default_factory=list)
    rest: bool = False  # what is around them follows the numbers too


_left: ContextVar[Places | None] = ContextVar("left", default=None)  # as long as a part leaves places
_filled: ContextVar[Places | None] = ContextVar("filled", default=None)  # as long as they are filled


def draw(page: Page, what: Draw, *, rest: bool = False) -> None:
    """Leaves a place for what follows the numbers in the part's pictures: pictures, charts and texts.

    what: draws it, and no control, on the page that it is given; an edit gives it a page with other numbers.
    rest: other things in the part follow the numbers too, as the verdict on an answer may: all of the part is
    drawn when the number is released.
    """
    places = _left.get()
    if places is None:
        what(page)
        return
    places.drawings.append((st.container(), what))
    places.rest = places.rest or rest


@contextmanager
def left() -> Iterator[Places]:
    """The places that are left inside of the block. What is drawn in one of them leaves no others."""
    places = Places()
    token = _left.set(places)
    try:
        yield places
    finally:
        _left.reset(token)


def fill(page: Page, places: Places) -> None:
    """Draws what follows the numbers. Call it in a fragment of its own."""
    token = _filled.set(places)
    try:
        for place, what in places.drawings:
            with place:
                what(page)
    finally:
        _filled.reset(token)


# ---- what a picture sends


def then_part(take: Take) -> Take:
    """Takes a message of the picture that is being drawn, after which all of the part is drawn."""
    if _filled.get() is None:
        return take

    def taken(sent: dict) -> None:
        take(sent)
        st.rerun(PART)

    return taken


def then_numbers(take: Take) -> Take:
    """Takes edits, after which what follows the numbers is drawn, if they are numbers and all is well."""
    places = _filled.get()
    if places is None:
        return take

    def taken(sent: dict) -> None:
        said = session.has_to_say()
        take(sent)
        numbers, released = all(map(_is_number, sent["edits"])), not sent["held"]
        if said or session.has_to_say() or not numbers or (places.rest and released):
            st.rerun(PART)

    return taken


def _is_number(edit: dict) -> bool:
    value = edit.get("value")
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
