"""Visitors take turns, in their order; one that takes long does not stop the others."""

import threading
import time
from collections.abc import Callable

import pytest

from pages.model import core
from pages.model.turns import Lane, forget, once

EVER = 60.0  # seconds


@pytest.fixture(autouse=True)
def ready(monkeypatch):
    monkeypatch.setattr(core, "is_ready", lambda: True)


@pytest.fixture
def begin():
    """Begins functions in threads of their own, and waits for all of them at the end."""
    threads = []

    def start(work: Callable[[], None]) -> None:
        threads.append(threading.Thread(target=work))
        threads[-1].start()

    yield start
    for thread in threads:
        thread.join(EVER)
        assert not thread.is_alive()


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + EVER
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.001)


def test_turns_come_one_at_a_time_and_in_order(begin):
    lane, order, inside = Lane(EVER), [], []
    first = threading.Event()

    def work(name: int) -> None:
        with lane.turn():
            inside.append(name)
            assert inside == [name]
            first.wait(EVER)
            order.append(name)
            inside.remove(name)

    for name in range(5):
        last = lane._last
        begin(lambda name=name: work(name))
        wait_until(lambda last=last: lane._last is not last)
    wait_until(lambda: lane.waiting == 4)
    first.set()
    wait_until(lambda: len(order) == 5)
    assert order == [*range(5)] and lane.waiting == 0


@pytest.fixture
def comes_in(begin):
    """comes_in(lane): another run gets its turn in the lane, which is not free."""

    def come_in(lane: Lane) -> None:
        done = threading.Event()

        def come() -> None:
            with lane.turn():
                done.set()

        begin(come)
        assert done.wait(EVER)

    return come_in


def test_the_next_turn_begins_although_one_takes_long(comes_in):
    lane = Lane(0.01)
    with lane.turn():
        comes_in(lane)


def test_a_turn_within_a_turn_waits_for_nothing():
    lane, other = Lane(EVER), Lane(EVER)
    with lane.turn(), lane.turn(), other.turn():
        pass
    with lane.turn():  # and each has ended
        pass


def test_a_turn_that_fails_is_over():
    lane = Lane(EVER)
    with pytest.raises(ZeroDivisionError), lane.turn():
        _ = 1 / 0
    with lane.turn():
        pass


def test_nobody_waits_for_a_turn_before_the_core_is_there(comes_in, monkeypatch):
    lane = Lane(EVER)
    with lane.turn():
        monkeypatch.setattr(core, "is_ready", lambda: False)
        comes_in(lane)


def test_a_run_with_a_turn_reads_once_until_it_forgets_and_any_other_every_time():
    lane, count = Lane(EVER), iter(range(9))

    def read() -> int:
        return once("key", lambda: next(count))

    assert [read(), read()] == [0, 1]
    with lane.turn(), lane.turn():
        assert [read(), read(), once("other", lambda: "x")] == [2, 2, "x"]
        forget()
        assert [read(), read()] == [3, 3]
    with lane.turn():
        assert read() == 4
    assert read() == 5
