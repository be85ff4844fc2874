"""What a learner has done, as the browser keeps it: parts seen, answers, and where each lesson was left.

A browser keeps a record of it, and one of its tabs what is no part of the record. Pure and bounded. Anybody
can write what a browser keeps: what is not of the course is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from .entries import WORD, is_text, whole
from .view import Place

if TYPE_CHECKING:
    from .course import Course, Lesson

LARGEST = 60_000  # characters of all that is kept
LONGEST = 4_000  # of a place's address
AGAIN = (1, 7)  # days until a question that was answered wrong is asked again, and then once more
FAR = 1_000_000  # days
MOST_EXERCISES = 500
EXERCISE = re.compile(r"[a-z_]{1,24}\.[0-9]{1,2}\.[0-9]{1,4}")  # part, level, number
TRIED, SOLVED, AT_ONCE = range(3)  # how an exercise ended, from the worst to the best


@dataclass(frozen=True)
class Answered:
    """The last answer to a question: whether it was right, and on which day, counted from 1970 on.

    times: right answers since the last wrong one; None where none was wrong.
    """

    right: bool
    day: int
    times: int | None = None

    def then(self, right: bool, day: int) -> Answered:
        """After one more answer. Until the question is due, a right answer does not count as a repetition."""
        if not right:
            return Answered(False, day, 0)
        due = self.due()
        if due is not None and day < due:
            return replace(self, right=True)
        return Answered(True, day, None if self.times is None else self.times + 1)

    def due(self) -> int | None:
        """The day on which it is asked again; None where it was never wrong, or often right since."""
        if self.times is None or self.times >= len(AGAIN):
            return None
        return self.day + AGAIN[self.times]


@dataclass(frozen=True)
class Progress:
    """parts: "lesson/part"; answers: the verdicts, by question; places: lesson → query of its last link.

    options: question → the option that its place shows, also where the answer was only shown. last: lesson.
    exercises: "part.level.number" → TRIED, SOLVED or AT_ONCE, the best so far; the older ones are forgotten.
    """

    parts: frozenset[str] = frozenset()
    answers: Mapping[str, Answered] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    last: str = ""
    exercises: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)

    def seeing(self, lesson: str, part: str) -> Progress:
        return replace(self, parts=self.parts | {f"{lesson}/{part}"})

    def answering(self, question: str, right: bool, day: int) -> Progress:
        before = self.answers.get(question)
        now = before.then(right, day) if before else Answered(right, day, None if right else 0)
        return replace(self, answers={**self.answers, question: now})

    def choosing(self, question: str, option: str | None) -> Progress:
        """With the option that the question's place shows from now on; None: the question is asked again."""
        others = {name: one for name, one in self.options.items() if name != question}
        return replace(self, options=others if option is None else others | {question: option})

    def practising(self, exercise: str, ended: int) -> Progress:
        return replace(self, exercises=_best(self.exercises, {exercise: ended}))

    def score(self, part: str) -> tuple[int, int, int]:
        """Of a part's exercises: how many were tried, how many of them were solved, and how many at once."""
        ends = [ended for name, ended in self.exercises.items() if name.partition(".")[0] == part]
        return len(ends), len(ends) - ends.count(TRIED), ends.count(AT_ONCE)

    def joined(self, other: Progress) -> Progress:
        """With what another one has: of two verdicts the later one counts, of two options the own."""
        answers = dict(self.answers)
        for question, one in other.answers.items():
            if question not in answers or answers[question].day < one.day:
                answers[question] = one
        places, last = other.places or self.places, other.last or self.last
        exercises = _best(self.exercises, other.exercises)
        options = {**other.options, **self.options}
        return Progress(self.parts | other.parts, answers, places, last, exercises, options)

    def begun(self, lesson: Lesson) -> bool:
        return any(f"{lesson.name}/{part.name}" in self.parts for part in lesson.parts)

    def done(self, lesson: Lesson) -> bool:
        return bool(lesson.questions) and self.answers.keys() >= set(lesson.questions)

    def due(self, day: int) -> list[str]:
        """The questions to be asked again by that day, the question that waits longest first."""
        waiting = [(one.due(), question) for question, one in self.answers.items()]
        return [
            question for at, question in sorted((at, q) for at, q in waiting if at is not None) if at <= day
        ]

    def query(self, lesson: str) -> dict[str, str]:
        """The parts of the link to where a lesson was left."""
        return dict(parse_qsl(self.places.get(lesson, ""), keep_blank_values=True))

    def to_json(self) -> dict[str, Any]:
        """What the browser keeps; the places are the browser's own."""
        answers = {question: [one.right, one.day, one.times] for question, one in self.answers.items()}
        options, exercises = dict(self.options), dict(self.exercises)
        return {"parts": sorted(self.parts), "answers": answers, "options": options, "exercises": exercises}


