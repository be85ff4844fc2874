"""A learner's progress, which the browser keeps: parts, events, answers, last places, and how to be asked.

The record is for the browser; a tab keeps the data that are not recorded. Pure and bounded. The data of a
browser may be written by anybody: entries that the course does not know are left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from .entries import WORD, is_text, whole
from .handout import is_own
from .view import SHOWN, Place

if TYPE_CHECKING:
    from .course import Course, HourStop, Lesson

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


@dataclass(frozen=True)
class Progress:
    """parts: "lesson/part"; answers: the verdicts, by question; places: lesson → query of its last link.

    events: the stops of the hour that are done, by their names. options: question → the option that its place
    shows, also where the answer was only shown. last: lesson. exercises: "part.level.number" → TRIED, SOLVED
    or AT_ONCE, the best so far; the older ones are forgotten. shows: everything is shown at once, before the
    answers; None: not chosen yet. targets: the names of those that were reached.
    """

    parts: frozenset[str] = frozenset()
    answers: Mapping[str, Answered] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    last: str = ""
    exercises: Mapping[str, int] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    events: Mapping[str, HourEvent] = field(default_factory=dict)
    shows: bool | None = None
    targets: frozenset[str] = frozenset()

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
        answers = {name: [last.right, last.day, last.times] for name, last in self.answers.items()}
        options, exercises = dict(self.options), dict(self.exercises)
        kept = {
            "parts": sorted(self.parts),
            "answers": answers,
            "options": options,
            "exercises": exercises,
            "events": {stop: _event_to_json(event) for stop, event in self.events.items()},
            "targets": sorted(self.targets),
        }
        return kept if self.shows is None else kept | {"shows": self.shows}


@dataclass(frozen=True)
class OfTab:
    """The data of one tab. answers: question → option; sitting: their plan (see View).

    revealed: questions whose answers a presentation shows. typed: pasted or searched texts, by their keys in
    a link. filled: "stop.matrix.row.col" → number, in a plan. numbers: owner (see Lesson.owner) → the numbers
    that the address bar lacks, as the parts of a link; those that were used last are at the end. If there are
    too many for the browser, those that were used first are left out.
    """

    answers: Mapping[str, str] = field(default_factory=dict)
    sitting: int = 0
    revealed: frozenset[str] = frozenset()
    typed: Mapping[str, str] = field(default_factory=dict)
    filled: Mapping[str, float] = field(default_factory=dict)
    numbers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        answers, revealed, typed = dict(self.answers), sorted(self.revealed), dict(self.typed)
        kept = {"answers": answers, "sitting": self.sitting, "revealed": revealed, "typed": typed}
        kept |= {"filled": dict(self.filled)}
        texts = [urlencode({OWNER: owner, **parts}) for owner, parts in self.numbers.items()]
        while sum(map(len, texts)) > LARGEST_NUMBERS:
            del texts[0]
        return kept | {"numbers": texts}


def _best(ends: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """The better end of each exercise, for the newest exercises."""
    ended = {name: end for name, end in ends.items() if name not in other}
    ended |= {name: max(end, ends.get(name, end)) for name, end in other.items()}
    return dict(list(ended.items())[-MOST_EXERCISES:])


def read(text: object, course: Course) -> Progress:
    """Reads a browser's record, as far as it belongs to this course. Never raises."""
    kept = _kept(text)
    questions = course.questions
    answers = {name: _answered(entry) for name, entry in _entries(kept, "answers") if name in questions}
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
    last, shows = kept.get("last"), kept.get("shows")
    return Progress(
        _parts(kept, "parts", course),
        {name: entries for name, entries in answers.items() if entries},
        places,
        last if isinstance(last, str) and last in places else "",
        _best({}, exercises),
        _options(kept, "options", course),
        _events(kept, course),
        shows if isinstance(shows, bool) else None,
        frozenset(target.name for _, target in course.targets) & _words(kept, "targets"),
    )


def _event_to_json(event: HourEvent) -> list[object]:
    takeaway = event.takeaway or Takeaway({}, "")
    return [event.day, takeaway.key, dict(takeaway.facts)]


def _events(kept: dict, course: Course) -> dict[str, HourEvent]:
    """What was done at the stops; a record from before names them alone, as its tasks."""
    stops = {stop.name for stop in course.stop_numbers}
    events = {stop: HourEvent() for stop in _parts(kept, "tasks", course)}
    events |= {_part(name, course): _event(entry) for name, entry in _entries(kept, "events")}
    return {stop: event for stop, event in events.items() if stop in stops}


