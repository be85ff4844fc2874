"""Runs of one and two layers, which are long work; a finished run is kept for all who want the same one."""

import functools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from attention.lab.two_layers import TwoLayersOptions, TwoLayersRun, TwoLayersSnapshot, train
from attention.lab.two_layers.run import MOST_KEPT
from pages import session
from pages.ask import long_work
from pages.ask.long_work import Job

MOST = 8  # runs; one takes 1 MB
BREATH = 0.002  # seconds after each kept step, in which others may work
SEEDS = tuple(range(20))
OF_SEEDS = "seeds"  # the job that trains from all of them

_lock = threading.Lock()
_done: OrderedDict[TwoLayersOptions, TwoLayersRun] = OrderedDict()
_ends: dict[int, TwoLayersSnapshot] = {}  # seed → the last step of two layers


def finished_run(options: TwoLayersOptions) -> TwoLayersRun | None:
    """The run with these options, if anybody has made it lately."""
    with _lock:
        if options in _done:
            _done.move_to_end(options)
        return _done.get(options)


def _keep(run: TwoLayersRun) -> None:
    with _lock:
        _done[run.options] = run
        if run.options.layers == 2 and run.options.seed in SEEDS:
            _ends[run.options.seed] = run.last
        while len(_done) > MOST:
            _done.popitem(last=False)


def ends() -> dict[int, TwoLayersSnapshot]:
    """Seed → the last step of two layers, of those of the twenty seeds that are trained."""
    with _lock:
        return dict(sorted(_ends.items()))


def _own() -> dict[TwoLayersOptions | str, Job]:
    """The visit's jobs, by what they make."""
    return session.memory("two_layers", dict)


def begin(options: TwoLayersOptions) -> None:
    """Starts the run if nobody has made it, unless the visit has started it."""
    own = _own()
    if finished_run(options) is None and (options not in own or own[options].left):
        own.pop(next((key for key in own if key != OF_SEEDS), options), None)
        own[options] = long_work.start("two_layers", functools.partial(_work, options), MOST_KEPT + 1)


def begin_seeds() -> None:
    """Starts the runs from all seeds that nobody has made, likewise."""
    own, missing = _own(), [seed for seed in SEEDS if seed not in ends()]
    if missing and (OF_SEEDS not in own or own[OF_SEEDS].left):
        total = len(missing) * (MOST_KEPT + 1)
        own[OF_SEEDS] = long_work.start("two_layers_seeds", functools.partial(_work_seeds, missing), total)


def _work(options: TwoLayersOptions, take: Callable[[TwoLayersSnapshot], None]) -> None:
    """Trains, unless another visitor has made the same run meanwhile."""

    def on_step(snapshot: TwoLayersSnapshot) -> None:
        take(snapshot)
        time.sleep(BREATH)

    if finished_run(options) is None:
        _keep(train(options, on_step))


def _work_seeds(seeds: list[int], take: Callable[[None], None]) -> None:
    for seed in seeds:
        _work(TwoLayersOptions(2, seed), lambda snapshot: take(None))


def forget(key: TwoLayersOptions | str) -> None:
    """What was stopped, or has failed, can be started again."""
    _own().pop(key, None)


def of_visit(options: TwoLayersOptions) -> Job | None:
    """The visit's own job for a run that nobody has made to its end."""
    return None if finished_run(options) else _own().get(options)


def of_seeds() -> Job | None:
    """The visit's own job for the runs from all seeds, as long as some of them are missing."""
    return None if len(ends()) == len(SEEDS) else _own().get(OF_SEEDS)


def snapshots_of(options: TwoLayersOptions, *, asked: bool) -> tuple[TwoLayersSnapshot, ...]:
    """All of a run that is there by now; nothing where the visitor has not asked for it."""
    job, run = of_visit(options), finished_run(options)
    if run is not None:
        return run.snapshots if asked else ()
    return () if job is None else tuple(job.results)


def at(snapshots: tuple[TwoLayersSnapshot, ...], step: int) -> TwoLayersSnapshot:
    """The last kept step up to the wanted step; of a run that ended before it, the run's last step."""
    return max((snapshot for snapshot in snapshots if snapshot.step <= step), key=lambda kept: kept.step)


@functools.lru_cache(maxsize=64)
def start(options: TwoLayersOptions) -> TwoLayersSnapshot:
    """The model before its training."""
    return train(TwoLayersOptions(options.layers, options.seed, 1)).snapshots[0]
