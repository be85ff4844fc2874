"""The visit: one typed object with the state, the view, undo and the problems."""

import functools
import secrets
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from urllib.parse import SplitResult, urlsplit
from weakref import WeakValueDictionary

import streamlit as st

from pages.model import handout
from pages.model.course import OF_SETTINGS, OF_STREAMLIT, Course, HourStop, Lesson, begins
from pages.model.edits import example_start
from pages.model.entries import SettingsError
from pages.model.fields import specs
from pages.model.languages import LANGUAGES, preferred
from pages.model.link import expanded, fitting, from_query, to_query
from pages.model.own import replaced_entries as replaced_by
from pages.model.progress import Progress
from pages.model.scores import OF_THE_SENTENCE, Scores
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from pages.room.guesses import Guesses

from .door import with_room

KEY = "visit"
HISTORY = 100
LONGEST_ADDRESS = 900  # characters of the page's address: a QR code has room for it
LINK, CLASS = ":link", ":class"  # owners that are no place's (see Visit.owner)
# What of the view belongs to the learner, whatever the class follows.
OF_THE_LEARNER = ("language", "answers", "presenting", "vote", "follows")
_present: ContextVar["Visit | None"] = ContextVar("visit", default=None)
_by_name: WeakValueDictionary[str, "Visit"] = WeakValueDictionary()

Gesture = tuple[str, int]  # the picture, and the number of the gesture in it
EditReader = Callable[[object], dict | None]  # checks a picture's message with edits; None for anything else
StateEdit = Callable[[State], State]
Taker = Callable[[dict], StateEdit | None]  # turns an edit into a change of the state, if it makes any
Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Replacement:
    """The learner's own entries that the last change replaced."""

    names: tuple[str, ...]  # of the matrices and fields; (): a token got a new name for the first time
    example: str | None  # the source of the new entries (`example.<name>`); None: a link


@dataclass
class History:
    """The states for undo and redo."""

    past: list[State] = field(default_factory=list)
    future: list[State] = field(default_factory=list)
    gesture: Gesture | None = None  # of the last edit


@dataclass
class Numbers:
    """The core settings of one owner with their undo, and the lessons' records when they were left."""

    state: State
    history: History = field(default_factory=History)
    rests: bool = False  # no change is taken now
    # Of the class: the learner's view and places, which come back when it is left.
    view: View = field(default_factory=View)
    places: dict[str, Place] = field(default_factory=dict)


@dataclass
class Mailbox:
    """The messages of one picture: how they are read, and the numbers of the last ones."""

    read: EditReader
    taker: Taker | None = None
    direct: Callable[[Any], object] | None = None  # draws the picture without a run (see live.picture)
    edit: int = 0  # number of the last message with edits
    command: int = 0  # number of the last command
    still: str = ""  # the piece of its data in the browser at the last edit, until the answer
    old: tuple[int, int] | None = None  # the message to an earlier server (see leave_old_edits)
    drawn: bool = False


@dataclass
class Inbox:
    """The messages of all pictures."""

    pictures: dict[str, Mailbox] = field(default_factory=dict)  # by their keys
    rest: State | None = None  # while a number is held: the state before the gesture
    waiting: int = 0  # direct requests without an answer yet (see shell/direct.py)


@dataclass
class Address:
    """The address bar."""

    path: str  # of the page
    queries: tuple[dict[str, str], ...]  # any of them may be there and is no new link
    earlier: tuple[dict[str, str], ...] = ()  # the queries before the last link was written
    filled: bool = False  # the browser has filled in a link that Streamlit does not know
    opened: bool = (
        False  # a link was opened on its own page, where Streamlit does not fill in the address bar
    )


@dataclass
class Screen:
    """Bookkeeping for redraws."""

    stamp: int = 0  # grows with every change that did not come from a picture
    toolbar: int = -1  # the stamp of the last drawing of the toolbar
    # widget → the value and language that the browser has (None: used since then), and the number in its key
    widgets: dict[str, tuple[tuple | None, int]] = field(default_factory=dict)
    unfolded: set[str] = field(default_factory=set)  # questions answered since the part was opened
    # expander → label, initially open, open; since the part was opened
    expanders: dict[str, tuple[str, bool, bool]] = field(default_factory=dict)
    code_sent: bool = False  # the browser cannot load the pictures' code by itself


