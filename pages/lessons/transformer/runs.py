"""Trainings of the model, which are long work; one that is done is kept for all who want the same one."""

import functools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from attention.lab.transformer import (
    ModelOptions,
    ModelSnapshot,
    evaluate_model,
    fresh_model,
    train_model,
)
from pages import session
from pages.ask import long_work
from pages.ask.long_work import Job

from . import scene
from .settings import SNAPSHOTS, ModelNumbers

MOST = 32  # runs; one of the largest takes 0.3 MB
BREATH = 0.002  # seconds after each kept step, in which others may work

_lock = threading.Lock()
_done: OrderedDict[ModelOptions, tuple[ModelSnapshot, ...]] = OrderedDict()


def finished_run(options: ModelOptions) -> tuple[ModelSnapshot, ...] | None:
    """The run with these options, if anybody has made it lately."""
    with _lock:
        if options in _done:
            _done.move_to_end(options)
        return _done.get(options)


def _own() -> dict[ModelOptions, Job[ModelSnapshot]]:
    """The visit's last job, by the options of its run."""
    return session.memory("train_model", dict)


def begin(options: ModelOptions) -> None:
    """Starts the run, unless anybody has made it or the visit has started it."""
    own = _own()
    if finished_run(options) is None and (options not in own or own[options].left):
        job: Job[ModelSnapshot] = long_work.start(
            "train_model", functools.partial(_work, options), SNAPSHOTS + 1
        )
        own.clear()
        own[options] = job


def _work(options: ModelOptions, take: Callable[[ModelSnapshot], None]) -> None:
    """Trains, unless another visitor has made the same run meanwhile."""

    def on_step(snapshot: ModelSnapshot) -> None:
        take(snapshot)
        time.sleep(BREATH)

    if finished_run(options) is None:
        run = train_model(options, on_step)
        with _lock:
            _done[options] = run
            while len(_done) > MOST:
                _done.popitem(last=False)


def forget() -> None:
    """What was stopped, or has failed, can be started again."""
    _own().clear()


def of_visit(options: ModelOptions) -> Job[ModelSnapshot] | None:
    """The visit's own job for a run that nobody has made to its end."""
    return _own().get(options) if finished_run(options) is None else None


def snapshots_of(own: ModelNumbers) -> tuple[ModelSnapshot, ...]:
    """The run as far as the visitor has asked for it: all of it, or up to where it was stopped."""
    options = scene.options_of(own)
    run, job = finished_run(options), of_visit(options)
    if own.model_ran and run is not None:
        return run
    return () if job is None else tuple(job.results)


def at(snapshots: Sequence[ModelSnapshot], step: int) -> ModelSnapshot:
    """The last kept step up to the wanted step."""
    return max((snapshot for snapshot in snapshots if snapshot.step <= step), key=lambda each: each.step)


@functools.lru_cache(maxsize=64)
def start(options: ModelOptions) -> ModelSnapshot:
    """The model before its training."""
    matrices = fresh_model(options)
    return ModelSnapshot(0, matrices, *evaluate_model(matrices, options))
