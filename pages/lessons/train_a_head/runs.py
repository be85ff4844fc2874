"""Runs of training: each in its turn, in a thread; one that is done is kept for all who want the same one."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

import torch

from attention.lab.training import Options, Snapshot, train
from attention.lab.training import Run as Trained
from pages.ui import session
from pages.ui.running import Run
from pages.ui.turns import Turns

from .settings import EVERY, STEPS

KEPT = 32  # runs; one of the largest takes 0.2 MB
OWN = 4  # runs that a visit keeps
BREATH = 0.002  # seconds after each kept step, in which others may work

_turns = Turns()
_lock = threading.Lock()
_done: OrderedDict[Options, Trained] = OrderedDict()


def done(options: Options) -> Trained | None:
    """The run with these options, if anybody has made it lately."""
    with _lock:
        if options in _done:
            _done.move_to_end(options)
        return _done.get(options)


def _keep(run: Trained) -> None:
    with _lock:
        _done[run.options] = run
        while len(_done) > KEPT:
            _done.popitem(last=False)


def _work(options: Options, take: Callable[[Snapshot], None]) -> None:
    """Trains, unless somebody before in the queue has made the same run."""
    if done(options) is not None:
        return
    torch.set_num_threads(1)  # holds for the thread that calls it

    def on_step(snapshot: Snapshot) -> None:
        take(snapshot)
        time.sleep(BREATH)

    _keep(train(options, on_step))


def begin(options: Options) -> None:
    """Starts the run for this visit, if nobody has made it and the visit is not at it."""
    own = _own()
    if done(options) is None and (options not in own or own[options].ended):
        own[options] = Run(_turns, lambda take: _work(options, take), STEPS // EVERY + 1)
        for old in list(own)[:-OWN]:
            own.pop(old).stop()


def _own() -> dict[Options, Run]:
    return session.kept("train_a_head", dict)


def at_work(options: Options) -> Run | None:
    """The visit's own run, where nobody has made it yet."""
    return None if done(options) is not None else _own().get(options)


def found(options: Options) -> tuple[Snapshot, ...]:
    """All of a run that is there by now."""
    run = done(options)
    if run is not None:
        return run.snapshots
    own = _own().get(options)
    return () if own is None else tuple(own.found)


def nearest(snapshots: tuple[Snapshot, ...], step: int) -> Snapshot:
    """The kept one that is nearest to a step."""
    return min(snapshots, key=lambda one: abs(one.step - step))