@dataclass
class Record:
    """The learner's progress, which the browser keeps (see record.py)."""

    progress: Progress = field(default_factory=Progress)
    recalled: bool = False  # the browser has sent its record
    fresh: set[str] = field(default_factory=set)  # questions with an answer that was not judged yet
    deleted: bool = False  # from then on nothing is recorded
    stayed: bool = False  # the learner declined to continue where the last visit ended


@dataclass
class Visit:
    """Everything that lasts as long as the visit."""

    course: Course
    numbers: dict[str, Numbers]  # by their owners, those that were used last at the end
    view: View
    address: Address
    home: str = ""  # whose numbers the learner's place shows (see Lesson.owner)
    inbox: Inbox = field(default_factory=Inbox)
    screen: Screen = field(default_factory=Screen)
    # A secret between the visit and its pictures.
    name: str = field(default_factory=lambda: secrets.token_hex(16))
    bare: bool = False  # the visit began without a link
    unnumbered: bool = False  # it began with a link without numbers, and no other link was opened since
    here: str = ""  # the lesson on the screen
    # "lesson/part": where this person has changed something since the place was entered or a link was opened
    acted: str = ""
    brought: bool = False  # the task of this place was fulfilled on arrival, and has not been open since
    arrived: Place | None = None  # the link's place in its lesson, until the lesson is entered
    places: dict[str, Place] = field(default_factory=dict)  # lesson → where the learner is in it
    lessons_left: set[str] = field(default_factory=set)
    problems: list[SettingsError] = field(default_factory=list)
    # of votes or not → problems that the last run has shown
    last_problems: dict[bool, list[SettingsError]] = field(default_factory=dict)
    said: str = ""  # a random word for the last message about votes
    said_at: tuple[object, ...] = ()  # the state and the place at that message (see problems.py)
    replacement: Replacement | None = None  # reported until the next change
    memory: dict[str, Any] = field(default_factory=dict)  # data of lessons that no link has
    shares_typed: bool = False  # links and files have pasted texts
    revealed: set[str] = field(default_factory=set)  # questions whose answers the presentation shows
    reached: set[str] = field(default_factory=set)  # the words for targets that this visit has reached
    # question → its answer before the presentation or the vote that goes on, in which it has changed
    apart: dict[str, str | None] = field(default_factory=dict)
    guesses: Guesses = field(default_factory=Guesses)  # wrong codes of votes
    record: Record = field(default_factory=Record)

    @property
    def owner(self) -> str:
        """Whose numbers are on the screen.

        LINK: a link's, until its lesson is entered. CLASS: those that the class follows. Else those that the
        place has for itself, or "" for the learner's.
        """
        return next(owner for owner in (LINK, CLASS, self.home) if owner in self.numbers)

    @property
    def state(self) -> State:
        return self.numbers[self.owner].state

    @state.setter
    def state(self, state: State) -> None:
        self.numbers[self.owner].state = state

    @property
    def history(self) -> History:
        return self.numbers[self.owner].history

    @property
    def idle(self) -> str:
        """The buttons without a step: "undo", "redo", "undo redo" or ""."""
        steps = {"undo": self.history.past, "redo": self.history.future}
        return " ".join(name for name, there in steps.items() if not there)

    def place(self, lesson: str) -> Place:
        """The learner's place in a lesson; a teacher's link may hold the learner in one part."""
        place = self.places.get(lesson, Place()).at(self.view.standing(lesson))
        return self.course.pages[lesson].resolved(place) if lesson else place

    @property
    def settings(self) -> Settings:
        """The core settings."""
        return self.state.core

    @property
    def shows(self) -> bool:
        """Whether everything is shown at once: the reader or a teacher's link wants that.

        In a presentation and in a vote the answers are revealed for all.
        """
        wanted = bool(self.record.progress.shows) or self.view.shows
        return wanted and not (self.view.presenting or self.view.vote)


def begin(course: Course) -> None:
    """Opens the link in a new visit. Call it first, on every page."""
    if KEY in st.session_state:
        return
    st.session_state[KEY] = begun = of_link(course, query(), st.context.locale, path())
    _by_name[begun.name] = begun
    _present.set(begun)


