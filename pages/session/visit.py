"""The visit: one typed object with the state, the view, undo, and what went wrong."""

import secrets
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

import streamlit as st

from pages.model import handout
from pages.model.course import Course, Lesson
from pages.model.edits import example_start
from pages.model.entries import SettingsError
from pages.model.fields import specs
from pages.model.guesses import Guesses
from pages.model.languages import LANGUAGES, preferred
from pages.model.link import OF_SETTINGS, OF_STREAMLIT, expanded, from_query
from pages.model.own import replaced_entries as replaced_by
from pages.model.progress import Progress
from pages.model.scores import OF_THE_SENTENCE, Scores
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View

from .door import with_vote

KEY = "visit"
HISTORY = 100
_present: ContextVar["Visit | None"] = ContextVar("visit", default=None)
_by_name: WeakValueDictionary[str, "Visit"] = WeakValueDictionary()

Gesture = tuple[str, int]  # the picture, and the number of the gesture in it
EditReader = Callable[[object], dict | None]  # gives a picture's message with edits; None for anything else
StateEdit = Callable[[State], State]
Taker = Callable[[dict], StateEdit | None]  # what an edit changes; None: nothing of the state
Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Replacement:
    """The learner's own entries that the last change replaced."""

    names: tuple[str, ...]  # where they were
    example: str | None  # what is there now; None: what a link brought


@dataclass
class History:
    """What undo and redo go over."""

    past: list[State] = field(default_factory=list)
    future: list[State] = field(default_factory=list)
    gesture: Gesture | None = None  # the gesture that the last edit belongs to


@dataclass
class Mailbox:
    """What a picture has sent: how its edits are read, and the numbers of what was read."""

    read: EditReader
    taker: Taker | None = None
    direct: Callable[[Any], object] | None = None  # draws it on a page, without a run (see live.picture)
    edit: int = 0  # its last message with edits
    command: int = 0  # its last command
    still: str = ""  # the piece of its data that the browser held at its last edit, until the answer
    old: tuple[int, int] | None = None  # its message to a server before this one (see leave_old_edits)
    drawn: bool = False


@dataclass
class Inbox:
    """What pictures send."""

    pictures: dict[str, Mailbox] = field(default_factory=dict)  # by their keys
    rest: State | None = None  # while a number is held: the state before the hand took hold of it
    waiting: int = 0  # questions that are not answered yet (see shell/direct.py)


@dataclass
class Address:
    """The address bar."""

    path: str  # of the page
    queries: tuple[dict[str, str], ...]  # what it may say without asking for anything new
    filled: bool = False  # the browser has filled in a link, of which Streamlit has not heard
    opened: bool = False  # a link was opened: on its own page Streamlit does not bring it to the address bar


@dataclass
class Screen:
    """What the page shows: how it is known that something has to be drawn again."""

    stamp: int = 0  # grows with every change that did not come from a picture
    toolbar: int = -1  # the stamp that it shows
    # widget → what the browser was told (None: it was used since), how often it was made again
    widgets: dict[str, tuple[tuple | None, int]] = field(default_factory=dict)
    unfolded: set[str] = field(default_factory=set)  # questions answered since the part was opened
    # expander → its label, whether it began open, whether it is open; since the part was opened
    expanders: dict[str, tuple[str, bool, bool]] = field(default_factory=dict)
    code_sent: bool = False  # the browser cannot load the pictures' code by itself


@dataclass
class Record:
    """What was done, as the browser keeps it (see record.py)."""

    progress: Progress = field(default_factory=Progress)
    recalled: bool = False  # the browser has said what it keeps
    fresh: set[str] = field(default_factory=set)  # questions just answered, whose answers were not judged yet
    deleted: bool = False  # what the browser kept: then nothing more is recorded
    stayed: bool = False  # the learner does not want to go on where the last visit ended


