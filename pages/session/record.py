"""The record of what was done, which the browser keeps: what goes into it in this visit."""

import time

from .visit import Record, visit


def today() -> int:
    """The day, counted from 1970 on."""
    return int(time.time() // 86_400)


def records() -> bool:
    """Whether what is done is recorded: not in a teacher's plan, in a vote and in a presentation."""
    now, view = visit(), visit().view
    return not (now.record.deleted or view.presenting or view.plan or view.vote)


def note_part(lesson: str, part: str) -> None:
    """Records that the part is seen."""
    if records():
        record = visit().record
        record.progress = record.progress.seeing(lesson, part)


def note_verdict(question: str, right: bool) -> None:
    """Records the verdict on an answer that was just given; not on one that a link has brought."""
    record = visit().record
    if question in record.fresh and records():
        record.progress = record.progress.answering(question, right, today())
    record.fresh.discard(question)


def note_exercise(exercise: str, ended: int) -> None:
    """Records how an exercise ended."""
    if records():
        record = visit().record
        record.progress = record.progress.practising(exercise, ended)


def forget() -> None:
    """Deletes what the browser keeps. For the rest of the visit nothing is recorded."""
    now = visit()
    now.record = Record(deleted=True, recalled=now.record.recalled, stayed=now.record.stayed)


def stay() -> None:
    """The learner stays here, and does not go on where the last visit ended."""
    visit().record.stayed = True
