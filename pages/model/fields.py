"""Declarations of fields of records: default, key, range and step in one entry.

    temperature: float = number(1.0, "temperature", 0.01, 100.0, step=0.05)

The entry determines how a link, a row of texts or JSON has the field, which values are valid, and the range
of a drag. In the settings its label and its help are the texts `setting.<name>` and `help.<name>`.
"""

import contextlib
import dataclasses
import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .entries import MAX_VALUE, SettingsError, one_of, parse_number, parse_whole, whole

Bound = float | Callable[[Any], int]
# (name, value, record or, of JSON, course) → the clean value; raises one of UNREADABLE
Check = Callable[[str, Any, Any], Any]
REQUIRED: Any = dataclasses.MISSING  # in place of a default
# What reading and checking of any value may raise.
UNREADABLE = (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError)


@dataclass(frozen=True)
class Spec:
    """The declaration of a field. `low` and `high` may be functions of the record."""

    kind: str  # "number", "count", "row" of numbers, "choice", "flag" or "other"
    key: str  # in the link or in JSON
    write: Callable[[Any], Any]  # as a text, or as JSON
    read: Callable[[Any], Any]
    check: Check
    low: Bound | None = None
    high: Bound | None = None
    step: float = 1
    options: tuple[str, ...] = ()
    most: int = 0  # numbers in a row
    log: bool = False  # steps multiply
    option: bool = False  # the core has an argument of the same name
    typed: bool = False  # a text of the learner's, in links only on request

    def range(self, record: object) -> tuple[Any, Any]:
        """The least and the largest value in this record, as numbers of the field's kind."""
        low, high = (bound(record) if callable(bound) else bound for bound in (self.low, self.high))
        if low is None or high is None:
            raise ValueError(f"{self.key!r} has no bounds")
        return low, max(low, high)


def _declared(default: Any, spec: Spec) -> Any:
    start: Any = {"default_factory": default} if callable(default) else {"default": default}
    return field(**start, metadata={"spec": spec})


def write_number(value: float) -> str:
    return repr(value).removesuffix(".0")


def number(
    default: float,
    key: str,
    low: float = -MAX_VALUE,
    high: float = MAX_VALUE,
    step: float = 0.1,
    *,
    log: bool = False,
):
    """A real number from low to high. log: a step multiplies by 1 + step."""

    def check(name: str, value: object, record: object) -> float:
        clean = parse_number(value)
        if not low <= clean <= high:
            raise SettingsError("out_of_range", name=name, low=low, high=high, got=clean)
        return clean

    spec = Spec("number", key, write_number, parse_number, check, low, high, step, log=log)
    return _declared(default, spec)


def count(
    default: int,
    key: str,
    low: Bound,
    high: Bound,
    step: float = 1,
    *,
    from_one: bool = False,
    log: bool = False,
):
    """A whole number. from_one: an index, counted from 1 in the link. log: a step multiplies by 1 + step."""
    shift = int(from_one)

    def check(name: str, value: object, record: object) -> int:
        return whole(name, value, *spec.range(record))

    def write(value: int) -> str:
        return str(value + shift)

    def read(text: str) -> int:
        return parse_whole(text) - shift

    spec = Spec("count", key, write, read, check, low, high, step, log=log)
    return _declared(default, spec)


def row(default: tuple[float, ...], key: str, most: int):
    """From one to `most` real numbers."""
    return several(default, key, ",", number(0.0, key), 1, most, "row")


def several(default: Any, key: str, mark: str, entry: Any, least: int, most: int, kind: str = "other"):
    """From `least` to `most` entries, each declared as a field, with a mark between them."""
    of: Spec = entry.metadata["spec"]
    make, ordered = (frozenset, sorted) if isinstance(default, frozenset) else (tuple, tuple)

    def check(name: str, values: Collection[object], record: object) -> Collection[Any]:
        if not least <= len(values) <= most:
            raise SettingsError("out_of_range", name=name, low=least, high=most, got=len(values))
        return make(of.check(name, value, record) for value in values)

    def write(values: Collection[Any]) -> str:
        return mark.join(map(of.write, ordered(values)))

    def read(text: str) -> Collection[Any]:
        return make(map(of.read, text.split(mark, most) if text else ()))  # one too many is refused by check

    return _declared(default, Spec(kind, key, write, read, check, most=most))


def choice(default: str, key: str, options: Collection[str]):
    """One of a few names."""

    def check(name: str, value: object, record: object) -> str:
        return one_of(name, value, options)

    return _declared(default, Spec("choice", key, str, str, check, options=tuple(options)))


def flag(default: bool, key: str, words: tuple[str, str] = ("off", "on"), *, option: bool = False):
    """Off or on. option: the core has an argument of the same name, which gets this value."""

    def read(text: str) -> bool:
        return one_of(key, text, words) == words[True]

    spec = Spec("flag", key, words.__getitem__, read, lambda n, v, r: bool(v), option=option)
    return _declared(default, spec)


def custom(default: object, key: str, write: Callable, read: Callable, check: Check):
    """A field with a form of its own. check(name, value, record) returns the clean value or raises."""
    return _declared(default, Spec("other", key, write, read, check))


