"""Results that are kept while all of them together take little memory."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")


def within(most: int, weigh: Callable[[Found], int], work: Callable[..., Found]) -> Callable[..., Found]:
    """`work` with its results kept; the results used longest ago are forgotten.

    Together they weigh no more than `most` bytes. weigh: the bytes of one result. The newest result is kept at any size. Threads may share it.
    """
    kept: OrderedDict[tuple, Found] = OrderedDict()
    lock = threading.Lock()

    def remembered(*arguments: object) -> Found:
        with lock:
            if arguments in kept:
                kept.move_to_end(arguments)
                return kept[arguments]
        found = work(*arguments)
        with lock:
            kept[arguments] = found
            while len(kept) > 1 and sum(map(weigh, kept.values())) > most:
                kept.popitem(last=False)
        return found

    return remembered
