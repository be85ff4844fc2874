"""Runs of a head, and a head before and after the first steps of its training."""

import contextlib
import functools
from collections.abc import Callable

from attention.lab.training import Options, Snapshot, accuracy_of_all, evaluate, fresh, limit, train
from attention.lab.training.model import Matrices
from pages.ask.runs import OnStep, Runs

from .settings import FIRST_STEPS, SNAPSHOTS

MEASURED = 1024  # numbers of steps that are kept


def _train(options: Options, on_step: OnStep) -> tuple[Snapshot, ...]:
    run = train(options, on_step)
    limit(options)  # these take a moment the first time, and the page asks for them
    measure_of(accuracy_of_all, options, run.last)
    return run.snapshots


RUNS = Runs[Options, Snapshot]("training", _train, SNAPSHOTS + 1)  # one of the largest takes 0.2 MB


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