def of_link(course: Course, query: dict[str, str], locale: str | None, path: str = "") -> Visit:
    """A new visit that begins with a link. locale: of the browser, for a link without a language."""
    guesses = Guesses()
    link, refused = with_room(query, guesses)
    state, view, place, problems = from_query(link, course, preferred(locale))
    unnumbered = not has_numbers(link, course)
    if unnumbered:  # the sentence of the course
        state = replace(state, core=example_start(LANGUAGES[view.language].example))
    begun = Visit(course, {"" if unnumbered else LINK: Numbers(state)}, view, Address(path, (query,)))
    begun.arrived, begun.guesses, begun.problems = place, guesses, refused + problems
    begun.bare, begun.unnumbered = not set(query) - set(OF_STREAMLIT), unnumbered
    return begun


def has_numbers(link: dict[str, str], course: Course) -> bool:
    """Whether the link has core settings. Others only name a place, and may have records of lessons."""
    return not set(OF_SETTINGS).isdisjoint(expanded(link, course))


def beginning(example: str) -> State:
    """The state at the start of an example. The sentence of the course has scores of its own."""
    state = State(core=example_start(example))
    of_the_course = example in (language.example for language in LANGUAGES.values())
    return state.having(Scores(OF_THE_SENTENCE)) if of_the_course else state


def visit() -> Visit:
    """The current visit.

    A context variable keeps it for the thread, which runs scripts of one visit only: a page asks for it two
    hundred times, and the session state of Streamlit took a tenth of the page's time.
    """
    current = _present.get()
    if current is None:
        current = st.session_state[KEY]
        _present.set(current)
    return current


def visit_by_id(name: object) -> Visit | None:
    """The visit of that name, None if this process has no such visit."""
    return _by_name.get(name) if isinstance(name, str) else None


def set_current_visit(other: Visit) -> None:
    """Makes another visit the current one of this thread."""
    _present.set(other)


def query() -> dict[str, str]:
    return st.query_params.to_dict()


def url() -> SplitResult:
    """The address of the page, as the browser says it; empty if that is no address, or too long for one."""
    try:
        return urlsplit((st.context.url or "")[:LONGEST_ADDRESS])
    except ValueError:
        return urlsplit("")


def path() -> str:
    return url().path


# ---- the current state


def state() -> State:
    return visit().state


def settings() -> Settings:
    """The core settings."""
    return visit().settings


def view() -> View:
    return visit().view


def place(lesson: str) -> Place:
    return visit().place(lesson)


def active_stop() -> handout.Stop | None:
    """The rules for the lesson on the screen: of a teacher's stop, of a target, or of both."""
    current = visit()
    return lesson_here().standing(current.view, current.place(current.here)) if current.here else None


def mine() -> Settings | None:
    """The learner's own numbers, where the place has others; None where nobody has changed them."""
    own = _own()
    return None if own is None or is_untouched("", own) else own


def is_mine() -> bool:
    """Whether the numbers that the place has for itself are also the learner's own."""
    return _own() == settings()


def _own() -> Settings | None:
    own = visit().numbers.get("") if is_of_place() else None
    return None if own is None else own.state.core


def is_of_place() -> bool:
    """Whether the numbers on the screen are those that the place has for itself."""
    return visit().owner not in ("", CLASS)


def is_untouched(owner: str, core: Settings) -> bool:
    """Whether these are the numbers of the example that the owner begins with, which nobody has changed."""
    return core in [example_start(begins(owner, code)) for code in LANGUAGES]


def is_following() -> bool:
    """Whether the screen shows what the class follows."""
    return CLASS in visit().numbers


def replacement() -> Replacement | None:
    """The learner's own entries that the last change replaced."""
    return visit().replacement


def lesson_here() -> Lesson:
    """The lesson on the screen, initially the first lesson."""
    course = visit().course
    return course.pages.get(visit().here, course.lessons[0])


def stop_left() -> list[HourStop]:
    """The stop from which the whole picture was opened, if any."""
    return memory("stop_left", list[HourStop])


def _lent(lesson: Lesson, here: Place) -> tuple[Lesson, Place]:
    """The place whose numbers a place shows: the whole picture shows those of the stop that opened it."""
    course, left = visit().course, stop_left()
    if left and course.whole and (lesson.name, lesson.resolved(here).part) == course.whole[:2]:
        return course.pages[left[0].lesson], Place(part=left[0].part)
    return lesson, here


