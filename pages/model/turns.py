"""Visitors take turns at being computed for, so that an answer comes soon.

Python computes for one visitor at a time. If it went back and forth between all who wait, each answer would
be as late as the last. And a visitor whose turns are long would take them all: who comes meanwhile waits for
the rest of one. So a visitor who has used much of late waits before the next turn, while a class is here.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from weakref import WeakKeyDictionary

from . import core

_has_turn: ContextVar[bool] = ContextVar("has_turn", default=False)
_charged: ContextVar[float] = ContextVar("charged", default=0.0)  # of this thread's seconds

SHORT = 0.03  # seconds of the processor: what a usual run takes is not counted
AT_ONCE = 1.0  # seconds beyond that, which a visitor may use without a pause: to open several pages
SHARE = 0.05  # of the time that passes: how fast these seconds come back
LONGEST_PAUSE = 2.0  # seconds before a turn
CLASS, RECENT = 10, 10.0  # so many visitors had a turn in so many seconds: others would wait


class Use:
    """What one visitor has used of the processor in long turns, and has not yet made up for."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock, self._seconds, self._since = clock, 0.0, clock()

    def seconds(self) -> float:
        now = self._clock()
        self._seconds = max(0.0, self._seconds - (now - self._since) * SHARE)
        self._since = now
        return self._seconds

    def add(self, seconds: float) -> None:
        """Counts a turn of so many seconds."""
        most = AT_ONCE + LONGEST_PAUSE * SHARE
        self._seconds = min(most, self.seconds() + max(0.0, seconds - SHORT))

    def pause(self) -> float:
        """Seconds to wait before the next turn, where others would wait for it."""
        return max(0.0, self.seconds() - AT_ONCE) / SHARE


_lately: WeakKeyDictionary[Use, float] = WeakKeyDictionary()  # when each visitor's last turn began
_lock = threading.Lock()


def _is_class(use: Use) -> bool:
    """Notes a turn, and says whether a whole class had one of late."""
    now = time.monotonic()
    with _lock:
        _lately[use] = now
        return sum(now - then < RECENT for then in _lately.values()) >= CLASS


class _Turn:
    """One turn, which has begun and is over."""

    def __init__(self) -> None:
        self.begun, self.over = threading.Event(), threading.Event()


class Lane:
    """One turn after the other, in the order in which they are asked for.

    longest: seconds after which the next turn begins even though one is not over.
    """

    def __init__(self, longest: float):
        self._longest, self._lock = longest, threading.Lock()
        self._last = _Turn()
        self._last.begun.set()
        self._last.over.set()

    @contextmanager
    def turn(self, use_of: Callable[[], Use] | None = None) -> Iterator[None]:
        """Waits for a turn. A run that has one already, in this lane or another, goes on at once.

        use_of: gives what the visitor has used, to which this thread's seconds are added. On a server that
        has no core yet, a run goes on at once as well: it will wait for the core.
        """
        if _has_turn.get() or not core.is_ready():
            yield
            return
        use = use_of and use_of()
        if use and _is_class(use) and (pause := use.pause()):
            time.sleep(pause)
        token, own = _has_turn.set(True), _Turn()
        with self._lock:
            before, self._last = self._last, own
        try:
            before.begun.wait()
            before.over.wait(self._longest)
            own.begun.set()
            yield
        finally:
            own.begun.set()
            own.over.set()
            _has_turn.reset(token)
            if use_of:
                _charge(use_of())


def _charge(use: Use) -> None:
    """Adds what the thread has used since its last turn ended: in this turn, and before it."""
    now = time.thread_time()
    use.add(now - _charged.get())
    _charged.set(now)


# A gesture waits for gestures and a page for pages: so a gesture, which is short, shares the processor
# with at most one page.
GESTURES = Lane(0.05)
PAGES = Lane(0.25)
