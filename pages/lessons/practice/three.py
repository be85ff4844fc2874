"""The end of the hour: a row to fill in, a mistake to find, a claim to judge, on numbers not seen before."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from pages import session
from pages.ask.exercise.fill_exercise import HOUR
from pages.ask.exercise.look import MAX_EXERCISE
from pages.draw import say
from pages.draw.page import Page
from pages.model.course import Part
from pages.model.progress import Takeaway

from . import bug_hunt, claim, desk, fill_in

# Kind → its level, and what draws it. A kind has the name by which the browser keeps its exercises.
EXERCISES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "fill_in": (HOUR, fill_in.work),
    "bug_hunt": (HOUR, bug_hunt.work),
    "claim": ("1", claim.work),
}
KINDS = tuple(EXERCISES)
UNSEEN = 5000  # added to the number, so that no other part has begun with the same exercise


def draw(page: Page) -> None:
    """One of the three, and what its end shows; then the way to the next."""
    labels = [_label(page, index) for index in range(len(KINDS))]
    page.choose("of_three", range(len(KINDS)), labels.__getitem__, label_visibility="collapsed")
    kind = KINDS[page.look.of_three]
    EXERCISES[kind][1](of_kind(page, kind))
    if not desk.attempt(of_kind(page, kind)).ended:
        return
    solved = desk.attempt(of_kind(page, kind)).solved
    say.sentence(page.t(f"three.can_{kind}" if solved else "three.missed"))
    following = [(page.look.of_three + step) % len(KINDS) for step in range(1, len(KINDS))]
    open_index = next((index for index in following if not has_ended(page, KINDS[index])), None)
    if open_index is not None:
        _go(page, "three.next", primary=True, of_three=open_index)
    else:
        _go(page, "three.others", of_three=0, exercise=page.look.exercise % MAX_EXERCISE + 1)


def _label(page: Page, index: int) -> str:
    """The number and the name of an exercise, and a mark where it has ended."""
    kind = KINDS[index]
    mark = " ✓" if has_ended(page, kind) else ""
    return f"{index + 1} · {page.t(f'three.{kind}')}{mark}"


def _go(page: Page, text: str, *, primary: bool = False, **fields: int) -> None:
    look: dict[str, Any] = {"type": "primary" if primary else "secondary"}
    st.button(page.t(text), key="of_three", on_click=session.set_view, kwargs=fields, **look)


def of_kind(page: Page, kind: str) -> Page:
    """The page as the exercise of that kind gets it."""
    number = (page.look.exercise - 1 + UNSEEN) % MAX_EXERCISE + 1
    look = replace(page.look, exercise=number, level=EXERCISES[kind][0], numbers="seeded")
    part = page.lesson.part(kind) if kind != "claim" else Part(kind)
    return replace(page, part=part, place=replace(page.place, topic=None), view=page.view.having(look))


def has_ended(page: Page, kind: str) -> bool:
    """Whether the exercise has ended in this visit, or was solved in an earlier one."""
    return desk.attempt(of_kind(page, kind)).ended or desk.was_solved(of_kind(page, kind))


# ---- as a stop of the hour


def task(page: Page) -> bool:
    return all(has_ended(page, kind) for kind in KINDS)


def keep(page: Page) -> Takeaway:
    return Takeaway({"solved": str(sum(desk.was_solved(of_kind(page, kind)) for kind in KINDS))})
