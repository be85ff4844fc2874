"""The page, which every part draws: texts, settings, the view, and the learner's place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import streamlit as st

from pages import session
from pages.model import handout
from pages.model.course import Course, HourStop, Lesson, Part, Topic
from pages.model.examples import row_of_it
from pages.model.fields import specs
from pages.model.scores import Scores
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.targets import Target
from pages.model.view import SHOWN, Place, View

from . import filling
from .say import with_formulas
from .texts import Name, Texts


class StopSummary(NamedTuple):
    """A stop of the hour in the look back: its sentence with the learner's numbers, or its task."""

    stop: HourStop
    sentence: str
    done: bool


@dataclass(frozen=True)
class Page:
    """The present state for the drawing of one part, made on every run."""

    course: Course
    lesson: Lesson
    part: Part
    t: Texts
    settings: Settings  # of the core
    view: View
    place: Place
    numbers: State = field(default_factory=State)  # the lessons' own numbers
    withheld: str = ""  # the question of the class's vote, until its answer is revealed
    stands_in: str = ""  # the example that a question is about, in place of the learner's numbers
    shows: bool = False  # everything is shown at once; questions are folded and can still be answered
    look_back: Callable[["Page"], Sequence[StopSummary]] = field(default=lambda _: (), compare=False)
    canvas: Any = field(default=None, compare=False)  # see live.py; None: figures are drawn at once

    @property
    def topic(self) -> Topic:
        """The topic shown, in a part that has several."""
        topics = self.part.topics
        return next((topic for topic in topics if topic.name == self.place.topic), topics[0])

    @property
    def own(self) -> Any:
        """The lesson's own numbers and switches."""
        return None if self.lesson.own is None else self.numbers.of(self.lesson.own)

    @property
    def scores(self) -> Scores:
        """The row of scores that some lessons share."""
        return self.numbers.of(Scores)

    def record(self, field: str) -> Any:
        """The record that has this field: one of the lesson's, or the core settings."""
        owners = dict.fromkeys(self.lesson.numbers, self.numbers) | dict.fromkeys(
            self.lesson.looks, self.view
        )
        kind = next((kind for kind in owners if field in specs(kind)), None)
        return self.settings if kind is None else owners[kind].of(kind)

    @property
    def look(self) -> Any:
        """The record of this lesson's view."""
        return None if self.lesson.look is None else self.view.of(self.lesson.look)

    @property
    def head(self) -> int:
        """The shown head, at most the last one of the settings."""
        return min(self.view.head, self.settings.num_heads - 1)

    @property
    def row(self) -> int | None:
        """The query that is followed in this lesson, if any."""
        row = self.place.row
        return row if row is not None and row < len(self.settings.tokens) else None

    @cached_property
    def tokens(self) -> tuple[Name, ...]:
        """The tokens as they are read: with their meaning where the language needs it, repeats counted."""
        return named(self.t, self.settings.tokens)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The tokens as facts for any language: without their meaning, repeats counted."""
        return distinct(self.settings.tokens)

    @cached_property
    def source(self) -> tuple[Name, ...]:
        """The tokens of the second sequence, likewise."""
        return named(self.t, self.settings.source)

    @property
    def axes(self) -> dict[str, Any]:
        """The axes of a matrix with a row for each query and a column for each key."""
        return {"row_axis": self.t("axis.query"), "col_axis": self.t("axis.key")}

    def go(self, **fields: object) -> None:
        """Changes the learner's place in this lesson."""
        session.go(self.lesson.name, **fields)

    def with_numbers(self, state: State) -> Self:
        """The page with other numbers."""
        return replace(self, settings=state.core, numbers=state)

    def unfollowed(self, core: Settings | None = None) -> Self:
        """The page without a followed query, and with other core settings if any."""
        return replace(
            self, settings=self.settings if core is None else core, place=replace(self.place, row=None)
        )

    @cached_property
    def stop(self) -> handout.Stop:
        """The stop of a teacher's link, with its locked, hidden and skipped parts, and what a target holds.

        Once the learner has had the hidden matrices shown, they are locked and no longer hidden.
        """
        stop = self.lesson.standing(self.view, self.place) or handout.Stop(self.lesson.name)
        matrices = self._matrices(stop)
        if not (matrices and filling.is_shown(stop)):
            return stop
        hidden = tuple(name for name in stop.hidden if name not in matrices)
        return replace(stop, hidden=hidden, locked=(*stop.locked, *matrices))

    @property
    def hidden_matrices(self) -> tuple[str, ...]:
        """The matrices whose numbers a teacher's link hides."""
        return self._matrices(self.stop)

    def _matrices(self, stop: handout.Stop) -> tuple[str, ...]:
        return tuple(name for name in stop.hidden if name not in ("part", *self.part.switches))

    @property
    def target(self) -> Target | None:
        """The target that the learner tries."""
        return self.lesson.target(self.place)

    @property
    def handed_out(self) -> handout.Stop | None:
        """The stop of a teacher's link, at its place; it stays when the learner unlocks the plan."""
        stop = self.view.stop_in(self.lesson.name)
        if stop is None:
            return None
        place = self.lesson.resolved(Place(part=stop.parts.get("part"), topic=stop.parts.get("topic")))
        topics = [topic.name for topic in self.part.topics]
        elsewhere = place.topic in topics and place.topic != self.topic.name
        return None if self.lesson.part(place.part) != self.part or elsewhere else stop

    @property
    def asked_by_teacher(self) -> tuple[str, handout.OwnQuestion | None]:
        """The instruction and the question of this stop."""
        stop = self.handed_out
        if stop is None:
            return "", None
        asked = stop.question
        return stop.instruction, None if asked is None or (asked.is_sealed and not self.view.vote) else asked

    @property
    def switches(self) -> tuple[str, ...]:
        """The switches of the toolbar that are shown."""
        if self.part.topics and not self.topic.switches:
            return ()
        return tuple(name for name in self.part.switches if name not in self.stop.hidden)

    def answer(self, question: str) -> str | None:
        """The chosen option, None before the answer.

        A skipped question counts as shown, and so does an open one where everything is shown at once. In a
        presentation only revealed questions have an answer.
        """
        if question == self.withheld:
            return None
        if question in self.stop.skipped:
            return SHOWN
        option = self.view.answer(question)
        if not self.view.presenting:
            return SHOWN if self.is_offered(question) else option
        return (option or SHOWN) if session.is_revealed(question) else None

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions that the part has, in order; the last part has the lesson's ending."""
        ending = (self.lesson.ending,) if self.lesson.ending and self.part == self.lesson.last else ()
        return (*self.part.questions, *ending)

    @property
    def asked(self) -> tuple[str, ...]:
        """The questions that may be on the page, with the teacher's own."""
        _, own = self.asked_by_teacher
        return (*self.questions, *(() if own is None else (own.name,)))

    @property
    def is_open(self) -> bool:
        """Whether a question of the part, or of the shown topic, is open, and not folded into a line."""
        topics = (self.topic,) if self.part.topics else ()
        asked = [question.name for branch in (self.part, *topics) for question in branch.asks]
        return any(
            _is_opened(question) if self.is_offered(question) else self.answer(question) is None
            for question in asked
        )

    def is_offered(self, question: str) -> bool:
        """Whether everything is shown although the reader, who may, has not answered the question."""
        of_course = self.is_asked(question) and not handout.is_own(question)
        return self.shows and of_course and self.view.answer(question) is None

    def is_asked(self, question: str) -> bool:
        """Whether the question is on the page: a teacher's link can leave it out."""
        return question not in self.stop.unasked

    def button(
        self, text: str, key: str, change: Callable[[Settings], Settings], *, loads: bool = False, **extra
    ) -> None:
        """A button that edits the settings. loads: it brings an example."""
        extra["disabled"] = extra.get("disabled", False) or not session.is_allowed(change)
        act = session.load if loads else session.edit
        st.button(with_formulas(text), key=key, on_click=act, args=(change,), **extra)

    def set_button(self, text: str, key: str, fields: Mapping[str, object], **extra) -> None:
        """A button that sets the lesson's own numbers or switches."""
        extra["disabled"] = extra.get("disabled", False) or not self.stop.fixed.isdisjoint(fields)
        st.button(with_formulas(text), key=key, on_click=session.set_own, kwargs=dict(fields), **extra)

    def number(self, field: str, *, where: str = "", **extra) -> None:
        """A number to type, bound to a field. where: see session.bind."""
        record = self.record(field)
        spec = specs(type(record))[field]
        low, high = spec.range(record)
        step = spec.step if not spec.log else 1 if spec.kind == "count" else None
        label, bound = self.t(f"setting.{field}"), session.bind(field, where=where)
        st.number_input(label, low, high, step=step, help=self.t(f"help.{field}"), **extra, **bound)

    def choose(
        self, field: str, options, word: Callable[[Any], str], *, value: object = None, **extra
    ) -> None:
        """A choice among a few, side by side, bound to a field. value: shown in place of the field's own."""
        st.segmented_control(
            self.t(f"setting.{field}"),
            options,
            required=True,
            format_func=lambda option: with_formulas(word(option)),
            help=self.t(f"help.{field}"),
            wrap=True,  # in a line of controls they would be cut on a phone
            **session.bind(field, value, where="_page"),
            **extra,
        )

    def toggle(self, field: str, bound: Mapping[str, Any] | None = None) -> None:
        """A switch. bound: to what; by default to the field."""
        label, about = (with_formulas(self.t(f"{kind}.{field}")) for kind in ("setting", "help"))
        st.toggle(label, help=about, **(bound or session.bind(field)))


