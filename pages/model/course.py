"""The course as a tree: lesson → part → topic → question. Cheap to import: no code of a part comes with it.

A lesson's folder declares its branch, and pages.shell.course puts them together. Nothing is registered by an
import: who needs the course is given it.
"""

import itertools
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

from . import handout
from .edits import example_start
from .examples import EXAMPLES, in_language
from .fields import keys_of, specs
from .handout import NOT_IN_A_STOP, Plan
from .languages import LANGUAGES
from .matrices import MATRICES, SIZES, TABLE, TOKENS
from .settings import Settings
from .targets import Target, read
from .view import Place, View

# The keys of a link that no lesson declares.
OF_SETTINGS = (
    *("example", *TOKENS, "biases"),
    *(size.key for size in SIZES.values()),
    *(entries.key for entries in TABLE.values()),
    *keys_of(Settings),
)
OF_PLACE = tuple(keys_of(Place))
KEYS = frozenset((*OF_SETTINGS, *keys_of(View), *OF_PLACE, "goto"))
OF_STREAMLIT = ("embed", "embed_options")

# All switches of the toolbar; positions are under More.
SWITCHES = ("example", "heads", "d_k", "scaling", "mask", "more", "position")


@dataclass(frozen=True)
class Question:
    """A question, and which texts it needs (see `texts`).

    options    in the order of the screen; empty where they follow from the numbers, or for other kinds
    right      the option that is right whatever the numbers are; None: the part finds it from the numbers
    at_start   the option that the part finds at the lesson's start
    kind       what the learner answers with
    own_words  the part says the options (see `words` of questions.ask), for instance with its numbers
    numeric    the options are numbers, from the smallest on
    setup      what the learner sets, looks at or goes to before the part asks
    source     where the right answer comes from (see tests/answers); "": the tests compute it for any numbers
    """

    name: str
    options: tuple[str, ...] = ()
    right: str | None = None
    at_start: str | None = None
    kind: Literal["option", "number", "cell"] = "option"
    own_words: bool = False
    numeric: bool = False
    setup: Mapping[str, Any] = field(default_factory=dict, hash=False)
    source: str = ""

    def __post_init__(self) -> None:
        for option in (self.right, self.at_start if self.options else None):
            if option is not None and option not in self.options:
                raise ValueError(f"question {self.name!r}: {option!r} is not one of {self.options}")

    @property
    def texts(self) -> tuple[str, ...]:
        """The keys of the texts that it needs.

        Where the options follow from the numbers, the part says them, and why each is right or wrong. What is
        not answered with an option has one reason.
        """
        of_options = [f"{self.name}_{option}" for option in self.options]
        said = [] if self.own_words else [option for option in self.options if not option.isdecimal()]
        return (
            f"ask.{self.name}",
            f"short.{self.name}",
            *(f"option.{self.name}_{option}" for option in said),
            *(f"because.{name}" for name in (of_options if self.kind == "option" else [self.name])),
        )


@dataclass(frozen=True, kw_only=True)
class _Treatment:
    """What is asked and treated. Every entry below is treated in one place of the course at most.

    asks      the questions, in their order
    terms     of the glossary
    steps     of the computation that are worked by hand
    mistakes  of the catalogue
    claims    about weights, or what they are about (in Practice)
    products  and slips of shapes (in Practice)
    """

    asks: tuple[Question, ...] = ()
    terms: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    products: tuple[str, ...] = ()


TREATED = ("terms", "steps", "mistakes", "claims", "products")


@dataclass(frozen=True)
class Topic(_Treatment):
    """One of several topics of a part, which shows one at a time.

    switches: the switches of the toolbar do something here. start: an example whose numbers the topic has for
    itself (see Lesson.owner)
    """

    name: str
    switches: bool = True
    start: str = ""


