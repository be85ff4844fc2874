"""Training, its gradients, and what theory says of it."""

import math
from dataclasses import replace

import pytest
import torch

from attention import AttentionError
from attention.lab.training import (
    LEARNED,
    TASKS,
    Options,
    accuracy_of_all,
    agreement,
    descend,
    distance_from_pattern,
    equivalent,
    evaluate,
    fresh,
    limit,
    trace_of,
    train,
    well_conditioned,
)
from attention.lab.training.model import sequences
from attention.lab.training.run import Adam, kept_steps
from tests.support.tolerance import close


@pytest.fixture(scope="module")
def runs():
    """Each task trained with seed 0, once."""
    trained = {}

    def of(name):
        if name not in trained:
            trained[name] = train(Options(name))
        return trained[name]

    return of


# ---- what is learned


# How far the weights are at most from the pattern, where there is one: counting attends to all nearly alike.
PATTERNS = {
    **dict.fromkeys(("previous", "same", "first", "bracket", "reverse"), 0.05),
    **dict.fromkeys(("count", "count_so_far"), 0.2),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", TASKS)
def test_every_task_is_learned_with_its_pattern(runs, name):
    run = runs(name)
    assert limit(run.options).solvable
    assert run.last.accuracy >= LEARNED
    assert run.last.loss < run.snapshots[0].loss / 5
    if name in PATTERNS:
        assert distance_from_pattern(run.last.matrices, run.options) < PATTERNS[name]
    if PATTERNS.get(name) == 0.05:
        batch = sequences(name, 0, True)
        weights = trace_of(run.last.matrices, batch.tokens, run.options).heads.weights[:, 0]
        words = map(TASKS[name].words, batch.tokens)
        expected = torch.stack([TASKS[name].expected_weights(one)[0] for one in words])
        assert torch.equal(weights.argmax(-1)[batch.asked], expected.argmax(-1)[batch.asked])


# ---- what is not


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if task.positions])
def test_without_positions_it_stays_at_what_theory_allows(name):
    options = Options(name, positions=False)
    best = limit(options)
    assert best.reasons == ("positions",) and best.accuracy < LEARNED
    assert accuracy_of_all(train(options).last.matrices, options) <= best.accuracy


@pytest.mark.exhaustive
@pytest.mark.parametrize("positions", [False, True])
def test_one_head_gets_three_quarters_of_both_and_no_more(positions):
    options = Options("both", num_heads=1, positions=positions, head_dim=8)
    best = limit(options)
    assert (best.accuracy, best.reasons, best.chance) == (0.75, ("one_head",), 0.5)
    assert max(one.accuracy for one in train(options).snapshots) <= 0.75


def test_limits_counted_by_hand():
    nothing = limit(Options("same", positions=False))
    assert nothing.accuracy == pytest.approx(1 / 6) and nothing.chance == pytest.approx(1 / 6)
    masked = limit(Options("reverse", causal=True))  # three see their letter; three guess one of five
    assert masked.reasons == ("mask",) and masked.accuracy == pytest.approx((3 + 3 / 5) / 6)
    assert limit(Options("same", causal=True)).accuracy == pytest.approx(2 / 3)
    assert limit(Options("count_so_far", positions=False)).reasons == ("positions",)
    assert limit(Options("count")).solvable


def test_a_sequence_and_its_double_give_one_output_without_positions():
    options = Options("count_so_far", positions=False)
    matrices = fresh(options)
    output = trace_of(matrices, torch.tensor([[0, 0, 1, 1, 2, 2]]), options).output[0]
    close(output[0], output[1])


# ---- the run


def test_the_same_options_give_the_same_run_whatever_the_global_generator():
    options = Options("both", 3, steps=10)
    torch.manual_seed(1)
    first = train(options)
    torch.manual_seed(2)
    second = train(options)
    other = train(replace(options, seed=4))
    for a, b in zip(first.snapshots, second.snapshots, strict=True):
        assert (a.step, a.loss, a.accuracy, a.gradient_norms) == (
            b.step,
            b.loss,
            b.accuracy,
            b.gradient_norms,
        )
        assert all(torch.equal(a.matrices[name], b.matrices[name]) for name in a.matrices)
    assert not torch.equal(first.last.matrices["w_q"], other.last.matrices["w_q"])