@dataclass(frozen=True)
class OfTab:
    """What one tab keeps. answers: question → option; sitting: the plan in which they were given (see View).

    revealed: the questions whose answers a presentation shows. typed: what was pasted or searched for, by its
    key in a link.
    """

    answers: Mapping[str, str] = field(default_factory=dict)
    sitting: int = 0
    revealed: frozenset[str] = frozenset()
    typed: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        answers, revealed, typed = dict(self.answers), sorted(self.revealed), dict(self.typed)
        return {"answers": answers, "sitting": self.sitting, "revealed": revealed, "typed": typed}


def _best(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """Of two ends of an exercise the better one; the newest exercises."""
    ended = {name: end for name, end in one.items() if name not in other}
    ended |= {name: max(end, one.get(name, end)) for name, end in other.items()}
    return dict(list(ended.items())[-MOST_EXERCISES:])


def read(text: object, course: Course) -> Progress:
    """The record that a browser keeps, as far as it is of this course. Never raises."""
    kept = _kept(text)
    questions = course.questions
    answers = {name: _answered(one) for name, one in _entries(kept, "answers") if name in questions}
    places = {
        name: place
        for name, link in _entries(kept, "places")
        if name in course.pages and (place := _place(link, course.keys_of_places))
    }
    exercises = {
        name: end
        for name, end in _entries(kept, "exercises")
        if EXERCISE.fullmatch(name) and type(end) is int and end in (TRIED, SOLVED, AT_ONCE)
    }
    last = kept.get("last")
    return Progress(
        frozenset(part for one in _listed(kept.get("parts")) if (part := _part(one, course))),
        {name: one for name, one in answers.items() if one},
        places,
        last if isinstance(last, str) and last in places else "",
        _best({}, exercises),
        _options(kept, "options", course),
    )


def _part(text: object, course: Course) -> str:
    """The part, or the part that has the content of a former part; "" for anything else."""
    name, _, former = text.partition("/") if isinstance(text, str) else ("", "", "")
    lesson = course.pages.get(name)
    part = lesson and lesson.resolved(Place(part=former)).part
    return f"{name}/{part}" if lesson and part in [one.name for one in lesson.parts] else ""


def read_tab(text: object, course: Course) -> OfTab:
    """What a tab keeps, likewise."""
    kept = _kept(text)
    sitting = kept.get("sitting")
    typed = {key: text for key, text in _entries(kept, "typed") if key in course.typed and is_text(text)}
    return OfTab(
        _options(kept, "answers", course),
        sitting if type(sitting) is int else 0,
        frozenset(one for one in _listed(kept.get("revealed")) if isinstance(one, str)) & course.questions,
        typed,
    )


def _kept(text: object) -> dict:
    """The object that the text says, its damaged entries too; an empty one for another text."""
    if not isinstance(text, str) or len(text) > LARGEST:
        return {}
    try:
        kept = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _options(kept: dict, name: str, course: Course) -> dict[str, str]:
    """Questions of the course, each with a word."""
    return {
        question: option
        for question, option in _entries(kept, name)
        if question in course.questions and isinstance(option, str) and WORD.fullmatch(option)
    }


def _listed(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else ()


def _entries(kept: dict, name: str) -> Iterable[tuple[str, Any]]:
    value = kept.get(name)
    return value.items() if isinstance(value, dict) else ()


def _place(link: Any, keys: Collection[str]) -> str:
    """The parts of a link that lead to a place of the course; "" where there are none."""
    if not is_text(link) or len(link) > LONGEST:
        return ""
    return urlencode([part for part in parse_qsl(link, keep_blank_values=True) if part[0] in keys])


def _answered(value: object) -> Answered | None:
    """An answer as it is kept, None where the value is no answer."""
    if not isinstance(value, list) or len(value) != 3:
        return None
    right, day, times = value
    try:
        times = None if times is None else whole("times", times, 0, len(AGAIN))
        return Answered(bool(right), whole("day", day, 0, FAR), times)
    except ValueError:
        return None
