"""What a part of a lesson is given to draw with: texts, settings, the view, and the learner's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from pages.model.settings import Settings
from pages.model.view import Place, View

from . import session
from .texts import Texts


@dataclass(frozen=True)
class Part:
    """One part of a lesson, drawn by `draw(page)` in the file of the lesson's folder that bears its name.

    edits      the numbers that the part lets people change: matrices, "inputs" for all of them, or settings
    switches   the switches of the toolbar that do something here; none: no toolbar
    questions  the questions it asks, in their order
    tall       its picture takes all the room that the window has
    """

    name: str
    edits: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    tall: bool = False


@dataclass(frozen=True)
class Lesson:
    """A lesson is a list of parts. Its folder has the parts, their texts and, in summary.py, its end."""

    name: str
    parts: tuple[Part, ...]
    ending: str | None = None  # the question at its end, which needs all of it
    start: str = "cats"  # the example it begins with, where nobody has changed a number

    @property
    def questions(self) -> tuple[str, ...]:
        """All questions of the lesson, in order."""
        asked = tuple(question for part in self.parts for question in part.questions)
        return asked if self.ending is None else (*asked, self.ending)

    def part(self, name: str | None) -> Part:
        """The part of that name; the first one where there is none."""
        return next((part for part in self.parts if part.name == name), self.parts[0])


@dataclass(frozen=True)
class Page:
    """The present state, as one part sees it. Made anew on every run."""

    lesson: Lesson
    part: Part
    t: Texts
    now: Settings
    view: View
    place: Place

    @property
    def head(self) -> int:
        """The head shown; where the settings have fewer, the last one."""
        return min(self.view.head, self.now.num_heads - 1)

    @property
    def row(self) -> int | None:
        """The query that is followed in this lesson, if any."""
        row = self.place.row
        return row if row is not None and row < len(self.now.tokens) else None

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The tokens as they are read: with their meaning where the language needs it, repeats counted."""
        return named(self.t, self.now.tokens)

    @cached_property
    def source(self) -> tuple[str, ...]:
        """The tokens of the second sequence, likewise."""
        return named(self.t, self.now.source)

    def go(self, **fields: object) -> None:
        """Changes the learner's place in this lesson."""
        session.go(self.lesson.name, **fields)

    def answer(self, question: str) -> str | None:
        return self.view.answer(question)

    def button(
        self, text: str, key: str, change: Callable[[Settings], Settings], *, loads: bool = False, **look
    ) -> None:
        """A button that edits the settings. loads: it brings an example."""
        st.button(text, key=key, on_click=session.load if loads else session.edit, args=(change,), **look)

    def choose(
        self, field: str, options, word: Callable[[object], str], *, label: str | None = None, **look
    ) -> None:
        """A choice among a few, side by side, bound to a field of the settings or of the view."""
        st.segmented_control(
            self.t(f"setting.{field}") if label is None else label,
            options,
            required=True,
            format_func=word,
            help=self.t(f"help.{field}"),
            **session.bind(field, where="_page"),
            **look,
        )


def small(number: object) -> str:
    """A number as an index: ₁₂."""
    return str(number).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def named(t: Texts, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Tokens as they are read: with their meaning where the language needs it, repeats counted."""
    return distinct(tuple(f"{token} {t.gloss(token)}".strip() for token in tokens))


def distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    """Repeated names with a number: 好 人 好 人 become 好₁ 人₁ 好₂ 人₂."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        several = names.count(name) > 1
        result.append(name + small(seen[name]) if several else name)
    return tuple(result)
