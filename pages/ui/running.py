"""Long work in a thread: one at a time of each kind in this process; the others wait for their turn."""

import atexit
import threading
import time
import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

from .turns import Turn, Turns

TIME_LIMIT = 60.0  # seconds of one run
GRACE = 5.0  # seconds for a run to end when the process ends

Found = TypeVar("Found")
Work = Callable[[Callable[[Found], None]], None]


class _Ended(Exception):
    """The run has been stopped, or has taken too long."""


class Run(Generic[Found]):
    """One run. Starts at once, or when those before it are done; goes on without anyone watching.

    work(take) passes on each thing that it finds, `total` in all. turns: the queue of its kind.
    """

    def __init__(self, turns: Turns, work: Work, total: int):
        self.found: list[Found] = []
        self.ended, self.failed = False, False
        self._turns, self._work, self._total = turns, work, total
        self._stopped = threading.Event()
        self._turn = Turn(turns)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        _begun.add(self)

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return min(1.0, len(self.found) / self._total)

    def place(self) -> int:
        """How many runs are before this one."""
        return self._turn.place()

    def stop(self) -> None:
        """Ends it after what it is at; what was found stays."""
        self._stopped.set()
        self._turns.look()

    def _run(self) -> None:
        try:
            if self._turn.come(unless=self._stopped.is_set) and not self._stopped.is_set():
                self._end = time.monotonic() + TIME_LIMIT
                self._work(self._take)
        except _Ended:
            pass
        except Exception:
            self.failed = True
            raise
        finally:
            self._turn.end()
            self.ended = True

    def _take(self, one: Found) -> None:
        self.found.append(one)
        if self._stopped.is_set() or time.monotonic() > self._end:
            raise _Ended


_begun: weakref.WeakSet[Run] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    """A thread that is inside of PyTorch while Python shuts down would abort the whole process."""
    runs = list(_begun)
    for run in runs:
        run.stop()
    for run in runs:
        run._thread.join(GRACE)