@dataclass(frozen=True)
class Part(_Treatment):
    """One part of a lesson, drawn by `draw(page)` in the file of the lesson's folder that has its name.

    topics    where the part shows one topic at a time; the first one to begin with
    edits     the numbers that the part lets people change: matrices, "inputs" for all of them, or settings
    switches  the switches of the toolbar that do something here; () for no toolbar
    tall      its picture takes all the room that the window has
    aside     not for everyone: it comes after the lesson's end
    start     an example whose numbers the part has for itself (see Lesson.owner)
    targets   numbers to reach, each with a start of its own
    """

    name: str
    topics: tuple[Topic, ...] = ()
    edits: tuple[str, ...] = ()
    switches: tuple[str, ...] = ()
    tall: bool = False
    aside: bool = False
    start: str = ""
    targets: tuple[Target, ...] = ()

    @property
    def questions(self) -> tuple[str, ...]:
        """The names of the questions of the part and of its topics, in order."""
        return tuple(question.name for branch in (self, *self.topics) for question in branch.asks)


def begins(owner: str, language: str) -> str:
    """The example with which an owner's numbers begin (see Lesson.owner), for readers of that language."""
    example = owner.partition(":")[0]
    return in_language(example, language) if example in EXAMPLES else LANGUAGES[language].example


@dataclass(frozen=True)
class Lesson:
    """A lesson is a list of parts. Its folder has the parts, their texts and, in summary.py, its end.

    end     the question at its end, which needs all of it
    told    for each sentence at its end, the parts of which one has shown it; empty: the end chooses itself
    start   the example it begins with, where nobody has changed a number
    own     its numbers and switches, a frozen record of declared fields (see pages.model.fields)
    shared  records that it has together with other lessons, on purpose
    look    what it looks at, likewise; undo passes over it
    crosses its computation is cross-attention, from the tokens to the second sequence
    apart   it has numbers for itself, although it begins with the sentence of the course
    front   the first page of the course: it has its own title, no toolbar, and nothing to continue
    program the module whose function program(page) has the computation of its files; "": that of the settings
    moved   former places, "part" or "part/topic" → the place that has their content now, likewise
    """

    name: str
    parts: tuple[Part, ...]
    end: Question | None = None
    told: tuple[tuple[str, ...], ...] = ()
    start: str = "cats"
    own: type | None = None
    shared: tuple[type, ...] = ()
    look: type | None = None
    crosses: bool = False
    apart: bool = False
    front: bool = False
    program: str = ""
    moved: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        topics = {f"{part.name}/{topic.name}" for part in self.parts for topic in part.topics}
        places = topics.union(part.name for part in self.parts)
        for former, place in self.moved.items():
            if former in places or place not in places:
                raise ValueError(f"lesson {self.name!r}: {former!r} cannot move to {place!r}")

    @cached_property
    def by_name(self) -> dict[str, Question]:
        """All questions of the lesson by their names, in order."""
        branches = [branch for part in self.parts for branch in (part, *part.topics)]
        asked = [question for branch in branches for question in branch.asks]
        return {question.name: question for question in (*asked, *((self.end,) if self.end else ()))}

    @property
    def has_matrices(self) -> bool:
        """Whether it shows matrices of the settings: one with numbers for itself may have others only."""
        changed = {name for part in self.parts for name in part.edits}
        return not self.apart or not changed.isdisjoint({"inputs", *MATRICES})

    @property
    def questions(self) -> tuple[str, ...]:
        """The names of all questions of the lesson, in order."""
        return tuple(self.by_name)

    @property
    def texts(self) -> tuple[str, ...]:
        """The keys of the texts that it needs because of what it declares."""
        onward = [part.name for part in self.parts if self.end and not part.aside]
        return (
            *("lesson.title", "lesson.lead"),
            *(f"part.{part.name}" for part in self.parts if len(self.parts) > 1),
            *(f"topic.{topic.name}" for part in self.parts for topic in part.topics),
            *(key for question in self.by_name.values() for key in question.texts),
            *(f"onward.{name}" for name in onward),
            *(f"hint.{target.name}" for part in self.parts for target in part.targets),
        )

    def target(self, place: Place) -> Target | None:
        """The target that is tried at the place: one of its part, or one that a link has brought."""
        if place.target is None:
            return None
        part, topic = self.part(place.part), self.resolved(place).topic
        if ":" in place.target:
            target = read(place.target)
            return target if target.part == part.name else None
        topic = topic or next((topic.name for topic in part.topics), None)
        return next((t for t in part.targets if t.name == place.target and t.topic in (None, topic)), None)

    def standing(self, view: View, place: Place) -> handout.Stop | None:
        """The rules that hold at the place: those of a teacher's stop, and those of a target."""
        stop, target = view.standing(self.name), self.target(place)
        if target is None:
            return stop
        return replace(stop or handout.Stop(self.name), held=target.held)

    def beginning(self, language: str, place: Place) -> Settings:
        """The settings with which the place begins, for readers of that language."""
        example, target = example_start(self.begins(language, place)), self.target(place)
        return target.begun(example) if target else example

    def owner(self, place: Place) -> str:
        """Whose numbers the place shows: "" for the learner's, or else a name for its own numbers.

        Where a place begins with an example of its own, the example has the numbers: what is changed there
        leaves the learner's numbers alone. Two parts with the same example have numbers of their own each:
        what one of them changes, W_Q for instance, may make the sentences of the other one wrong.
        """
        target = self.target(place)
        if target is not None and target.example:
            return f"{target.example}:{target.name}"
        part = self.part(self.resolved(place).part)
        topic = next((topic for topic in part.topics if topic.name == self.resolved(place).topic), None)
        topic = topic or next(iter(part.topics), None)
        if part.start and not (topic and topic.start):
            return f"{part.start}:{part.name}"
        start = (topic and topic.start) or self.start
        return start if start != Settings().example else self.name * self.apart

    def begins(self, language: str, place: Place | None = None) -> str:
        """The example for readers of that language: the place's own, or else the sentence of the course."""
        return begins(self.owner(place or Place()), language)

    @property
    def ending(self) -> str | None:
        """The name of the question at the lesson's end."""
        return None if self.end is None else self.end.name

    @property
    def numbers(self) -> tuple[type, ...]:
        """The records of its numbers and switches."""
        return (*self.shared, *((self.own,) if self.own else ()))

    @property
    def looks(self) -> tuple[type, ...]:
        """The records of what it looks at."""
        return (self.look,) if self.look else ()

    def part(self, name: str | None) -> Part:
        """The part of that name, or which has its content now; the first part where no part has."""
        name = self.resolved(Place(part=name)).part
        return next((part for part in self.parts if part.name == name), self.parts[0])

    @property
    def last(self) -> Part:
        """The part with the lesson's end."""
        return next(part for part in reversed(self.parts) if not part.aside)

    def resolved(self, place: Place) -> Place:
        """The place; of a former place, the place that has its content now.

        The first page has its part in each link: at the app's own address another link is a lesson's.
        """
        if self.front:
            return replace(place, part=self.parts[0].name)
        former = self.moved.get(f"{place.part}/{place.topic}") or self.moved.get(f"{place.part}")
        if former is None:
            return place
        part, _, topic = former.partition("/")
        return replace(place, part=part, topic=topic or None)


