"""The state as a link's query, and back. Readable, short: the example, and what differs from its start."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from . import edits, handout, matrices
from . import settings as s
from .course import OF_STREAMLIT, Course
from .entries import (
    MAX_NAME,
    SettingsError,
    first_problems,
    is_text,
    parse_token,
    parse_whole,
    short_enough,
    short_text,
    split_names,
    write_names,
)
from .fields import UNREADABLE, differing, keys_of, specs, with_fields
from .languages import LANGUAGES, START
from .matrices import SIZES, TABLE, TOKENS
from .matrix_text import read_matrix, write_matrix
from .settings import Settings
from .state import State
from .view import Place, View

# The widest matrix has 16 × 128 numbers of at most 20 characters each, what parts them included, in 128 rows.
MAX_VALUE_LENGTH = 41_200
MAX_TOKENS_LENGTH = matrices.MAX_TOKENS * (2 * MAX_NAME + 1)
MAX_LENGTH = 185_000  # of all that is read; only a file has so much
LONGEST = 60_000  # characters of a query in an address: servers and proxies may refuse more than 64 KB
FORMER = ("guess",)  # older links say answers, which are asked again

Query = Mapping[str, str | list[str]]


def read_tokens(text: str) -> tuple[str, ...]:
    names = split_names(short_enough(text, MAX_TOKENS_LENGTH))
    if len(names) > matrices.MAX_TOKENS:
        raise SettingsError("too_many_tokens", limit=matrices.MAX_TOKENS)
    return tuple(map(parse_token, names))


@functools.lru_cache(maxsize=64)
def _example_at(
    example: str, tokens: tuple[str, ...], source: tuple[str, ...], biases: bool, *sizes: int | None
) -> Settings:
    """An example's start with the present tokens and sizes: what a link need not say.

    Kept, for it is made from nothing that a hand drags.
    """
    start = s.normalised(replace(edits.example_start(example), tokens=tokens, source=source))
    start = edits.resize(start, **dict(zip(SIZES, sizes, strict=True)))
    return edits.set_biases(start, True) if biases else start


def to_query(state: State, view: View, place: Place, *, typed: bool = False) -> dict[str, str]:
    """The query of the link that brings back this state. `lang` and `example` are always in it.

    typed: with what was pasted and searched for.
    """
    query = {"lang": view.language} | _of_settings(state.core)
    for record in (*state.own, *view.own):
        query |= differing(record, type(record)())
    query |= typed_of(view) if typed else {}
    return query | differing(view, View()) | differing(place, Place())


def fitting(query: dict[str, str], course: Course) -> dict[str, str]:
    """The query for an address: without the numbers, if they are too many for it."""
    if len(urlencode(query)) <= LONGEST:
        return query
    return {key: text for key, text in query.items() if key not in course.keys_of_numbers}


def whole(address: str, query: dict[str, str]) -> str:
    """The whole address of a link; "" if it is too long to be opened (such a state is offered as a file)."""
    text = urlencode(query)
    return f"{address}?{text}" if address and len(text) <= LONGEST else ""


def typed_of(view: View) -> dict[str, str]:
    """What was pasted and searched for, by its keys."""
    texts: dict[str, str] = {}
    for record in view.own:
        texts |= differing(record, type(record)(), typed=True)
    return texts


def with_typed(view: View, texts: Mapping[str, str], course: Course) -> View:
    """The view with what was typed, unless it has another text; what cannot be taken is left out."""
    for key, (kind, name) in course.typed.items():
        record: Any = view.of(kind)
        if key in texts and not getattr(record, name):
            with contextlib.suppress(SettingsError):
                view = view.having(with_fields(record, **{name: texts[key]}))
    return view


@functools.lru_cache(maxsize=64)
def _of_settings(core: Settings) -> dict[str, str]:
    start, biases = edits.example_start(core.example), core.b_q is not None
    sized = _example_at(
        core.example, core.tokens, core.source, biases, *(getattr(core, name) for name in SIZES)
    )
    query = {"example": core.example}
    for name in TOKENS:
        if getattr(core, name) != getattr(start, name):
            query[name] = write_names(getattr(core, name))
    for name, size in SIZES.items():
        if getattr(core, name) != getattr(start, name):
            chosen = getattr(core, name)
            query[size.key] = "auto" if chosen is None else str(chosen)
    if biases:
        query["biases"] = "on"
    for name, entries in TABLE.items():
        matrix = s.as_matrix(core, name)
        if matrix is not None and matrix != s.as_matrix(sized, name):
            query[entries.key] = write_matrix(matrix, s.numbers_of(sized, name))
    return query | differing(core, sized)


def _last(value: object) -> str:
    """A part's text: of several, the last, as in Streamlit."""
    if isinstance(value, list):
        value = value[-1] if value else ""
    return value if isinstance(value, str) else ""


def _with_text(record: Any, field: str, text: str) -> Any:
    """The record with a field as the link has it."""
    return with_fields(record, **{field: specs(type(record))[field].read(text)})


