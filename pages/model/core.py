"""PyTorch takes seconds to import on a fresh server, which has little time for the browser meanwhile.

So the first page draws its inputs before; then PyTorch is imported, once per process.
"""

import importlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 3.0  # seconds that one who waited for the core waits for the others

_ready = threading.Event()
_lock = threading.Lock()
_turn = threading.Lock()


def is_ready() -> bool:
    return _ready.is_set()


def load() -> None:
    """Imports the core; who comes meanwhile waits. Raises what the import raises."""
    with _lock:
        if is_ready():
            return
        # The matrices are small: threads would only wait for each other. Each run of a page is a new thread,
        # in which a product begins another one whatever set_num_threads said; the variable holds for all.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)  # where it was imported before
        importlib.import_module("attention")
        _ready.set()


@contextmanager
def turn() -> Iterator[None]:
    """The threads that waited for the core go on inside of this, one after the other.

    All at once would share the processor, and each would be as late as the last. A long draw holds the others
    back for a few seconds at most.
    """
    held = _turn.acquire(timeout=PATIENCE)
    try:
        yield
    finally:
        if held:
            _turn.release()
