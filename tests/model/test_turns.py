"""Visitors take turns, in their order; one that takes long does not stop the others, many are made up for."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from pages.model import core
from pages.model.turns import AT_ONCE, CLASS, LONGEST_PAUSE, RECENT, SHARE, Lane, Use, Usual

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
    first.set()
    wait_until(lambda: len(order) == 5)
    assert order == [*range(5)]


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


# ---------------------------------------------------------------- what one visitor may use


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_what_is_long_depends_on_what_turns_take_of_late():
    usual = Usual(0.01)
    for _ in range(1000):
        assert not usual.is_long(0.015)
    assert usual.mean == pytest.approx(0.015, rel=0.01)
    assert usual.is_long(0.031) and not usual.is_long(0.029)
    before = usual.mean
    assert usual.is_long(100.0)
    assert usual.mean < before * 1.02


def test_on_a_slower_machine_the_same_turns_are_no_longer_long():
    usual = Usual(0.01)
    assert sum(usual.is_long(0.05) for _ in range(1000)) < 200
    assert not usual.is_long(0.05)


def test_long_turns_are_made_up_for_in_time():
    clock = Clock()
    use = Use(clock)
    use.add(AT_ONCE)
    assert use.pause() == 0  # several pages may be opened at once
    use.add(0.01)
    assert use.pause() == pytest.approx(0.01 / SHARE)
    clock.now += 0.01 / SHARE
    assert use.pause() == pytest.approx(0)
    clock.now += 10 * AT_ONCE / SHARE
    assert use.seconds() == 0


def test_no_pause_is_endless():
    use = Use(Clock())
    use.add(1000)
    assert use.pause() == pytest.approx(LONGEST_PAUSE)


@pytest.fixture
def pauses(monkeypatch):
    """The pauses that were made, in seconds; nobody had a turn before."""
    made = []
    monkeypatch.setattr("pages.model.turns.time.sleep", made.append)
    monkeypatch.setattr("pages.model.turns._lately", {})
    return made


def have_turns(lane: Lane, uses: list[Use]) -> None:
    for use in uses:
        with lane.turn(lambda use=use: use):
            pass


def test_who_has_used_much_waits_while_a_class_is_here(pauses, monkeypatch):
    clock = Clock()
    monkeypatch.setattr("pages.model.turns.time.monotonic", clock)
    lane, greedy, others = Lane(EVER), Use(clock), [Use(clock) for _ in range(CLASS - 1)]
    greedy.add(1000)
    have_turns(lane, [greedy, *others[1:], greedy])
    assert pauses == []  # fewer than a class
    have_turns(lane, [*others, greedy])
    assert pauses == [pytest.approx(LONGEST_PAUSE)]  # and the others waited for nothing
    clock.now += RECENT
    greedy.add(1000)
    have_turns(lane, [greedy])
    assert len(pauses) == 1  # the class has left


@pytest.fixture
def all_are_long(monkeypatch):
    monkeypatch.setattr("pages.model.turns._usual", Usual(0.0))


def test_a_turn_counts_what_its_thread_has_used_since_the_turn_before(monkeypatch, all_are_long):
    seconds = iter([2.0, 2.5])
    monkeypatch.setattr("pages.model.turns.time.thread_time", lambda: next(seconds))
    lane, use, counted = Lane(EVER), Use(Clock()), []
    monkeypatch.setattr(use, "add", counted.append)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(have_turns, lane, [use, use]).result()
    assert counted == [2.0, 0.5]


def test_a_turn_within_a_turn_is_counted_once(monkeypatch, all_are_long):
    lane, use, counted = Lane(EVER), Use(Clock()), []
    monkeypatch.setattr(use, "add", counted.append)
    with lane.turn(lambda: use), lane.turn(lambda: use):
        pass
    assert len(counted) == 1


def test_usual_turns_cost_nothing(monkeypatch):
    monkeypatch.setattr("pages.model.turns._usual", Usual(EVER))
    lane, use = Lane(EVER), Use(Clock())
    have_turns(lane, [use] * 10)
    assert use.seconds() == 0
