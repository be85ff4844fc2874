"""What the server does when it starts, before the first visitor comes.

`streamlit run app.py` finds the `st.App` in app.py and enters its lifespan once the server's socket is open.
A host that runs app.py as a plain script never comes here: then the first visit imports PyTorch (see core).
"""

import ctypes
import gc
import importlib
import os
import pkgutil
import socket
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

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
    answer_at_once()
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


def answer_at_once() -> None:
    """Switches Nagle's algorithm off for the connections that the listening sockets of this process accept.

    Streamlit opens the server's socket itself, and asyncio does not recognise what such a socket accepts as
    TCP (uvicorn's issue 3149). So it leaves the algorithm on, and in a quick sequence each answer waits 40 ms
    for the browser's delayed acknowledgement. An accepted connection takes the option from its listening
    socket. No public name leads to that socket, but its file descriptor does. Where the system lists no file
    descriptors, the answers only come later. uvloop does all this by itself, where Streamlit can use it.
    """
    with suppress(OSError):
        for number in os.listdir("/dev/fd"):
            # What is no TCP socket refuses one of the options. The copy is closed, the socket stays open.
            with suppress(OSError), socket.fromfd(int(number), socket.AF_INET, socket.SOCK_STREAM) as one:
                if one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


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