def test_snapshots_are_the_run_at_their_steps():
    run = train(Options("previous", steps=120))
    steps = [one.step for one in run.snapshots]
    assert steps == kept_steps(120) and steps[0] == 0 and steps[-1] == 120 and len(steps) == 51
    for one in (run.snapshots[0], run.snapshots[7], run.last):
        result = evaluate(one.matrices, run.options)
        assert (result.loss, result.accuracy) == pytest.approx((one.loss, one.accuracy), abs=1e-12)
        norms = {name: gradient.norm().item() for name, gradient in result.gradients.items()}
        assert norms == pytest.approx(one.gradient_norms, abs=1e-12)
        assert all(matrix.dtype == torch.float64 for matrix in one.matrices.values())


def test_a_short_run_keeps_every_step():
    assert kept_steps(3) == [0, 1, 2, 3]


def test_what_is_heard_of_each_kept_step_can_end_the_run():
    class Enough(Exception):
        pass

    heard = []

    def on_step(snapshot):
        heard.append(snapshot.step)
        if len(heard) == 3:
            raise Enough

    with pytest.raises(Enough):
        train(Options("first", steps=100), on_step)
    assert heard == [0, 2, 4]


def test_the_update_is_torch_s_adam():
    generator = torch.Generator().manual_seed(5)
    start = {name: torch.randn(3, 2, generator=generator, dtype=torch.float64) for name in ("w_q", "w_v")}
    mine = {name: one.clone() for name, one in start.items()}
    theirs = {name: one.clone() for name, one in start.items()}
    rates = {"w_q": 0.02, "w_v": 0.2}
    ours = Adam(mine, rates)
    torchs = torch.optim.Adam([{"params": [theirs[name]], "lr": rates[name]} for name in rates])
    for _ in range(7):
        gradients = {name: torch.randn(3, 2, generator=generator, dtype=torch.float64) for name in start}
        ours.step(gradients)
        for name, gradient in gradients.items():
            theirs[name].grad = gradient
        torchs.step()
    for name in start:
        close(mine[name], theirs[name])


# ---- by hand


@pytest.mark.parametrize(
    "options",
    [
        Options("previous"),
        Options("both"),
        Options("count_so_far"),
        Options("same", scaling=False, num_heads=2, causal=True),
    ],
    ids=lambda options: options.task,
)
def test_gradients_against_finite_differences(options):
    matrices = fresh(options)
    result = evaluate(matrices, options)
    h = 1e-5
    assert result.gradients.keys() == matrices.keys()
    for name, matrix in matrices.items():
        for row, col in ((0, 0), (matrix.shape[0] - 1, matrix.shape[1] - 1), (1, 1)):
            losses = []
            for sign in (1, -1):
                moved = matrix.clone()
                moved[row, col] += sign * h
                losses.append(evaluate(matrices | {name: moved}, options).loss)
            slope = (losses[0] - losses[1]) / (2 * h)
            assert result.gradients[name][row, col].item() == pytest.approx(slope, abs=1e-8)


def test_gradient_descent_goes_against_the_gradient_and_down():
    options = Options("previous")
    matrices = fresh(options)
    before = evaluate(matrices, options)
    after = descend(matrices, options, 1.0)
    for name, matrix in matrices.items():
        close(after[name], matrix - before.gradients[name])
    assert evaluate(after, options).loss < before.loss


def test_a_step_into_the_infinite_is_refused():
    options = Options("previous")
    far = descend(fresh(options), options, 1e300)
    with pytest.raises(AttentionError) as caught:
        descend(far, options, 1e300)
    assert (caught.value.argument, caught.value.code) == ("rate", "result_not_finite")


@pytest.mark.parametrize("head", [0, 1])
def test_m_in_w_q_and_its_inverse_in_w_k_move_nothing_else(head):
    options = Options("both")
    matrices = fresh(options)
    changed = equivalent(matrices, well_conditioned(options.head_dim, 1), head, options)
    columns = torch.arange(8) // 4 == head
    for name in ("w_q", "w_k"):
        assert not torch.allclose(changed[name][:, columns], matrices[name][:, columns], atol=0.01)
        assert torch.equal(changed[name][:, ~columns], matrices[name][:, ~columns])
        chosen = [m[name][:, columns] for m in (matrices, changed)]
        assert chosen[0].shape == chosen[1].shape
    close(changed["w_q"] @ changed["w_k"].mT, matrices["w_q"] @ matrices["w_k"].mT)
    tokens = sequences("both", 0, True).tokens[:5]
    a, b = (trace_of(each, tokens, options) for each in (matrices, changed))
    close(a.heads.weights, b.heads.weights)
    close(a.output, b.output)


