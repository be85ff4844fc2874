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
    if not records() and not now.view.plan:
        options = now.record.progress.options
        now.apart = {one: options.get(one) for one in {**options, **answers}} | now.apart
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
    """The answers with which a view goes on: those of the record, in a plan those of the plan.

    What was answered in a presentation goes with it, and so it is with a vote that is in no plan.
    """
    now = visit()
    if before.plan != after.plan:
        now.apart.clear()
        return {} if after.plan else dict(now.record.progress.options)
    answers = dict(before.answers)
    if not _is_apart(after) and (before.presenting or (before.vote and not after.plan)):
        answers = {one: option for one, option in {**answers, **now.apart}.items() if option is not None}
        now.apart.clear()
    return answers


def _is_apart(view: View) -> bool:
    """A presentation, or a vote: its answers are apart from those before it."""
    return view.presenting or bool(view.vote)


def note_apart(question: str) -> None:
    """Call it before an answer changes: after a presentation or a vote the answer from before it is back."""
    now = visit()
    if _is_apart(now.view):
        now.apart.setdefault(question, now.view.answer(question))


def note_option(question: str, option: str | None) -> None:
    """Records the option that the place of a question shows; None: it is asked again."""
    if records():
        record = visit().record
        record.progress = record.progress.choosing(question, option)


def ask_again(questions: Collection[str]) -> None:
    """Takes the answers to these questions back."""
    now = visit()
    for question in questions:
        note_apart(question)
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
