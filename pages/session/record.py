"""The learner's progress, which the browser keeps, and answers and typed texts, which only the tab keeps."""

import functools
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from pages.model import progress
from pages.model.link import from_query, to_query, typed_of, with_typed
from pages.model.progress import HourEvent, OfTab, Progress, Takeaway
from pages.model.state import State
from pages.model.view import Place, View, in_order

from .visit import (
    CLASS,
    LINK,
    Numbers,
    Record,
    address_query,
    is_following,
    is_untouched,
    link_of,
    memory,
    redraw,
    visit,
)


def today() -> int:
    """The day, counted from 1970 on."""
    return int(time.time() // 86_400)


def records() -> bool:
    """Whether progress is recorded: not in a teacher's plan, in a vote or in a presentation."""
    return visit().view.is_private and not visit().record.deleted


def recall(kept: object) -> None:
    """Reads the record of the browser and of the tab, which may be anything.

    Newer answers and typed texts of this visit win.
    """
    current, record = visit(), visit().record
    texts = kept if isinstance(kept, dict) else {}
    if record.deleted:
        return
    record.progress = record.progress.joined(progress.read(texts.get("record"), current.course))
    record.recalled = True
    tab = progress.read_tab(texts.get("tab"), current.course)
    _bring_back(tab.numbers)
    _enter_again(tab.entries)
    answers = record.progress.options
    if not records():
        if tab.sitting != current.view.sitting:  # of another plan
            tab = OfTab(typed=tab.typed)
        answers = tab.answers
        current.revealed |= tab.revealed
        _fill_again(tab.filled)
    if not records() and not current.view.plan:
        options = record.progress.options
        before = {question: options.get(question) for question in {**options, **answers}}
        current.apart = before | current.apart
    current.view = replace(current.view, answers=in_order({**answers, **dict(current.view.answers)}))
    current.view = with_typed(current.view, tab.typed, current.course)


def filled() -> dict[str, float]:
    """What the learner filled in at the stops of a teacher's plan: "stop.matrix.row.col" → number."""
    plan, cells = visit().view.plan, visit().memory.get("filled", {})
    return {
        f"{number}.{matrix}.{row}.{col}": value
        for number, stop in enumerate(plan.stops if plan is not None else (), start=1)
        for (matrix, row, col), value in cells.get(stop, {}).items()
    }


def _fill_again(kept: Mapping[str, float]) -> None:
    """Fills in what the tab has kept, where nothing is filled in yet."""
    plan, cells = visit().view.plan, visit().memory.setdefault("filled", {})
    for key, value in kept.items():
        number, matrix, row, col = key.split(".")
        if plan is not None and 1 <= int(number) <= len(plan.stops):
            stop = plan.stop(int(number))
            cells.setdefault(stop, {}).setdefault((matrix, int(row), int(col)), float(value))


def entries_of(exercise: str) -> dict[Any, Any]:
    """What the learner has entered in an exercise; numbers at (step, column) come back after a reload."""
    return memory("entries", dict[str, dict[Any, Any]]).setdefault(exercise, {})


def entered() -> dict[str, float]:
    """The numbers that are entered in exercises: "part.level.number.step.col" → number."""
    return {
        f"{exercise}.{place[0]}.{place[1]}": value
        for exercise, entries in memory("entries", dict[str, dict[Any, Any]]).items()
        for place, value in entries.items()
        if isinstance(place, tuple) and isinstance(value, float)
    }


def _enter_again(kept: Mapping[str, float]) -> None:
    """Enters what the tab has kept, where nothing is entered yet."""
    for key, value in kept.items():
        exercise, step, col = key.rsplit(".", 2)
        entries_of(exercise).setdefault((step, int(col)), float(value))


def _bring_back(kept: Mapping[str, Mapping[str, str]]) -> None:
    """Brings back the numbers of each owner, as the tab has kept them.

    Numbers of this visit stay if a hand has changed them, or if a link has brought them to the screen.
    """
    current, back = visit(), {}
    for owner, parts in kept.items():
        row = current.numbers.get(owner)
        if row is None or not (row.history.past or (owner == current.home and not current.unnumbered)):
            brought, *_ = from_query(parts, current.course)
            before = replace(row.state if row else brought, core=brought.core)
            back[owner] = Numbers(functools.reduce(State.having, brought.own, before))
    if back:
        others = {owner: row for owner, row in current.numbers.items() if owner not in back}
        current.numbers = back | others
        redraw()


def _numbers_of_tab() -> dict[str, dict[str, str]]:
    """For each owner the numbers, changed by somebody, that the address bar lacks: the parts of a link."""
    current = visit()
    fits = not is_following() and link_of(current.here) == address_query(current.here)
    return {
        owner: to_query(row.state, View(), Place())
        for owner, row in current.numbers.items()
        if owner not in (LINK, CLASS, fits and current.home) and not is_untouched(owner, row.state.core)
    }


def is_recalling() -> bool:
    """Whether the browser has not sent its record yet."""
    return not (visit().record.recalled or visit().record.deleted)


def of_tab() -> OfTab | None:
    """The data that only the tab keeps, if any: typed texts, numbers that the address bar lacks, and answers
    that are not recorded."""
    current = visit()
    tab = OfTab(typed=typed_of(current.view), numbers=_numbers_of_tab(), entries=entered())
    if not records():
        answers, revealed = dict(current.view.answers), frozenset(current.revealed)
        tab = replace(tab, answers=answers, revealed=revealed, filled=filled())
    if tab == OfTab() or current.record.deleted:
        return None
    return replace(tab, sitting=current.view.sitting)


def answers_after(before: View, after: View) -> dict[str, str]:
    """The answers of the view after a link: those of the record, in a plan those of the plan.

    An answer given in a presentation goes with it, and so does one given in a vote outside of a plan.
    """
    current = visit()
    if before.plan != after.plan:
        current.apart.clear()
        return {} if after.plan else dict(current.record.progress.options)
    answers = dict(before.answers)
    if not _is_apart(after) and (before.presenting or (before.vote and not after.plan)):
        merged = {**answers, **current.apart}
        answers = {question: option for question, option in merged.items() if option is not None}
        current.apart.clear()
    return answers


def _is_apart(view: View) -> bool:
    """Whether the view is a presentation or a vote, whose answers are apart from those before it."""
    return view.presenting or bool(view.vote)


def note_apart(question: str) -> None:
    """Call it before an answer changes: after a presentation or a vote the answer from before it is back."""
    current = visit()
    if _is_apart(current.view):
        current.apart.setdefault(question, current.view.answer(question))


def note_option(question: str, option: str | None) -> None:
    """Records the chosen option of a question; None: the question is open again.

    Without a record it is known for the rest of the visit; so are a verdict, an event and a target.
    """
    if visit().view.is_private:
        record = visit().record
        record.progress = record.progress.choosing(question, option)


def ask_again(questions: Collection[str]) -> None:
    """Takes the answers to these questions back."""
    current = visit()
    for question in questions:
        note_apart(question)
    kept = {question: option for question, option in current.view.answers if question not in questions}
    current.view = replace(current.view, answers=in_order(kept))
    for question in questions:
        note_option(question, None)


def note_part(lesson: str, part: str) -> None:
    """Records that the part is seen."""
    if records():
        record = visit().record
        record.progress = record.progress.seeing(lesson, part)


def note_event(stop: str, takeaway: Takeaway) -> None:
    """Records that this person has done the stop of the hour, with the numbers of this moment."""
    if visit().view.is_private:
        record = visit().record
        record.progress = record.progress.doing(stop, HourEvent(today(), takeaway))


def note_target(word: str) -> None:
    """Records that a target is reached; in a plan and for a target of a link, it is known for this visit."""
    current = visit()
    current.reached.add(word)
    declared = any(target.name == word for _, target in current.course.targets)
    if declared and current.view.is_private:
        current.record.progress = current.record.progress.reaching(word)


def has_reached(word: str) -> bool:
    """Whether this visit has reached the target, or an earlier one in this browser. word: see Target.word."""
    return word in visit().reached or word in visit().record.progress.targets


def note_verdict(question: str, right: bool) -> None:
    """Records the verdict on an answer of this visit; earlier answers are recorded already."""
    record = visit().record
    if question in record.fresh and visit().view.is_private:
        record.progress = record.progress.answering(question, right, today())
    record.fresh.discard(question)


def note_exercise(exercise: str, ended: int) -> None:
    """Records how an exercise ended."""
    if records():
        record = visit().record
        record.progress = record.progress.practising(exercise, ended)


def show_me(on: bool) -> None:
    """Shows everything at once from now on, with the questions folded; or asks first again."""
    record = visit().record
    record.progress = replace(record.progress, shows=on)


def forget() -> None:
    """Deletes the record. For the rest of the visit nothing is recorded."""
    current, before = visit(), visit().record
    current.acted = ""
    kept = Progress(shows=before.progress.shows)
    current.record = Record(kept, before.recalled, deleted=True, stayed=before.stayed)


def stay() -> None:
    """Notes that the learner declined to continue where the last visit ended."""
    visit().record.stayed = True
