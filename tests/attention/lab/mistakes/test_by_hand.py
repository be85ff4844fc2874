"""One step worked by hand: how far rounding may lead off, and the mistakes of a hand."""

import math

import pytest
import torch

from attention import causal_mask, scaled_dot_product_attention
from attention.lab.mistakes.by_hand import (
    COMPUTED,
    DECIMALS,
    HALF,
    SLIPS,
    Worked,
    computed,
    rounded_off,
    rounding,
)


def given(n=5, d_k=3, d_v=2, *, seed=0, mask=None, whole=False, d_model=7):
    generator = torch.Generator().manual_seed(seed)
    query, key, value = (
        torch.randn(n, width, generator=generator, dtype=torch.float64) * 1.5 for width in (d_k, d_k, d_v)
    )
    if whole:
        query, key, value = query.round(), key.round(), value.round()
    trace = scaled_dot_product_attention(query, key, value, mask=mask)
    return Worked(query, key, value, trace.scores, trace.scaled_scores, trace.weights, mask, d_model), trace


MASKS = [None, causal_mask(5)]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("step", COMPUTED)
def test_a_step_by_itself_is_that_of_the_core(step, mask):
    one, trace = given(mask=mask)
    torch.testing.assert_close(computed(step, one), getattr(trace, step), rtol=1e-12, atol=1e-12)


# ---- rounding


def shown(tensor):
    return torch.round(tensor, decimals=DECIMALS)


def test_off_is_half_a_unit_unless_the_decimals_say_it_all():
    assert rounded_off(torch.tensor([1.25, -3.0])) == 0
    assert rounded_off(torch.tensor([1.25, 1 / 3], dtype=torch.float64)) == HALF


def by_hand_of(step, seen):
    """The step as written out on paper: √d_k with two decimals, exponentials with three."""
    if step == "scaled_scores":
        return seen.scores / round(math.sqrt(seen.d_k), DECIMALS)
    if step == "weights":
        exps = torch.round(torch.exp(seen.masked_scores), decimals=3)
        return exps / exps.sum(-1, keepdim=True)
    return computed(step, seen)


@pytest.mark.parametrize("step", COMPUTED)
def test_the_bound_holds_for_all_numbers_that_look_the_same(step):
    one, _ = given(seed=3)
    names = {"scores": ("query", "key"), "scaled_scores": ("scores",), "weights": ("scaled_scores",)}
    generator = torch.Generator().manual_seed(1)
    fields = {name: getattr(one, name) for name in one.__dataclass_fields__}
    for _ in range(200):
        moved = dict(fields)
        for name in names.get(step, ("weights", "value")):
            signs = torch.randint(0, 2, fields[name].shape, generator=generator) * 2 - 1
            moved[name] = fields[name] + HALF * signs
        apart = (computed(step, Worked(**moved)) - computed(step, one)).abs()
        assert (apart <= rounding(step, one) + 1e-12).all()


def test_bounds_worked_by_hand():
    one, _ = given(whole=True)
    assert (rounding("scores", one) == 0).all()
    two = Worked(*(torch.ones(1, 2) / 3 for _ in range(3)), *(torch.ones(1, 1) / 3 for _ in range(3)))
    assert rounding("scores", two).item() == pytest.approx(4 * HALF / 3 + 2 * HALF**2)
    assert rounding("output", two)[0, 0].item() == pytest.approx(2 * HALF / 3 + HALF**2)
    root, lost = math.sqrt(2), math.sqrt(2) - 1.41
    assert rounding("scaled_scores", two).item() == pytest.approx(HALF / 1.41 + lost / 3 / (root * 1.41))


def test_scores_whose_exponentials_vanish_in_three_decimals_bound_nothing():
    one, _ = given(whole=True)
    low = Worked(one.query, one.key, one.value, one.scores, one.scaled_scores - 100, one.weights)
    assert rounding("weights", low).isinf().all()


def test_a_masked_weight_is_exact():
    one, _ = given(mask=causal_mask(5))
    assert (rounding("weights", one)[~causal_mask(5)] == 0).all()


# ---- slips


