"""Runs of the model, and the model before its training."""

import functools

from attention.lab.transformer import ModelOptions, ModelSnapshot, evaluate_model, fresh_model, train_model
from pages.ask.runs import Runs

from .settings import SNAPSHOTS

RUNS = Runs[ModelOptions, ModelSnapshot](
    "train_model", train_model, SNAPSHOTS + 1
)  # each takes 0.3 MB at most


@functools.lru_cache(maxsize=64)
def start(options: ModelOptions) -> ModelSnapshot:
    """The model before its training."""
    matrices = fresh_model(options)
    return ModelSnapshot(0, matrices, *evaluate_model(matrices, options))
