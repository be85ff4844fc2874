"""Results that are kept while all of them together take little memory."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def within(most: int, weigh: Callable[[Result], int], work: Callable[..., Result]) -> Callable[..., Result]:
    """`work` with its results kept; the results used longest ago are forgotten.

    Together they weigh at most `most` bytes, but the newest result is kept at any size. weigh: the bytes
    of one result. Threads may share it.
    """
    kept: OrderedDict[tuple, Result] = OrderedDict()
    lock = threading.Lock()

    def remembered(*arguments: object) -> Result:
        with lock:
            if arguments in kept:
                kept.move_to_end(arguments)
                return kept[arguments]
        result = work(*arguments)
        with lock:
            kept[arguments] = result
            while len(kept) > 1 and sum(map(weigh, kept.values())) > most:
                kept.popitem(last=False)
        return result

    return remembered