def line_of(question: str) -> str:
    """The key of the line into which an offered question folds."""
    return f"question-{question}"


def _is_opened(question: str) -> bool:
    """Whether the reader has opened that line, or is asked again."""
    return not session.is_folded(question) or bool(session.widget_value(line_of(question)))


INDICES = "₀₁₂₃₄₅₆₇₈₉"


def small(number: object) -> str:
    """A number as an index: ₁₂."""
    return str(number).translate(str.maketrans("0123456789", INDICES))


def named(t: Texts, tokens: tuple[str, ...]) -> tuple[Name, ...]:
    """Tokens as they are read: with their meaning where the language needs it, repeats counted."""
    return distinct(tuple(with_meaning(t, name) for name in distinct(tokens)))


def with_meaning(t: Texts, name: str) -> Name:
    """A token, which may be counted, with its meaning where the language needs it."""
    return Name(f"{name} {t.gloss(name.rstrip(INDICES))}".strip())


def in_task(t: Texts, tokens: tuple[str, ...]) -> dict[str, Name]:
    """The tokens that the task of a stop may name: the pronoun or the last token, and the first two."""
    names = named(t, tokens)
    return {"query": names[row_of_it(tokens) or -1], "first": names[0], "second": names[:2][-1]}


def distinct(names: tuple[str, ...]) -> tuple[Name, ...]:
    """Repeated names with a number: 好 人 好 人 become 好₁ 人₁ 好₂ 人₂."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        several = names.count(name) > 1
        result.append(Name(name + small(seen[name]) if several else name))
    return tuple(result)