@pytest.mark.parametrize(("step", "name"), [(step, name) for step in SLIPS for name in SLIPS[step]])
def test_each_slip_has_the_step_s_shape_and_differs_where_it_can_be_made(step, name):
    one, trace = given(n=4, d_k=4, d_v=4, mask=causal_mask(4), d_model=9)
    if name == "by_sqrt_n":
        one, trace = given(n=5, d_k=4)
    wrong = SLIPS[step][name](one)
    assert wrong.shape == getattr(trace, step).shape
    present = ~wrong.isnan()
    assert present.any()
    assert ((wrong - getattr(trace, step)).abs()[present] > 1e-6).any()


def row(matrix, i=1):
    return matrix[i].tolist()


SMALL = Worked(
    query=torch.tensor([[1.0, 0.0], [1.0, -2.0]]),
    key=torch.tensor([[1.0, 2.0], [3.0, 1.0]]),
    value=torch.tensor([[2.0, -1.0], [4.0, 3.0]]),
    scores=torch.tensor([[1.0, 3.0], [-3.0, 1.0]]),
    scaled_scores=torch.tensor([[0.0, math.log(3)], [math.log(2), 0.0]]),
    weights=torch.tensor([[0.25, 0.75], [0.75, 0.25]]),
    mask=torch.tensor([[True, True], [True, False]]),
    d_model=9,
)
ROOT = math.sqrt(2)
# Slips of the second row, worked by hand.
BY_HAND = {
    "key_not_transposed": [1 - 6, 2 - 2],
    "transposed_scores": [3.0, math.nan],  # q₁ · k₂ for q₂ · k₁
    "score_signs": [5, 5],
    "score_term": [1, 3],
    "scaled_early": [-3 / ROOT, 1 / ROOT],
    "not_scaled": [-3, 1],
    "by_d_k": [-1.5, 0.5],
    "by_sqrt_n": [math.nan, math.nan],  # n = d_k: the same number
    "by_sqrt_d_model": [-1, 1 / 3],
    "multiplied": [-3 * ROOT, ROOT],
    "scaled_sign": [3 / ROOT, math.nan],
    "exp_only": [2, 0],
    "exp_below": [1, 0],
    "no_exp": [1, 0],
    "wrong_axis": [2 / 3, 0],
    "scaled_again": [1, 0],
    "mask_forgotten": [2 / 3, 1 / 3],
    "after_softmax": [2 / 3, 0],
    "times_zero": [2 / 3, 1 / 3],
    "inverted": [0, 1],
    "transposed_weights": [0.75 * 2 + 0.25 * 4, -0.75 + 0.25 * 3],
    "value_row": [0.75 * 2 - 0.25, 0.75 * 4 + 0.25 * 3],
    "mean": [2, -1],
    "sum": [2, -1],
    "largest": [2, -1],
    "output_signs": [math.nan, 0.75 + 0.75],
    "output_term": [1.5, -0.75],
}


@pytest.mark.parametrize(("step", "name"), [(step, name) for step in SLIPS for name in SLIPS[step]])
def test_slips_worked_by_hand(step, name):
    assert row(SLIPS[step][name](SMALL)) == pytest.approx(BY_HAND[name], nan_ok=True, rel=1e-6, abs=1e-6)


def test_what_cannot_be_made_is_nan():
    one, _ = given(n=5, d_k=1, d_v=2)
    for step, name in [
        ("scores", "key_not_transposed"), ("scores", "scaled_early"), ("scores", "score_term"),
        ("scaled_scores", "not_scaled"), ("scaled_scores", "by_d_k"), ("scaled_scores", "multiplied"),
        ("weights", "scaled_again"), ("weights", "mask_forgotten"), ("weights", "after_softmax"),
        ("weights", "times_zero"), ("weights", "inverted"), ("output", "value_row"),
    ]:  # fmt: skip
        assert SLIPS[step][name](one).isnan().all(), name


def test_each_has_numbers_worked_by_hand():
    assert set(BY_HAND) == {name for table in SLIPS.values() for name in table}


def test_the_steps_are_in_the_order_of_the_core():
    one = torch.ones(1, 1)
    steps = [step.name for step in scaled_dot_product_attention(one, one, one).steps()]
    assert list(COMPUTED) == [name for name in steps if name in COMPUTED] == list(SLIPS)
