"""Visitors take turns, in their order, and who takes long does not stop the others."""

import threading
import time
from collections.abc import Callable

import pytest

from pages.model import core
from pages.model.turns import Lane

EVER = 60.0  # seconds


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
    first.set()
    wait_until(lambda: len(order) == 5)
    assert order == [*range(5)]


def test_the_next_turn_begins_although_one_takes_long(begin):
    lane, done = Lane(0.01), threading.Event()
    with lane.turn():

        def come() -> None:
            with lane.turn():
                done.set()

        begin(come)
        assert done.wait(EVER)


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


def test_nobody_waits_for_a_turn_before_the_core_is_there(begin, monkeypatch):
    monkeypatch.setattr(core, "is_ready", lambda: False)
    lane, done = Lane(EVER), threading.Event()
    with lane.turn():

        def come() -> None:
            with lane.turn_once_ready():
                done.set()

        begin(come)
        assert done.wait(EVER)
