"""What follows the numbers of a part: an edit draws it again, and nothing else of the page.

Most of what a part shows does not follow the numbers: headings, switches, what a chart is for. So a part
may leave places for what does: its function has the mark `places`, and is drawn by the outer fragment of
the frame. The inner fragment fills all places at once, in its first run and after each edit. Any other part
is drawn whole by the inner fragment: there `draw` and `picture` leave nothing, and draw at once. So one
function draws a place in a run of the page, after an edit, in a direct answer and in an early picture.

Streamlit lets a fragment draw in a place only if the fragment directly around it has made the place, and
only if it has drawn there in its first run. A fragment inside of a place would be there once more after
each edit.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages import session

from .page import Page
from .picture.inbound import is_number

PART = "part"  # the outer fragment
Draw = Callable[[Page], object]
Take = Callable[[dict], None]
Kind = Literal["picture", "other", "released"]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass
class LivePlaces:
    """The places that a part has left, each with its kind and what draws there.

    kind: a picture, anything else, or what is drawn again only once the hand rests. make: a new place.
    """

    make: Callable[[], Any]
    left: list[tuple[Any, Kind, Draw]] = field(default_factory=list)
    new: bool = True  # nothing was drawn there yet

    @property
    def are_pictures(self) -> bool:
        """Whether pictures are all that follows a number while it is held."""
        return all(kind != "other" for _, kind, _ in self.left)


@dataclass
class Canvas:
    """Where `picture` draws. direct: draws it again for a direct answer, where that is all that follows."""

    container: AbstractContextManager
    direct: Draw | None = None
    used: bool = False


_left: ContextVar[LivePlaces | None] = ContextVar("left", default=None)  # as long as a part leaves places
_filling: ContextVar[bool] = ContextVar("filling", default=False)
_canvas: ContextVar[Canvas | None] = ContextVar("canvas", default=None)


class _NothingElse(DeltaGenerator):
    """What is drawn in here by `st.` raises."""

    @property
    def _cursor(self) -> Any:
        raise TypeError("live.picture takes a function that draws one picture, and nothing else")


def places(draw: Function) -> Function:
    """Marks the function of a part that leaves places."""
    draw.__dict__["leaves_places"] = True
    return draw


def has_places(draw: Draw) -> bool:
    return getattr(draw, "leaves_places", False)


def draw(page: Page, what: Draw, *, when: Literal["moved", "released"] = "moved") -> object:
    """Leaves a place for what follows the numbers; what it draws must be drawn on the page that it is given.

    when: "released" for what costs much, or would distract: as long as a number is held, it is drawn on the
    page as it was before. Returns what `what` returns, and True where a place is left.
    """
    if when == "released":
        return _put("released", page, lambda page: what(_at_rest(page)))
    return _put("other", page, what)


def picture(page: Page, what: Draw) -> None:
    """Leaves a place for a picture: `what` draws it with `figure.draw`, and draws nothing else.

    Where pictures are all that follows the numbers, a step of a drag needs no run of the page (see
    shell/direct.py).
    """
    _put("picture", page, what)


def _put(kind: Kind, page: Page, what: Draw) -> object:
    places = _left.get()
    if places is not None:
        places.left.append((places.make(), kind, what))
        return True
    if kind != "picture":
        return what(page)
    _draw_picture(page, what, Canvas(st.container()))
    return None


def _draw_picture(page: Page, what: Draw, canvas: Canvas) -> None:
    token = _canvas.set(canvas)
    try:
        with _NothingElse():
            what(page)
    finally:
        _canvas.reset(token)


def _at_rest(page: Page) -> Page:
    """The page as it was before the hand took hold of a number."""
    rest = session.visit().inbox.rest
    return page if rest is None else page.with_numbers(rest)


def canvas() -> Canvas:
    """Where a picture is put on the page; outside of what `picture` draws, where Streamlit is."""
    here = _canvas.get()
    if here is None:
        return Canvas(nullcontext())
    if here.used:
        raise TypeError("live.picture takes a function that draws one picture")
    here.used = True
    return here


@contextmanager
def left(make: Callable[[], Any] = st.container) -> Iterator[LivePlaces]:
    """The places that are left inside of the block. make: what makes one, where there is no page."""
    places = LivePlaces(make)
    token = _left.set(places)
    try:
        yield places
    finally:
        _left.reset(token)


def fill(page: Page, places: LivePlaces) -> None:
    """Draws what follows the numbers. Call it in a fragment of its own."""
    token = _filling.set(True)
    try:
        for place, kind, what in places.left:
            with place:
                if kind == "picture":
                    _draw_picture(page, what, Canvas(place, what if places.are_pictures else None))
                else:
                    what(page)
                if places.new:  # nothing may have been drawn
                    st.empty()
        places.new = False
    finally:
        _filling.reset(token)


def fragment(what: Function, **how: Any) -> Function:
    """Streamlit's fragment, which runs by itself. In a place it would be there once more after each edit."""
    if _filling.get():
        raise TypeError("no fragment inside of what live.draw draws: draw it in the part itself")
    return st.fragment(what, **how)


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
