"""Runs of training, which are long work; one that is done is kept for all who want the same one."""

import contextlib
import functools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from attention.lab.training import (
    Options,
    Snapshot,
    TrainingRun,
    accuracy_of_all,
    evaluate,
    fresh,
    limit,
    train,
)
from attention.lab.training.model import Matrices
from pages import session
from pages.ask import long_work
from pages.ask.long_work import Job

from .settings import FIRST_STEPS, SNAPSHOTS

MOST = 32  # runs; one of the largest takes 0.2 MB
BREATH = 0.002  # seconds after each kept step, in which others may work
MEASURED = 1024  # numbers of steps that are kept

_lock = threading.Lock()
_done: OrderedDict[Options, TrainingRun] = OrderedDict()


Reading = tuple[Options, Snapshot]


def finished_run(options: Options) -> TrainingRun | None:
    """The run with these options, if anybody has made it lately."""
    with _lock:
        if options in _done:
            _done.move_to_end(options)
        return _done.get(options)


def _keep(run: TrainingRun) -> None:
    with _lock:
        _done[run.options] = run
        while len(_done) > MOST:
            _done.popitem(last=False)


def _own() -> dict[Options, Job[Reading]]:
    """The visit's last job, by the runs that it makes."""
    return session.memory("train_a_head", dict)


def begin(*wanted: Options) -> None:
    """Starts the runs that nobody has made, unless the visit has started them."""
    own, missing = _own(), [options for options in wanted if finished_run(options) is None]
    if any(options not in own or own[options].left for options in missing):
        work, total = functools.partial(_work, missing), len(missing) * (SNAPSHOTS + 1)
        job: Job[Reading] = long_work.start("training", work, total)
        own.clear()
        own.update(dict.fromkeys(missing, job))


def _work(wanted: Sequence[Options], take: Callable[[Reading], None]) -> None:
    """Trains, unless another visitor has made the same run meanwhile."""
    for options in wanted:

        def on_step(snapshot: Snapshot, options: Options = options) -> None:
            take((options, snapshot))
            time.sleep(BREATH)

        if finished_run(options) is None:
            run = train(options, on_step)
            limit(options)  # these take a moment the first time, and the page asks for them
            measure_of(accuracy_of_all, options, run.last)
            _keep(run)


def forget() -> None:
    """What was stopped, or has failed, can be started again."""
    _own().clear()


def of_visit(*wanted: Options) -> Job[Reading] | None:
    """The visit's own job for any of these runs that nobody has made to its end."""
    jobs = (_own().get(options) for options in wanted if finished_run(options) is None)
    return next(filter(None, jobs), None)


def snapshots_of(options: Options) -> tuple[Snapshot, ...]:
    """All of a run that is there by now."""
    run = finished_run(options)
    return own(options) if run is None else run.snapshots


def own(options: Options) -> tuple[Snapshot, ...]:
    """What the visit's own job has of a run that nobody has made to its end."""
    job = of_visit(options)
    return () if job is None else tuple(snapshot for of, snapshot in job.results if of == options)


def at(snapshots: Sequence[Snapshot], step: int) -> Snapshot:
    """The last kept step up to the wanted step; of a run that ended before it, the run's last step."""
    return max(
        (snapshot for snapshot in snapshots if snapshot.step <= step), key=lambda snapshot: snapshot.step
    )


@functools.lru_cache(maxsize=64)
def start(options: Options) -> Snapshot:
    """The head before its training."""
    matrices = fresh(options)
    result = evaluate(matrices, options)
    norms = {name: gradient.norm().item() for name, gradient in result.gradients.items()}
    return Snapshot(0, matrices, result.loss, result.accuracy, norms)


class _Enough(Exception):
    """The first steps of a run are done."""


@functools.lru_cache(maxsize=64)
def begun(options: Options) -> Snapshot:
    """The head after the first steps of its training."""
    snapshots = [start(options)]

    def on_step(snapshot: Snapshot) -> None:
        snapshots.append(snapshot)
        if snapshot.step >= FIRST_STEPS[options.task]:
            raise _Enough

    with contextlib.suppress(_Enough):
        train(options, on_step)
    return snapshots[-1]


_measured: dict[tuple[Callable, Options, int], float] = {}


def measure_of(measure: Callable[[Matrices, Options], float], options: Options, snapshot: Snapshot) -> float:
    """A measure of a step's matrices, kept for all who look at the same step."""
    key = (measure, options, snapshot.step)
    if key not in _measured:
        if len(_measured) >= MEASURED:
            _measured.clear()
        _measured[key] = measure(snapshot.matrices, options)
    return _measured[key]
