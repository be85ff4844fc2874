"""Long work takes turns, so that it holds back nobody who only changes a number."""

import threading
from collections.abc import Callable


class Turns:
    """A queue in this process: one works at a time, the others wait in the order in which they arrived."""

    def __init__(self):
        self.changed = threading.Condition()
        self.queue: list[Turn] = []

    def look(self) -> None:
        """Those who wait look again whether they still want to."""
        with self.changed:
            self.changed.notify_all()


class Turn:
    """A place in the queue, until it is given back with `end`."""

    def __init__(self, turns: Turns):
        self._turns = turns
        with turns.changed:
            turns.queue.append(self)

    def place(self) -> int:
        """How many are before this one."""
        with self._turns.changed:
            return self._turns.queue.index(self) if self in self._turns.queue else 0

    def come(self, seconds: float | None = None, unless: Callable[[], bool] = lambda: False) -> bool:
        """Waits for its turn, at most so many seconds or until `unless`; returns whether it got its turn."""
        with self._turns.changed:
            self._turns.changed.wait_for(lambda: self._turns.queue[0] is self or unless(), seconds)
            return self._turns.queue[0] is self

    def end(self) -> None:
        with self._turns.changed:
            self._turns.queue.remove(self)
            self._turns.changed.notify_all()
