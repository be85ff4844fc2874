"""The start of the server, before the first visitor.

`streamlit run app.py` enters the lifespan of the `st.App` in app.py once the server's socket is open. On a
host that runs app.py as a plain script, the first visit imports PyTorch (see core).
"""

import ctypes
import gc
import importlib
import logging
import pkgutil
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from streamlit import net_util
from streamlit.web.server.starlette import starlette_websocket

from pages import lessons
from pages.model import core

from . import unfinished

FIRST = 3.0  # seconds in which the browser that was opened with the server asks for the first page
M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # in malloc.h
ARENAS = 2  # by default 8 for each core
LARGE = 320 * 1024  # bytes: less than the result of a long draw, more than its intermediate tensors
TURN = 0.0005  # seconds
NEW_OBJECTS = 10_000  # between two garbage collections; Python's 700 means a collection in each edit


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[None]:
    unfinished.check()
    give_memory_back()
    take_short_turns()
    stay_on_this_machine()
    log_in_one_line()
    threading.Thread(target=import_all, name="head start", daemon=True).start()
    yield


def import_all() -> None:
    """Imports the modules that visits need before the visits, and exempts them from garbage collection.

    First come the modules of the first page, then the core, then the lessons' parts with Altair. During an
    import a visit takes longer. So the core waits FIRST seconds for a first visitor, who sees the inputs
    before its import begins.
    """
    gc.set_threshold(NEW_OBJECTS)
    importlib.import_module("pages.shell.frame")
    core.load_soon(FIRST)
    gc.freeze()
    for module in pkgutil.walk_packages(lessons.__path__, f"{lessons.__name__}."):
        importlib.import_module(module.name)
    gc.collect()
    gc.freeze()


def stay_on_this_machine() -> None:
    """Has Streamlit not ask the internet for the address of this machine, which the course does not need.

    Streamlit asks whenever the page of another website tries to connect. Where no answer arrives, all
    visitors wait for seconds each time.
    """
    net_util._external_ip = ""  # the answer that Streamlit remembers; it allows no page


def log_in_one_line() -> None:
    """Has Streamlit log a WebSocket that it refuses in one line, without a stack and the sender's text."""

    def shorten(record: logging.LogRecord) -> bool:
        record.msg, record.args, record.exc_info = str(record.msg).partition(":")[0], (), None
        return True

    logging.getLogger(starlette_websocket.__name__).addFilter(shorten)


def take_short_turns() -> None:
    """Shortens the time after which a busy Python thread releases the interpreter.

    An edit changes threads several times. With Python's 5 ms it would wait that long each time while another
    visitor's page is computed: a third more in a trial with expensive inputs.
    """
    sys.setswitchinterval(TURN)


def give_memory_back() -> None:
    """Has the C library return every large block of memory to the system as soon as it is free.

    glibc raises its limit to the size of each freed block, and keeps smaller blocks for each thread. Every
    run of a page is a thread, so after many long draws most of a gigabyte was kept for nothing. Small blocks
    are kept, since a block from the system takes longer, in few arenas: a thread cannot use the free memory
    of another arena.
    """
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # not every C library has it
        if mallopt is not None:
            mallopt(M_MMAP_THRESHOLD, LARGE)
            mallopt(M_ARENA_MAX, ARENAS)
