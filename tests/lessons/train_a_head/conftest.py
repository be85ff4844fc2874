import functools
from dataclasses import replace

import pytest
import torch

from attention.lab.training import Options, TrainingRun, train
from attention.lab.training.run import kept_steps
from pages.draw.page import Page
from pages.lessons.train_a_head import runs
from pages.model.settings import Settings
from pages.model.view import View
from tests.support.states import page_in, with_own

torch.set_num_threads(1)  # the matrices are small: threads would only wait for each other


def page_of(part: str, language: str = "en", **own) -> Page:
    """The page as a part gets it, without Streamlit."""
    return page_in("train_a_head", part, with_own(Settings(), **own), View(language=language))


@functools.cache
def trained(options: Options) -> TrainingRun:
    return train(options)


@pytest.fixture
def trained_run() -> TrainingRun:
    """The first run of the lesson, as others may have made it."""
    run = trained(Options("previous", 0))
    runs.RUNS._done[run.options] = run.snapshots
    return run


def as_if_trained(options: Options) -> None:
    """All steps of a run are there; its matrices are those of its start."""
    begun = runs.start(options)
    runs._measured.clear()  # a real run may have been measured
    runs.RUNS._done[options] = tuple(replace(begun, step=step) for step in kept_steps(options.steps))
