"""A teacher's link: one or several stops, each a state of a lesson with what is locked, hidden and not asked.

A stop may have an instruction and a question of the teacher's own.

The plan is in one part of the link: a short text, compressed. What comes from a link may be anything, so
its size is limited before it is unpacked, and all that is in it is checked.
"""

from __future__ import annotations

import re
import string
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from . import packing
from .entries import WORD, SettingsError
from .fields import specs
from .mask_kinds import NUMBERS as MASK_NUMBERS
from .settings import FLAGS, POSITION_NUMBERS

if TYPE_CHECKING:
    from .state import State
    from .view import Place, View

MAX_STOPS = 20
MAX_PACKED = 24_000  # characters of a plan in the link
MAX_TEXT = 200_000  # bytes of its text
MAX_PARTS = 200  # parts of a stop's query
MAX_MARKS = 60  # names in one list of a stop
MAX_TITLE = 60
MAX_NOTE = 300
MAX_MINUTES = 999
MAX_INSTRUCTION = 300
MAX_QUESTION = 300
MAX_OPTION = 120
FILLS = ("check", "show")  # see Stop.fill
LEAST_OPTIONS, MAX_OPTIONS = 2, 6
MAX_EXPLANATION = 500
# What a stop's query does not say: the reader's language, where in which plan it is, whether the page is
# being presented, in which room it is, and whether it follows the teacher there.
NOT_IN_A_STOP = ("lang", "plan", "stop", "goto", "free", "present", "room", "follow")

LOCKED = ("locked", "held")  # the codes of refused changes

# A control that can be locked or hidden by its name → the fields of the settings and of the page that it
# changes. Every other name is a field or a matrix of its own.
CONTROLS = {
    "part": ("part", "topic"),
    "heads": ("num_heads",),
    "d_k": ("d_k", "head_dim"),
    "scaling": ("scaling", "own_divisor"),
    "mask": ("mask", "mask_2", "combine", *MASK_NUMBERS, "blocked", "masked_score"),
    "more": ("d_model", "follow", "d_v", "num_kv_heads", "biases", *FLAGS),
    "position": ("position", *dict.fromkeys(chain(*POSITION_NUMBERS.values()))),
    "x": ("x", "tokens", "dimensions"),
    "y": ("y", "source"),
}


def fields_of(name: str) -> tuple[str, ...]:
    """The fields that the control or matrix of that name changes."""
    return CONTROLS.get(name, (name,))


@dataclass(frozen=True)
class OwnQuestion:
    """A question that a teacher has written. All of it is text, never markup.

    right: for each option, whether it is right; at least one is, or the question is sealed
    """

    text: str
    options: tuple[str, ...]
    right: tuple[bool, ...]
    explanation: str = ""

    @property
    def name(self) -> str:
        """Its name among the answers: another text is another question."""
        return f"own_{zlib.crc32(repr((self.text, self.options)).encode()):08x}"

    @property
    def is_sealed(self) -> bool:
        """Whether a room keeps its answer: without the room the question is not asked."""
        return not any(self.right)

    def sealed(self) -> OwnQuestion:
        """The question without its answer, as the phones of a vote get it."""
        return replace(self, right=(False,) * len(self.options), explanation="")

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the options, as answers have them."""
        return tuple(string.ascii_lowercase[: len(self.options)])

    def is_right(self, word: str) -> bool:
        return dict(zip(self.words, self.right, strict=True)).get(word, False)

    def is_whole(self, *, sealed: bool = False) -> bool:
        """Whether it can be asked. sealed: in a vote."""
        texts = (self.text, MAX_QUESTION), *((option, MAX_OPTION) for option in self.options)
        return (
            all(text.strip() and _is_line(text, most) for text, most in texts)
            and _is_line(self.explanation, MAX_EXPLANATION)
            and LEAST_OPTIONS <= len(set(self.options)) == len(self.options) <= MAX_OPTIONS
            and (sealed or any(self.right))
        )


def is_own(question: str) -> bool:
    """Whether a question of this name may be a teacher's."""
    return re.fullmatch("own_[0-9a-f]{8}", question) is not None