def start_of(lesson: Lesson) -> str:
    """The example with which the place in a lesson begins: its own, or else the sentence of the course.

    If the present example is the lesson's in another language, or the example of the plain Settings, as in
    links without an example, it stays.
    """
    plain, present = Settings().example, settings().example
    lesson, here = _lent(lesson, place(lesson.name))
    begins = [lesson.begins(code, here) for code in LANGUAGES]
    goes_on = present in begins or (present == plain and not lesson.owner(here))
    return present if goes_on else lesson.begins(view().language, here)


def numbers_with(field_name: str) -> type | None:
    """The record of numbers of the lesson on the screen that has this field."""
    return next((kind for kind in lesson_here().numbers if field_name in specs(kind)), None)


def link_of(lesson: str, *, typed: bool = False) -> dict[str, str]:
    """The query of the link to the present state in this lesson, however long.

    While the screen shows what the class follows, the link leads to the same part, with the numbers that the
    learner has there. typed: include pasted texts, if the learner agrees to share them.
    """
    current = visit()
    if is_following():
        shown = current.place(lesson)
        here = Place(part=shown.part, topic=shown.topic)
        own = numbers_of(current.course.pages[lesson], here)
        return to_query(own.state, of_learner(current.numbers[CLASS].view), here)
    return to_query(current.state, current.view, current.place(lesson), typed=typed and current.shares_typed)


def address_query(lesson: str) -> dict[str, str]:
    """The query of that link for the address bar, which may lack the numbers (see record.of_tab)."""
    return fitting(link_of(lesson), visit().course)


# ---- changes of the state


def bring_numbers(lesson: Lesson, here: Place) -> None:
    """Puts the numbers of that place on the screen: the learner's, or those that the place has for itself.

    A link's numbers replace them, and leave what it does not say of other lessons. Those of the class stay.
    """
    current, (lender, there) = visit(), _lent(lesson, here)
    owner = lender.owner(there)
    linked = current.numbers.pop(LINK, None)
    if is_following():
        return
    if linked is not None and current.home not in current.numbers:  # the visit begins with the link
        current.numbers[owner], current.home = linked, owner
        return
    if owner != current.home:
        shown = numbers_of(lesson, here)
        current.numbers.pop(owner, None)
        current.numbers[owner], current.home = shown, owner
        current.inbox.rest, current.replacement = None, None
        redraw()
    if linked is not None:
        others = replace(current.state.without(lesson.numbers), core=linked.state.core)
        replace_numbers(functools.reduce(State.having, linked.state.own, others))


def numbers_at(lesson: Lesson, here: Place) -> State:
    """The numbers of that place, on the screen or not; in a class those of the class."""
    return state() if is_following() else numbers_of(lesson, here).state


def numbers_of(lesson: Lesson, here: Place) -> Numbers:
    """The learner's numbers at that place, in the reader's language where nobody has changed them."""
    lesson, here = _lent(lesson, here)
    current, owner = visit(), lesson.owner(here)
    present, kept = current.numbers[current.home].state, current.numbers.get(owner)
    if owner == current.home:
        return current.numbers[owner]
    begun = lesson.beginning(current.view.language, here)
    kept = kept or Numbers(replace(present, core=begun))
    untouched = kept.state.core in [lesson.beginning(code, here) for code in LANGUAGES]
    # Records that were changed since then stay as they are, whatever is undone here.
    kinds = {type(record) for record in (*kept.state.own, *present.own)}
    changed = [present.of(kind) for kind in kinds if present.of(kind) != kept.state.of(kind)]
    past, future = (
        [functools.reduce(State.having, changed, state) for state in states]
        for states in (kept.history.past, kept.history.future)
    )
    return Numbers(replace(present, core=begun if untouched else kept.state.core), History(past, future))


def replace_numbers(after: State) -> None:
    """Makes these the numbers of the owner on the screen, and reports the own entries that they replace."""
    before = state()
    change_to(after)
    say_replaced(before, None)


