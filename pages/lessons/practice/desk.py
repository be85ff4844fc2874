"""What all exercises share: which one it is, the tries at it, the score, hints, and the way on.

An exercise follows from its part, level, number and setup, all of which the link hands on. What the learner
has tried lasts as long as the visit and is in no link; the tab keeps the numbers that were entered.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pages import session
from pages.ask import links
from pages.ask.exercise.look import LEVELS, MAX_EXERCISE
from pages.draw import say
from pages.draw.page import Page
from pages.draw.texts import Texts
from pages.model.course import Location
from pages.model.progress import AT_ONCE, SOLVED, TRIED
from pages.model.settings import Settings

OWN = ("bug_hunt", "fill_in")  # the kinds that can be made from the learner's own numbers


@dataclass
class Attempt:
    """What the learner has done about one exercise."""

    tries: list[Any] = field(default_factory=list)  # the answers that were checked, in order
    entries: dict[Any, Any] = field(default_factory=dict)  # what is entered and not checked yet
    hints: int = 0
    solved: bool = False
    saw_solution: bool = False  # the learner had the solution shown

    @property
    def ended(self) -> bool:
        return self.solved or self.saw_solution

    @property
    def at_once(self) -> bool:
        """Solved at the first try and without a hint."""
        return self.solved and not self.saw_solution and len(self.tries) == 1 and not self.hints

    def check(self, answer: object, right: bool) -> None:
        """Takes an answer; after the end there is nothing more to win."""
        if not self.ended:
            self.tries.append(answer)
            self.solved = right


ExerciseKey = tuple[str, str, int, Settings | None]


def kind(page: Page) -> str:
    """The kind of the exercise, by which the browser keeps it: unchanged where a part became a topic."""
    return "shapes" if page.part.topics and page.topic.name == "shapes" else page.part.name


def task(page: Page) -> ExerciseKey:
    """What makes the exercise: kind, level, number, and the learner's setup where it is made from that."""
    own = page.settings if page.look.numbers == "own" and kind(page) in OWN else None
    return kind(page), page.look.level, page.look.exercise, own


def _attempts() -> dict[ExerciseKey, Attempt]:
    return session.memory("practice", dict)


def attempt(page: Page) -> Attempt:
    """The tries at the exercise on the screen."""
    work, name = _attempts(), _name(task(page))
    entries = {} if name is None else session.entries_of(name)
    return work.setdefault(task(page), Attempt(entries=entries))


def draw(page: Page) -> None:
    """The exercise's number and level, which setup it is made from, and the score."""
    t = page.t
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="desk"):
        page.number("exercise", width=140)
        following = {"exercise": page.look.exercise % MAX_EXERCISE + 1}
        look: dict[str, Any] = {
            "help": t("desk.next_help"),
            "on_click": session.set_view,
            "kwargs": following,
        }
        st.button(t("desk.next"), key="next_exercise", **look)
        page.choose("level", LEVELS, lambda level: t(f"level.{level}"))
        if kind(page) in OWN:
            page.choose("numbers", ("seeded", "own"), lambda name: t(f"numbers.{name}"))
        _score(page)


def _score(page: Page) -> None:
    """What was solved of this kind; exercises that the browser does not keep count during the visit."""
    kept, this = session.records(), kind(page)
    tried, solved, at_once = session.visit().record.progress.score(this) if kept else (0, 0, 0)
    more = [
        trial
        for exercises, trial in _attempts().items()
        if exercises[0] == this and trial.tries and not (kept and _name(exercises))
    ]
    tried, solved = tried + len(more), solved + sum(matrix.solved for matrix in more)
    if tried:
        at_once += sum(matrix.at_once for matrix in more)
        score = page.t("desk.score", solved=solved, tried=tried, at_once=at_once)
        say.markdown(score, help=page.t("desk.score_help"), width="content")


def help_bar(page: Page, hints: list[str]) -> None:
    """Before the end, the hints that were asked for, and the buttons for the next one and for the solution.

    hints: sentences, one a stage, from where to look to what to compute.
    """
    t, work = page.t, attempt(page)
    if work.ended:
        return
    for number, hint in enumerate(hints[: work.hints], 1):
        say.info(t("desk.hint", number=number, of=len(hints), hint=hint))
    with st.container(horizontal=True, gap="small"):
        if work.hints < len(hints):
            text = t("desk.ask_hint", number=work.hints + 1, of=len(hints))
            st.button(text, key="hint", on_click=_hint, args=(page,), help=t("desk.ask_hint_help"))
        st.button(t("desk.show"), key="show_solution", type="tertiary", on_click=_show, args=(page,))


def _hint(page: Page) -> None:
    attempt(page).hints += 1


def _show(page: Page) -> None:
    session.note_gesture()
    attempt(page).saw_solution = True


def check_button(page: Page, check: Callable[[Attempt], None], *, disabled: bool = False) -> None:
    """The button that has an answer checked: `check` gets the attempt, and calls its `check` in turn."""
    st.button(
        page.t("desk.check"),
        key="check",
        type="primary",
        disabled=disabled or attempt(page).ended,
        on_click=commit,
        args=(page, check),
    )


def commit(page: Page, check: Callable[[Attempt], None]) -> None:
    """Has an answer checked, and notes in the browser's record how the exercise has ended."""
    session.take_waiting_edits()  # the last cell may be typed in the same moment
    session.note_gesture()
    check(attempt(page))
    work, name = attempt(page), _name(task(page))
    if name is not None and work.tries:
        session.note_exercise(name, AT_ONCE if work.at_once else SOLVED if work.solved else TRIED)


def was_solved(page: Page) -> bool:
    """Whether the exercise is solved, in this visit or by what the browser keeps."""
    kept, name = session.visit().record.progress.exercises, _name(task(page))
    return attempt(page).solved or (name is not None and kept.get(name, TRIED) != TRIED)


def _name(task: ExerciseKey) -> str | None:
    """How the browser keeps an exercise; None for one of the learner's own numbers, which may not return."""
    this, level, number, own = task
    return f"{this}.{level}.{number}" if own is None else None


def verdict(page: Page, right: str, wrong: str) -> None:
    """The result of the last try, in sentences that say why; never only that it is wrong."""
    work = attempt(page)
    if work.solved:
        say.success(page.t.joined([page.t("desk.correct"), right]))
    elif work.tries:
        say.warning(wrong)


def read_more(page: Page, place: Location) -> None:
    """The way to the part of a lesson that treats what went wrong."""
    texts = Texts(page.t.language, place.lesson)
    title = texts(f"part.{place.part}")
    if place.topic is not None:
        title = texts("frame.of_topic", part=title, topic=texts(f"topic.{place.topic}"))
    links.to_lesson(place.lesson, page.t("desk.read_more", part=title), place.place)
