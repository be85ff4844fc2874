"""Runs of training: long work, whose kept steps are there for all who want the same run."""

import functools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

import streamlit as st

from pages import session
from pages.draw import say
from pages.draw.page import Page

from . import long_work
from .long_work import Job

BREATH = 0.002  # seconds after each kept step, in which others may work


class Kept(Protocol):
    """A step of a run, with what is kept of it."""

    @property
    def step(self) -> int: ...


Options = TypeVar("Options", bound=Hashable)
Snapshot = TypeVar("Snapshot", bound=Kept)
OnStep = Callable[[Any], None]
Run = tuple[Snapshot, ...]  # from the start to the last step


def at(run: Sequence[Snapshot], step: int) -> Snapshot:
    """The last kept step up to the wanted step; of a run that ended before it, the run's last step."""
    return max((snapshot for snapshot in run if snapshot.step <= step), key=lambda snapshot: snapshot.step)


class Runs(Generic[Options, Snapshot]):
    """The runs of a kind, by their options.

    train(options, on_step): makes a run; `on_step` is called with each of its `kept` steps as soon as it is
    there. most: runs that are remembered.
    """

    def __init__(
        self,
        kind: str,
        train: Callable[[Options, OnStep], Run[Snapshot]],
        kept: int,
        most: int = 32,
    ):
        self._kind, self._train, self._kept, self._most = kind, train, kept, most
        self._lock = threading.Lock()
        self._done: OrderedDict[Options, Run[Snapshot]] = OrderedDict()

    # ---- of all visitors

    def finished(self, options: Options) -> Run[Snapshot]:
        """The run with these options, if anybody has made it lately, or else nothing."""
        with self._lock:
            if options in self._done:
                self._done.move_to_end(options)
            return self._done.get(options, ())

    def make(self, options: Options, on_step: OnStep) -> Run[Snapshot]:
        """Trains, unless another visitor has made the same run meanwhile."""

        def slow(snapshot: Snapshot) -> None:
            on_step(snapshot)
            time.sleep(BREATH)

        run = self.finished(options) or self._train(options, slow)
        with self._lock:
            self._done[options] = run
            while len(self._done) > self._most:
                self._done.popitem(last=False)
        return run

    # ---- of the visit

    def _own(self) -> dict[Options, Job[tuple[Options, Snapshot]]]:
        """The visit's last job, by the runs that it makes."""
        return session.memory(self._kind, dict)

    def begin(self, *wanted: Options) -> None:
        """Starts the runs that nobody has made, unless the visit has started them."""
        own, missing = self._own(), [options for options in wanted if not self.finished(options)]
        if any(options not in own or own[options].left for options in missing):
            job = long_work.start(
                self._kind, functools.partial(self.work, missing), len(missing) * self._kept
            )
            own.clear()
            own.update(dict.fromkeys(missing, job))

    def work(self, wanted: Sequence[Options], take: Callable[[tuple[Options, Snapshot]], None]) -> None:
        """Makes the runs; each kept step is a result."""
        for options in wanted:
            self.make(options, functools.partial(_take, take, options))

    def job(self, *wanted: Options) -> Job[tuple[Options, Snapshot]] | None:
        """The visit's own job for any of these runs that nobody has made to its end."""
        jobs = (self._own().get(options) for options in wanted if not self.finished(options))
        return next(filter(None, jobs), None)

    def so_far(self, options: Options, *, asked: bool) -> Run[Snapshot]:
        """What there is of a run: all of it if it was asked for, or up to where it is or was stopped."""
        run, job = self.finished(options), self.job(options)
        if run:
            return run if asked else ()
        return () if job is None else tuple(snapshot for of, snapshot in job.results if of == options)

    def _share(self, options: Options, *, asked: bool) -> float:
        """The part of a run that is done, from 0 to 1."""
        return float(asked) if self.finished(options) else len(self.so_far(options, asked=asked)) / self._kept

    # ---- on the page

    def goes_on(self, options: Options, *, asked: bool) -> bool:
        """Whether the run is at work, or will be as soon as it is drawn."""
        job = self.job(options)
        begins = asked and not self.finished(options)
        return begins if job is None or job.left else not job.ended

    def draw(self, picture: Callable[[], object], *wanted: Options, asked: bool) -> bool:
        """Begins the runs if they were asked for, and draws them; whether they go on: see long_work.draw."""
        if asked:
            self.begin(*wanted)
        return long_work.draw(self.job(*wanted), picture)

    def buttons(
        self,
        page: Page,
        start: tuple[str, str],
        wanted: Sequence[Options],
        begun: Mapping[str, Any],
        stopped: Mapping[str, Any],
    ) -> None:
        """The button that trains, or the button that stops, and how far the training is.

        start: text and help of the first. begun, stopped: fields of the lesson after a press of either. The
        first of `begun` says that the runs were asked for, and is in the keys of the buttons.
        """
        t, job, (name, *_) = page.t, self.job(*wanted), begun
        with st.container(horizontal=True, vertical_alignment="center", key=f"training-{name}"):
            if job is not None and not job.ended:
                look: dict[str, Any] = {"help": t("training.stop_help"), "on_click": stop}
                st.button(t("training.stop"), key=f"stop-{name}", args=(job, stopped), **look)
                long_work.show(page, job)
                return
            asked = all(getattr(page.own, field) for field, value in begun.items() if value is True)
            share = sum(self._share(options, asked=asked) for options in wanted) / len(wanted)
            look = {"type": "primary", "disabled": share == 1, "on_click": self.restart, "args": (begun,)}
            st.button(start[0], key=f"start-{name}", help=start[1], **look)
            st.progress(share, t("training.trained", share=f"{share:.0%}"))
        if job is not None and isinstance(job.error, TimeoutError):
            say.info(t("training.time_up", button=start[0]))
        else:
            long_work.explain(page, job, t("training.failed"))

    def restart(self, begun: Mapping[str, Any]) -> None:
        """Starts the runs, also runs that were stopped or have failed."""
        self._own().clear()
        session.set_own(**begun)


def stop(job: Job, stopped: Mapping[str, Any]) -> None:
    long_work.stop(job)
    session.set_own(**stopped)


def _take(take: Callable[[tuple], None], options: object, snapshot: object) -> None:
    take((options, snapshot))
