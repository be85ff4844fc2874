"""One measurement at a time; the others wait, and each can be stopped."""

import subprocess
import sys
import threading
import time

from pages.ui import running
from pages.ui.running import Run
from pages.ui.turns import Turns
from tests.browser_support import ROOT


def until(true, seconds=10.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.005)


def held(gate):
    def work(take):
        for i in range(3):
            assert gate.wait(10)
            take(i)

    return work


def test_the_second_waits_for_the_first():
    gate, turns = threading.Event(), Turns()
    first, second = Run(turns, held(gate), 3), Run(turns, held(gate), 3)
    assert (first.place(), second.place()) == (0, 1)
    assert not second.found
    gate.set()
    until(lambda: first.ended and second.ended)
    assert len(first.found) == len(second.found) == 3
    assert first.share == second.share == 1


def test_a_waiting_run_and_a_working_one_can_be_stopped():
    gate, turns = threading.Event(), Turns()
    first, second, third = (Run(turns, held(gate), 3) for _ in range(3))
    second.stop()
    until(lambda: second.ended)
    assert not second.found and third.place() == 1
    first.stop()
    third.stop()
    gate.set()
    until(lambda: first.ended and third.ended)
    assert len(first.found) == 1 and not third.found


def test_a_run_has_a_limit_in_time(monkeypatch):
    monkeypatch.setattr(running, "TIME_LIMIT", -1.0)
    gate, turns = threading.Event(), Turns()
    gate.set()
    run = Run(turns, held(gate), 3)
    until(lambda: run.ended)
    assert len(run.found) == 1


def test_a_failure_ends_the_run_and_the_next_one_starts(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda args: None)

    def broken(take):
        raise RuntimeError

    gate, turns = threading.Event(), Turns()
    gate.set()
    first, second = Run(turns, broken, 1), Run(turns, held(gate), 3)
    until(lambda: first.ended and second.ended)
    assert first.failed and len(second.found) == 3


def test_the_end_of_the_process_ends_what_is_at_work():
    """Else Python would be shut down under a thread that is inside of PyTorch."""
    code = """
import time, torch
from pages.ui.running import Run
from pages.ui.turns import Turns
from tests.browser_support import ROOT

def work(take):
    while True:
        torch.randn(300, 300) @ torch.randn(300, 300)
        take(1)

run = Run(Turns(), work, 1)
while not run.found:
    time.sleep(0.01)
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=120)
