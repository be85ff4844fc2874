"""A teacher's link: one or several stops, each a state of a lesson with what is locked, hidden and not asked.

A stop may have an instruction and a question of the teacher's own. Such a text may be there in several
languages: as it was given, and behind it in others (see `told`).

The plan is in one part of the link: a short text, compressed. What comes from a link may be anything, so
its size is limited before it is unpacked, and all that is in it is checked.
"""

from __future__ import annotations

import re
import string
import zlib
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any
from urllib.parse import parse_qsl, urlencode

from . import packing
from .entries import SettingsError, word
from .fields import (
    REQUIRED,
    UNREADABLE,
    accepting,
    checked,
    checked_entry,
    choice,
    count,
    custom,
    differing,
    flag,
    from_texts,
    several,
    specs,
    to_texts,
)
from .languages import LANGUAGES
from .mask_kinds import NUMBERS as MASK_NUMBERS
from .settings import FLAGS, POSITION_NUMBERS
from .state import State

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


# ---- a text of the teacher's own: "Which row?", or "Which row?\x1ezh 哪一行？"

MARK = "\x1e"  # nobody can type it


def in_languages(text: str) -> tuple[str, dict[str, str]]:
    """The text as it was given, and in other languages by their codes."""
    original, *others = text.split(MARK, len(LANGUAGES))
    return original, {code: other for code, _, other in (part.partition(" ") for part in others)}


def told(text: str, language: str) -> str:
    """The text in this language, or as it was given."""
    original, others = in_languages(text)
    return others.get(language, original)


def _is_line(text: str, most: int) -> bool:
    return len(text) <= most and text.isprintable()


def _is_text(text: str, most: int) -> bool:
    """Whether it is one line of at most `most` characters, in each language that it has."""
    original, others = in_languages(text)
    written = MARK.join([original, *(f"{code} {other}" for code, other in others.items())])
    in_course = others.keys() <= LANGUAGES.keys() and all(others.values())
    return (
        in_course and written == text and all(_is_line(line, most) for line in (original, *others.values()))
    )


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
        """Its name among the answers: another text is another question, another language is not."""
        asked = told(self.text, ""), tuple(told(option, "") for option in self.options)
        return f"own_{zlib.crc32(repr(asked).encode()):08x}"

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
        different = {len({told(option, code) for option in self.options}) for code in ("", *LANGUAGES)}
        return (
            all(told(text, "").strip() and _is_text(text, most) for text, most in texts)
            and _is_text(self.explanation, MAX_EXPLANATION)
            and different == {len(self.options)}
            and LEAST_OPTIONS <= len(self.options) <= MAX_OPTIONS
            and (sealed or any(self.right))
        )


def is_own(question: str) -> bool:
    """Whether a question of this name may be a teacher's."""
    return re.fullmatch("own_[0-9a-f]{8}", question) is not None


# ---- a plan as text: a row of texts for each stop

_PLACED = 9  # fields of a stop that have a place in its row; each of the others has its letter
_OTHERS = re.compile(r"(?:\tf([^\t]*))?(?:\ti([^\t]*))?(?:\tq([^\t]*(?:\t[rw][^\t]*)*(?:\te[^\t]*)?))?")


def _line(key: str, most: int) -> Any:
    return custom("", key, str, str, accepting(lambda text, _: _is_text(text, most)))


def _words(key: str) -> Any:
    return several((), key, ",", custom("", key, str, str, word), 0, MAX_MARKS)


def _write_question(question: OwnQuestion) -> str:
    options = ["wr"[right] + option for option, right in zip(question.options, question.right, strict=True)]
    return "\t".join([question.text, *options] + [f"e{question.explanation}"] * bool(question.explanation))


def _read_question(text: str) -> OwnQuestion:
    text, *cells = text.split("\t")
    explanation = cells.pop()[1:] if cells and cells[-1][0] == "e" else ""
    return OwnQuestion(
        text, tuple(cell[1:] for cell in cells), tuple(cell[0] == "r" for cell in cells), explanation
    )