@dataclass(frozen=True)
class Stop:
    """One state of a lesson, as the teacher hands it out.

    query     the state, as in a link
    locked    controls and matrices that are shown and cannot be changed
    hidden    controls that are not shown, and matrices whose numbers are not
    skipped   questions that are not asked; what an answer would reveal is shown
    withheld  questions that are not asked; what an answer would reveal is not shown either
    shows     everything is shown at once, and the questions are folded
    minutes   how long it takes, 0 where nobody has said it
    note      what the teacher has noted for the class; neither is in a link that is handed out
    instruction, question  what the teacher asks for here, in words
    fill      "check": learners can fill in the cells of hidden matrices, which are checked; "show": they can
              also have them shown
    held      the settings that a target holds; the link says which target
    """

    lesson: str
    query: str = ""
    locked: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    minutes: int = 0
    note: str = ""
    shows: bool = False
    instruction: str = ""
    question: OwnQuestion | None = None
    fill: str = ""
    held: frozenset[str] = frozenset()

    @cached_property
    def fixed(self) -> frozenset[str]:
        """All fields that cannot be changed here."""
        return self.held.union(field for name in (*self.locked, *self.hidden) for field in fields_of(name))

    @property
    def unasked(self) -> tuple[str, ...]:
        """The questions that are not asked."""
        return (*self.skipped, *self.withheld)

    @property
    def parts(self) -> dict[str, str]:
        """The query's parts. Raises ValueError for a text that is no query."""
        parts = parse_qsl(self.query, keep_blank_values=True, max_num_fields=MAX_PARTS)
        return {key: value for key, value in parts if key not in NOT_IN_A_STOP}


@dataclass(frozen=True)
class Plan:
    """Stops in their order, walked with “next”."""

    stops: tuple[Stop, ...]
    title: str = ""
    unlocks: bool = True  # who opens it may unlock it

    def without_notes(self) -> Plan:
        """The plan as the class gets it."""
        return replace(self, stops=tuple(replace(stop, minutes=0, note="") for stop in self.stops))

    def stop(self, number: int) -> Stop:
        """The stop of that number, counted from 1; where no stop has it, the nearest stop."""
        return self.stops[min(max(number, 1), len(self.stops)) - 1]


def stop_of(lesson: str, query: dict[str, str], **marks: Any) -> Stop:
    """The stop with the state of that link. It does not point at a cell of a hidden matrix."""
    kept = {key: value for key, value in query.items() if key not in NOT_IN_A_STOP}
    if kept.get("cell", "").split(",")[0] in marks.get("hidden", ()):
        del kept["cell"]
    return Stop(lesson, urlencode(kept), **marks)


def parts_of(plan: Plan, number: int, language: str) -> dict[str, str]:
    """The query of the link that opens this stop of the plan."""
    goto = {"goto": str(number)} if number != 1 else {}
    return {"lang": language, "plan": write(plan)} | goto


# ---- as text in the link

# Common words of plans take little room in a link. Links that teachers have handed out need them unchanged.
_WORDS = (
    b"heads more position example scaling mask d_k part w_o w_v w_k w_q practice worked_examples"
    b" flash_attention cost order cross_attention many_heads masks why_scale softmax one_head\t&temperature="
    b"&dmodel=8&heads=2&scaling=none&mask=causal&tokens=&wq=p&wk=p&wv=p&wo=p&x=p&row=1&topic=&cell=weights"
    b"&cell=output&step=softmax&step=query&step=scores&part=predict&part=misconceptions&part=meaning"
    b"&part=picture\texample=two_heads&example=masks&part=example=cats&part="
)
_LISTS = ("locked", "hidden", "skipped", "withheld")
_MORE = 5  # fields of a stop that are no lists
SHOWS = "shows"  # the text of the field that shows everything at once
# The fields after these begin with a letter that says what they are.
_INSTRUCTION, _QUESTION, _EXPLANATION, _RIGHT, _WRONG, _FILL = "iqerwf"
_MOST_EXTRAS = 4 + MAX_OPTIONS


def write(plan: Plan | None) -> str:
    if plan is None:
        return ""
    lines = [f"{plan.title}\t{'free' if plan.unlocks else ''}"]
    for stop in plan.stops:
        fields = [stop.lesson, stop.query, *(",".join(getattr(stop, name)) for name in _LISTS)]
        fields += [str(stop.minutes or ""), stop.note, SHOWS if stop.shows else "", *_extras(stop)]
        lines.append("\t".join(fields).rstrip("\t"))
    return packing.pack("\n".join(lines), _WORDS)


def read(text: str) -> Plan | None:
    """The plan of that text. Raises ValueError."""
    if not text:
        return None
    if len(text) > MAX_PACKED:
        raise ValueError("too long")
    first, *lines = packing.unpack(text, _WORDS, MAX_TEXT).split("\n", MAX_STOPS + 1)
    if len(lines) > MAX_STOPS:
        raise ValueError("too many stops")
    title, _, unlocks = first.partition("\t")
    return Plan(tuple(map(_stop, lines)), title, unlocks == "free")


def _stop(line: str) -> Stop:
    count = len(_LISTS) + _MORE
    fields = line.split("\t", count + _MOST_EXTRAS)
    if len(fields) > count + _MOST_EXTRAS:
        raise ValueError("too many fields")
    extras = _of_extras(fields[count:])
    fields = fields[:count] + [""] * (count - len(fields))
    lesson, query, *lists, minutes, note, shows = fields
    marks: dict[str, Any] = extras
    marks |= {name: tuple(filter(None, words.split(","))) for name, words in zip(_LISTS, lists, strict=True)}
    return Stop(lesson, query, minutes=int(minutes[:4] or 0), note=note, shows=shows == SHOWS, **marks)