def keep_copy() -> None:
    """Makes the numbers of the class, which are on the screen, the learner's own. One undo restores these.

    From then on the learner does not follow the class.
    """
    current, scene = visit(), visit().numbers.pop(CLASS, None)
    if scene is None:
        return
    here = current.view
    current.view = replace(of_learner(scene.view), own=here.own, head=here.head, follows=False)
    bring_numbers(lesson_here(), current.place(current.here))
    replace_numbers(scene.state)


def of_learner(other: View) -> View:
    """Another view, with what belongs to the learner, whatever the class follows."""
    kept: dict[str, Any] = {name: getattr(view(), name) for name in OF_THE_LEARNER}
    return replace(other, **kept)


def change_to(after: State, gesture: Gesture | None = None) -> None:
    """Sets the state. A gesture is one step of undo, or none if it ends where it began.

    A change of the class's numbers makes them a copy of the learner's own.
    """
    current = visit()
    if after != current.state:
        keep_copy()
    history = current.history
    goes_on = gesture is not None and gesture == history.gesture
    current.screen.stamp += gesture is None
    history.gesture = gesture
    if after == current.state:
        if not goes_on:
            history.gesture = None
        return
    if goes_on and history.past and history.past[-1] == after:
        history.past, history.gesture = history.past[:-1], None
    elif not goes_on:
        history.past = [*history.past[-HISTORY + 1 :], current.state]
        history.future = []
    current.state, current.replacement = after, None


def attempt(*changes: StateEdit, gesture: Gesture | None = None) -> None:
    """Applies the changes in order, as one step of undo.

    The page shows the errors of refused changes; the other changes count.
    """
    after, refused = outcome(changes)
    visit().problems += refused
    if after != state():
        note_gesture()
    if len(refused) < len(changes):
        change_to(after, gesture)


def note_gesture() -> None:
    """Notes that this person has changed something here: only then is it this person who has done a task."""
    current, lesson = visit(), lesson_here()
    if current.view.is_private:
        current.acted = f"{lesson.name}/{lesson.part(current.place(lesson.name).part).name}"


def outcome(changes: Sequence[StateEdit]) -> tuple[State, list[SettingsError]]:
    """The state after the changes, and the errors of refused ones. Changes of locked fields are refused."""
    after, stop, refused, current = state(), active_stop(), [], visit()
    for change in changes:
        try:
            if current.numbers[current.owner].rests:
                raise SettingsError("vote_rests")
            changed = change(after)
            handout.keep(stop, after, changed)
            after = changed
        except SettingsError as problem:
            refused.append(problem)
    return after, refused


def is_allowed(change: Callable[[Settings], Settings]) -> bool:
    """Whether the stop of a teacher's link allows this change of the core settings."""
    stop = active_stop()
    if stop is None:
        return True
    before = state()
    try:
        handout.keep(stop, before, replace(before, core=change(before.core)))
    except SettingsError as problem:
        return problem.code not in handout.LOCKED
    return True


def say_replaced(before: State, example: str | None) -> None:
    """Notes the learner's own entries that an example or a link has replaced."""
    names = replaced_by(before, state())
    if names:
        visit().replacement = Replacement(names, example)


def redraw() -> None:
    """Has the whole page drawn again."""
    visit().screen.stamp += 1


def send_code() -> None:
    """Has the page bring the pictures' code from now on."""
    visit().screen.code_sent = True


def mark_drawn() -> None:
    """Notes that the toolbar shows the present state."""
    visit().screen.toolbar = visit().screen.stamp


def is_drawn() -> bool:
    """Whether the toolbar shows the present state, apart from idle undo and redo: each picture sets these."""
    return visit().screen.toolbar == visit().screen.stamp


def drawn_matrices(lesson: str, part: str) -> dict[str, tuple[str, bool]]:
    """The matrices that were drawn in this part: title, and whether it can be edited, by id."""
    parts: dict[tuple[str, str], dict[str, tuple[str, bool]]] = memory("drawn", dict)
    return parts.setdefault((lesson, part), {})


def memory(name: str, new: Callable[[], Thing], of: Visit | None = None) -> Thing:
    """The data of a lesson under that name, initially new(). of: the visit, if not the current one."""
    data = (of or visit()).memory
    if name not in data:
        data[name] = new()
    kept: Thing = data[name]
    return kept
