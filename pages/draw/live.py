"""What follows the numbers of a part: an edit draws it again, and nothing else of the page.

Most of what a part shows does not follow them: headings, switches, questions, what a chart is for. Streamlit
sends all that a fragment draws, at every step of a drag. So in a part that is declared as live, what follows
the numbers is drawn by a fragment of its own, in places that the fragment around it leaves. In a live part
every picture that can be edited has such a place: an edit of another one would draw the toolbar too.

Streamlit lets a fragment draw in such a place if it has drawn there when the place was made, and only in
places that the fragment directly around it has made.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages import session

from .page import Page
from .picture.inbound import is_number

PART = "part"  # the fragment around it, which draws all of the part
Draw = Callable[[Page], object]
Take = Callable[[dict], None]


@dataclass
class LivePlaces:
    """The places that a part has left, each with what draws there."""

    drawings: list[tuple[DeltaGenerator, Draw]] = field(default_factory=list)
    new: bool = True  # nothing was drawn there yet


_left: ContextVar[LivePlaces | None] = ContextVar("left", default=None)  # as long as a part leaves places
_filling: ContextVar[bool] = ContextVar("filling", default=False)


def draw(page: Page, what: Draw) -> None:
    """Leaves a place for what follows the numbers in the part's pictures.

    These are pictures, charts and sentences, and a question or a button if its verdict or its use depends on
    the numbers. what: draws it on the page that it is given; an edit gives it a page with other numbers.
    """
    places = _left.get()
    if places is None:
        what(page)
    else:
        places.drawings.append((st.container(), what))


@contextmanager
def left() -> Iterator[LivePlaces]:
    """The places that are left inside of the block. What is drawn in one of them leaves no others."""
    places = LivePlaces()
    token = _left.set(places)
    try:
        yield places
    finally:
        _left.reset(token)


def fill(page: Page, places: LivePlaces) -> None:
    """Draws what follows the numbers. Call it in a fragment of its own."""
    token = _filling.set(True)
    try:
        for place, what in places.drawings:
            with place:
                what(page)
                if places.new:  # nothing may have been drawn
                    st.empty()
        places.new = False
    finally:
        _filling.reset(token)


def taking(take: Take) -> Take:
    """Takes edits of the picture that is being drawn, after which what follows the numbers is drawn again.

    All of the part is drawn again where an edit is no number, or where something has to be said or was said.
    """
    if not _filling.get():
        return take

    def taken(sent: dict) -> None:
        said = session.has_to_say()
        take(sent)
        if said or session.has_to_say() or not all(is_number(one.get("value")) for one in sent["edits"]):
            st.rerun(PART)

    return taken
