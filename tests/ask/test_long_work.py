"""Long work: one job at a time, in order, and no job for a visitor who has left."""

import gc
import subprocess
import sys
import threading
import time
import weakref
from functools import partial

import pytest

from attention.lab.training import Options
from pages.ask import long_work
from pages.ask.long_work import Job, Queue, Refused
from pages.lessons.train_a_head import runs
from tests.support.programs import ROOT


def until(true, seconds=30.0):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.005)


class Work:
    """The jobs of visitors of one queue, which go on when the gate is open."""

    def __init__(self):
        self.queue, self.gate, self.order = Queue(), threading.Event(), []

    def start(self, visitor, kind="training", steps=3):
        def work(take):
            self.order.append((visitor, kind))
            for i in range(steps):
                assert self.gate.wait(30)
                take(i)

        job = Job(visitor, kind, work, steps)
        self.queue.add(job)
        return job

    def begun(self, *visitors):
        """Jobs of these visitors; the first is at work."""
        jobs = [self.start(visitor) for visitor in visitors]
        until(lambda: self.order)
        return jobs

    def places(self, *jobs):
        return [self.queue.place(job) for job in jobs]

    def finish(self, *jobs):
        self.gate.set()
        until(lambda: all(job.ended for job in jobs) and self.is_empty())

    def finish_watched(self, *jobs):
        """The visitors look at their jobs until these end, however long that takes."""
        self.gate.set()
        while not (all(job.ended for job in jobs) and self.is_empty()):
            for job in jobs:
                job.wait(0.001)

    def is_empty(self):
        return not self.queue._jobs and self.queue._thread is None


@pytest.fixture
def work(monkeypatch):
    """No visitor leaves because a busy machine takes long."""
    monkeypatch.setattr(long_work, "LEFT", 3600.0)
    result = Work()
    yield result
    result.gate.set()
    result.queue.end()


def leave(job):
    """Nobody has looked at it for long."""
    job._looked -= long_work.LEFT + 1


def threads():
    return [one for one in threading.enumerate() if one.name == "long work"]


def test_the_second_waits_for_the_first(work):
    first, second = work.begun("one", "two")
    assert work.places(first, second) == [0, 1]
    assert not second.results
    work.finish(first, second)
    assert len(first.results) == len(second.results) == 3
    assert first.share == second.share == 1 and first.error is second.error is None


KINDS = "training", "measurement", "drawing"


def test_first_jobs_come_before_second_ones_in_the_order_in_which_they_were_started(work):
    jobs = work.begun("held")
    jobs += [work.start("busy", kind) for kind in KINDS]
    jobs += [work.start(visitor) for visitor in ("one", "two")]
    jobs += [work.start("held", kind) for kind in KINDS[1:]]
    assert work.places(*jobs) == [0, 1, 4, 6, 2, 3, 5, 7]
    work.finish(*jobs)
    assert work.order == [
        *((visitor, KINDS[0]) for visitor in ("held", "busy", "one", "two")),
        *((visitor, kind) for kind in KINDS[1:] for visitor in ("busy", "held")),
    ]


def test_of_two_hundred_visits_each_is_done_in_its_turn_or_told_when_to_try_again(work):
    """Eight of them are one machine with all that it may start, before anybody else."""
    greedy = work.begun("greedy")
    greedy += [work.start(f"greedy {i % 8}", f"kind {i}") for i in range(160)]
    honest = [work.start(f"visitor {i}") for i in range(192)]
    refused = [job for job in (*greedy, *honest) if job.error is not None]
    assert all(isinstance(job.error, Refused) and job.error.seconds > 0 and job.ended for job in refused)
    assert len(work.queue._jobs) == long_work.MOST_JOBS == 353 - len(refused)
    kept = [job for job in honest if job not in refused]
    assert kept == honest[: long_work.MOST_JOBS - 9]  # all but the one at work and the first of each of eight
    assert work.places(*kept) == [*range(9, long_work.MOST_JOBS)]
    work.finish(*greedy, *honest)
    assert all(len(job.results) == 3 for job in kept) and not any(job.results for job in refused)
    again = [work.start(job.visitor) for job in honest if job in refused]
    work.finish(*again)
    assert all(len(job.results) == 3 for job in again)


def test_a_job_that_ends_takes_no_place(work, monkeypatch):
    """The next job of a page comes before the thread of the queue has gone on."""
    monkeypatch.setattr(long_work, "MOST_JOBS", 1)
    gone_on, go_on = threading.Event(), work.queue._next
    monkeypatch.setattr(work.queue, "_next", lambda: gone_on.wait(60) and go_on())
    work.gate.set()
    first = work.start("one")
    until(lambda: first.ended)
    following = work.start("one")
    gone_on.set()
    work.finish(following)
    assert following.error is None and len(following.results) == 3


