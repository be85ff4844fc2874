"""What the server does before the first visit, seen in a process that runs it."""

import asyncio
import json
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
        option = found.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
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


# Prints which modules are there when the import of the core begins.
ORDER = """
import sys
from pages.model import core
from pages.shell import head_start

def load():
    print([name for name in ("pages.shell.frame", "pandas", "torch", "altair") if name in sys.modules])
    sys.exit()

core.load, head_start.FIRST = load, 0
head_start.import_all()
"""

# The import waits for a visit, which then needs the core. Prints whether it waited, and whether both went on.
VISIT = """
import sys, threading
from pages.model import core

waiting = threading.Thread(target=core.load_soon, args=(3600,), daemon=True)
waiting.start()
waiting.join(0.3)
waited = "torch" not in sys.modules
core.load()
waiting.join(60)
print(waited, core.is_ready() and not waiting.is_alive())
"""


def test_what_draws_the_inputs_is_imported_before_the_core_and_the_lessons_after_it():
    ran = subprocess.run([sys.executable, "-c", ORDER], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == "['pages.shell.frame']\n"


def test_the_core_is_imported_when_the_first_visit_needs_it():
    ran = subprocess.run([sys.executable, "-c", VISIT], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ran.stdout == "True True\n"


# A thread frees 40 MB of large blocks that lie between small ones, and prints how much of it is still held.
BLOCKS = """
import sys, threading
from pages.shell import head_start

def held():
    return int(open("/proc/self/status").read().split("VmRSS:")[1].split()[0]) / 1024

def work():
    bytearray(400_000)  # glibc keeps blocks of this size from now on
    for _ in range(100):
        large.append(bytearray(b"1") * 400_000)
        small.append(bytearray(1000))
    large.clear()

if sys.argv[1] == "give":
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
