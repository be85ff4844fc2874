"""The files of the lesson have the head that each part draws, and no file begins a training."""

import random

import pytest

from attention.lab.training import TASKS
from pages.draw.page import Page
from pages.hand.export import program
from pages.lessons.train_a_head import optimiser, patterns, runs, scene, two_runs
from pages.lessons.train_a_head.settings import TASKS as NAMES
from pages.lessons.train_a_head.settings import TrainingNumbers
from pages.model.compute import trace_of
from pages.model.state import State
from pages.model.view import SHOWN
from tests.support.example_states import TWELVE
from tests.support.states import looking, page_in
from tests.support.variant_files import check_variant

from .conftest import as_if_trained

PARTS = {"train": "train_dark", "run": "", "two_runs": "train_agree", "optimiser": "train_zeros"}
LANGUAGES = ("en", "zh")


def page_with(part: str, task: str, *, answered: bool = True) -> Page:
    draw = random.Random(NAMES.index(task))
    own = TrainingNumbers(
        task=task,
        ran=draw.random() < 0.7,
        paired=True,
        turned=draw.random() < 0.5,
        sequence=draw.randrange(5),
        train_step=draw.choice((0, 40, 400)),
        heads_other=draw.random() < 0.3,
        unscaled=draw.random() < 0.3,
    )
    answers = [(PARTS[part], SHOWN)] if answered and PARTS[part] else []
    view = looking(answers, language=LANGUAGES[NAMES.index(task) % 2], head=1)
    return page_in("train_a_head", part, State(core=TWELVE).having(own), view)


def shown(page: Page) -> dict:
    """A and the output in the picture, whose matrices are rounded but for those of two runs."""
    own, part = page.own, page.part.name
    options, words = scene.options_of(own), scene.sequence_of(own)
    if part == "optimiser":
        now = optimiser.head_of(page.numbers, own)[0]
    else:
        matrices = runs.start(options).matrices
        if part == "two_runs":
            matrices = two_runs.turn(matrices, options) if own.turned else matrices
            return {"weights": scene.weights(matrices, options, words).squeeze(0)}
        now = scene.settings_of(matrices, options, words)
    trace = trace_of(now)
    return {"weights": trace.heads.weights.squeeze(0), "output": trace.output}


@pytest.mark.parametrize("part", PARTS)
def test_the_programs_and_arrays_have_the_head_on_the_screen(part, monkeypatch):
    """Half of the runs are there, as if their matrices had stayed."""
    monkeypatch.setattr(runs.RUNS, "begin", None)
    if part == "two_runs":  # other tests of this process may have trained both
        monkeypatch.setattr(runs.RUNS, "finished", lambda options: ())
    for task in NAMES:
        page = page_with(part, task)
        if NAMES.index(task) % 2:
            as_if_trained(scene.options_of(page.own))
        check_variant(page, shown(page))
        whole = program.of(page)
        columns = next(step for step in whole.steps if step.panel.name == "output").matrix.cols
        assert len(columns) >= len(TASKS[task].answers)
        assert whole.inputs["x"].cols[: len(TASKS[task].letters)] == list(TASKS[task].letters)


@pytest.mark.parametrize("part", PARTS)
def test_no_file_answers_an_open_question(part):
    """The task is asked about where some pattern of attention solves it."""
    for task in NAMES:
        page = page_with(part, task, answered=False)
        asked = part == "two_runs" or (part == "train" and patterns.right_pattern(page) is not None)
        assert (program.of(page) is None) == asked
