"""PyTorch takes seconds to import on a fresh server. It is imported in the background, once per process."""

from __future__ import annotations

import importlib
import threading

_loaded = threading.Event()
_lock = threading.Lock()
_thread: threading.Thread | None = None
_failure: list[BaseException] = []


def _load() -> None:
    try:
        torch = importlib.import_module("torch")
        torch.set_num_threads(1)  # the matrices are small: threads would only wait for each other
        importlib.import_module("attention")
    except BaseException as problem:
        _failure.append(problem)
    finally:
        _loaded.set()


def start() -> None:
    """Begins to import the core, if nobody has."""
    global _thread
    with _lock:
        if _thread is None:
            _thread = threading.Thread(target=_load, name="core", daemon=True)
            _thread.start()


def is_ready() -> bool:
    return _loaded.is_set() and not _failure


def wait() -> None:
    """Returns once the core is there. Raises what its import raised."""
    start()
    _loaded.wait()
    if _failure:
        raise _failure[0]
