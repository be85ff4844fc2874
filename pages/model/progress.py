"""A learner's progress, which the browser keeps: parts, events, answers, last places, and how to be asked.

The record is for the browser; a tab keeps the data that are not recorded. Pure and bounded. The data of a
browser may be written by anybody: entries that the course does not know are left out.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

from . import fields
from .course import Course, HourStop, Lesson
from .entries import is_text, one_of, whole, word
from .fields import UNREADABLE, accepting, custom, in_json, mapping, names
from .handout import is_own
from .view import SHOWN, Place

LARGEST = 60_000  # characters of a record
LONGEST = 4_000  # of a place's address
LARGEST_OF_TAB = 500_000  # characters of a tab's data
LARGEST_NUMBERS = 400_000  # of them: numbers
MOST_OWNERS = 100  # the course has fewer
OWNER = "owner"  # key of the owner of a tab's numbers (see Lesson.owner); no link has it
AGAIN = (1, 7)  # days until the first and the second repetition of a question after a wrong answer
FAR = 1_000_000  # days
LARGEST_EVENT = 2_000  # characters of its facts, with their names
MOST_EXERCISES = 500
MOST_FILLED = 1_000
MOST = 1e15  # of a number that is filled in
FILLED = re.compile(r"[0-9]{1,2}\.\w{1,24}\.[0-9]{1,3}\.[0-9]{1,3}", re.ASCII)  # stop, matrix, row, column
EXERCISE = re.compile(r"[a-z_]{1,24}\.[0-9]{1,2}\.[0-9]{1,4}")  # part, level, number
ENTRY = re.compile(EXERCISE.pattern + r"\.[a-z_]{1,24}\.[0-9]{1,3}")  # of an exercise: step, column
KEPT = re.compile(r"keep\w{0,20}", re.ASCII)  # key of a takeaway
TRIED, SOLVED, AT_ONCE = range(3)  # ends of an exercise, from the worst to the best

Fact = str | tuple[str, ...]  # a number as it is shown, a token without its meaning, or several tokens


@dataclass(frozen=True)
class Answered:
    """The last answer to a question, with its day, counted from 1970 on.

    times: right answers since the last wrong answer; None if no answer was wrong.
    """

    right: bool
    day: int
    times: int | None = None

    def then(self, right: bool, day: int) -> Answered:
        """The record after one more answer. A right answer counts as a repetition only if it was due."""
        if not right:
            return Answered(False, day, 0)
        due = self.due()
        if due is not None and day < due:
            return replace(self, right=True)
        return Answered(True, day, None if self.times is None else self.times + 1)

    def due(self) -> int | None:
        """The day of the next repetition; None if it was never wrong, or often right since."""
        if self.times is None or self.times >= len(AGAIN):
            return None
        return self.day + AGAIN[self.times]


@dataclass(frozen=True)
class Takeaway:
    """The sentence to keep of a stop of the hour, for any language: its text is `stop.<part>_<key>`."""

    facts: Mapping[str, Fact]
    key: str = "keep"


@dataclass(frozen=True)
class HourEvent:
    """This person has done the stop, with the numbers of that moment.

    day: counted from 1970 on. takeaway: None in a record from before, which had no numbers, nor the day.
    """

    day: int = 0
    takeaway: Takeaway | None = None


# ---- what a browser may have kept: (field, what is kept, course) → the entry, or one of UNREADABLE

_LESSON = accepting(lambda kept, course: kept in course.pages)
_QUESTION = accepting(lambda kept, course: kept in course.questions)
_ANY_QUESTION = accepting(lambda kept, course: kept in course.questions or is_own(kept))
_TARGET = accepting(lambda kept, course: kept in {target.name for _, target in course.targets})
_EXERCISE = accepting(lambda kept, course: EXERCISE.fullmatch(kept))
_END = accepting(lambda kept, course: type(kept) is int and kept in (TRIED, SOLVED, AT_ONCE))
_CELL = accepting(lambda kept, course: FILLED.fullmatch(kept))
_ENTRY = accepting(lambda kept, course: ENTRY.fullmatch(kept))
_NUMBER = accepting(lambda kept, course: type(kept) in (int, float) and abs(kept) <= MOST)
_TYPED = accepting(lambda kept, course: kept in course.typed)
_TEXT = accepting(lambda kept, course: is_text(kept))
_WHOLE = accepting(lambda kept, course: type(kept) is int)
_BOOL = accepting(lambda kept, course: type(kept) is bool)


def _part(name: str, kept: str, course: Course) -> str:
    """The part, or the part that has the content of a former part."""
    lesson, _, former = kept.partition("/")
    part = course.pages[lesson].resolved(Place(part=former)).part
    return f"{lesson}/{one_of(name, part, [part.name for part in course.pages[lesson].parts])}"


def _stop(name: str, kept: str, course: Course) -> str:
    return one_of(name, _part(name, kept, course), [stop.name for stop in course.stop_numbers])


def _place(name: str, kept: str, course: Course) -> str:
    """The parts of a link that lead to a place of the course."""
    parts = parse_qsl(kept, keep_blank_values=True) if is_text(kept) and len(kept) <= LONGEST else []
    link = urlencode([part for part in parts if part[0] in course.keys_of_places])
    if not link:
        raise ValueError(name)
    return link


def _answered(name: str, kept: list[Any], course: Course) -> Answered:
    right, day, times = kept
    times = None if times is None else whole("times", times, 0, len(AGAIN))
    return Answered(bool(right), whole("day", day, 0, FAR), times)


def _event(name: str, kept: Any, course: Course) -> HourEvent:
    """An event; without a takeaway where this is not valid."""
    day, key, facts = kept if isinstance(kept, list) and len(kept) == 3 else (0, "", {})
    event = HourEvent(day if type(day) is int and 0 <= day <= FAR else 0)
    with contextlib.suppress(*UNREADABLE):
        event = replace(event, takeaway=_takeaway(key, facts))
    return event


def _takeaway(key: str, kept: Mapping[str, Any]) -> Takeaway:
    facts = {name: tuple(fact) if isinstance(fact, list) else fact for name, fact in kept.items()}
    lists = [fact if isinstance(fact, tuple) else (fact,) for fact in facts.values()]
    texts = [*facts, *(text for fact in lists for text in fact)]
    lines = all(is_text(text) and " ".join(text.split()) == text for text in texts)
    if not (KEPT.fullmatch(key) and lines and sum(map(len, texts)) <= LARGEST_EVENT):
        raise ValueError("no takeaway")
    return Takeaway(facts, key)


def _write_event(event: HourEvent) -> list[object]:
    takeaway = event.takeaway or Takeaway({}, "")
    return [event.day, takeaway.key, dict(takeaway.facts)]


@dataclass(frozen=True)
class Progress:
    """parts: "lesson/part"; answers: the verdicts, by question; places: lesson → query of its last link.

    events: the stops of the hour that are done, by their names. options: question → the option that its place
    shows, also where the answer was only shown. last: lesson. exercises: "part.level.number" → TRIED, SOLVED
    or AT_ONCE, the best so far; the older ones are forgotten. shows: everything is shown at once, before the
    answers; None: not chosen yet. targets: the names of those that were reached.
    """

    parts: frozenset[str] = names("parts", _part)
    answers: Mapping[str, Answered] = mapping(
        "answers", _QUESTION, _answered, lambda last: [last.right, last.day, last.times]
    )
    places: Mapping[str, str] = mapping("places", _LESSON, _place)
    last: str = in_json("", "last", _LESSON)
    exercises: Mapping[str, int] = mapping("exercises", _EXERCISE, _END, most=MOST_EXERCISES)
    options: Mapping[str, str] = mapping("options", _QUESTION, word)
    events: Mapping[str, HourEvent] = mapping("events", _stop, _event, _write_event)
    shows: bool | None = in_json(None, "shows", _BOOL)
    targets: frozenset[str] = names("targets", _TARGET)

    def seeing(self, lesson: str, part: str) -> Progress:
        return replace(self, parts=self.parts | {f"{lesson}/{part}"})

    def doing(self, stop: str, event: HourEvent) -> Progress:
        """The progress after an event. The first one stays: its numbers are those of that moment."""
        return replace(self, events={stop: event, **self.events})

    def reaching(self, target: str) -> Progress:
        return replace(self, targets=self.targets | {target})

    def answering(self, question: str, right: bool, day: int) -> Progress:
        before = self.answers.get(question)
        after = before.then(right, day) if before else Answered(right, day, None if right else 0)
        return replace(self, answers={**self.answers, question: after})

    def choosing(self, question: str, option: str | None) -> Progress:
        """The progress with the chosen option of a question; None: the question is open again."""
        others = {name: option for name, option in self.options.items() if name != question}
        return replace(self, options=others if option is None else others | {question: option})

    def practising(self, exercise: str, ended: int) -> Progress:
        return replace(self, exercises=_best(self.exercises, {exercise: ended}))

    def score(self, part: str) -> tuple[int, int, int]:
        """The numbers of a part's exercises that were tried, solved, and solved at once."""
        ends = [ended for name, ended in self.exercises.items() if name.partition(".")[0] == part]
        return len(ends), len(ends) - ends.count(TRIED), ends.count(AT_ONCE)

    def joined(self, other: Progress) -> Progress:
        """The progress joined with an earlier one, of the browser.

        The later of two verdicts counts, the own of two options, and the earlier of two events.
        """
        answers = dict(self.answers)
        for question, answer in other.answers.items():
            if question not in answers or answers[question].day < answer.day:
                answers[question] = answer
        places, last = other.places or self.places, other.last or self.last
        exercises = _best(self.exercises, other.exercises)
        options = {**other.options, **self.options}
        parts, events = self.parts | other.parts, {**self.events, **other.events}
        shows = other.shows if self.shows is None else self.shows
        targets = self.targets | other.targets
        return Progress(parts, answers, places, last, exercises, options, events, shows, targets)

    def begun(self, lesson: Lesson) -> bool:
        return any(f"{lesson.name}/{part.name}" in self.parts for part in lesson.parts)

    def done(self, lesson: Lesson) -> bool:
        return bool(lesson.questions) and self.answers.keys() >= set(lesson.questions)

    def answered(self, questions: Collection[str]) -> list[str]:
        """Those of the questions that have ever had an answer; a shown one is no answer."""
        return [name for name in questions if name in self.answers or self.options.get(name, SHOWN) != SHOWN]

    def full(self, course: Course) -> frozenset[HourStop]:
        """The stops of the hour with a full mark; the look back is full if it is seen and all others are."""
        done = {stop for stop in course.hour if stop.name in self.events}
        seen = {stop for stop in course.hour if stop.ends and stop.name in self.parts}
        return frozenset(done | seen if done >= course.stop_numbers.keys() else done)

    def minutes_left(self, course: Course) -> int:
        """The minutes of the stops whose marks are not full."""
        full = self.full(course)
        return sum(stop.minutes for stop in course.hour if stop not in full)

    def due(self, day: int) -> list[str]:
        """The questions that are due on that day, the longest due first."""
        waiting = [(answered.due(), question) for question, answered in self.answers.items()]
        return [
            question for at, question in sorted((at, q) for at, q in waiting if at is not None) if at <= day
        ]

    def query(self, lesson: str) -> dict[str, str]:
        """The query of the link to the last place in a lesson."""
        return dict(parse_qsl(self.places.get(lesson, ""), keep_blank_values=True))

    def to_json(self) -> dict[str, Any]:
        """The record as JSON, without the places, which the browser itself adds."""
        return fields.to_json(replace(self, places={}, last=""))