@dataclass(frozen=True)
class HourStop:
    """A stop of the hour: a part that also leads on its own (see shell/hour.py).

    minutes     that it takes
    whole       the whole picture has the same numbers, and is one press away
    plan        the minutes of the shortest plan for a class that has it; 0: it is done at home
    asks_first  the control for the task comes with the answer
    sentence    its tokens are those of the sentence of the course where the learner has another example
    ends        a look back: it has no number, and its mark is full if it is seen and all other marks are full
    """

    lesson: str
    part: str
    minutes: int
    whole: bool = True
    plan: int = 45
    asks_first: bool = False
    sentence: bool = False
    ends: bool = False

    @property
    def name(self) -> str:
        return f"{self.lesson}/{self.part}"

    @property
    def texts(self) -> tuple[str, ...]:
        """The keys of the texts that it needs. A task needs `stop.<part>_task` as well."""
        more = () if self.ends else ("_keep", "_kept", "_next")
        return tuple(f"stop.{self.part}{text}" for text in ("", "_why", *more))


class Location(NamedTuple):
    """A place of the course."""

    lesson: str
    part: str
    topic: str | None = None

    @property
    def place(self) -> Place:
        return Place(part=self.part, topic=self.topic)


@dataclass(frozen=True, eq=False)
class Course:
    """All pages. Raises ValueError where two lessons claim the same key of the link, question or subject.

    taught     the lessons in their order
    practice   what comes after them
    inside     the lessons inside a model, in their order
    reference  pages outside the course, made of parts like a lesson
    hour       the stops of the path for a first hour, in their order
    whole      the part with the whole computation
    """

    taught: tuple[Lesson, ...]
    practice: tuple[Lesson, ...] = ()
    inside: tuple[Lesson, ...] = ()
    reference: tuple[Lesson, ...] = ()
    hour: tuple[HourStop, ...] = ()
    whole: Location | None = None

    def __post_init__(self) -> None:
        owners = {kind: f"{kind.__module__}.{kind.__name__}" for kind in (*self.numbers, *self.looks)}
        keys = [(spec.key, owner) for kind, owner in owners.items() for spec in specs(kind).values()]
        _alone("key of the link", [(key, "the link") for key in KEYS] + keys)
        _alone("question", [(name, lesson.name) for lesson in self.lessons for name in lesson.questions])
        for kind in TREATED:
            _alone(kind, [(name, str(place)) for name, place in self._treated(kind)])
        _alone("target", [(target.name, place) for place, target in self.targets])
        _alone("stop of the hour", [(stop.name, str(i)) for i, stop in enumerate(self.hour)])
        for stop in self.hour:
            lesson = self.pages.get(stop.lesson)
            if lesson is None or stop.part not in [part.name for part in lesson.parts]:
                raise ValueError(f"the hour stops at {stop.name}, which does not exist")

    @cached_property
    def lessons(self) -> tuple[Lesson, ...]:
        return self.taught + self.practice + self.inside

    @cached_property
    def pages(self) -> dict[str, Lesson]:
        """The lessons and the pages outside the course by their names, in order."""
        return {lesson.name: lesson for lesson in self.lessons + self.reference}

    def at_home(self, query: Mapping[str, str]) -> Lesson:
        """The page at the app's own address: the first page, or with a link of a lesson the first lesson."""
        bare = set(query) <= {"lang", "present", *OF_STREAMLIT}
        return self.front if bare or query.get("part") == self.front.parts[0].name else self.lessons[0]

    @cached_property
    def front(self) -> Lesson:
        """The first page."""
        return next(page for page in self.reference if page.front)

    @cached_property
    def numbers(self) -> tuple[type, ...]:
        """The records of numbers and switches of all pages."""
        return tuple(dict.fromkeys(kind for page in self.pages.values() for kind in page.numbers))

    @cached_property
    def looks(self) -> tuple[type, ...]:
        """The records of what the pages look at."""
        return tuple(dict.fromkeys(kind for page in self.pages.values() for kind in page.looks))

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys that a link may have."""
        kinds = (*self.numbers, *self.looks)
        return KEYS | {spec.key for kind in kinds for spec in specs(kind).values()}

    @cached_property
    def keys_of_places(self) -> frozenset[str]:
        """The keys that a place which the browser keeps may have: it is in no plan, vote or presentation."""
        return self.keys - self.typed.keys() - set(NOT_IN_A_STOP) | {"lang"}

    @cached_property
    def keys_of_numbers(self) -> frozenset[str]:
        """The keys of the core settings and of the lessons' own numbers."""
        own = {spec.key for kind in self.numbers for spec in specs(kind).values()}
        return frozenset(own | set(OF_SETTINGS))

    @cached_property
    def typed(self) -> dict[str, tuple[type, str]]:
        """Link key → record and field of what is typed, and what no link says unasked."""
        fields = [(kind, name, spec) for kind in self.looks for name, spec in specs(kind).items()]
        return {spec.key: (kind, name) for kind, name, spec in fields if spec.typed}

    @property
    def texts(self) -> dict[str, tuple[str, ...]]:
        """Page → the keys of the texts that it needs."""
        about = ("lesson.goals", "lesson.needs", "lesson.minutes")
        of_pages = {lesson.name: lesson.texts + about for lesson in self.lessons}
        of_pages |= {page.name: page.texts for page in self.reference}
        for lesson in self.lessons:
            of_pages[lesson.name] += tuple(f"deeper.{part.name}" for part in lesson.parts)
        for stop in self.hour:  # its reason to go on is one of its own texts
            other = f"onward.{stop.part}", f"deeper.{stop.part}"
            others = tuple(key for key in of_pages[stop.lesson] if key not in other)
            of_pages[stop.lesson] = others + stop.texts
        return of_pages

    @property
    def targets(self) -> list[tuple[str, Target]]:
        """All targets, each with its place, "lesson/part"."""
        return [
            (f"{lesson.name}/{part.name}", target)
            for lesson in self.lessons
            for part in lesson.parts
            for target in part.targets
        ]

    def stop_at(self, lesson: str, part: str) -> HourStop | None:
        """The stop of the hour that is this part."""
        return next((stop for stop in self.hour if (stop.lesson, stop.part) == (lesson, part)), None)

    @property
    def minutes(self) -> int:
        """About how long the hour takes, in steps of five."""
        return 5 * round(sum(stop.minutes for stop in self.hour) / 5)

    def stop_after(self, stop: HourStop) -> HourStop | None:
        """The next stop of the hour, None after the last."""
        return dict(itertools.pairwise(self.hour)).get(stop)

    def questions_of(self, stop: HourStop) -> tuple[str, ...]:
        """The questions of the stop."""
        return self.pages[stop.lesson].part(stop.part).questions

    @cached_property
    def stop_numbers(self) -> dict[HourStop, int]:
        """The stops of the hour with their numbers, from 1 on."""
        return {stop: i for i, stop in enumerate((stop for stop in self.hour if not stop.ends), start=1)}

    def has(self, plan: Plan) -> bool:
        """Whether every stop of the plan is in a lesson that there is."""
        return all(stop.lesson in self.pages for stop in plan.stops)

    def after(self, name: str) -> Lesson | None:
        """The lesson after this one, None after the last and for a page outside the course."""
        following = {lesson.name: other for lesson, other in itertools.pairwise(self.lessons)}
        return following.get(name)

    def finished(self, view: View) -> frozenset[str]:
        """The lessons all of whose questions have an answer. A lesson without questions is never finished."""
        answered = {question for question, _ in view.answers}
        return frozenset(
            lesson.name
            for lesson in self.lessons
            if lesson.questions and answered.issuperset(lesson.questions)
        )

    @property
    def questions(self) -> Set[str]:
        """The names of all questions."""
        return self._questions.keys()

    def asked_at(self, question: str) -> Location:
        """Where the question is asked. Raises KeyError."""
        return self._questions[question]

    @cached_property
    def _questions(self) -> dict[str, Location]:
        ends = {
            lesson.ending: Location(lesson.name, lesson.last.name) for lesson in self.lessons if lesson.ending
        }
        asked = {question.name: place for branch, place in self._branches() for question in branch.asks}
        return asked | ends

    def place_of(self, kind: str, name: str) -> Location:
        """The place that treats it (see `treating`). Raises KeyError where no place does."""
        return self._subjects[kind][name]

    def treating(self, kind: str, name: str) -> Location | None:
        """The place that treats the term, step, mistake, claim or product of that name; kind: see TREATED."""
        return self._subjects[kind].get(name)

    @cached_property
    def _subjects(self) -> dict[str, dict[str, Location]]:
        return {kind: dict(self._treated(kind)) for kind in TREATED}

    def _treated(self, kind: str) -> Iterator[tuple[str, Location]]:
        return ((name, place) for branch, place in self._branches() for name in getattr(branch, kind))

    def _branches(self) -> Iterator[tuple[Part | Topic, Location]]:
        for page in self.pages.values():
            for part in page.parts:
                yield part, Location(page.name, part.name)
                for topic in part.topics:
                    yield topic, Location(page.name, part.name, topic.name)


def _alone(what: str, claims: list[tuple[str, str]]) -> None:
    """Raises ValueError where two claim the same."""
    owners: dict[str, str] = {}
    for name, owner in claims:
        other = owners.setdefault(name, owner)
        if other != owner:
            raise ValueError(f"{what} {name!r} is claimed by {other} and by {owner}")