def _extras(stop: Stop) -> Iterator[str]:
    """What a stop has after its other fields, with the letter of each."""
    if stop.fill:
        yield _FILL + stop.fill
    if stop.instruction:
        yield _INSTRUCTION + stop.instruction
    if (question := stop.question) is not None:
        yield _QUESTION + question.text
        for option, right in zip(question.options, question.right, strict=True):
            yield (_RIGHT if right else _WRONG) + option
        if question.explanation:
            yield _EXPLANATION + question.explanation


def _of_extras(fields: Sequence[str]) -> dict[str, Any]:
    """What these fields say of a stop. Raises ValueError."""
    texts: dict[str, str] = {}
    options: list[tuple[str, bool]] = []
    for field in fields:
        kind, text = field[:1], field[1:]
        if kind and kind in _RIGHT + _WRONG:
            options.append((text, kind == _RIGHT))
        elif kind and kind in _INSTRUCTION + _QUESTION + _EXPLANATION + _FILL and kind not in texts:
            texts[kind] = text
        else:
            raise ValueError("unknown field")
    extras: dict[str, Any] = {"instruction": texts.pop(_INSTRUCTION, ""), "fill": texts.pop(_FILL, "")}
    if texts or options:
        words, right = zip(*options, strict=True) if options else ((), ())
        extras["question"] = OwnQuestion(texts.get(_QUESTION, ""), words, right, texts.get(_EXPLANATION, ""))
    return extras


def check_plan(name: str, plan: Plan | None, record: object) -> Plan | None:
    """The plan, if all in it can be shown. Raises SettingsError."""
    if plan is not None and not (_is_line(plan.title, MAX_TITLE) and 1 <= len(plan.stops) <= MAX_STOPS):
        raise SettingsError("link_value", name=name)
    for stop in plan.stops if plan is not None else ():
        lists = [getattr(stop, field) for field in _LISTS]
        words = [word for words in lists for word in words]
        named = all(len(words) <= MAX_MARKS for words in lists) and all(map(WORD.fullmatch, words))
        noted = 0 <= stop.minutes <= MAX_MINUTES and _is_line(stop.note, MAX_NOTE)
        asks = _is_line(stop.instruction, MAX_INSTRUCTION) and stop.fill in ("", *FILLS)
        asks = asks and (stop.question is None or stop.question.is_whole(sealed=True))
        if not (WORD.fullmatch(stop.lesson) and named and noted and asks):
            raise SettingsError("link_value", name=name)
        _ = stop.parts  # raises where the text is no query
    return plan


def _is_line(text: str, most: int) -> bool:
    return len(text) <= most and text.isprintable()


# ---- what it means for a lesson


def at(view: View, lesson: str) -> Stop | None:
    """The present stop of the plan, if it is in this lesson."""
    stop = None if view.plan is None else view.plan.stop(view.stop)
    return stop if stop is not None and stop.lesson == lesson else None


def standing(view: View, lesson: str) -> Stop | None:
    """The stop whose rules hold in this lesson, if there is one and the learner has not unlocked the plan."""
    return None if is_unlocked(view) else at(view, lesson)


def alone(view: View, lesson: str) -> View:
    """The view with the present stop of the plan alone, to be shared; without the plan in other lessons."""
    if view.plan is None:
        return view
    stop = view.plan.stop(view.stop)
    if stop.lesson != lesson:
        return replace(view, plan=None, stop=0, free=False)
    return replace(view, plan=replace(view.plan, stops=(stop,)).without_notes(), stop=1)


def shows(view: View) -> bool:
    """Whether the present stop of a teacher's link shows everything at once."""
    return view.plan is not None and not is_unlocked(view) and view.plan.stop(view.stop).shows


def is_unlocked(view: View) -> bool:
    """The learner has unlocked the plan, which the teacher has allowed."""
    return view.free and view.plan is not None and view.plan.unlocks


def place_at(stop: Stop | None, place: Place) -> Place:
    """The place; where the stop has locked the choice of the part, in its own part and topic."""
    if stop is None or "part" not in stop.fixed:
        return place
    return replace(place, part=stop.parts.get("part"), topic=stop.parts.get("topic"))


def keep(stop: Stop | None, before: State, after: State) -> None:
    """Raises SettingsError if a change would change what the stop has locked."""
    if stop is None:
        return
    kinds = {type(record) for record in (*before.own, *after.own)}
    for name in stop.fixed:
        kind = next((kind for kind in kinds if name in specs(kind)), None)
        owners = (state.core if kind is None else state.of(kind) for state in (before, after))
        was, is_now = (getattr(owner, name, None) for owner in owners)
        if was != is_now:
            raise SettingsError("held" if name in stop.held else "locked")
