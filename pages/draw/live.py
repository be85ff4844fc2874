"""Places that follow the numbers of a part: an edit draws them again, and nothing else of the page.

Headings, switches and captions do not follow the numbers; figures and sentences do. The blocks of a part
say which (see pages/ask/blocks.py). The outer fragment of the frame draws the part and leaves places for
these, and the inner fragment fills all places at once, in its first run and after each edit. A part with an
open question or long work is drawn whole by the inner fragment, where `draw` and `picture` draw at once and
leave no place, but as deep as one. So the same function draws a place in a run of the page, after an edit, in
a direct answer and in an early picture.

A fragment of Streamlit can redraw a container only if (1) its parent fragment created it and (2) the fragment
filled it in that first run. A fragment inside of a place would be duplicated by each edit.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.Block_pb2 import Block

from pages import session

from .component.inbound import is_number
from .page import Page

PART, NUMBERS = "part", "numbers"  # the outer fragment, the inner one
Draw = Callable[[Page], object]
Take = Callable[[dict], None]
Kind = Literal["picture", "other", "released"]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass
class LivePlaces:
    """The places of a part: container, kind, and drawing function. A page with this canvas leaves them.

    kind: "released" is drawn again only after a drag.
    """

    left: list[tuple[Any, Kind, Draw]] = field(default_factory=list)
    new: bool = True  # not filled yet
    shape: tuple[object, ...] = ()  # of the part: see _shape in pages/shell/frame.py

    @property
    def are_pictures(self) -> bool:
        """Whether nothing but pictures follows the numbers during a drag."""
        return all(kind != "other" for _, kind, _ in self.left)


@dataclass
class Canvas:
    """The canvas of one picture: its container, or None for an answer without a run of the page.

    direct: draws the picture for such an answer, if the part allows that. held: the still piece of its data
    that the browser has. data: the answer, by the picture's key.
    """

    container: AbstractContextManager | None
    direct: Draw | None = None
    held: str = ""
    data: dict[str, bytes] = field(default_factory=dict)
    used: bool = False


_filling: ContextVar[bool] = ContextVar("filling", default=False)


class _NothingElse(DeltaGenerator):
    """A container in which every call of `st.` raises."""

    @property
    def _cursor(self) -> Any:
        raise TypeError("live.picture takes a function that draws one picture, and nothing else")


def draw(page: Page, what: Draw, *, when: Literal["moved", "released"] = "moved") -> object:
    """Leaves a place that `what` fills, which must draw its argument, not another page.

    when: "released" for expensive or distracting figures: during a drag they show the page from before it.
    Returns the result of `what`, or True if a place is left.
    """
    if when == "released":
        return _put("released", page, lambda page: what(_at_rest(page)))
    return _put("other", page, what)


def picture(page: Page, what: Draw) -> None:
    """Leaves a place for one picture: `what` draws it with `placing.draw`, and nothing else.

    If nothing but pictures follows the numbers, a step of a drag needs no run of the page (see
    shell/direct.py).
    """
    _put("picture", page, what)


def _put(kind: Kind, page: Page, what: Draw) -> object:
    if isinstance(places := page.canvas, LivePlaces):
        places.left.append((st.container(), kind, what))
        return True
    place = _as_deep()
    with place:
        if kind != "picture":
            return what(page)
        _draw_picture(page, what, Canvas(place))
    return None


def _as_deep() -> DeltaGenerator:
    """A container as deep as a place: in it Streamlit puts a block around what a fragment adds from outside.

    Then a picture keeps its path, and the browser its node, when an answer makes a part leave places or be
    drawn whole. Else the page would be short for a moment, and scroll.
    """
    block = Block()
    block.transparent.SetInParent()
    block.allow_empty = True
    return st.container()._block(block)


def _draw_picture(page: Page, what: Draw, canvas: Canvas) -> None:
    with _NothingElse():
        what(replace(page, canvas=canvas))


def _at_rest(page: Page) -> Page:
    """The page before the present drag."""
    rest = session.visit().inbox.rest
    return page if rest is None else page.with_numbers(rest)


def canvas(page: Page) -> Canvas:
    """The canvas for a picture; outside of `picture`, Streamlit's current container."""
    here = page.canvas
    if not isinstance(here, Canvas):
        return Canvas(nullcontext())
    if here.used:
        raise TypeError("live.picture takes a function that draws one picture")
    here.used = True
    return here


def fill(page: Page, places: LivePlaces) -> None:
    """Fills all places. Call it in a fragment of its own."""
    token = _filling.set(True)
    try:
        for place, kind, what in places.left:
            with place:
                if kind == "picture":
                    _draw_picture(page, what, Canvas(place, what if places.are_pictures else None))
                else:
                    what(page)
                if places.new:  # an unfilled place raises at the next edit
                    st.empty()
        places.new = False
    finally:
        _filling.reset(token)


def fragment(what: Function, **how: Any) -> Function:
    """A fragment of Streamlit. Raises inside of a place, where each edit would duplicate it."""
    if _filling.get():
        raise TypeError("no fragment inside of what live.draw draws: draw it in the part itself")
    return st.fragment(what, **how)


def taking(take: Take) -> Take:
    """Wraps a picture's callback for edits, after which only the places are drawn again.

    The whole part is drawn again if an edit is no number, or if a message appears or disappears.
    """
    if not _filling.get():
        return take

    def taken(sent: dict) -> None:
        said = session.has_to_say()
        take(sent)
        if said or session.has_to_say() or not all(is_number(edit.get("value")) for edit in sent["edits"]):
            st.rerun(PART)

    return taken
