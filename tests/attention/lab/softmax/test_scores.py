"""Softmax of a few scores: against PyTorch, autograd, decimals of many digits, and by hand."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from attention import causal_mask
from attention.lab.softmax import scores as facts
from tests.attention.numbers import head
from tests.support.tolerance import close

NUMBER = st.floats(-40, 40).map(lambda value: round(value, 3))
MOST = 12
SCORES = st.lists(NUMBER, min_size=2, max_size=MOST).map(tuple)


# ---- a few scores


def test_the_notes_example_by_hand():
    distribution = facts.written_out(facts.NOTE_SCORES)
    close(distribution.exps, [7.38905609893065, 2.718281828459045, 1.1051709180756477])
    close(distribution.total, 11.212508845465343)
    assert (
        [round(weight, 2) for weight in distribution.weights] == [0.66, 0.24, 0.1] != list(facts.NOTE_WEIGHTS)
    )


@given(SCORES)
def test_shares_are_positive_sum_to_one_and_are_the_exponentials_over_their_sum(scores):
    distribution = facts.written_out(scores)
    assert min(distribution.weights) > 0 and abs(sum(distribution.weights) - 1) < 1e-12
    close(distribution.weights, [value / distribution.total for value in distribution.exps])


def test_exponentials_overflow_and_weights_do_not():
    distribution = facts.written_out((1000.0, 0.0))
    assert distribution.total == math.inf and distribution.weights == [1.0, 0.0]


@given(SCORES, st.floats(-1000, 1000))
def test_a_constant_changes_nothing_but_the_last_digits(scores, constant):
    close(facts.softmax(scores, shift=constant), facts.softmax(scores), 1e-10)
    before, after = facts.exact_weights(scores, 0.0), facts.exact_weights(scores, constant)
    assert all(abs(a - b) <= a.scaleb(-28) for a, b in zip(before, after, strict=True))
    close([float(value) for value in before], facts.softmax(scores))


@given(SCORES, st.floats(0.05, 20))
def test_temperature_divides_the_scores_and_keeps_their_order(scores, temperature):
    close(facts.softmax(scores, temperature), facts.softmax(tuple(s / temperature for s in scores)), 1e-9)
    order = sorted(range(len(scores)), key=scores.__getitem__)
    weights = facts.softmax(scores, temperature)
    assert all(weights[a] <= weights[b] for a, b in pairwise(order))


@given(SCORES)
def test_low_temperatures_lead_to_the_hard_maximum(scores):
    scores = tuple(round(score, 1) for score in scores)
    close(facts.softmax(scores, 0.001), facts.hard_maximum(scores), 1e-9)


def test_ties_share_and_are_counted():
    assert facts.hard_maximum((1.0, 3.0, 3.0)) == [0.0, 0.5, 0.5]
    assert facts.ties((1.0, 3.0, 3.0)) == 2 and facts.gap((1.0, 3.0, 3.0)) == 0


@given(SCORES)
def test_the_largest_weight_lies_between_its_bounds(scores):
    low, high = facts.largest_bounds([facts.gap(scores)], len(scores), 1.0)
    assert low[0] - 1e-12 <= max(facts.softmax(scores)) <= high[0] + 1e-12


def test_both_bounds_are_reached():
    low, high = facts.largest_bounds([1.5], 4, 1.0)
    close(max(facts.softmax((1.5, 0.0, 0.0, 0.0))), low[0])
    close(max(facts.softmax((1.5, 0.0, -800.0, -800.0))), high[0])


@given(SCORES)
def test_a_doubled_score_s_weight_grows_where_it_was_above_the_threshold(scores):
    before_after = facts.doubling(scores)
    squares = facts.tensor(before_after.before).square()
    close(before_after.after, squares / squares.sum())
    for before, after in zip(before_after.before, before_after.after, strict=True):
        if abs(before - before_after.threshold) > 1e-9:
            assert (after > before) == (before > before_after.threshold)
    assert max(before_after.after) >= max(before_after.before) - 1e-12


def test_spread_of_equal_weights():
    close(facts.spread([0.25] * 4), (0.25, 2.0, 1.0, 4.0))
    assert facts.spread([1.0, 0.0]) == (1.0, 0.0, 0.0, 1.0)


@given(SCORES, st.integers(0, 1), st.floats(0.1, 10))
def test_at_a_temperature_the_half_way_point_moves_and_the_curve_is_wider(scores, index, temperature):
    middle = facts.half_way(scores, index, temperature)
    grid = [middle, middle + temperature]
    half, higher = (row[index] for row in facts.along(scores, index, grid, temperature))
    close(half, 0.5, 1e-8)
    close(higher, 1 / (1 + math.exp(-1)), 1e-8)
    moved = (*scores[:index], grid[1], *scores[index + 1 :])
    close(facts.softmax(moved, temperature)[index], higher, 1e-9)


@given(SCORES, st.floats(0.05, 20), st.floats(-100, 100))
def test_decimal_weights_follow_the_temperature_and_no_constant(scores, temperature, constant):
    weights = facts.exact_weights(scores, constant, temperature=temperature)
    close([float(value) for value in weights], facts.softmax(scores, temperature), 1e-10)


def test_decimal_weights_of_the_largest_scores_at_the_lowest_temperature_are_numbers():
    weights = facts.exact_weights((1e6, -1e6, 1e6), 1000.0, temperature=0.01)
    assert [float(value) for value in weights] == [0.5, 0.0, 0.5]


@given(SCORES, st.floats(0.1, 10))
def test_doubling_the_scores_is_halving_the_temperature(scores, temperature):
    before_after = facts.doubling(scores, temperature)
    close(before_after.before, facts.softmax(scores, temperature))
    close(before_after.after, facts.softmax(tuple(2 * score for score in scores), temperature))


@given(SCORES, st.floats(-10, 10))
def test_no_error_of_the_jacobian_exceeds_one_and_a_quarter_of_the_change(scores, nudge):
    before_after = facts.answer(scores, 0, nudge)
    assert before_after.error == max(map(abs, before_after.errors)) <= 1 + abs(nudge) / 4


# ---- the Jacobian


@given(SCORES)
def test_the_jacobian_is_autograd_s(scores):
    s = facts.tensor(scores)
    by_autograd = torch.autograd.functional.jacobian(lambda x: torch.softmax(x, dim=-1), s)
    close(facts.jacobian(torch.softmax(s, dim=-1)), by_autograd)


@given(SCORES, st.integers(0, MOST - 1))
def test_the_error_of_the_prediction_falls_with_the_square_of_the_change(scores, index):
    """|Δp − J·h| ≤ ½·h²·max|p″|, and p″ is nowhere above 1 in any weight."""
    index %= len(scores)
    for nudge in (0.1, -0.01, 0.001):
        assert facts.answer(scores, index, nudge).error <= 0.5 * nudge**2 + 1e-15


def test_a_change_by_hand():
    before_after = facts.answer((0.0, 0.0), 0, 1.0)
    close(before_after.real, [1 / (1 + math.exp(-1)) - 0.5, 0.5 - 1 / (1 + math.exp(-1))])
    close(before_after.predicted, [0.25, -0.25])


# ---- the axis


def test_the_sums_of_each_axis():
    scores = head().masked_scores
    ones = torch.ones(3, dtype=torch.float64)
    close(facts.over(scores, "keys").sum(1), ones)
    close(facts.over(scores, "queries").sum(0), ones)
    close(facts.over(scores, "all").sum(), 1.0)
    assert [facts.rows_sum_to_one(facts.over(scores, axis)) for axis in facts.AXES] == [True, False, False]


def test_the_check_misses_equal_scores():
    assert facts.rows_sum_to_one(facts.over(torch.zeros(3, 3), "queries"))


DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("keys", [1, 3, 4, 16, 100, 4096])
@pytest.mark.parametrize("size", [0.1, 1.0, 5.0])
def test_the_tolerance_passes_right_rows_in_every_dtype(dtype, keys, size):
    generator = torch.Generator().manual_seed(keys)
    scores = size * torch.randn(500, keys, generator=generator, dtype=torch.float64)
    assert facts.rows_sum_to_one(torch.softmax(scores.to(dtype), dim=-1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_tolerance_is_not_so_wide_that_a_wrong_axis_passes(dtype):
    scores = torch.randn(6, 6, generator=torch.Generator().manual_seed(1)).to(dtype)
    assert not facts.rows_sum_to_one(torch.softmax(scores, dim=0))


def test_fully_masked_and_dropped_rows_fail_the_check():
    assert not facts.rows_sum_to_one(head(mask=torch.zeros(3, 3, dtype=torch.bool)).weights)
    assert not facts.rows_sum_to_one(facts.drop_weights(head(), 0.5, 0).dropped_weights)


def test_allclose_s_own_tolerance_rejects_right_rows_in_16_bits_only():
    for dtype in (torch.float16, torch.bfloat16):
        assert 0.003 < facts.false_alarms(dtype, 4) < 0.05
    for dtype in (torch.float32, torch.float64):
        assert facts.false_alarms(dtype, 4) == 0


# ---- dropout


def test_a_kept_weight_is_divided_and_a_dropped_one_is_zero():
    one = head()
    result = facts.drop_weights(one, 0.25, 3).dropped_weights
    kept = result != 0
    assert kept.any() and not kept.all()
    close(result[kept], one.weights[kept] / 0.75)
    close(facts.drop_weights(one, 0.25, 3).dropped_weights, result)
    assert not torch.equal(facts.drop_weights(one, 0.25, 4).dropped_weights, result)
    assert facts.drop_weights(one, 0.0, 3).dropped_weights is None


@limits(max_examples=10, deadline=None)
@given(st.sampled_from([0.1, 0.3, 0.5, 0.9]), st.integers(0, 9999))
def test_the_mean_of_many_draws_is_within_its_standard_error(p, seed):
    """Five standard errors: chance leaves them about once in two million weights."""
    one = head()
    draws = facts.many_draws(one, p, seed, 1000)
    assert facts.in_errors(one.weights, draws).abs().max() < 5
    ratio = draws.measured_error / draws.expected_error
    assert bool(((ratio > 0.7) & (ratio < 1.4)).all())


def test_the_standard_error_by_hand():
    one = head()
    draws = facts.many_draws(one, 0.5, 0, 100)
    close(draws.expected_error, one.weights / 10)


def test_nothing_is_left_to_chance_without_dropout():
    one = head(mask=causal_mask(3))
    assert not facts.in_errors(one.weights, facts.many_draws(one, 0.0, 0, 10)).any()


@given(SCORES, st.floats(-10, 10))
def test_errors_along_a_change_are_those_of_each_change(scores, nudge):
    expected = [facts.answer(scores, 1, change).error for change in (nudge, nudge / 7)]
    close(facts.errors_along(scores, 1, [nudge, nudge / 7]), expected)


@given(SCORES)
def test_weights_by_temperature_are_those_of_each_temperature_and_the_entropy_never_falls(scores):
    temperatures = [0.1, 1.0, 7.5]
    weights, bits = facts.by_temperature(scores, temperatures)
    close(weights, [facts.softmax(scores, temperature) for temperature in temperatures])
    close(bits, [facts.spread(row).entropy for row in weights])
    assert all(after >= before - 1e-9 for before, after in pairwise(bits))


@pytest.mark.parametrize(
    ("scores", "power"),
    [((1.0, 1.0), 3), ((math.log(2), 0.0, 0.0), 3), ((1.0, 0.5), 2), ((0.0, 0.0, 0.0), 2)],
)
def test_the_error_s_power_is_three_exactly_where_the_changed_score_has_half_the_weight(scores, power):
    large, small = facts.errors_along(scores, 0, [1e-2, 1e-3])
    assert math.log10(large / small) == pytest.approx(power, abs=0.05)
