"""Numbers to enter that the server has not kept results of."""

import itertools
import math
from collections.abc import Iterator

NEAR = 200  # how far a new whole number is at most from the one before


class Fresh:
    """Numbers that the server has not been sent before, near those that a part begins with."""

    def __init__(self) -> None:
        self.shares = (turn * 0.6180339887 % 1 for turn in itertools.count(1))
        self.whole: dict[str, Iterator[int]] = {}

    def number(self, matrix: dict, start: float | None) -> float:
        low, high, start = matrix["low"], matrix["high"], 1 if start is None else start
        if matrix["integer"]:
            ends = max(low, round(start) - NEAR), min(high or math.inf, round(start) + NEAR)
            near = sorted(range(ends[0], ends[1] + 1), key=lambda value: abs(value - start))
            return next(self.whole.setdefault(matrix["id"], itertools.cycle(near[1:])))
        share = next(self.shares)
        return round(0.1 + 0.8 * share if low is None else start * (1 + share / 2), 6)
