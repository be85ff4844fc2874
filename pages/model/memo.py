"""A cache of results with a limit on their memory."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def within(most: int, weigh: Callable[[Result], int], work: Callable[..., Result]) -> Callable[..., Result]:
    """`work` with a cache of its results, which drops the least recently used.

    Together they weigh at most `most` bytes; the newest result is kept at any size. weigh: the bytes
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
