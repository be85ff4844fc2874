"""A teacher's link: one or several stops, each a state of a lesson with what is locked, hidden and not asked.

The plan is in one part of the link: a short text, compressed. What comes from a link may be anything, so
its size is limited before it is unpacked, and all that is in it is checked.
"""

from __future__ import annotations

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
# What a stop's query does not say: the reader's language, where in which plan it is, whether the page is
# being presented, and which vote it takes part in.
NOT_IN_A_STOP = ("lang", "plan", "stop", "goto", "free", "present", "room")

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

    @cached_property
    def fixed(self) -> frozenset[str]:
        """All fields that cannot be changed here."""
        return frozenset(field for name in (*self.locked, *self.hidden) for field in fields_of(name))

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


def write(plan: Plan | None) -> str:
    if plan is None:
        return ""
    lines = [f"{plan.title}\t{'free' if plan.unlocks else ''}"]
    for stop in plan.stops:
        fields = [stop.lesson, stop.query, *(",".join(getattr(stop, name)) for name in _LISTS)]
        fields += [str(stop.minutes or ""), stop.note, SHOWS if stop.shows else ""]
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
    fields = line.split("\t")
    if len(fields) > len(_LISTS) + _MORE:
        raise ValueError("too many fields")
    fields += [""] * (len(_LISTS) + _MORE - len(fields))
    lesson, query, *lists, minutes, note, shows = fields
    marks = {name: tuple(filter(None, words.split(","))) for name, words in zip(_LISTS, lists, strict=True)}
    return Stop(lesson, query, **marks, minutes=int(minutes[:4] or 0), note=note, shows=shows == SHOWS)


def check_plan(name: str, plan: Plan | None, record: object) -> Plan | None:
    """The plan, if all in it can be shown. Raises SettingsError."""
    if plan is not None and not (_is_line(plan.title, MAX_TITLE) and 1 <= len(plan.stops) <= MAX_STOPS):
        raise SettingsError("link_value", name=name)
    for stop in plan.stops if plan is not None else ():
        lists = [getattr(stop, field) for field in _LISTS]
        words = [word for words in lists for word in words]
        named = all(len(words) <= MAX_MARKS for words in lists) and all(map(WORD.fullmatch, words))
        noted = 0 <= stop.minutes <= MAX_MINUTES and _is_line(stop.note, MAX_NOTE)
        if not (WORD.fullmatch(stop.lesson) and named and noted):
            raise SettingsError("link_value", name=name)
        _ = stop.parts  # raises where the text is no query
    return plan


def _is_line(text: str, most: int) -> bool:
    return len(text) <= most and text.isprintable()


# ---- what it means for a lesson


def standing(view: View, lesson: str) -> Stop | None:
    """The stop whose rules hold in this lesson, if there is one and the learner has not unlocked the plan."""
    if view.plan is None or is_unlocked(view):
        return None
    stop = view.plan.stop(view.stop)
    return stop if stop.lesson == lesson else None


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
    kinds = {type(record) for record in (*before.own, *after.own)}
    for name in stop.fixed if stop is not None else ():
        kind = next((kind for kind in kinds if name in specs(kind)), None)
        owners = (state.core if kind is None else state.of(kind) for state in (before, after))
        was, is_now = (getattr(owner, name, None) for owner in owners)
        if was != is_now:
            raise SettingsError("locked")
