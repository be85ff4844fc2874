"""Turns of the visitors' computations, so that answers come soon.

Python computes for one visitor at a time. If it alternated between all waiting visitors, each answer would
be as late as the last one.
"""

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from . import core

# What the run that has a turn has read (see `once`); None without a turn.
_read: ContextVar[dict[Hashable, Any] | None] = ContextVar("read", default=None)
Thing = TypeVar("Thing")


class _Turn:
    """The times of one turn."""

    def __init__(self) -> None:
        self.begun, self.over = threading.Event(), threading.Event()


class Lane:
    """One turn after the other, in the order in which they are asked for.

    longest: seconds after which the next turn begins even though one is not over.
    """

    def __init__(self, longest: float):
        self._longest, self._lock = longest, threading.Lock()
        self.waiting = 0  # turns that were asked for and have not begun
        self._last = _Turn()
        self._last.begun.set()
        self._last.over.set()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Waits for a turn. A run that has a turn already, in any lane, goes on at once.

        So does a run before the core is imported: it will wait for the core.
        """
        if _read.get() is not None or not core.is_ready():
            yield
            return
        token, own = _read.set({}), _Turn()
        with self._lock:
            before, self._last = self._last, own
            self.waiting += 1
        try:
            try:
                before.begun.wait()
                before.over.wait(self._longest)
            finally:
                with self._lock:
                    self.waiting -= 1
            own.begun.set()
            yield
        finally:
            own.begun.set()
            own.over.set()
            _read.reset(token)


# A gesture waits for gestures and a page for pages: so a gesture, which is short, shares the processor
# with at most one page.
GESTURES = Lane(0.05)
PAGES = Lane(0.25)


def are_waited_for() -> bool:
    """Whether runs are waiting for their turns."""
    return GESTURES.waiting + PAGES.waiting > 0


def once(key: Hashable, read: Callable[[], Thing]) -> Thing:
    """read(), which a run with a turn calls once: it sees one state of what others may change meanwhile."""
    known = _read.get()
    if known is None:
        return read()
    if key not in known:
        known[key] = read()
    result: Thing = known[key]
    return result


def forget() -> None:
    """Has this run read everything again."""
    known = _read.get()
    if known is not None:
        known.clear()
