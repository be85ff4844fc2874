"""Reads what another process has written, perhaps of another version or of another program.

What cannot be read costs one line in the log. It has no text of what was read, which is nobody's business.
"""

import functools
import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

Thing = TypeVar("Thing")


def reading(kind: str, read: Callable[[], Thing], otherwise: Thing) -> Thing:
    """read(), or `otherwise` if that fails. kind: of what is read, for the log."""
    try:
        return read()
    except Exception as error:
        _report(kind, type(error).__name__)
        return otherwise


@functools.lru_cache(maxsize=100)  # a record is read again and again: the same fault is reported once
def _report(kind: str, error: str) -> None:
    logging.getLogger(__name__).warning("A %s of a room cannot be read: %s", kind, error)


def made(record: type[Thing], facts: Mapping[str, Any]) -> Thing:
    """The record with these facts. Raises TypeError if they are of other types than its fields."""
    hints: dict[str, Any] = _hints(record)
    wrong = [name for name, fact in facts.items() if not _fits(fact, hints.get(name, Any))]
    if wrong:
        raise TypeError(f"other types: {wrong}")
    return record(**facts)


def fact_of(record: type, name: str, fact: Any) -> Any:
    """The fact, for this field of the record. Raises TypeError if it is of another type."""
    if not _fits(fact, _hints(record)[name]):
        raise TypeError(f"other type: {name}")
    return fact


_hints: Callable[[Any], dict[str, Any]] = functools.cache(get_type_hints)


def _fits(fact: object, hint: Any) -> bool:
    """Whether a value from JSON is of the type that a field has."""
    kind, of = get_origin(hint) or hint, get_args(hint)
    if kind is Any:
        return True
    if kind is int:  # True is one too; JSON ends at 64 bits, and the next number has to fit
        return type(fact) is int and abs(fact) < 2**62
    if kind is float:
        return isinstance(fact, (int, float))
    if isinstance(fact, dict):
        return issubclass(kind, Mapping) and all(_fits(part, of[1]) for part in fact.values())
    if isinstance(fact, list | tuple):
        return issubclass(kind, tuple) and (not of or all(_fits(part, of[0]) for part in fact))
    return isinstance(fact, kind)
