"""Counts wrong codes of rooms: guessing a code is slow, and typing errors hinder no class.

There are 14^6 = 7,529,536 codes, and a room lasts some hours. With PER_VISIT wrong codes in a minute, one
visit finds the code of a given room after 261 days on average. All visits of a process together have
PER_SERVER: in the three hours of a room they find it once in 84 times. 100 people who each type three wrong
codes in the same minute use 300 of them.

The first code of a visit is always looked up, so that phones that open a link are never refused because of
what others guess. A guesser who makes a new visit for each code pays with a page for each of them: one
process draws about 30 pages a second, and a given room takes 35 hours of a server that does nothing else.
"""

from collections import deque

PER_VISIT = 10
PER_SERVER = 500
WINDOW = 60.0  # seconds in which wrong codes are counted


class Guesses:
    """The last wrong codes of a visit, or of all visits."""

    def __init__(self, most: int = PER_VISIT):
        self._times: deque[float] = deque(maxlen=most)

    def __bool__(self) -> bool:
        return bool(self._times)

    def note(self, moment: float) -> None:
        """Counts a wrong code."""
        self._times.append(moment)

    def wait(self, moment: float) -> float:
        """Seconds until another code may be tried."""
        if len(self._times) < (self._times.maxlen or 0):
            return 0.0
        return max(0.0, self._times[0] + WINDOW - moment)
