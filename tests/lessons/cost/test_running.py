"""One measurement at a time; the others wait, and each can be stopped."""

import threading
import time

from pages.lessons.cost import running
from pages.lessons.cost.running import Run


def until(true, seconds=10.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.005)


def held(gate):
    def work():
        for i in range(3):
            assert gate.wait(10)
            yield "fused", i, 0.5

    return work


def test_the_second_waits_for_the_first():
    gate = threading.Event()
    first, second = Run(held(gate), 3), Run(held(gate), 3)
    assert (first.place(), second.place()) == (0, 1)
    assert not second.times
    gate.set()
    until(lambda: first.ended and second.ended)
    assert len(first.times) == len(second.times) == 3
    assert first.share == second.share == 1


def test_a_waiting_run_and_a_working_one_can_be_stopped():
    gate = threading.Event()
    first, second, third = (Run(held(gate), 3) for _ in range(3))
    second.stop()
    until(lambda: second.ended)
    assert not second.times and third.place() == 1
    first.stop()
    third.stop()
    gate.set()
    until(lambda: first.ended and third.ended)
    assert len(first.times) == 1 and not third.times


def test_a_run_has_a_limit_in_time(monkeypatch):
    monkeypatch.setattr(running, "TIME_LIMIT", -1.0)
    gate = threading.Event()
    gate.set()
    run = Run(held(gate), 3)
    until(lambda: run.ended)
    assert len(run.times) == 1


def test_a_failure_ends_the_run_and_the_next_one_starts(monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda args: None)

    def broken():
        raise RuntimeError
        yield

    gate = threading.Event()
    gate.set()
    first, second = Run(broken, 1), Run(held(gate), 3)
    until(lambda: first.ended and second.ended)
    assert first.failed and len(second.times) == 3