def typed(key: str, check: Callable[[str, Any, Any], str]):
    """A text that the learner types or pastes. It is in links only if the learner agrees."""
    return _declared("", Spec("other", key, str, str, check, typed=True))


def _same(value: Any) -> Any:
    return value


def accepting(holds: Callable[[Any, Any], object]) -> Check:
    """The check of what is taken as it is, if `holds(value, record)`."""

    def check(name: str, value: Any, record: object) -> Any:
        if not holds(value, record):
            raise SettingsError("link_value", name=name)
        return value

    return check


def in_json(default: object, key: str, check: Check):
    """A value that is the same in JSON."""
    return custom(default, key, _same, _same, check)


def names(key: str, of: Check):
    """A set of names, in JSON a list. A name that cannot be read is left out."""

    def check(name: str, values: Iterable[object], record: object) -> frozenset[Any]:
        return frozenset(_readable(((value,) for value in values), lambda value: of(name, value, record)))

    return custom(frozenset(), key, sorted, _same, check)


def mapping(key: str, names: Check, values: Check, write: Callable = _same, most: int = 0):
    """Names with values. What cannot be read is left out; most: of more entries, the first are as well."""

    def check(name: str, entries: Mapping[str, object], record: object) -> dict[Any, Any]:
        def entry(key: str, value: object) -> tuple[Any, Any]:
            return names(name, key, record), values(name, value, record)

        return dict([*_readable(entries.items(), entry)][-most:])

    def written(entries: Mapping[str, object]) -> dict[str, Any]:
        return {name: write(value) for name, value in entries.items()}

    return custom(dict, key, written, _same, check)


def _readable(entries: Iterable[tuple[Any, ...]], read: Callable) -> Iterator[Any]:
    for entry in entries:
        with contextlib.suppress(*UNREADABLE):
            yield read(*entry)


def specs(record_type: type) -> Mapping[str, Spec]:
    """The declared fields of a record, in order."""
    return _specs(record_type)


@functools.cache
def _specs(record: Any) -> dict[str, Spec]:
    return {f.name: f.metadata["spec"] for f in dataclasses.fields(record) if "spec" in f.metadata}


def keys_of(record_type: type) -> dict[str, str]:
    """Link key → field."""
    return {spec.key: name for name, spec in specs(record_type).items()}


def with_fields(record: Any, **values: object) -> Any:
    """The record with these declared fields set, each checked. Raises SettingsError."""
    table = specs(type(record))
    for name in values:
        one_of("field", name, table)
    return dataclasses.replace(
        record, **{name: table[name].check(name, value, record) for name, value in values.items()}
    )


def checked(record: Any) -> Any:
    """The record with each declared field checked. Raises one of UNREADABLE."""
    return with_fields(record, **{name: getattr(record, name) for name in specs(type(record))})


def checked_entry(name: str, entry: Any, record: object) -> Any:
    return checked(entry)


def differing(record: Any, start: Any, *, typed: bool = False) -> dict[str, str]:
    """The declared fields that are not as at the start, written: the typed ones, or the others."""
    query = {}
    for name, spec in specs(type(record)).items():
        value = getattr(record, name)
        if spec.typed == typed and value != getattr(start, name):
            query[spec.key] = spec.write(value)
    return query


def to_texts(record: Any, names: Iterable[str]) -> list[str]:
    """The declared fields of these names, as they are written."""
    return [specs(type(record))[name].write(getattr(record, name)) for name in names]


def from_texts(record_type: type, texts: Mapping[str, str]) -> Any:
    """The record with the fields of these texts, not `checked` yet. Raises one of UNREADABLE."""
    return record_type(**{name: specs(record_type)[name].read(text) for name, text in texts.items()})


def to_json(record: Any) -> dict[str, Any]:
    """The declared fields as JSON, those that are None left out."""
    written = {spec.key: spec.write(getattr(record, name)) for name, spec in specs(type(record)).items()}
    return {key: value for key, value in written.items() if value is not None}


def from_json(record_type: type, kept: Mapping[str, Any], context: object) -> Any:
    """The record of JSON. A field that cannot be read is at its start. Never raises."""
    values = {}
    for name, spec in specs(record_type).items():
        with contextlib.suppress(*UNREADABLE):
            values[name] = spec.check(name, spec.read(kept[spec.key]), context)
    return record_type(**values)


def with_entry(record: Any, name: str, col: int, value: object) -> Any:
    """The record with a number that was typed or dragged, in a row at `col`.

    A number outside of a row stops at the ends of its range; a count is rounded. Raises SettingsError.
    """
    spec = specs(type(record))[name]
    if spec.kind == "row":
        values = list(getattr(record, name))
        values[whole("col", col, 0, len(values) - 1)] = value
        return with_fields(record, **{name: tuple(values)})
    low, high = spec.range(record)
    clamped = min(max(parse_number(value), low), high)
    return with_fields(record, **{name: round(clamped) if spec.kind == "count" else clamped})


def in_range(record: Any) -> Any:
    """The record with every count inside the range that its sizes allow."""
    clamped = {}
    for name, spec in specs(type(record)).items():
        value = getattr(record, name)
        if spec.kind == "count" and (callable(spec.low) or callable(spec.high)):
            low, high = spec.range(record)
            clamped[name] = min(max(value, low), high)
    return dataclasses.replace(record, **clamped)
