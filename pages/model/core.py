"""PyTorch takes seconds to import on a fresh server, which has little time for the browser meanwhile.

So the first page draws its inputs before, and at the start of the course results that the core has made
elsewhere (pages/draw/start.py). Then PyTorch is imported, once per process.
"""

import importlib
import threading

_ready = threading.Event()
_lock = threading.Lock()


def is_ready() -> bool:
    return _ready.is_set()


def load() -> None:
    """Imports the core; who comes meanwhile waits. Raises what the import raises."""
    with _lock:
        if is_ready():
            return
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)  # the matrices are small: threads would only wait for each other
        importlib.import_module("attention")
        _ready.set()
