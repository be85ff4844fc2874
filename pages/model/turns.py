"""Visitors take turns at being computed for, so that an answer comes soon.

Python computes for one visitor at a time. If it went back and forth between all who wait, each answer would
be as late as the last. A visitor whose turns are much longer than the others' makes all wait. So while a
class is here, such a visitor has a fair share of the time, and waits before the next turn.
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

LONG = 2.0  # times what a turn takes on average: shorter ones are not counted
AT_ONCE = 1.0  # seconds of the processor, which a visitor's long turns may take without a pause
CLASS, RECENT = 20, 10.0  # a class is here: so many visitors had a turn in so many seconds
SHARE = 1 / CLASS  # of the time that passes: how fast what was used is made up for
LONGEST_PAUSE = 2.0  # seconds before a turn


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
        """Counts a long turn."""
        self._seconds = min(AT_ONCE + LONGEST_PAUSE * SHARE, self.seconds() + seconds)

    def pause(self) -> float:
        """Seconds to wait before the next turn, where others would wait for it."""
        return max(0.0, self.seconds() - AT_ONCE) / SHARE


class Usual:
    """What a turn takes on average, which depends on the machine: in seconds, of the last hundred or so."""

    def __init__(self, mean: float = 0.02):
        self.mean = mean

    def is_long(self, seconds: float) -> bool:
        """Whether the turn is much longer than most. It counts from now on, but a single one not for much."""
        limit = LONG * self.mean
        self.mean += (min(seconds, limit) - self.mean) / 100
        return seconds > limit


_usual = Usual()
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
    """Counts what the thread has used since its last turn ended, in this turn and before, if it is much."""
    now = time.thread_time()
    seconds = now - _charged.get()
    _charged.set(now)
    if _usual.is_long(seconds):
        use.add(seconds)


# A gesture waits for gestures and a page for pages: so a gesture, which is short, shares the processor
# with at most one page.
GESTURES = Lane(0.05)
PAGES = Lane(0.25)
