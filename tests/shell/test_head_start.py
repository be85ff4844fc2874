"""What the server does before the first visit, and what it imports when, seen in processes of their own."""

import asyncio
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from streamlit import net_util
from streamlit.web.server import server_util

from pages.shell import head_start
from tests.support.programs import ROOT, free_port

# Runs app.py's server, waits for the head start, connects, and looks at the connection on the server's side.
SERVER = """
import json, os, socket, sys, threading, time
from contextlib import suppress

from app import app

port = int(sys.argv[1])
names = ["torch", "attention", "altair", "pages.lessons.cost.compare"]

def accepted():
    for number in os.listdir("/dev/fd"):
        with suppress(OSError):
            one = socket.fromfd(int(number), socket.AF_INET, socket.SOCK_STREAM)
            if one.getsockname()[1:2] == (port,) and one.getpeername():
                return one

def started_with(name):
    return [one for one in threading.enumerate() if one.name == name and one.is_alive()]

def look():
    while not (started := started_with("head start")):
        time.sleep(0.05)
    started[0].join()
    missing = [name for name in names if name not in sys.modules]
    with socket.create_connection(("127.0.0.1", port)):
        while (found := accepted()) is None:
            time.sleep(0.05)
        for _ in range(100):  # the option is set just after the connection is there
            if option := found.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY):
                break
            time.sleep(0.05)
    print("\\n" + json.dumps([missing, option]), flush=True)

def run():
    try:
        look()
    finally:
        os._exit(0)

threading.Thread(target=run).start()
app.run(config={"server.port": port, "server.address": "127.0.0.1", "server.headless": True})
"""


def test_before_the_first_visit_the_core_is_there_and_a_connection_is_answered_at_once():
    """uvloop switches Nagle's algorithm off, so that no answer waits 40 ms for an acknowledgement."""
    command = [sys.executable, "-c", SERVER, str(free_port())]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    missing, option = json.loads(ran.stdout.splitlines()[-1])
    assert missing == [] and option != 0, ran.stderr


# One fresh process: what is imported at each step, and whether the import of the core waits for a visit.
FRESH = """
import json, os, sys, threading
from pages.model import core
from pages.shell import head_start

def modules(*names):
    return [name for name in names if name in sys.modules]

def load():
    steps["before the core"] = modules("pages.shell.frame", "torch", "numpy", "altair", "pandas")
    raise StopIteration

steps, real, core.load, head_start.FIRST = {}, core.load, load, 0
try:
    head_start.import_all()
except StopIteration:
    core.load = real
core._wanted.clear()
waiting = threading.Thread(target=core.load_soon, args=(3600,), daemon=True)
waiting.start()
waiting.join(0.3)
steps["without a visit"] = [*modules("torch"), core.is_ready(), waiting.is_alive()]

from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app.py", default_timeout=60).run()
waiting.join(60)
steps["a page"] = [*modules("torch", "attention", "altair", "pandas", "pyarrow"), core.is_ready()]
steps["a page"] += [waiting.is_alive(), len(app.exception)]

import torch

def compute():
    before = len(os.listdir("/proc/self/task"))
    torch.ones(64, 64) @ torch.ones(64, 64)
    steps["threads"] = len(os.listdir("/proc/self/task")) - before

if sys.platform == "linux":
    run = threading.Thread(target=compute)
    run.start()
    run.join()

from tests.support.screen import opened
charts = opened("why_scale", "experiment").get("vega_lite_chart")
steps["a chart"] = [*modules("altair", "pandas", "pyarrow"), len(charts) > 0]
print("\\n" + json.dumps(steps))
"""


def test_a_fresh_server_imports_what_a_page_needs_when_it_needs_it():
    """The inputs need no PyTorch, and the import of the core waits for a visit.

    A run is a thread: PyTorch starts no threads for its small matrices. No page needs pandas, which is 70 MB,
    and Altair fails where another thread is in the middle of importing pandas; a component's data would bring
    it, unless it is bytes or a tuple.
    """
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    command = [sys.executable, "-c", FRESH]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout.splitlines()[-1]) == {
        "before the core": ["pages.shell.frame"],
        "without a visit": [False, True],
        "a page": ["torch", "attention", True, False, 0],
        "a chart": ["altair", "pyarrow", True],
    } | ({"threads": 0} if sys.platform == "linux" else {})


# A thread frees 40 MB of large blocks that lie between small ones, and prints how much of it is still held.
BLOCKS = """
import sys, threading

def held():
    return int(open("/proc/self/status").read().split("VmRSS:")[1].split()[0]) / 1024

def work():
    bytearray(400_000)  # glibc keeps blocks of this size from now on
    for _ in range(100):
        large.append(bytearray(b"1") * 400_000)
        small.append(bytearray(1000))
    large.clear()

if sys.argv[1] == "give":
    from pages.shell import head_start
    head_start.give_memory_back()
large, small, before = [], [], held()
thread = threading.Thread(target=work)
thread.start()
thread.join()
print(held() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc keeps such blocks")
def test_large_blocks_are_given_back_though_small_ones_between_them_are_kept():
    def held(how: str) -> float:
        command = [sys.executable, "-c", BLOCKS, how]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        return float(ran.stdout)

    assert held("give") < 10 < 30 < held("keep")


def when_started(look, monkeypatch):
    """What `look()` returns once the server has started."""
    monkeypatch.setattr(head_start, "import_all", lambda: None)
    monkeypatch.setattr(net_util, "_external_ip", None)

    async def start():
        async with head_start.lifespan(None):
            return look()

    before = sys.getswitchinterval()
    try:
        with ThreadPoolExecutor(1) as thread:  # the main thread may be a browser's
            return thread.submit(asyncio.run, start()).result()
    finally:
        sys.setswitchinterval(before)


def test_threads_that_compute_pass_the_interpreter_on_soon(monkeypatch):
    assert when_started(sys.getswitchinterval, monkeypatch) <= 0.001 < sys.getswitchinterval()


def test_the_page_of_another_website_is_refused_without_a_question_to_the_internet(monkeypatch):
    asked = []
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda url, timeout: asked.append(url))
    look = partial(server_util.is_url_from_allowed_origins, "http://website.example")
    assert (when_started(look, monkeypatch), asked) == (False, [])