def _event(entry: Any) -> HourEvent:
    """An event of a record; without a takeaway where this is not valid."""
    day, key, facts = entry if isinstance(entry, list) and len(entry) == 3 else (0, "", {})
    day = day if type(day) is int and 0 <= day <= FAR else 0
    if not (isinstance(key, str) and KEPT.fullmatch(key) and isinstance(facts, dict)):
        return HourEvent(day)
    facts = {name: tuple(fact) if isinstance(fact, list) else fact for name, fact in facts.items()}
    texts = [text for fact in facts.values() for text in (fact if isinstance(fact, tuple) else (fact,))]
    texts += facts
    if not all(map(_is_line, texts)) or sum(map(len, texts)) > LARGEST_EVENT:
        return HourEvent(day)
    return HourEvent(day, Takeaway(facts, key))


def _is_line(text: Any) -> bool:
    return is_text(text) and " ".join(text.split()) == text


def _words(kept: dict, name: str) -> frozenset[str]:
    return frozenset(word for word in _listed(kept.get(name)) if isinstance(word, str))


def _parts(kept: dict, name: str, course: Course) -> frozenset[str]:
    return frozenset(part for entry in _listed(kept.get(name)) if (part := _part(entry, course)))


def _part(text: object, course: Course) -> str:
    """The part, or the part that has the content of a former part; "" for anything else."""
    name, _, former = text.partition("/") if isinstance(text, str) else ("", "", "")
    lesson = course.pages.get(name)
    part = lesson and lesson.resolved(Place(part=former)).part
    return f"{name}/{part}" if lesson and part in [entry.name for entry in lesson.parts] else ""


def read_tab(text: object, course: Course) -> OfTab:
    """Reads a tab's data, likewise."""
    kept = _kept(text, LARGEST_OF_TAB)
    sitting = kept.get("sitting")
    typed = {key: text for key, text in _entries(kept, "typed") if key in course.typed and is_text(text)}
    return OfTab(
        _options(kept, "answers", course, own=True),
        sitting if type(sitting) is int else 0,
        frozenset(name for name in _words(kept, "revealed") if name in course.questions or is_own(name)),
        typed,
        _filled(kept),
        _numbers(kept, course),
    )


def _numbers(kept: dict, course: Course) -> dict[str, dict[str, str]]:
    """For each owner the parts of its numbers; of former data those of the learner and of the screen."""
    texts = [text for text in _listed(kept.get("numbers")) if isinstance(text, str)]
    rows = [{OWNER: ""} | dict(_entries(kept, "mine")), dict(_entries(kept, "here"))]
    rows += [dict(parse_qsl(text, keep_blank_values=True)) for text in texts[-MOST_OWNERS:]]
    keys = course.keys_of_numbers
    return {
        row[OWNER]: {key: text for key, text in row.items() if key in keys and is_text(text)}
        for row in rows
        if is_text(row.get(OWNER)) and is_text(row.get("example"))
    }


def _filled(kept: dict) -> dict[str, float]:
    """The numbers of cells that were filled in."""
    numbers = {
        key: float(value)
        for key, value in _entries(kept, "filled")
        if FILLED.fullmatch(key) and type(value) in (int, float) and abs(value) <= MOST
    }
    return dict(list(numbers.items())[:MOST_FILLED])


def _kept(text: object, largest: int = LARGEST) -> dict:
    """The JSON object in the text, with its damaged entries; an empty one for any other text."""
    if not isinstance(text, str) or len(text) > largest:
        return {}
    try:
        kept = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _options(kept: dict, name: str, course: Course, *, own: bool = False) -> dict[str, str]:
    """Questions of the course, each with a word. own: also the questions that teachers write."""
    return {
        question: option
        for question, option in _entries(kept, name)
        if (question in course.questions or (own and is_own(question)))
        and isinstance(option, str)
        and WORD.fullmatch(option)
    }


def _listed(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else ()


def _entries(kept: dict, name: str) -> Iterable[tuple[str, Any]]:
    value = kept.get(name)
    return value.items() if isinstance(value, dict) else ()


def _place(link: Any, keys: Collection[str]) -> str:
    """The parts of a link that lead to a place of the course; "" without any."""
    if not is_text(link) or len(link) > LONGEST:
        return ""
    return urlencode([part for part in parse_qsl(link, keep_blank_values=True) if part[0] in keys])


def _answered(value: object) -> Answered | None:
    """An answer of a record, None if the value is not valid."""
    if not isinstance(value, list) or len(value) != 3:
        return None
    right, day, times = value
    try:
        times = None if times is None else whole("times", times, 0, len(AGAIN))
        return Answered(bool(right), whole("day", day, 0, FAR), times)
    except ValueError:
        return None
