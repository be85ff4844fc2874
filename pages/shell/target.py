"""A target on its page: offered below the part, and while it is tried, what is to be reached and the hints.

A target that the course declares has numbers of its own. The place of the learner says which target is tried,
so that trying it brings its numbers, and leaving it the learner's (see Lesson.owner).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from pages import session
from pages.ask import vote
from pages.draw import inputs, say, targets
from pages.draw.numbers import minus
from pages.draw.page import Page
from pages.model.fields import specs, write_number
from pages.model.matrices import TABLE
from pages.model.settings import Settings
from pages.model.targets import Target

from . import hour


def head(page: Page, target: Target) -> None:
    """What is to be reached, the hints that the learner has asked for, and the way out."""
    t, word = page.t, target.word
    done, hints = session.has_reached(word), _hints(page, target)
    asked = _asked().setdefault(word, 0)
    with st.container(key="target"):
        with st.container(key="target_line", horizontal=True, vertical_alignment="center", gap="small"):
            text = f"{_mark(page, target)} **{t('target.title')}** {targets.goal(page, target)}"
            say.markdown(text, width="content")
            if asked < len(hints):
                label = t("target.ask_hint", i=asked + 1, n=len(hints))
                st.button(label, key="target_hint", on_click=_ask, args=(word,))
            if page.view.standing(page.lesson.name) is None:
                label = t("target.leave" if target.example else "target.end")
                st.button(label, key="target_leave", on_click=page.go, kwargs={"target": None, "cell": None})
        if done:
            say.markdown(f"**{t('target.reached')}**")
        if asked:
            say.markdown("\n".join(f"1. {hint}" for hint in hints[:asked]))


def offer(page: Page) -> None:
    """The part's next target, once its questions are answered."""
    targets_here = [target for target in page.part.targets if _is_here(page, target)]
    if page.target is not None or not targets_here or page.is_open or not hour.leads(page.view):
        return
    still = [target for target in targets_here if not session.has_reached(target.name)]
    target, t = (still or targets_here)[0], page.t
    there = page.with_numbers(replace(page.numbers, core=_start(page, target)))
    with st.container(key="target_offer", horizontal=True, vertical_alignment="center", gap="small"):
        text = f"{_mark(page, target)} **{t('target.title')}** {targets.goal(there, target)}"
        say.markdown(text, width="content")
        label = t("target.try" if still else "target.again")
        go = {"target": target.name, "row": None, "cell": None}
        st.button(label, key="target_try", help=t("target.try_help"), on_click=page.go, kwargs=go)


def judge(page: Page) -> None:
    """Records that the target is reached; while a hand holds a number, it is not."""
    target = page.target
    if target is None or session.visit().inbox.rest is not None:
        return
    known = session.has_reached(target.word)
    if not known and targets.is_reached(page):
        session.note_target(target.word)
    if session.has_reached(target.word):
        vote.note_target(page, target.word, here=not known)


def _start(page: Page, target: Target) -> Settings:
    """The settings with which a target of the course begins, in the learner's language."""
    return page.lesson.beginning(page.view.language, replace(page.place, target=target.name))


def _is_here(page: Page, target: Target) -> bool:
    return target.topic is None or target.topic == page.topic.name


def _mark(page: Page, target: Target) -> str:
    done = session.has_reached(target.word)
    how = ("finished", "target.done") if done else ("open", "target.open")
    return hour.mark(how[0], page.t(how[1]))


def _asked() -> dict[str, int]:
    """How many hints the learner has asked for, by the words for the targets."""
    hints: dict[str, int] = session.memory("hints", dict)
    return hints


def _ask(word: str) -> None:
    _asked()[word] += 1


def _hints(page: Page, target: Target) -> list[str]:
    """From an idea to the cell and to the solution; a target of a link has none."""
    if not target.solution:
        return []
    t, start = page.t, _start(page, target)
    edits = [_edit(page, entry) for entry in target.solution]
    solution = t("target.solution", edits=t.listed(edits, apart=True))
    return [t(f"hint.{target.name}"), *_where(page, start, target), solution]


def _where(page: Page, start: Settings, target: Target) -> list[str]:
    """The first edit of the solution: which number, and in which direction. A choice that is all: nothing."""
    name, *place, value = target.solution[0]
    if place:
        row, col = place
        way = "larger" if value > getattr(start, name)[row][col] else "smaller"
        return [page.t(f"target.{way}", **_cell(page, name, row, col))]
    if specs(Settings)[name].kind == "choice":
        several = len(target.solution) > 1
        return [page.t("target.first", edit=_edit(page, target.solution[0]))] if several else []
    way = "larger" if value > getattr(start, name) else "smaller"
    return [page.t(f"target.{way}_setting", name=targets.label(page, name))]


def _edit(page: Page, entry: tuple[Any, ...]) -> str:
    """An edit of the solution in words."""
    if len(entry) == 2:
        field, value = entry
        choice = specs(Settings)[field].kind == "choice"
        text = page.t(f"{field}.{value}") if choice else minus(write_number(value))
        return page.t("target.set", name=targets.label(page, field), value=text)
    name, row, col, value = entry
    return page.t("target.enter", value=minus(write_number(value)), **_cell(page, name, row, col))


def _cell(page: Page, name: str, row: int, col: int) -> dict[str, str]:
    """A cell of an input in words, with the names that the screen shows."""
    rows, cols = _names(page, name)
    places = {"row": targets.place_name(page, rows, row), "col": targets.place_name(page, cols, col)}
    return {"matrix": TABLE[name].symbol} | places


def _names(page: Page, name: str) -> tuple[Sequence[str], Sequence[str]]:
    """The names of the rows and columns. With several heads, 2.1 is the first one of head 2."""
    settings = page.settings
    rows = inputs.matrix(page, name).rows
    if name in ("x", "y"):
        return rows, inputs.dimensions(settings)
    if settings.num_heads == 1 or name == "p":
        return rows, ()
    if name == "w_o":
        return _of_heads(settings.num_heads, settings.value_dim), ()
    heads = settings.num_heads if name == "w_q" else settings.kv_heads
    return rows, _of_heads(heads, settings.value_dim if name == "w_v" else settings.head_dim)


def _of_heads(heads: int, width: int) -> list[str]:
    return [f"{head + 1}.{place + 1}" for head in range(heads) for place in range(width)]
