"""Long work in a thread: one at a time of each kind in this process; the others wait for their turn."""

import threading
import time
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from .turns import Turn, Turns

TIME_LIMIT = 60.0  # seconds of one run

Found = TypeVar("Found")


class Run(Generic[Found]):
    """One run. Starts at once, or when those before it are done; goes on without anyone watching.

    work() yields what is found, `total` times. turns: the queue of its kind.
    """

    def __init__(self, turns: Turns, work: Callable[[], Iterable[Found]], total: int):
        self.found: list[Found] = []
        self.ended, self.failed = False, False
        self._turns, self._work, self._total = turns, work, total
        self._stopped = threading.Event()
        self._turn = Turn(turns)
        threading.Thread(target=self._run, daemon=True).start()

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return len(self.found) / self._total

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
                self._go_on()
        except Exception:
            self.failed = True
            raise
        finally:
            self._turn.end()
            self.ended = True

    def _go_on(self) -> None:
        started = time.monotonic()
        for one in self._work():
            self.found.append(one)
            if self._stopped.is_set() or time.monotonic() - started > TIME_LIMIT:
                return
