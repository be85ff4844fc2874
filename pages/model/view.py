"""The view: no number depends on it, and undo leaves it alone."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Self

from . import codes, handout, targets
from .entries import parse_whole, whole, word
from .fields import choice, count, custom, flag
from .languages import LANGUAGES, START
from .matrices import MAX_HEADS, MAX_TOKENS, MAX_WIDTH
from .records import Owning

SHOWN = "shown"  # in place of an option: the learner had the answer shown

Cell = tuple[str, int, int]  # matrix, row, column
Answers = tuple[tuple[str, str], ...]


def _word(name: str, value: object, record: object) -> str | None:
    return None if value is None else word(name, value)


def _row(name: str, value: object, record: object) -> int | None:
    return None if value is None else whole(name, value, 0, MAX_TOKENS - 1)


def _cell(name: str, cell: Cell | None, record: object) -> Cell | None:
    if cell is None:
        return None
    matrix, row, col = cell
    top = MAX_WIDTH * MAX_HEADS
    return word(name, matrix), whole("row", row, 0, top), whole("col", col, 0, top)


def _write_cell(cell: Cell | None) -> str:
    return "" if cell is None else f"{cell[0]},{cell[1] + 1},{cell[2] + 1}"


def _read_cell(text: str) -> Cell | None:
    if not text:
        return None
    matrix, row, col = text.split(",")
    return matrix, parse_whole(row) - 1, parse_whole(col) - 1


def in_order(answers: Mapping[str, str]) -> Answers:
    """The answers sorted, one for each question."""
    return tuple(sorted(answers.items()))


@dataclass(frozen=True)
class View(Owning):
    """The view that all lessons share, with the records of single lessons."""

    language: str = choice(START, "lang", tuple(LANGUAGES))
    head: int = count(0, "head", 0, MAX_HEADS - 1, from_one=True)
    answers: Answers = ()  # in no link: the browser keeps them (see progress.py)
    # A teacher's plan, the learner's stop in it, and whether the learner has unlocked it.
    plan: handout.Plan | None = custom(None, "plan", handout.write, handout.read, handout.check_plan)
    stop: int = count(0, "stop", 0, handout.MAX_STOPS)
    free: bool = flag(False, "free")
    presenting: bool = flag(False, "present")
    # The code of a room in which a class votes, for its owner and for the voters.
    vote: str = custom("", "room", str, codes.tidy, lambda name, code, record: code)
    follows: bool = flag(True, "follow")  # in the room, what the teacher shows

    @property
    def is_private(self) -> bool:
        """Whether what is done is the learner's own: not in a teacher's plan, a vote or a presentation."""
        return not (self.plan or self.vote or self.presenting)

    def stop_in(self, lesson: str) -> handout.Stop | None:
        """The present stop of the plan, if it is in this lesson."""
        stop = None if self.plan is None else self.plan.stop(self.stop)
        return stop if stop is not None and stop.lesson == lesson else None

    def standing(self, lesson: str) -> handout.Stop | None:
        """The stop whose rules hold in this lesson, unless the learner has unlocked the plan."""
        return None if self.is_unlocked else self.stop_in(lesson)

    def alone(self, lesson: str) -> Self:
        """A copy with the present stop of the plan alone, to be shared; without the plan in other lessons."""
        if self.plan is None:
            return self
        if (stop := self.stop_in(lesson)) is None:
            return replace(self, plan=None, stop=0, free=False)
        return replace(self, plan=replace(self.plan, stops=(stop,)).without_notes(), stop=1)

    @property
    def shows(self) -> bool:
        """Whether the present stop of a teacher's link shows everything at once."""
        return self.plan is not None and not self.is_unlocked and self.plan.stop(self.stop).shows

    @property
    def is_unlocked(self) -> bool:
        """The learner has unlocked the plan, which the teacher has allowed."""
        return self.free and self.plan is not None and self.plan.unlocks

    @property
    def sitting(self) -> int:
        """A number for the teacher's plan to which the answers belong, or 0."""
        return zlib.crc32(handout.write(self.plan).encode()) if self.plan is not None else 0

    def answer(self, question: str) -> str | None:
        """The chosen option, None before the answer."""
        return dict(self.answers).get(question)


@dataclass(frozen=True)
class Place:
    """The learner's place in one lesson."""

    part: str | None = custom(None, "part", str, str, _word)
    row: int | None = custom(None, "row", lambda row: str(row + 1), lambda text: parse_whole(text) - 1, _row)
    step: str | None = custom(None, "step", str, str, _word)
    cell: Cell | None = custom(None, "cell", _write_cell, _read_cell, _cell)
    topic: str | None = custom(None, "topic", str, str, _word)  # in a part that has several
    # The target that the learner tries, or has tried last (see targets.py).
    target: str | None = custom(None, "target", str, str, targets.check_word)

    def at(self, stop: handout.Stop | None) -> Place:
        """The place; where the stop has locked the choice of the part, in its own part and topic."""
        if stop is None or "part" not in stop.fixed:
            return self
        return replace(self, part=stop.parts.get("part"), topic=stop.parts.get("topic"))


def with_answer(view: View, question: str, option: str | None) -> View:
    """The view with that answer; None takes it back."""
    others = {name: chosen for name, chosen in view.answers if name != question}
    return replace(view, answers=in_order(others if option is None else others | {question: option}))


def without_answers(view: View, questions: Collection[str]) -> View:
    """The view with these questions unanswered."""
    return replace(view, answers=tuple(pair for pair in view.answers if pair[0] not in questions))
