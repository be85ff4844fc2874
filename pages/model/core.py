"""The import of the core: PyTorch takes seconds on a fresh server, which are missing for the browser.

So the first page draws its inputs first (pages/draw/inputs.py); then PyTorch is imported, once per process.
"""

import importlib
import os
import threading

_wanted, _ready = threading.Event(), threading.Event()
_lock = threading.Lock()


def is_ready() -> bool:
    return _ready.is_set()


def load_soon(patience: float) -> None:
    """Imports the core as soon as a visit needs it, at the latest after `patience` seconds."""
    _wanted.wait(patience)
    load()


def load() -> None:
    """Imports the core, or waits for the import. Raises the errors of the import."""
    _wanted.set()
    with _lock:
        if is_ready():
            return
        # The matrices are small: threads would only wait for each other. Each run of a page is a new thread,
        # in which a product begins another one whatever set_num_threads said; the variable holds for all.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)  # if it was imported before
        importlib.import_module("attention")
        _ready.set()