def test_m_is_well_conditioned_and_seeded():
    m = well_conditioned(5, 2)
    close(torch.linalg.svdvals(m)[[0, -1]], torch.tensor([2.0, 0.5], dtype=torch.float64))
    assert torch.equal(m, well_conditioned(5, 2)) and not torch.equal(m, well_conditioned(5, 3))
    assert well_conditioned(1, 0).shape == (1, 1)


# ---- two runs


@pytest.mark.slow
def test_two_seeds_agree_in_a_and_not_in_the_matrices(runs):
    shares = agreement(runs("bracket"), train(Options("bracket", 1)))
    assert abs(shares.w_q) < 0.3 and abs(shares.w_k) < 0.3
    assert shares.scores > shares.product > 0.5
    assert shares.darkest == 1 and shares.weights < 0.02


def test_heads_are_paired_as_they_fit():
    run = train(Options("both", steps=20))
    last = run.last
    swapped = {name: torch.cat(one.chunk(2, dim=-1)[::-1], dim=-1) for name, one in last.matrices.items()}
    swapped["w_o"] = torch.cat(last.matrices["w_o"].chunk(2)[::-1])
    other = replace(run, snapshots=(replace(last, matrices=swapped),))
    shares = agreement(run, other)
    assert (shares.w_q, shares.w_k, shares.scores, shares.darkest) == pytest.approx((1, 1, 1, 1))
    assert shares.weights == pytest.approx(0, abs=1e-12)


def test_runs_that_cannot_be_laid_side_by_side():
    short = {"steps": 1}
    one, two = train(Options("both", num_heads=1, **short)), train(Options("both", **short))
    assert agreement(one, two) is None
    assert agreement(train(Options("count", **short)), one) is None
    assert math.isnan(distance_from_pattern(one.last.matrices, one.options))
    other = agreement(train(Options("first", **short)), train(Options("first", positions=False, **short)))
    assert math.isnan(other.w_q) and 0 <= other.weights <= 1


# ---- options


def test_options_are_the_task_s_own_where_none_are_given():
    both = Options("both")
    assert (both.num_heads, both.positions, both.causal, both.value_dim) == (2, False, False, 2)
    assert Options("bracket").causal and Options("previous", num_heads=2).value_dim == 5
    assert Options("previous", head_dim=4).scale == 0.5 and Options("previous", scaling=False).scale == 1


@pytest.mark.parametrize(
    ("options", "argument", "code"),
    [
        ({"task": "sort"}, "task", "unknown_choice"),
        ({"seed": -1}, "seed", "out_of_range"),
        ({"seed": 0.5}, "seed", "not_an_integer"),
        ({"num_heads": 5}, "num_heads", "out_of_range"),
        ({"head_dim": 0}, "head_dim", "out_of_range"),
        ({"steps": 0}, "steps", "out_of_range"),
        ({"learning_rate": 0.0}, "learning_rate", "not_positive"),
        ({"learning_rate": math.nan}, "learning_rate", "not_positive"),
    ],
)
def test_options_that_cannot_be(options, argument, code):
    with pytest.raises(AttentionError) as caught:
        Options(**options)
    assert (caught.value.argument, caught.value.code) == (argument, code)


def test_what_does_not_fit_is_said():
    options = Options("previous")
    matrices = fresh(options)
    with pytest.raises(AttentionError):
        evaluate(matrices | {"w_q": matrices["w_q"][:-1]}, options)
    with pytest.raises(AttentionError):
        descend(matrices, options, 0.0)
    with pytest.raises(AttentionError):
        equivalent(matrices, torch.eye(3, dtype=torch.float64), 0, options)
    with pytest.raises(AttentionError):
        equivalent(matrices, well_conditioned(4, 0), 1, options)
