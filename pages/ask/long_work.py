"""Long work of the visitors: one job at a time in this process, in turns.

A visitor has at most one job of each kind. The first jobs of all visitors come before the second job of any,
in the order in which they were started. Once MOST_JOBS are there, the last of this order is refused.

The page that shows a job touches it at intervals. A job that no page touches has lost its visitor: it ends,
or leaves the queue. (Streamlit's own callback at the end of a session does not help: any visitor can trigger
it for all, with the message that clears the caches.)
"""

import atexit
import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

import streamlit as st

from pages import session
from pages.draw import live, say
from pages.draw.page import Page

TIME_LIMIT = 60.0  # seconds of the processor for one job
LEFT = 20.0  # seconds without a touch, after which the visitor of a job has left
LOOK_EVERY = 0.5  # seconds between two touches of a job
GRACE = 5.0  # seconds for a job to end when the process ends
MOST_JOBS = 120  # of all visitors: a class of 100, and some more
TYPICAL = 4.0  # seconds of a job, as long as no others are known

Result = TypeVar("Result")
Work = Callable[[Callable[[Result], None]], None]


class _Ended(Exception):
    """The job has been stopped, or has lost its visitor."""


class Refused(Exception):
    """The queue is full. seconds: in which some of its jobs will have ended."""

    def __init__(self, seconds: float):
        super().__init__(seconds)
        self.seconds = math.ceil(seconds)


class Job(Generic[Result]):
    """Long work of one visitor. work(take) passes each of its `total` results to `take`."""

    def __init__(self, visitor: str, kind: str, work: Work, total: int):
        self.results: list[Result] = []
        self.error: Exception | None = None
        self.left = False  # it ended because the visitor had left
        self.visitor, self.kind = visitor, kind
        self.turn = 0  # the visitor's first job, second job, …
        self._work, self._total = work, total
        self._stopped, self._ended = threading.Event(), threading.Event()
        self.touch()

    @property
    def ended(self) -> bool:
        return self._ended.is_set()

    @property
    def share(self) -> float:
        """The part of the work that is done, from 0 to 1."""
        return min(1.0, len(self.results) / self._total)

    def touch(self) -> None:
        """Notes that the visitor is still there."""
        self._looked = time.monotonic()

    def wait(self, seconds: float) -> bool:
        """Waits for the end of the job, at most `seconds`; True if it has ended."""
        self.touch()
        return self._ended.wait(seconds)

    def stop(self) -> None:
        """Ends the job at once, or a running job with its next result. Earlier results stay."""
        self._stopped.set()

    def is_wanted(self) -> bool:
        self.left = self.left or time.monotonic() - self._looked > LEFT
        return not self.left and not self._stopped.is_set()

    def do(self) -> None:
        """Runs the job in the calling thread."""
        self._most = time.thread_time() + TIME_LIMIT
        try:
            self._work(self._take)
        except _Ended:
            pass
        except Exception as error:
            logging.getLogger(__name__).exception("A job of the kind %s failed", self.kind)
            self.error = error
        self.end()

    def _take(self, result: Result) -> None:
        self.results.append(result)
        if not self.is_wanted():
            raise _Ended
        if time.thread_time() > self._most:
            raise TimeoutError(f"more than {TIME_LIMIT:.0f} seconds of work")

    def end(self) -> None:
        """Keeps the results alone: the visit remembers the job, and the work may have much in memory."""
        self._work = _nothing
        self._ended.set()


def _nothing(take: object) -> None:
    """The work of a job that has ended."""