class _Reader:
    """Takes the parts of a link one by one; what cannot be taken becomes a problem, and the rest goes on."""

    def __init__(self, query: Query, course: Course):
        self.problems: list[SettingsError] = []
        parts = {key: text for key, text in expanded(query, course).items() if key not in FORMER}
        for key in [key for key, text in parts.items() if not (is_text(key) and is_text(text))]:
            del parts[key]
            self.problems.append(SettingsError("link_value", name=short_text(key)))
        unknown = [key for key in parts if key not in course.keys and key not in OF_STREAMLIT]
        if unknown:
            names = tuple(short_text(key[:20]) for key in unknown[:3])
            self.problems.append(SettingsError("link_unknown", names=names))
        self.parts = parts

    def take(self, key: str, present: Any, change: Callable[[str], Any]) -> Any:
        """`change` applied to the part `key`, if the link has it; else, or if it fails, `present`."""
        if key not in self.parts:
            return present
        text = self.parts[key]
        try:
            if len(text) > MAX_VALUE_LENGTH:
                raise ValueError("too long")
            return change(text)
        except UNREADABLE:
            self.problems.append(SettingsError("link_value", name=key))
            return present

    def take_declared(self, record: Any) -> Any:
        for key, name in keys_of(type(record)).items():
            record = self.take(key, record, functools.partial(_with_text, record, name))
        return record

    def take_records(self, owner: Any, kinds: tuple[type, ...]) -> Any:
        """State or view with the lessons' records that the link has."""
        for kind in kinds:
            if not self.parts.keys().isdisjoint(keys_of(kind)):
                owner = owner.having(self.take_declared(kind()))
        return owner


def expanded(query: Query, course: Course) -> dict[str, str]:
    """The parts of a link. One that opens a stop of a plan says no `stop` yet: it has the stop's own parts.

    What the link says in addition has precedence over these.
    """
    parts = {key: _last(value) for key, value in query.items()}
    if "plan" not in parts or "stop" in parts:
        return parts
    try:
        plan = handout.check_plan("plan", handout.read(parts["plan"]), None)
        number = parse_whole(parts.pop("goto", "1"))
        if plan is None or not course.has(plan):
            return parts
        return plan.stop(number).parts | {"stop": str(min(max(number, 1), len(plan.stops)))} | parts
    except ValueError:  # what is wrong with it is said where the link is read
        return parts


def from_query(
    query: Query, course: Course, language: str = START
) -> tuple[State, View, Place, list[SettingsError]]:
    """The state a link represents, and what of it could not be taken. Never raises.

    `language` is used where the link names no language.
    """
    parts = {key: _last(value) for key, value in query.items()}
    too_long = sum(map(len, parts.values())) + sum(map(len, parts)) > MAX_LENGTH
    if too_long:
        parts = {"lang": parts.get("lang", "")[:MAX_NAME]}
    state, view, place, problems = _from_parts(tuple(parts.items()), course, language)
    refused = [SettingsError("link_too_long", limit=MAX_LENGTH)] if too_long else []
    return state, view, place, [*refused, *problems]


@functools.lru_cache(maxsize=32)  # a class opens the same link, and follows the same teacher
def _from_parts(
    parts: tuple[tuple[str, str], ...], course: Course, language: str
) -> tuple[State, View, Place, list[SettingsError]]:
    reader = _Reader(dict(parts), course)
    core = reader.take("example", Settings(), edits.example_start)
    core = _take_sizes(reader, core)
    for name, entries in TABLE.items():
        core = reader.take(entries.key, core, functools.partial(_with_matrix, core, name))
    state = reader.take_records(State(core=s.normalised(reader.take_declared(core))), course.numbers)
    view = reader.take_declared(View(language=language if language in LANGUAGES else START))
    if view.plan is not None and not course.has(view.plan):
        reader.problems.append(SettingsError("link_value", name="plan"))
        view = replace(view, plan=None)
    view = reader.take_records(view, course.looks)
    return state, view, reader.take_declared(Place()), first_problems(reader.problems, "link_more")


def _take_sizes(reader: _Reader, core: Settings) -> Settings:
    """Tokens, sizes and biases. The sizes go in together, for one may need the other."""
    for name in TOKENS:
        core = reader.take(name, core, functools.partial(_with_names, core, name))
    sizes: dict[str, int | None] = {}
    for name, size in SIZES.items():
        reader.take(size.key, core, functools.partial(_note_size, core, sizes, name))
    core = _resized(reader, core, sizes)
    return reader.take("biases", core, lambda text: edits.set_biases(core, {"on": True}[text]))


def _with_names(core: Settings, name: str, text: str) -> Settings:
    names: dict[str, Any] = {name: read_tokens(text)}
    if len(names[name]) < TOKENS[name]:
        raise ValueError("too short")
    return s.normalised(replace(core, **names))


def _resized(reader: _Reader, core: Settings, sizes: dict[str, int | None]) -> Settings:
    """The sizes that go together: where the heads do not divide d_model, the heads are left out first."""
    try:
        return edits.resize(core, **sizes)
    except SettingsError as problem:
        reader.problems.append(problem)
        left_out = next(name for name in ("num_kv_heads", "num_heads", "d_model") if name in sizes)
        return _resized(reader, core, {name: size for name, size in sizes.items() if name != left_out})


def _note_size(core: Settings, sizes: dict[str, int | None], name: str, text: str) -> Settings:
    size = None if SIZES[name].follows and text == "auto" else parse_whole(text)
    others = {"d_k": 1, "d_v": 1} | ({"num_heads": size} if name == "num_kv_heads" and size else {})
    edits.resize(core, **(others | {name: size}))  # raises where its own range is left
    sizes[name] = size
    return core


def _with_matrix(core: Settings, name: str, text: str) -> Settings:
    start = s.as_matrix(core, name)
    if start is None:
        raise ValueError("no biases")
    return s.with_matrix(core, name, read_matrix(text, start))