def _can_be_asked(question: OwnQuestion | None, stop: object) -> bool:
    return question is None or question.is_whole(sealed=True)


def _write_stop(stop: Stop) -> str:
    texts = differing(stop, Stop(""))
    cells = [texts.get(key, "") for key in specs(Stop)]
    others = [letter + text for letter, text in zip("fiq", cells[_PLACED:], strict=True) if text]
    return "\t".join(cells[:_PLACED] + others).rstrip("\t")


def _read_stop(line: str) -> Stop:
    placed = line.split("\t", _PLACED)
    others = _OTHERS.fullmatch("".join(f"\t{cells}" for cells in placed[_PLACED:]))
    if others is None:
        raise ValueError("unknown field")
    cells = [*(placed + [""] * _PLACED)[:_PLACED], *others.groups("")]
    stop: Stop = from_texts(Stop, {name: text for name, text in zip(specs(Stop), cells, strict=True) if text})
    return stop


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

    lesson: str = custom("", "lesson", str, str, word)
    query: str = custom("", "query", str, str, accepting(lambda query, stop: stop.parts is not None))
    locked: tuple[str, ...] = _words("locked")
    hidden: tuple[str, ...] = _words("hidden")
    skipped: tuple[str, ...] = _words("skipped")
    withheld: tuple[str, ...] = _words("withheld")
    minutes: int = count(0, "minutes", 0, MAX_MINUTES)
    note: str = _line("note", MAX_NOTE)
    shows: bool = flag(False, "shows", ("", "shows"))
    fill: str = choice("", "fill", ("", *FILLS))
    instruction: str = _line("instruction", MAX_INSTRUCTION)
    question: OwnQuestion | None = custom(
        None, "question", _write_question, _read_question, accepting(_can_be_asked)
    )
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

    stops: tuple[Stop, ...] = several(
        REQUIRED, "stops", "\n", custom(None, "stop", _write_stop, _read_stop, checked_entry), 1, MAX_STOPS
    )
    title: str = _line("title", MAX_TITLE)
    unlocks: bool = flag(True, "unlocks", ("", "free"))  # who opens it may unlock it

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


# Common words of plans take little room in a link. Links that teachers have handed out need them unchanged.
_WORDS = (
    b"heads more position example scaling mask d_k part w_o w_v w_k w_q practice worked_examples"
    b" flash_attention cost order cross_attention many_heads masks why_scale softmax one_head\t&temperature="
    b"&dmodel=8&heads=2&scaling=none&mask=causal&tokens=&wq=p&wk=p&wv=p&wo=p&x=p&row=1&topic=&cell=weights"
    b"&cell=output&step=softmax&step=query&step=scores&part=predict&part=misconceptions&part=meaning"
    b"&part=picture\texample=two_heads&example=masks&part=example=cats&part="
)


def write(plan: Plan | None) -> str:
    if plan is None:
        return ""
    title, unlocks, stops = to_texts(plan, ("title", "unlocks", "stops"))
    return packing.pack(f"{title}\t{unlocks}\n{stops}", _WORDS)


def read(text: str) -> Plan | None:
    """The plan of that text, not checked yet. Raises ValueError."""
    if not text:
        return None
    if len(text) > MAX_PACKED:
        raise ValueError("too long")
    first, _, stops = packing.unpack(text, _WORDS, MAX_TEXT).partition("\n")
    title, _, unlocks = first.partition("\t")
    plan: Plan = from_texts(Plan, {"title": title, "unlocks": unlocks, "stops": stops})
    return plan


def check_plan(name: str, plan: Plan | None, record: object) -> Plan | None:
    """The plan, if all in it can be shown. Raises SettingsError."""
    try:
        return plan and checked(plan)
    except UNREADABLE as fault:
        raise SettingsError("link_value", name=name) from fault


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
