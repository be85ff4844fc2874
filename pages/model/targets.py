"""Targets: measured numbers that a learner is to reach, and what may be changed for that.

A target is data. The course declares some with an example to begin with, a hint and a solution. Others are in
links, as a short text (see `write`), and are about the numbers of the link.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from . import edits, handout
from .entries import SettingsError, short_enough, short_text, word
from .fields import (
    REQUIRED,
    UNREADABLE,
    checked,
    checked_entry,
    choice,
    count,
    custom,
    from_texts,
    number,
    several,
    to_texts,
)
from .matrices import MATRICES, MAX_HEADS, MAX_TOKENS, MAX_WIDTH
from .settings import Settings
from .shown import is_at_least, shown

if TYPE_CHECKING:
    from torch import Tensor

    from attention import MultiHeadTrace

# What can be measured: of each head, and of all heads together.
OF_A_HEAD = ("weights", "scores", "scaled_scores", "masked_scores")
OF_ALL = ("query", "key", "value", "output")
MEASURED = (*OF_A_HEAD, *OF_ALL)
LEAST, MOST, LARGEST = "ge", "le", "top"
RELATIONS = (LEAST, MOST, LARGEST)
MAX_CONDITIONS = 2
MAX_NAMES = 12  # of what may be changed
MAX_WORDS = 400  # characters of a target in a link
ROUNDING = 1e-9  # a number that misses the bound by less has reached it

# What may be changed: matrices, controls of the toolbar, and fields of the settings.
CHANGEABLE = frozenset((*MATRICES, *handout.CONTROLS, *(entry.name for entry in fields(Settings)))) - {
    "part",
    "example",
    "tokens",
    "source",
    "dimensions",
}


@dataclass(frozen=True)
class Condition:
    """A number of the computation: at least or at most the bound, or the largest of its row."""

    matrix: str = choice(REQUIRED, "matrix", MEASURED)
    row: int = count(REQUIRED, "row", 0, MAX_TOKENS - 1, from_one=True)
    col: int = count(REQUIRED, "col", 0, MAX_WIDTH * MAX_HEADS - 1, from_one=True)
    relation: str = choice(REQUIRED, "relation", RELATIONS)
    bound: float = number(0.0, "bound")
    head: int = count(0, "head", 0, MAX_HEADS - 1, from_one=True)

    def measured(self, trace: MultiHeadTrace) -> Measured | None:
        """The number and what is left to the bound; None where the computation has no such number."""
        tensor = self.tensor(trace)
        if tensor is None or self.row >= tensor.shape[0] or self.col >= tensor.shape[1]:
            return None
        return self._judged(tensor[self.row].tolist(), tuple(tensor.shape))

    def tensor(self, trace: MultiHeadTrace) -> Tensor | None:
        """The measured matrix; None for a head that the computation does not have."""
        if self.matrix in OF_ALL:
            whole: Tensor = getattr(trace, self.matrix)
            return whole
        heads: Tensor | None = getattr(trace.heads, self.matrix)
        return None if heads is None or self.head >= heads.shape[0] else heads[self.head]

    def _judged(self, values: list[float], shape: tuple[int, ...]) -> Measured | None:
        value = values[self.col]
        others = [other for col, other in enumerate(values) if col != self.col]
        if value != value or (self.relation == LARGEST and not others):
            return None
        bound = max(others) if self.relation == LARGEST else self.bound
        left = value - bound if self.relation == MOST else bound - value
        if value == bound:  # also where both are −∞
            left = 0.0
        if self.relation == LARGEST:
            reached = shown(value) > shown(bound)
        else:
            sign = -1 if self.relation == MOST else 1
            reached = left <= ROUNDING or is_at_least(sign * value, sign * bound)
        return Measured(value, bound, 0.0 if reached else max(left, 0.0), reached, shape)


class Measured(NamedTuple):
    """A measured number. left: the distance to the bound, 0 beyond it. shape: of its matrix."""

    value: float
    bound: float
    left: float
    reached: bool
    shape: tuple[int, ...]


# ---- a target in a link: "part:weights,1,3,2,ge,0.8;weights,1,3,4,top:w_q,w_k", all numbers from 1

_TEXT = re.compile(r"[a-z_]{1,24}(,[0-9]{1,3}){3},(top|(ge|le),[-+.0-9e]{1,24})")
_CELLS = ("matrix", "head", "row", "col", "relation", "bound")
_ROW = ("part", "conditions", "may")


def _write_condition(condition: Condition) -> str:
    return ",".join(to_texts(condition, _CELLS[: 5 if condition.relation == LARGEST else 6]))


def _read_condition(text: str) -> Condition:
    if not _TEXT.fullmatch(text):
        raise ValueError("no condition")
    condition: Condition = from_texts(Condition, dict(zip(_CELLS, text.split(","), strict=False)))
    return condition


_CONDITION = custom(None, "condition", _write_condition, _read_condition, checked_entry)


@dataclass(frozen=True)
class Target:
    """What is to be reached, and how.

    may       what may be changed: matrices, controls of the toolbar, fields
    name      of a target that the course declares
    example   the one of the course begins with this example, in the learner's language, and `setup`
    topic     in a part with topics: of which topic it is
    solution  edits from the start to the target: (matrix, row, column, value) or (field, value)
    part      of a target in a link: the part that it is for
    """

    conditions: tuple[Condition, ...] = several(REQUIRED, "conditions", ";", _CONDITION, 1, MAX_CONDITIONS)
    may: tuple[str, ...] = several(REQUIRED, "may", ",", choice("", "may", CHANGEABLE), 1, MAX_NAMES)
    name: str = ""
    example: str = ""
    setup: Mapping[str, Any] = field(default_factory=dict, hash=False)
    topic: str | None = None
    solution: tuple[tuple[Any, ...], ...] = ()
    part: str = custom("", "part", str, str, word)

    @property
    def word(self) -> str:
        """How a link names it."""
        return self.name or write(self)

    @functools.cached_property
    def held(self) -> frozenset[str]:
        """The settings that may not be changed."""
        free = {entry for name in self.may for entry in _fields_of(name)}
        return frozenset(entry.name for entry in fields(Settings)) - free

    def begun(self, example: Settings) -> Settings:
        """The settings at the start. example: the settings of its example."""
        return edits.with_choice(example, **self.setup) if self.setup else example

    def solved(self, start: Settings, *, without: int | None = None) -> Settings:
        """The settings after the stored solution, or after all its edits but one."""
        for i, entry in enumerate(self.solution):
            if i != without:
                start = changed(start, entry)
        return start

    def measured(self, trace: MultiHeadTrace) -> list[Measured | None]:
        return [condition.measured(trace) for condition in self.conditions]

    def is_reached(self, trace: MultiHeadTrace) -> bool:
        return all(measured is not None and measured.reached for measured in self.measured(trace))


def changed(settings: Settings, entry: Sequence[Any]) -> Settings:
    """The settings after one edit of a solution, as the screen makes it."""
    if len(entry) == 2:
        return edits.with_choice(settings, **{entry[0]: entry[1]})
    name, row, col, value = entry
    return edits.set_cell(settings, name, row, col, value)


def _fields_of(name: str) -> tuple[str, ...]:
    """The settings that change with it. A matrix that may be changed keeps its tokens."""
    return (name,) if name in MATRICES else handout.fields_of(name)


def write(target: Target) -> str:
    """The target as a text. `read` gives it back."""
    return ":".join(to_texts(target, _ROW))


@functools.lru_cache(maxsize=256)
def read(text: str) -> Target:
    """The target of that text. Raises SettingsError and nothing else."""
    try:
        texts = dict(zip(_ROW, short_enough(text, MAX_WORDS).split(":"), strict=True))
        target: Target = checked(from_texts(Target, texts))
        if len(set(target.may)) == len(target.may):
            return target
    except UNREADABLE:
        pass
    raise SettingsError("unknown_choice", name="target", got=short_text(text))


def check_word(name: str, value: object, record: object) -> str | None:
    """The word for a target in a link: a name, or a text of `write`. Raises SettingsError."""
    if isinstance(value, str) and ":" in value:
        return value if read(value) else None
    return None if value is None else word(name, value)
