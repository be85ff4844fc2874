"""What the browser keeps: the record of what was done, and what only the tab keeps."""

import time
from collections.abc import Collection
from dataclasses import replace

from pages.model import progress
from pages.model.link import typed_of, with_typed
from pages.model.progress import OfTab
from pages.model.view import View, in_order

from .visit import Record, visit


def today() -> int:
    """The day, counted from 1970 on."""
    return int(time.time() // 86_400)


def records() -> bool:
    """Whether what is done is recorded: not in a teacher's plan, in a vote and in a presentation."""
    now, view = visit(), visit().view
    return not (now.record.deleted or view.presenting or view.plan or view.vote)


def recall(kept: object) -> None:
    """Takes what the browser keeps, which may be anything: its record, and what this tab keeps.

    What was answered and typed meanwhile counts.
    """
    now = visit()
    texts = kept if isinstance(kept, dict) else {}
    if now.record.deleted:
        return
    now.record.progress = now.record.progress.joined(progress.read(texts.get("record"), now.course))
    now.record.recalled = True
    tab = progress.read_tab(texts.get("tab"), now.course)
    answers = now.record.progress.options
    if not records():
        if tab.sitting != now.view.sitting:  # of another plan
            tab = OfTab(typed=tab.typed)
        answers = tab.answers
        now.revealed |= tab.revealed
    now.view = replace(now.view, answers=in_order({**answers, **dict(now.view.answers)}))
    now.view = with_typed(now.view, tab.typed, now.course)


def is_recalling() -> bool:
    """What the browser keeps is not known, and may be something."""
    return not (visit().record.recalled or visit().record.deleted)


def of_tab() -> OfTab | None:
    """What this tab keeps by itself: what was typed, and answers that are no part of the record."""
    now = visit()
    tab = OfTab(typed=typed_of(now.view))
    if not records():
        tab = replace(tab, answers=dict(now.view.answers), revealed=frozenset(now.revealed))
    if tab == OfTab() or now.record.deleted:
        return None
    return replace(tab, sitting=now.view.sitting)


def answers_after(before: View, after: View) -> dict[str, str]:
    """The answers with which a view goes on: those of the record, in a plan those of the plan."""
    if before.plan == after.plan:
        return dict(before.answers)
    return {} if after.plan else dict(visit().record.progress.options)


def note_option(question: str, option: str | None) -> None:
    """Records the option that the place of a question shows; None: it is asked again."""
    if records():
        record = visit().record
        record.progress = record.progress.choosing(question, option)


def ask_again(questions: Collection[str]) -> None:
    """Takes the answers to these questions back."""
    now = visit()
    kept = {question: option for question, option in now.view.answers if question not in questions}
    now.view = replace(now.view, answers=in_order(kept))
    for question in questions:
        note_option(question, None)


def note_part(lesson: str, part: str) -> None:
    """Records that the part is seen."""
    if records():
        record = visit().record
        record.progress = record.progress.seeing(lesson, part)


def note_verdict(question: str, right: bool) -> None:
    """Records the verdict on an answer that was just given; not on one from before."""
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
