"""What the server does when it starts, before the first visitor comes.

`streamlit run app.py` finds the `st.App` in app.py and enters its lifespan once the server's socket is open.
A host that runs app.py as a plain script never comes here: then the first visit imports PyTorch (see core).
"""

import ctypes
import gc
import importlib
import pkgutil
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from pages import lessons
from pages.model import core

from . import entry

FIRST = 3.0  # seconds in which a first visitor often comes, for whom a browser was opened with the server
PATIENCE = 10.0  # seconds that the lessons wait for a time without visitors
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # in malloc.h
ARENAS = 2  # by default 8 for each core
LARGE = 320 * 1024  # bytes: less than the numbers of a long draw, more than what it computes at once
TURN = 0.0005  # seconds
NEW_OBJECTS = 10_000  # between two garbage collections; with Python's 700, there is one in each edit


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    give_memory_back()
    take_short_turns()
    threading.Thread(target=import_all, name="head start", daemon=True).start()
    yield


def import_all() -> None:
    """Imports what visits need, so that nobody waits for it, and keeps it out of garbage collections.

    First comes what the first page draws with, then the core, and then the lessons' parts with Altair, which
    take as long again. A visit is drawn half as fast meanwhile. So the core waits a moment for a first
    visitor, who is shown what can be drawn without it before its import begins. The lessons' parts wait for a
    time without visitors, but not for long. A visit that needs one of them before that imports it itself.
    """
    gc.set_threshold(NEW_OBJECTS)
    importlib.import_module("pages.shell.frame")
    core.load_soon(FIRST)
    gc.freeze()
    until = time.monotonic() + PATIENCE
    for module in pkgutil.walk_packages(lessons.__path__, f"{lessons.__name__}."):
        entry.wait_for_calm(until)
        importlib.import_module(module.name)
    gc.collect()
    gc.freeze()


def take_short_turns() -> None:
    """Has threads of Python that compute pass the interpreter on after a short time.

    One edit passes between threads several times, and with Python's 5 ms it waits that long each time while
    the page of another visitor is computed. In a trial with one visitor who sent expensive inputs, an edit
    took a third longer.
    """
    sys.setswitchinterval(TURN)


def give_memory_back() -> None:
    """Has the C library give every large block of memory back to the system as soon as it is free.

    glibc stops doing so for blocks as large as one that was freed before, and keeps them for each thread.
    Every run of a page is a thread, so that after many long draws most of a gigabyte was kept for nothing.
    A block that comes from the system each time takes longer, so smaller ones are kept. They lie in a few
    arenas that all threads share: each arena has room that only its own threads can use.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # not every C library has it
        if mallopt is not None:
            mallopt(M_MMAP_THRESHOLD, LARGE)
            mallopt(M_ARENA_MAX, ARENAS)