def test_a_visitor_has_one_job_of_each_kind(work):
    """Many quick presses leave the last one, at the end of the queue."""
    first, other = work.begun("one", "two")
    pressed = [work.start("one") for _ in range(20)]
    assert work.places(other, pressed[-1]) == [1, 2]
    assert all(job.ended and not job.results for job in pressed[:-1])
    work.finish(first, other, pressed[-1])
    assert len(first.results) == 1  # it was at work, and ended with its next result
    assert len(pressed[-1].results) == 3
    assert work.order == [("one", "training"), ("two", "training"), ("one", "training")]


def test_a_waiting_job_and_one_at_work_can_be_stopped(work):
    first, second, third = work.begun("one", "two", "three")
    work.queue.stop(second)
    assert second.ended and not second.results and work.places(third) == [1]
    work.queue.stop(first)
    work.finish(first, third)
    assert len(first.results) == 1 and len(third.results) == 3
    assert not any(job.left for job in (first, second, third))


def test_a_job_ends_with_its_visitor(work):
    first, second, third = work.begun("one", "two", "three")
    leave(first)
    leave(second)
    assert work.places(third) == [1]  # the first is still inside of its step
    assert second.ended and second.left
    work.finish(first, third)
    assert len(first.results) == 1 and first.left
    assert not second.results and len(third.results) == 3 and not third.left


def test_who_looks_keeps_the_place(work):
    first, second = work.begun("one", "two")
    leave(second)
    second.touch()
    work.finish(first, second)
    assert len(second.results) == 3


def test_fifty_who_leave_leave_nothing(work):
    before = len(threads())
    jobs = work.begun(*map(str, range(50)))
    assert len(threads()) == before + 1
    for job in jobs:
        leave(job)
    work.finish(*jobs)
    assert work.order == [("0", "training")]
    until(lambda: len(threads()) == before)


@pytest.mark.parametrize("visitors", [25, pytest.param(100, marks=pytest.mark.slow)])
def test_a_class_trains_at_once_and_nobody_is_refused(work, visitors):
    """One visitor presses again and again: each reads a true place, and it only falls."""
    jobs = work.begun("held")
    for seed in range(visitors):
        make = partial(runs.RUNS.work, [Options("previous", 1000 * visitors + seed, steps=1)])
        jobs.append(Job(f"visitor {seed}", "training", make, 2))
        work.queue.add(jobs[-1])
    for kind in ("measurement", "drawing", "training") * 10:
        greedy = work.start("visitor 12", kind)
    honest = [job for job in jobs if job.visitor != greedy.visitor]
    before = work.places(*honest)
    assert sorted(before) == [*range(visitors)] and work.places(greedy)[0] > visitors
    stopped = honest[1:11]
    for job in stopped:
        work.queue.stop(job)
    assert work.places(*honest[11:]) == [place - len(stopped) for place in before[11:]]
    work.finish_watched(*honest, greedy)
    assert all(len(job.results) >= 2 and job.error is None for job in honest if job not in stopped)
    assert not any(job.results for job in stopped)


def test_a_job_whose_thread_cannot_be_started_leaves_the_queue(work, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        job = work.start("one")
    assert job.ended and isinstance(job.error, Refused) and work.is_empty()
    later = work.start("one")
    work.finish(later)
    assert len(later.results) == 3


def test_an_ended_job_keeps_its_results_alone(work):
    """The visit remembers the job, and what the work refers to may be large."""
    first, second, stopped = work.begun("one", "two", "three")
    known = [weakref.ref(job._work) for job in (first, second, stopped)]
    work.queue.stop(stopped)
    work.finish(first, second)
    gc.collect()
    assert [reference() for reference in known] == [None] * 3 and len(first.results) == 3


def test_a_job_has_a_limit_in_time(work, monkeypatch):
    monkeypatch.setattr(long_work, "TIME_LIMIT", -1.0)
    job = work.start("one")
    work.finish(job)
    assert len(job.results) == 1 and isinstance(job.error, TimeoutError)


def test_a_failure_ends_the_job_and_the_next_one_starts(work):
    def broken(take):
        raise ZeroDivisionError

    first = Job("one", "training", broken, 1)
    work.queue.add(first)
    second = work.start("two")
    work.finish(first, second)
    assert isinstance(first.error, ZeroDivisionError) and len(second.results) == 3


def test_the_end_of_the_process_ends_what_is_at_work():
    """Else Python would be shut down under a thread that is inside of PyTorch."""
    code = """
import time, torch
from pages.ask.long_work import QUEUE, Job

def work(take):
    while True:
        torch.randn(300, 300) @ torch.randn(300, 300)
        take(1)

job = Job("one", "training", work, 1)
QUEUE.add(job)
while not job.results:
    time.sleep(0.01)
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=120)
