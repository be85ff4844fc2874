"""Runs of training: each in its turn, in a thread; one that is done is kept for all who want the same one."""

import functools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import torch

from attention.lab.training import Options, Snapshot, accuracy_of_all, evaluate, fresh, limit, train
from attention.lab.training import Run as Trained
from attention.lab.training.model import Matrices
from pages.ui import session
from pages.ui.running import Run
from pages.ui.turns import Turns

from .settings import KEPT

MOST = 32  # runs; one of the largest takes 0.2 MB
OWN = 4  # runs that a visit keeps
BREATH = 0.002  # seconds after each kept step, in which others may work
MEASURED = 1024  # numbers of steps that are kept
LEFT = 30.0  # seconds without a look at a run, after which nobody waits for it

_turns = Turns()
_lock = threading.Lock()
_done: OrderedDict[Options, Trained] = OrderedDict()


@dataclass
class Begun:
    """A run of one visit, and when it was looked at last."""

    looked: float
    run: Run | None = None


def done(options: Options) -> Trained | None:
    """The run with these options, if anybody has made it lately."""
    with _lock:
        if options in _done:
            _done.move_to_end(options)
        return _done.get(options)


def _keep(run: Trained) -> None:
    with _lock:
        _done[run.options] = run
        while len(_done) > MOST:
            _done.popitem(last=False)


def _own() -> dict[Options, Begun]:
    return session.kept("train_a_head", dict)


def begin(options: Options) -> None:
    """Starts the run for this visit, if nobody has made it and the visit has not begun it."""
    own = _own()
    if done(options) is not None or options in own:
        return
    begun = own[options] = Begun(time.monotonic())
    begun.run = Run(_turns, lambda take: _work(options, own, begun, take), KEPT + 1)
    for old in list(own)[:-OWN]:
        own.pop(old).run.stop()


def _work(options: Options, own: dict, begun: Begun, take: Callable[[Snapshot], None]) -> None:
    """Trains, unless somebody before in the queue has made the same run, or the visitor has left."""
    if done(options) is not None:
        return
    torch.set_num_threads(1)  # holds for the thread that calls it

    def on_step(snapshot: Snapshot) -> None:
        if time.monotonic() - begun.looked > LEFT:
            own.pop(options, None)  # who comes back begins it again
            begun.run.stop()
        take(snapshot)
        time.sleep(BREATH)

    run = train(options, on_step)
    limit(options)  # these take a moment the first time, and the page asks for them
    measured(accuracy_of_all, options, run.last)
    _keep(run)


def forget(options: Options) -> None:
    """A run that was stopped, or that failed, can be begun again."""
    begun = _own().get(options)
    if begun is not None and begun.run.ended:
        _own().pop(options)


def of_visit(options: Options) -> Run | None:
    """The visit's own run, where nobody has made it to its end."""
    begun = None if done(options) is not None else _own().get(options)
    if begun is None:
        return None
    begun.looked = time.monotonic()
    return begun.run


def found(options: Options) -> tuple[Snapshot, ...]:
    """All of a run that is there by now."""
    run = done(options)
    if run is not None:
        return run.snapshots
    own = of_visit(options)
    return () if own is None else tuple(own.found)


def at(snapshots: tuple[Snapshot, ...], step: int) -> Snapshot:
    """The last kept step up to that one; of a shorter run, and of one that was stopped before, its last."""
    return max((one for one in snapshots if one.step <= step), key=lambda one: one.step)


@functools.lru_cache(maxsize=64)
def start(options: Options) -> Snapshot:
    """The head before its training."""
    matrices = fresh(options)
    found = evaluate(matrices, options)
    norms = {name: gradient.norm().item() for name, gradient in found.gradients.items()}
    return Snapshot(0, matrices, found.loss, found.accuracy, norms)


_measured: dict[tuple[Callable, Options, int], float] = {}


def measured(measure: Callable[[Matrices, Options], float], options: Options, shown: Snapshot) -> float:
    """A measure of a step's matrices, kept for all who look at the same step."""
    key = (measure, options, shown.step)
    if key not in _measured:
        if len(_measured) >= MEASURED:
            _measured.clear()
        _measured[key] = measure(shown.matrices, options)
    return _measured[key]
