"""How the time of a reader grows with a hostile text: texts that are generated, and a comparison with linear.

Time is the thread's own processor time, so that a busy machine does not count.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import permutations

Read = Callable[[str], object]

SHORT = (10, 15, 22, 33, 50, 75, 110, 330, 1_000)
LONG = (3_000, 10_000, 30_000, 100_000)
SLOWEST = 5  # of the texts are read in all lengths
STEEP = 1.6  # the exponent of the growth over a decade: 1 is linear, 2 is quadratic
NOTICED = 0.03  # s; below it growth means nothing
AT_ONCE = 0.3  # s that one input may take; a text takes three times as long before it fails for this alone

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


def fault(read: Read, texts: Iterable[Hostile | Pumped], short: tuple[int, ...] = SHORT) -> str | None:
    """What is wrong with the growth of this reader; None where it is linear."""
    gc.disable()
    try:
        return _fault(read, list(texts), short)
    finally:
        gc.enable()


def _fault(read: Read, texts: list[Hostile | Pumped], short: tuple[int, ...]) -> str | None:
    spent: dict[Hostile | Pumped, float] = {}
    _spent(read, "")  # what is computed once is there from now on
    for text in texts:
        for length in short:
            spent[text] = _spent(read, text(length))
            if _is_slow(spent[text], length) and _is_slow(_least(read, text(length)), length):
                return f"{text}: {spent[text]:.2f} s for {length} characters"
    slowest = sorted(texts, key=spent.__getitem__, reverse=True)[:SLOWEST]
    return next(filter(None, (_grows(read, text) for text in slowest)), None)


def _is_slow(seconds: float, length: int) -> bool:
    return seconds > NOTICED + length * 20e-6


def _grows(read: Read, text: Hostile | Pumped) -> str | None:
    spent: dict[int, float] = {}
    for length in (300, 1_000, *LONG):
        spent[length] = _spent(read, text(length))
        before = length // 10
        if spent[length] > NOTICED and before in spent:
            spent |= {one: min(spent[one], _least(read, text(one))) for one in (before, length)}
            exponent = math.log10(spent[length] / spent[before])
            if spent[length] > NOTICED and exponent > STEEP:
                return f"{text}: grows by n^{exponent:.1f}, {spent[length]:.2f} s for {length} characters"
        if spent[length] > 3 * AT_ONCE:
            return f"{text}: {spent[length]:.2f} s for {length} characters"
    return None


def _least(read: Read, text: str) -> float:
    return min(_spent(read, text) for _ in range(3))


def _spent(read: Read, text: str) -> float:
    """Processor seconds; what is refused counts as well."""
    start = time.thread_time()
    with suppress(Exception):
        read(text)
    return time.thread_time() - start
