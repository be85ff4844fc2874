"""Runs of training: each in its turn, in a thread; one that is done is kept for all who want the same one."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

import torch

from attention.lab.training import Options, Snapshot, limit, train
from attention.lab.training import Run as Trained
from pages.ui import session
from pages.ui.running import Run
from pages.ui.turns import Turns

from .settings import KEPT

MOST = 32  # runs; one of the largest takes 0.2 MB
OWN = 4  # runs that a visit keeps
BREATH = 0.002  # seconds after each kept step, in which others may work
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

    _keep(train(options, on_step))
    limit(options)  # takes a moment the first time, and the page asks for it


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


def at(snapshots: tuple[Snapshot, ...], kept: int) -> Snapshot:
    """The kept step of that number; of a run that was stopped before, the last one."""
    return snapshots[min(kept, len(snapshots) - 1)]