def _best(ends: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """The better end of each exercise, for the newest exercises."""
    ended = {name: end for name, end in ends.items() if name not in other}
    ended |= {name: max(end, ends.get(name, end)) for name, end in other.items()}
    return dict(list(ended.items())[-MOST_EXERCISES:])


# ---- a tab


def _numbers(name: str, kept: list[str], course: Course) -> dict[str, dict[str, str]]:
    """For each owner the parts of its numbers."""
    keys = course.keys_of_numbers
    rows = [dict(parse_qsl(text, keep_blank_values=True)) for text in kept[-MOST_OWNERS:]]
    return {
        row[OWNER]: {key: text for key, text in row.items() if key in keys and is_text(text)}
        for row in rows
        if is_text(row.get(OWNER)) and is_text(row.get("example"))
    }


def _write_numbers(numbers: Mapping[str, Mapping[str, str]]) -> list[str]:
    """A link for each owner; those that were used first are left out where there is no room."""
    texts = [urlencode({OWNER: owner, **parts}) for owner, parts in numbers.items()]
    while sum(map(len, texts)) > LARGEST_NUMBERS:
        del texts[0]
    return texts


@dataclass(frozen=True)
class OfTab:
    """The data of one tab. answers: question → option; sitting: their plan (see View).

    revealed: questions whose answers a presentation shows. typed: pasted or searched texts, by their keys in
    a link. filled: "stop.matrix.row.col" → number, in a plan. entries: "part.level.number.step.col" → number,
    in an exercise. numbers: owner (see Lesson.owner) → the numbers that the address bar lacks, as the parts
    of a link; those that were used last are at the end.
    """

    answers: Mapping[str, str] = mapping("answers", _ANY_QUESTION, word)
    sitting: int = in_json(0, "sitting", _WHOLE)
    revealed: frozenset[str] = names("revealed", _ANY_QUESTION)
    typed: Mapping[str, str] = mapping("typed", _TYPED, _TEXT)
    filled: Mapping[str, float] = mapping("filled", _CELL, _NUMBER, most=MOST_FILLED)
    numbers: Mapping[str, Mapping[str, str]] = custom(dict, "numbers", _write_numbers, list, _numbers)
    entries: Mapping[str, float] = mapping("entries", _ENTRY, _NUMBER, most=MOST_FILLED)

    def to_json(self) -> dict[str, Any]:
        return fields.to_json(self)


# ---- reading


def read(text: object, course: Course) -> Progress:
    """Reads a browser's record, as far as it belongs to this course. Never raises.

    A record from before has tasks: events without their numbers.
    """
    kept = _kept(text)
    kept["events"] = _entries(kept, "tasks") | _entries(kept, "events")
    progress: Progress = fields.from_json(Progress, kept, course)
    return progress if progress.last in progress.places else replace(progress, last="")


def read_tab(text: object, course: Course) -> OfTab:
    """Reads a tab's data, likewise. Former data have the numbers of the learner and of the screen apart."""
    kept = _kept(text, LARGEST_OF_TAB)
    former = ({OWNER: ""} | _entries(kept, "mine"), _entries(kept, "here"))
    texts = [urlencode({key: text for key, text in row.items() if is_text(text)}) for row in former]
    kept["numbers"] = [*texts, *_entries(kept, "numbers")]
    tab: OfTab = fields.from_json(OfTab, kept, course)
    return tab


def _kept(text: object, largest: int = LARGEST) -> dict[str, Any]:
    """The JSON object in the text, with its damaged entries; an empty one for any other text."""
    if not isinstance(text, str) or len(text) > largest:
        return {}
    try:
        kept = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _entries(kept: dict[str, Any], name: str) -> dict[str, Any]:
    """The names in JSON with their values; those of a list have none."""
    value = kept.get(name)
    if isinstance(value, list):
        return dict.fromkeys(entry for entry in value if isinstance(entry, str))
    return value if isinstance(value, dict) else {}