class Queue:
    """The jobs of a process, run by one thread that lives as long as there are jobs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: list[Job] = []  # the first is at work
        self._thread: threading.Thread | None = None
        self._took = deque([TYPICAL] * 10, maxlen=10)  # seconds of the last jobs

    def add(self, job: Job) -> None:
        """Puts the job in its turn; the visitor's former job of the same kind ends."""
        with self._lock:
            for other in self._jobs:
                if (other.visitor, other.kind) == (job.visitor, job.kind):
                    other.stop()
            self._drop_unwanted()
            own = [other for other in self._jobs if other.visitor == job.visitor and other.is_wanted()]
            present = self._jobs[0].turn if self._jobs else 0
            job.turn = max((other.turn + 1 for other in own), default=present)
            after = [i for i, other in enumerate(self._jobs) if i > 0 and other.turn > job.turn]
            self._jobs.insert(after[0] if after else len(self._jobs), job)
            if sum(not other.ended for other in self._jobs) > MOST_JOBS:  # the first may end at this moment
                self._refuse(self._jobs.pop())
            if self._thread is None:
                self._begin(job)

    def _refuse(self, job: Job) -> None:
        job.error = Refused(sum(self._took))
        job.end()

    def _begin(self, job: Job) -> None:
        self._thread = threading.Thread(target=self._serve, name="long work", daemon=True)
        try:
            self._thread.start()
        except RuntimeError:  # the system has no thread left
            self._thread = None
            self._refuse(self._jobs.pop())

    def stop(self, job: Job) -> None:
        """Ends a job, and takes it out of the queue."""
        with self._lock:
            job.stop()
            self._drop_unwanted()

    def place(self, job: Job) -> int:
        """The number of jobs before this job."""
        with self._lock:
            self._drop_unwanted()
            return self._jobs.index(job) if job in self._jobs else 0

    def _drop_unwanted(self) -> None:
        """Removes waiting jobs that were stopped or have lost their visitors."""
        first = 0 if self._thread is None else 1
        self._jobs[first:] = _wanted(self._jobs[first:])

    def _serve(self) -> None:
        import torch  # here, for the frame of a page needs no PyTorch

        torch.set_num_threads(1)  # holds for the thread that calls it
        job: Job | None = self._jobs[0]
        while job is not None:
            begun = time.monotonic()
            job.do()
            self._took.append(time.monotonic() - begun)
            job = self._next()

    def _next(self) -> Job | None:
        """The next job after the end of the first; None ends the thread."""
        with self._lock:
            self._jobs = _wanted(self._jobs[1:])
            if not self._jobs:
                self._thread = None
                return None
            return self._jobs[0]

    def end(self) -> None:
        """Stops all jobs. A thread inside of PyTorch while Python shuts down would abort the process."""
        with self._lock:
            thread = self._thread
            for job in self._jobs:
                job.stop()
        if thread is not None:
            thread.join(GRACE)


def _wanted(waiting: list[Job]) -> list[Job]:
    """The waiting jobs that are still wanted; the others end."""
    wanted = [job for job in waiting if job.is_wanted()]
    for job in waiting:
        if job not in wanted:
            job.end()
    return wanted


QUEUE = Queue()
atexit.register(QUEUE.end)


# ---- on the page


def start(kind: str, work: Work, total: int) -> Job:
    """Starts a job of this visit, in the place of its former job of that kind."""
    job: Job = Job(session.visit().name, kind, work, total)
    _of_visit()[kind] = job
    QUEUE.add(job)
    return job


def _of_visit() -> dict[str, Job]:
    """The visit's last job of each kind."""
    return session.memory("long_work", dict)


def ended() -> frozenset[str]:
    """The kinds of jobs that the visit has started and that have ended: with them results change."""
    return frozenset(kind for kind, job in _of_visit().items() if job.ended)


def stop(job: Job) -> None:
    QUEUE.stop(job)


def show(page: Page, job: Job) -> None:
    """Shows the progress of the job, or the number of jobs before it."""
    before = QUEUE.place(job)
    text = page.t("frame.working", share=f"{job.share:.0%}")
    st.progress(job.share, page.t("frame.waiting", before=before) if before else text)


def explain(page: Page, job: Job | None, failed: str) -> None:
    """Says why the job has ended too early, if it has: `failed`, or that there were too many."""
    if job is not None and job.error is not None:
        error = job.error
        busy = isinstance(error, Refused) and page.t("frame.busy", seconds=error.seconds)
        say.warning(busy or failed)


def watch(job: Job | None, draw: Callable[[], object]) -> bool:
    """Calls `draw` at intervals while the job goes on, and reruns the whole page at its end.

    Returns whether the job goes on; if not, nothing is drawn.
    """
    if job is None or job.ended:
        return False

    def draw_again() -> None:
        job.touch()
        if job.ended:
            session.rerun()
        draw()

    live.fragment(draw_again, run_every=LOOK_EVERY)()
    return True


def draw(job: Job | None, picture: Callable[[], object]) -> bool:
    """Calls `picture` at intervals while the job goes on, or else once; returns whether the job goes on.

    It is in a container in both cases, so that the page keeps its place at the end of the job.
    """
    if watch(job, picture):
        return True
    with st.container():
        picture()
    return False


def results_of(page: Page, kind: str, work: Work, total: int) -> list:
    """All results, for a page that has nothing to draw without them. It shows the progress meanwhile.

    If the visitor leaves or changes a number, Streamlit ends the script at the next update, and `finally` the
    job. A job that is refused is started again after some time.
    """
    place = st.empty()
    while True:
        job = start(kind, work, total)
        try:
            while not job.wait(LOOK_EVERY / 2):
                with place:
                    show(page, job)
        finally:
            stop(job)
        if not isinstance(job.error, Refused):
            break
        for seconds in range(job.error.seconds, 0, -1):
            with place:
                say.caption(page.t("frame.busy_waits", seconds=seconds))
            time.sleep(1)
    if job.error is not None:
        raise job.error
    place.empty()
    return job.results
