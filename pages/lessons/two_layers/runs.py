"""Runs of one and two layers, the ends of those from twenty seeds, and a model before its training."""

import functools

from attention.lab.two_layers import TwoLayersOptions, TwoLayersSnapshot, train
from pages.ask.runs import OnStep, Runs

from .settings import SNAPSHOTS

SEEDS = tuple(range(20))
OF_SEEDS = tuple(TwoLayersOptions(2, seed) for seed in SEEDS)


def _train(options: TwoLayersOptions, on_step: OnStep) -> tuple[TwoLayersSnapshot, ...]:
    return train(options, on_step).snapshots


RUNS = Runs[TwoLayersOptions, TwoLayersSnapshot](
    "two_layers", _train, SNAPSHOTS + 1, most=8
)  # each takes 1 MB


def _train_to_end(options: TwoLayersOptions, on_step: OnStep) -> tuple[TwoLayersSnapshot, ...]:
    """The last step of a run; of the others a job of twenty runs keeps nothing."""
    return RUNS.make(options, lambda snapshot: on_step(None))[-1:]


ENDS = Runs[TwoLayersOptions, TwoLayersSnapshot]("two_layers_seeds", _train_to_end, SNAPSHOTS + 1)


def ends() -> dict[int, TwoLayersSnapshot]:
    """Seed → the last step of two layers, of those of the twenty seeds that are trained."""
    return {options.seed: last for options in OF_SEEDS for last in ENDS.finished(options)}


@functools.lru_cache(maxsize=64)
def start(options: TwoLayersOptions) -> TwoLayersSnapshot:
    """The model before its training."""
    return train(TwoLayersOptions(options.layers, options.seed, 1)).snapshots[0]
