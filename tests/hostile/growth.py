"""What a reader costs with a hostile text: texts that are generated, and bounds no machine misses.

Time is the thread's own processor time. A reader fails if it takes ten times as long as the slowest of
today, or if its time grows nearly as the square of the length whenever it is measured. Memory is the highest
of the process, which should be one of its own.
"""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

Read = Callable[[str], object]
Text = Callable[[int], str]

LIMIT = 3  # s; where it is reached, reading ends
SHORT = 1_000  # characters: all texts are read; a reader of exponential time reaches LIMIT
LONG = (10_000, 30_000, 100_000)
SLOWEST = 5  # of the texts are read in these lengths
NOTICED = 0.05  # s; below it growth means nothing
STEEP = 50  # from a tenth of the length: 10 is linear, 100 is quadratic
TIMES = 3  # growth is measured

# One character of each class that an expression can name.
CLASSES = ("0", "a", "E", "字", "é", "٣", " ", "\n", "\t", "_", "!", "\0")
MARKS = tuple(".,;:-+=√/%|[](){}<>\"'\\#*&^$~@?")
BRACKETS = ("[]", "()", "{}", "<>")


@dataclass(frozen=True)
class Hostile:
    """A text of any length: a start, a piece repeated, an end."""

    start: str
    piece: str
    end: str = ""

    def __call__(self, length: int) -> str:
        times = max(1, (length - len(self.start) - len(self.end)) // len(self.piece))
        return self.start + self.piece * times + self.end

    def __str__(self) -> str:
        return f"{self.start!r} + {self.piece!r} × n + {self.end!r}"


@dataclass(frozen=True)
class Pumped:
    """A text in which each character is repeated, or in which brackets are nested."""

    text: str
    end: str = ""

    def __call__(self, length: int) -> str:
        times = max(1, length // len(self.text))
        return "".join(c * times for c in self.text) + self.end

    def __str__(self) -> str:
        return f"{self.text!r}, each character × n, + {self.end!r}"


def hostile_texts(seeds: Iterable[str], marks: Iterable[str], pairs: int) -> list[Hostile | Pumped]:
    """Runs, repetitions and nestings of each class of characters, of marks, and of what a reader accepts.

    seeds: short texts that the reader accepts; marks: characters that mean something to it; pairs: from so
    many of these all pairs are made.
    """
    seeds, marks = [seed for seed in dict.fromkeys(seeds) if seed], list(dict.fromkeys(marks))
    chars = list(dict.fromkeys((*marks, *CLASSES)))
    result: list[Hostile | Pumped] = [Hostile("", c, end) for c in chars for end in ("", "\0")]
    result += [Hostile("", one + other, "\0") for one, other in permutations(chars[:pairs], 2)]
    result += [Pumped(pair, end) for pair in BRACKETS for end in ("", "\0")]
    for seed in seeds:
        result += [Pumped(seed), Pumped(seed, "\0")]
        for cut in _cuts(seed):
            begun = seed[:cut]
            result += [Hostile("", begun), Hostile("", begun, "\0"), Hostile(begun, seed[cut - 1], "\0")]
            result += [Hostile(begun, c, "\0") for c in (" ", "0", "a", *marks[:4])]
    return list(dict.fromkeys(result))


def _cuts(seed: str) -> Iterator[int]:
    """Where a seed is broken off: everywhere, or at twelve places of a long one."""
    step = max(1, len(seed) // 12)
    return iter(range(step, len(seed) + 1, step))


def fault(read: Read, texts: Iterable[Text], short: int = SHORT, long: tuple[int, ...] = LONG) -> str | None:
    """What is wrong with the growth of this reader; None where it is linear."""
    spent: dict[Text, float] = {}
    seconds(read, "")  # what is computed once is there from now on
    for text in texts:
        spent[text] = seconds(read, text(short))
        if spent[text] >= LIMIT:
            return f"{text}, {short} characters"
    slowest = sorted(spent, key=spent.__getitem__, reverse=True)[:SLOWEST]
    cases = ((text, length) for text in slowest for length in long)
    return next(
        (f"{text}, {length} characters" for text, length in cases if _is_slow(read, text, length)), None
    )


def _is_slow(read: Read, text: Text, length: int) -> bool:
    spent = seconds(read, text(length))
    return spent >= LIMIT or (spent > NOTICED and all(_is_steep(read, text, length) for _ in range(TIMES)))


def _is_steep(read: Read, text: Text, length: int) -> bool:
    return seconds(read, text(length)) > STEEP * seconds(read, text(length // 10))


def seconds(read: Read, text: str) -> float:
    """What reading takes, at most LIMIT; what is refused counts as well."""
    before = signal.signal(signal.SIGVTALRM, _end)
    gc.disable()  # with PyTorch loaded, collecting takes longer than reading
    start = time.thread_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT)
        with suppress(Exception):
            read(text)
        return time.thread_time() - start
    except _TooLongError:
        return max(LIMIT, time.thread_time() - start)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
        signal.signal(signal.SIGVTALRM, before)


def megabytes(read: Callable[[], object]) -> float:
    """By how much reading raises the memory of this process at its highest."""
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # from here on the highest is measured
    read()
    return (memory("VmHWM") - before) / 1_000


def memory(name: str) -> int:
    """Of this process, in kB."""
    return int(Path("/proc/self/status").read_text().partition(f"{name}:")[2].split()[0])


class _TooLongError(BaseException):
    """No reader catches it."""


def _end(*_: object) -> None:
    raise _TooLongError
