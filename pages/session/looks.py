"""Changes of the view: the language, the place in a lesson, answers, and the answers revealed to a class."""

from dataclasses import replace
from typing import Any

from pages.model.fields import specs, with_fields
from pages.model.view import SHOWN, in_order, with_answer

from .following import leave_class
from .inbox import take_waiting_edits
from .record import answers_after, note_apart, note_option
from .visit import bring_numbers, is_following, lesson_here, place, redraw, view, visit


def view_record_with(field_name: str) -> type | None:
    """The record of the lesson's view that has this field, for the lesson on the screen."""
    return next((kind for kind in lesson_here().looks if field_name in specs(kind)), None)


def set_view(**fields: Any) -> None:
    """Changes fields of the view, or of the record of the lesson's view.

    A cell that was chosen belongs to its picture: it goes with a field that brings another picture.
    """
    before = view()
    for name, value in fields.items():
        present, kind = view(), view_record_with(name)
        if kind is None:
            visit().view = with_fields(present, **{name: value})
        else:
            if getattr(kind, "PICTURES", False) and getattr(present.of(kind), name) != value:
                go(visit().here, cell=None)
            visit().view = present.having(with_fields(present.of(kind), **{name: value}))
    if not fields.keys().isdisjoint(("plan", "vote", "presenting")):
        visit().view = replace(view(), answers=in_order(answers_after(before, view())))


def go(lesson: str, **fields: object) -> None:
    """Changes the part, row, step or cell of a lesson. A teacher's link may hold the learner in one part.

    Another part has another header and toolbar, folds earlier answers, and no longer reports a replacement. A
    chosen cell belongs to the picture of its part and topic.
    """
    take_waiting_edits()  # they are of the numbers that are on the screen
    if is_following() and not fields.keys().isdisjoint(("part", "topic", "target")):
        leave_class(follows=False)
    if not fields.keys().isdisjoint(("part", "topic")):
        visit().screen.unfolded.clear()
        visit().screen.expanders.clear()
    if "part" in fields:
        visit().replacement, visit().acted = None, ""
        redraw()
    before = place(lesson)
    if (fields.get("part", before.part), fields.get("topic", before.topic)) != (before.part, before.topic):
        fields = {"cell": None} | fields
    visit().places[lesson] = with_fields(before, **fields)
    if lesson == visit().here:
        bring_numbers(lesson_here(), place(lesson))


def answer(question: str, option: str | None) -> None:
    """Commits an answer; None takes it back. A presentation reveals the question's answer."""
    visit().screen.unfolded.add(question)
    note_apart(question)
    if option is None:
        visit().revealed.discard(question)
    elif view().presenting:
        reveal(question)
    elif option != SHOWN:
        visit().record.fresh.add(question)
    visit().view = with_answer(view(), question, option)
    note_option(question, option)


def is_folded(question: str) -> bool:
    """Whether the page shows one line of a question or of its answer, which is from before.

    A presentation shows it whole.
    """
    return not view().presenting and question not in visit().screen.unfolded


def present(on: bool) -> None:
    """Begins a presentation, in which no answer is revealed yet, or ends it."""
    visit().revealed.clear()
    set_view(presenting=on)


def reveal(question: str) -> None:
    """Reveals the answer to this question in the presentation. The learner's own answer stays as it is."""
    visit().revealed.add(question)


def is_revealed(question: str) -> bool:
    return question in visit().revealed
