"""What a class follows, on the screen of a learner in it: it is one more owner of numbers (see Visit.owner).

The learner's own numbers stay as they are. A change of the class's numbers makes them a copy of the learner's
own (see `keep_copy` of visit.py).
"""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from pages.model.fields import specs
from pages.model.link import from_query, typed_of, with_typed
from pages.model.matrices import TABLE
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View

from .visit import (
    CLASS,
    LINK,
    Numbers,
    bring_numbers,
    is_following,
    keep_copy,
    lesson_here,
    of_learner,
    redraw,
    replace_numbers,
    visit,
)


def follow_class(lesson: str, query: Mapping[str, str]) -> None:
    """Puts this state on the screen, in the learner's language."""
    current = visit()
    if LINK in current.numbers:
        bring_numbers(current.course.pages[lesson], current.arrived or Place())
    before = current.settings, current.state.own, current.view, current.places.get(lesson)
    state, linked, place, _ = from_query(query, current.course, current.view.language)
    view = with_typed(of_learner(linked), typed_of(current.view), current.course)
    scene = Numbers(state, view=current.view, places=current.places)
    current.numbers.setdefault(CLASS, scene).state = state
    current.view, current.places = view, current.places | {lesson: place}
    current.inbox.rest, current.replacement, current.arrived, current.acted = None, None, None, ""
    after = current.settings, state.own, view, place
    if current.here != lesson or not _moves_numbers_only(before, after):
        redraw()
    if before[3] is None or (before[3].part, before[3].topic) != (place.part, place.topic):
        current.screen.unfolded.clear()
        current.screen.expanders.clear()


Sight = tuple[Settings, tuple, View, Place | None]


def _moves_numbers_only(before: Sight, after: Sight) -> bool:
    """Whether the pictures and charts of the part show all that differs, as after an edit of a number."""
    core, own, view, place = after
    was, own_before, view_before, place_before = before
    names = _differing(was, core)
    numbers = all(name in TABLE and None not in (getattr(core, name), getattr(was, name)) for name in names)
    stays = _without_looking(place or Place()) == _without_looking(place_before or Place())
    return numbers and stays and view == view_before and _moves_records_only(own_before, own)


def _moves_records_only(before: tuple, after: tuple) -> bool:
    """Whether nothing but numbers differs in the lessons' records."""
    kinds = {type(record) for record in (*before, *after)}
    states = State(own=before), State(own=after)
    return all(
        specs(kind)[name].kind in ("number", "count", "row")
        for kind in kinds
        for name in _differing(*(state.of(kind) for state in states))
    )


def _differing(before: Any, after: Any) -> list[str]:
    """The fields in which two records differ."""
    names = [field.name for field in fields(after)]
    return [name for name in names if getattr(before, name) != getattr(after, name)]


def _without_looking(place: Place) -> Place:
    return replace(place, row=None, step=None, cell=None)


def rest_class(on: bool) -> None:
    """While the class votes, nobody changes its numbers: the answer could be read from them."""
    visit().numbers[CLASS].rests = on


def leave_class(*, follows: bool) -> None:
    """Brings the learner's own state back, at the place that the page shows. follows: later scenes again."""
    current, scene = visit(), visit().numbers.pop(CLASS, None)
    current.view = replace(current.view, follows=follows)
    redraw()
    if scene is None:
        return
    here = replace(_without_looking(current.places.get(current.here, Place())), target=None)
    current.view, current.places = of_learner(scene.view), {**scene.places, current.here: here}
    current.inbox.rest, current.replacement, current.acted = None, None, ""
    bring_numbers(lesson_here(), current.place(current.here))


def take_copy(query: Mapping[str, str]) -> None:
    """Makes these numbers the learner's own, wherever the learner is. One undo restores the former ones."""
    visit().acted = ""
    state, *_ = from_query(query, visit().course, visit().view.language)
    if is_following():
        visit().state = state
        keep_copy()
    else:
        replace_numbers(state)
