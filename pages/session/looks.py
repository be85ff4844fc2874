"""Changes of what is looked at: the view, the place in a lesson, answers and what a presentation reveals."""

from dataclasses import replace
from typing import Any

from pages.model.fields import specs, with_fields
from pages.model.view import SHOWN, in_order, with_answer

from .record import answers_after, note_apart, note_option
from .visit import lesson_here, place, redraw, view, visit


def look_with(field_name: str) -> type | None:
    """The record of what the lesson on the screen looks at that has this field."""
    return next((kind for kind in lesson_here().looks if field_name in specs(kind)), None)


def look(**fields: Any) -> None:
    """Changes the view: the language, the head shown, what the lesson on the screen looks at."""
    before = view()
    for name, value in fields.items():
        now, kind = view(), look_with(name)
        if kind is None:
            visit().view = with_fields(now, **{name: value})
        else:
            visit().view = now.having(with_fields(now.of(kind), **{name: value}))
    if not fields.keys().isdisjoint(("plan", "vote", "presenting")):
        visit().view = replace(view(), answers=in_order(answers_after(before, view())))


def go(lesson: str, **fields: object) -> None:
    """Changes the part, row, step or cell of a lesson. What a teacher's link has locked stays.

    In another part, what was replaced is not news, and the header and the toolbar are others. Answers fold.
    """
    if not fields.keys().isdisjoint(("part", "topic")):
        visit().screen.unfolded.clear()
        visit().screen.expanders.clear()
    if "part" in fields:
        visit().replacement = None
        redraw()
    visit().places[lesson] = with_fields(place(lesson), **fields)


def answer(question: str, option: str | None) -> None:
    """Commits an answer; None takes it back. A presentation shows what comes of it."""
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
    """Whether the answer was given before: the page shows one line of it. A presentation shows all."""
    return not view().presenting and question not in visit().screen.unfolded


def present(on: bool) -> None:
    """Begins a presentation, in which no answer is revealed yet, or ends it."""
    visit().revealed.clear()
    look(presenting=on)


def reveal(question: str) -> None:
    """The presentation shows the answer to this question. What the learner has answered stays as it is."""
    visit().revealed.add(question)


def is_revealed(question: str) -> bool:
    return question in visit().revealed
