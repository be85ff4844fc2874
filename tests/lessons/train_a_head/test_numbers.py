"""What the lesson's questions and sentences claim, recomputed with the core."""

from dataclasses import replace

import pytest
import torch

from attention.lab.training import TASKS, Options, agreement, evaluate, fresh, trace_of
from attention.lab.training import run as core
from pages.ask.questions import only
from pages.lessons.train_a_head import optimiser, patterns, scene, settings
from pages.lessons.train_a_head.settings import TrainingNumbers
from pages.model import edits
from pages.model.compute import trace_of as trace_on_the_page
from pages.model.link import to_query
from pages.model.settings import Settings
from pages.model.state import State
from pages.model.view import Place, View
from tests.support.course import from_query
from tests.support.questions import RIGHT

from .conftest import trained


@pytest.fixture
def run():
    return trained(Options("previous", 0))


def test_the_record_has_the_core_s_tasks_and_steps():
    assert tuple(TASKS) == settings.TASKS == tuple(patterns.OFFERED)
    assert core.MOST_SNAPSHOTS == settings.SNAPSHOTS
    assert {name: task.steps for name, task in TASKS.items()} == settings.STEPS


@pytest.mark.exhaustive
@pytest.mark.parametrize("task", TASKS)
def test_five_sequences_are_of_the_test_and_not_of_the_training(task):
    words = scene.sequences(task)
    trained = {TASKS[task].words(one) for one in TASKS[task].batch(20_000, 1).tokens}
    assert len(words) == len(set(words)) == settings.SEQUENCES and not trained & set(words)


@pytest.mark.parametrize("task", TASKS)
def test_one_of_the_offered_patterns_solves_each_task(task):
    assert only(patterns.holds(task)) is not None


def test_the_first_task_is_solved_by_the_answer_that_is_marked():
    assert patterns.option("previous", only(patterns.holds("previous"))) == RIGHT["train_dark"]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("other", [False, True])
def test_a_head_in_training_is_the_same_on_the_page(task, other):
    """The picture's output is the core's, in the columns of the answers; the rest is 0."""
    own = TrainingNumbers(
        task=task, heads_other=other, positions_other=other, causal_other=other, unscaled=other
    )
    options, words = scene.options_of(own), scene.sequence_of(own)
    now = scene.settings_of(fresh(options), options, words)
    matrices = scene.matrices_of(now, options)
    wanted = trace_of(matrices, torch.tensor(options.of.numbers(words)), options)
    view = trace_on_the_page(now)
    count = len(options.of.answers)
    torch.testing.assert_close(view.heads.weights, wanted.heads.weights)
    torch.testing.assert_close(view.output[:, :count], wanted.output)
    assert not view.output[:, count:].any()
    assert scene.standing(now, own) == options
    opened, _, _, problems = from_query(to_query(State(core=now), View(), Place()))
    assert not problems and opened.core == now


def test_other_numbers_are_no_head_for_the_task():
    own = TrainingNumbers()
    options = scene.options_of(own)
    now = scene.settings_of(fresh(options), options, scene.sequence_of(own))
    for other in (
        Settings(),
        edits.set_cell(now, "x", 0, 0, 0.5),
        edits.set_biases(now, True),
        edits.resize(now, d_v=3),
        edits.with_choice(now, mask="window"),
        edits.with_choice(now, position="rotary"),
        replace(now, tokens=("z", *now.tokens[1:])),
    ):
        assert scene.standing(other, own) is None
    assert scene.standing(edits.set_cell(now, "w_q", 0, 0, 9.0), own) == options
    assert scene.standing(edits.with_choice(now, mask="causal"), own) == replace(options, causal=True)


def test_two_seeds_agree_in_a_and_not_in_w_q_and_w_k(run):
    other = trained(Options("previous", 1))
    shares = agreement(run, other)
    assert min(run.last.accuracy, other.last.accuracy) > 0.99
    assert max(abs(shares.w_q), abs(shares.w_k)) < 0.5 and shares.darkest == 1


@pytest.mark.parametrize("task", TASKS)
def test_from_zeros_no_gradient_reaches_w_q_and_w_k(task):
    options = Options(task)
    matrices = fresh(options)
    matrices |= {name: torch.zeros_like(matrices[name]) for name in ("w_q", "w_k")}
    result = evaluate(matrices, options).gradients
    assert not result["w_q"].any() and not result["w_k"].any() and result["w_v"].any()


def test_a_factor_that_cancels_changes_q_k_and_their_gradients_only(run):
    options, before = run.options, run.snapshots[5].matrices
    after = before | {"w_q": 2 * before["w_q"], "w_k": before["w_k"] / 2}
    one, two = evaluate(before, options), evaluate(after, options)
    assert two.loss == pytest.approx(one.loss, abs=1e-12)
    torch.testing.assert_close(two.gradients["w_q"], one.gradients["w_q"] / 2)
    torch.testing.assert_close(two.gradients["w_k"], 2 * one.gradients["w_k"])
    torch.testing.assert_close(two.gradients["w_v"], one.gradients["w_v"])


@pytest.mark.parametrize(
    ("own", "alone", "text"),
    [(1.0, 1.0005, "alike"), (0.5, 1.0, "further"), (1.0, 0.5, "behind"), (1.0, float("nan"), "further")],
)
def test_who_has_come_further_is_said_where_it_can_be_seen(own, alone, text):
    assert optimiser.which(own, alone) == text
