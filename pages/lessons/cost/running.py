"""Measurements in a thread: one at a time in this process; the others wait for their turn."""

import threading
import time
from collections.abc import Callable, Iterable

from pages.ui.turns import Turn, Turns

TIME_LIMIT = 60.0  # seconds of one run

_turns = Turns()


class Run:
    """One run. Starts at once, or when those before it are done; goes on without anyone watching."""

    def __init__(self, work: Callable[[], Iterable[tuple[str, int, float | None]]], total: int):
        self.times: dict[tuple[str, int], float] = {}
        self.share, self.ended, self.failed = 0.0, False, False
        self._work, self._total = work, total
        self._stopped = threading.Event()
        self._turn = Turn(_turns)
        threading.Thread(target=self._run, daemon=True).start()

    def place(self) -> int:
        """How many runs are before this one."""
        return self._turn.place()

    def stop(self) -> None:
        """Ends it after the call that is being timed; what was measured stays."""
        self._stopped.set()
        _turns.look()

    def _run(self) -> None:
        try:
            if self._turn.come(unless=self._stopped.is_set) and not self._stopped.is_set():
                self._measure()
        except Exception:
            self.failed = True
            raise
        finally:
            self._turn.end()
            self.ended = True

    def _measure(self) -> None:
        started = time.monotonic()
        for number, (form, n, took) in enumerate(self._work(), start=1):
            if took is not None:
                self.times[form, n] = took
            self.share = number / self._total
            if self._stopped.is_set() or time.monotonic() - started > TIME_LIMIT:
                return