@dataclass
class Visit:
    """Everything that lasts as long as the visit."""

    course: Course
    state: State
    view: View
    address: Address
    history: History = field(default_factory=History)
    inbox: Inbox = field(default_factory=Inbox)
    screen: Screen = field(default_factory=Screen)
    # Its pictures know the visit by it, and nobody else does.
    name: str = field(default_factory=lambda: secrets.token_hex(16))
    bare: bool = False  # the visit began without a link
    here: str = ""  # the lesson on the screen
    arrived: Place | None = None  # what the link says of the lesson that it opens
    places: dict[str, Place] = field(default_factory=dict)  # lesson → where the learner is in it
    lessons_left: set[str] = field(default_factory=set)
    problems: list[SettingsError] = field(default_factory=list)
    # of votes or not → what the last run has said
    last_problems: dict[bool, list[SettingsError]] = field(default_factory=dict)
    replacement: Replacement | None = None  # said until the next change
    mine: Settings | None = None  # the learner's own numbers, where a lesson has begun with others
    mine_apart: bool = False  # they are from a lesson whose numbers no other one begins with
    mine_in: set[str] = field(default_factory=set)  # the lessons in which the learner goes on with them
    memory: dict[str, Any] = field(default_factory=dict)  # what a lesson keeps and no link carries
    shares_typed: bool = False  # what is shared says what was pasted
    revealed: set[str] = field(default_factory=set)  # the questions whose answers a presentation shows
    guesses: Guesses = field(default_factory=Guesses)  # the codes of votes that were wrong
    record: Record = field(default_factory=Record)

    @property
    def idle(self) -> str:
        """The buttons, "undo" or "redo", that have nothing to do, with a space between them."""
        steps = {"undo": self.history.past, "redo": self.history.future}
        return " ".join(name for name, there in steps.items() if not there)

    def place(self, lesson: str) -> Place:
        """Where the learner is in a lesson; a teacher's link may hold the learner in one part."""
        stop = handout.standing(self.view, lesson)
        return handout.place_at(stop, self.places.get(lesson, Place()))

    @property
    def settings(self) -> Settings:
        """The core settings."""
        return self.state.core


def begin(course: Course) -> None:
    """Call it first, on every page: a visit that is new opens the link."""
    if KEY in st.session_state:
        return
    st.session_state[KEY] = begun = of_link(course, query(), st.context.locale, path())
    _by_name[begun.name] = begun
    _present.set(begun)


def of_link(course: Course, query: dict[str, str], locale: str | None, path: str = "") -> Visit:
    """A visit as it begins with a link. locale: the browser's, where the link names no language."""
    guesses = Guesses()
    link, refused = with_vote(query, guesses)
    state, view, place, problems = from_query(link, course, preferred(locale))
    bare = not set(query) - set(OF_STREAMLIT)
    if set(OF_SETTINGS).isdisjoint(expanded(link, course)):  # it says no numbers: the sentence of the course
        state = replace(state, core=beginning(LANGUAGES[view.language].example).core)
    facts: dict[str, Any] = {"guesses": guesses, "problems": refused + problems, "bare": bare}
    return Visit(course, state, view, Address(path, (query,)), arrived=place, **facts)


def beginning(example: str) -> State:
    """An example from its start. The sentence of the course brings its row of scores: the course's thread."""
    state = State(core=example_start(example))
    of_the_course = example in (language.example for language in LANGUAGES.values())
    return state.having(Scores(OF_THE_SENTENCE)) if of_the_course else state


def visit() -> Visit:
    """The present visit.

    A thread of Streamlit's runs the scripts of one visit only, and keeps the visit at hand: a page asks for
    it two hundred times, which took a tenth of its time.
    """
    now = _present.get()
    if now is None:
        now = st.session_state[KEY]
        _present.set(now)
    return now


def named(name: object) -> Visit | None:
    """The visit of that name, None where this process has none."""
    return _by_name.get(name) if isinstance(name, str) else None


def stand_in(other: Visit) -> None:
    """What this thread computes from now on, it computes for that visit."""
    _present.set(other)


def query() -> dict[str, str]:
    return {key: st.query_params[key] for key in st.query_params}


def path() -> str:
    return urlsplit(st.context.url or "").path


# ---- what is there


def state() -> State:
    return visit().state


def settings() -> Settings:
    """The core settings."""
    return visit().settings


def view() -> View:
    return visit().view


def place(lesson: str) -> Place:
    return visit().place(lesson)


def standing() -> handout.Stop | None:
    """The stop of a teacher's link whose rules hold in the lesson on the screen."""
    now = visit()
    return handout.standing(now.view, now.here)


def mine() -> Settings | None:
    """The learner's own numbers, where the lesson on the screen shows others."""
    now = visit()
    return now.mine if now.mine != now.settings else None


def replacement() -> Replacement | None:
    """What the last change replaced."""
    return visit().replacement


def lesson_here() -> Lesson:
    """The lesson on the screen; the first one, before there is any."""
    course = visit().course
    return course.pages.get(visit().here, course.lessons[0])


def start_of(lesson: Lesson) -> str:
    """The example that a lesson begins with: its own, or else the sentence of the course.

    Who began with it in another language, or with the example of the plain Settings, as older links do, goes
    on with that.
    """
    plain, now = Settings().example, settings().example
    begins = [lesson.begins(code) for code in LANGUAGES]
    goes_on = now in begins or now == plain == lesson.start
    return now if goes_on else lesson.begins(view().language)


def numbers_with(field_name: str) -> type | None:
    """The record of numbers of the lesson on the screen that has this field."""
    return next((kind for kind in lesson_here().numbers if field_name in specs(kind)), None)


# ---- changes of the state


def change_to(after: State, gesture: Gesture | None = None) -> None:
    """A new state; one gesture is one step of undo, and no step if it ends where it began."""
    now = visit()
    history = now.history
    goes_on = gesture is not None and gesture == history.gesture
    now.screen.stamp += gesture is None
    history.gesture = gesture
    if after == now.state:
        if not goes_on:
            history.gesture = None
        return
    if goes_on and history.past and history.past[-1] == after:
        history.past, history.gesture = history.past[:-1], None
    elif not goes_on:
        history.past = [*history.past[-HISTORY + 1 :], now.state]
        history.future = []
    now.state, now.replacement = after, None


def attempt(*changes: StateEdit, gesture: Gesture | None = None) -> None:
    """Applies the changes one after the other, as one step of undo.

    What one of them refuses is said on the screen, and the others count.
    """
    after, refused = outcome(changes)
    visit().problems += refused
    if len(refused) < len(changes):
        change_to(after, gesture)


def outcome(changes: Sequence[StateEdit]) -> tuple[State, list[SettingsError]]:
    """The state after the changes, and the errors of the refused ones.

    What a teacher's link has locked is refused as well.
    """
    after, stop, refused = state(), standing(), []
    for change in changes:
        try:
            changed = change(after)
            handout.keep(stop, after, changed)
            after = changed
        except SettingsError as problem:
            refused.append(problem)
    return after, refused


def may(change: Callable[[Settings], Settings]) -> bool:
    """Whether a teacher's link leaves this change of the core settings to the learner."""
    stop = standing()
    if stop is None:
        return True
    now = state()
    try:
        handout.keep(stop, now, replace(now, core=change(now.core)))
    except SettingsError as problem:
        return problem.code != "locked"
    return True


def say_replaced(before: State, example: str | None) -> None:
    """Notes which of the learner's own entries were replaced, by an example or by a link."""
    names = replaced_by(before, state())
    if names:
        visit().replacement = Replacement(names, example)


def redraw() -> None:
    """The whole page is drawn again."""
    visit().screen.stamp += 1


def send_code() -> None:
    """The page brings the pictures' code from now on."""
    visit().screen.code_sent = True


def mark_drawn() -> None:
    """The toolbar shows the present state."""
    visit().screen.toolbar = visit().screen.stamp


def is_drawn() -> bool:
    """The toolbar shows the present state. Whether undo and redo are idle, each picture says."""
    return visit().screen.toolbar == visit().screen.stamp


def drawn_matrices(lesson: str, part: str) -> dict[str, tuple[str, bool]]:
    """The matrices that were drawn in this part: their titles, and whether they can be edited."""
    parts: dict[tuple[str, str], dict[str, tuple[str, bool]]] = memory("drawn", dict)
    return parts.setdefault((lesson, part), {})


def memory(name: str, new: Callable[[], Thing]) -> Thing:
    """What a lesson keeps under that name for the visit; new() at first."""
    return visit().memory.setdefault(name, new())
