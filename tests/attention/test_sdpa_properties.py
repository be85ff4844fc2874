"""What holds for any numbers and shapes."""

import functools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import causal_mask, scaled_dot_product_attention
from tests.support.tolerance import close as close_to

lengths = st.integers(1, 7)
shapes = st.tuples(st.lists(st.integers(1, 3), max_size=2), lengths, lengths, lengths, lengths)
seeds = st.integers(0, 2**31)
few = settings(max_examples=60, deadline=None, derandomize=True)


class Case:
    """Random query, key, value and mask of a drawn shape."""

    def __init__(self, shape, seed):
        leading, self.q_len, self.kv_len, head_dim, value_dim = shape
        self.generator = torch.Generator().manual_seed(seed)
        self.query = 3 * self.normal(*leading, self.q_len, head_dim)
        self.key = 3 * self.normal(*leading, self.kv_len, head_dim)
        self.value = self.normal(*leading, self.kv_len, value_dim)
        self.mask = torch.rand(self.q_len, self.kv_len, generator=self.generator) > 0.5

    def normal(self, *shape):
        return torch.randn(shape, generator=self.generator, dtype=torch.float64)

    def attend(self, **options):
        return scaled_dot_product_attention(self.query, self.key, self.value, **options)


cases = st.builds(Case, shapes, seeds)


close = functools.partial(close_to, tolerance=1e-9, absolute=1e-12)


@given(cases)
@few
def test_rows_sum_to_one_or_to_zero(case):
    sums = case.attend(mask=case.mask).weights.sum(-1)
    close(sums, case.mask.any(-1).double().expand_as(sums))


@given(cases)
@few
def test_weights_are_positive_exactly_where_the_mask_is_true(case):
    weights = case.attend(mask=case.mask, scale=0.01).weights
    assert (weights > 0).equal(case.mask.expand_as(weights))


@given(cases, st.integers(0, 6))
@few
def test_causal_output_does_not_depend_on_the_future(case, now):
    mask, present = causal_mask(case.q_len, case.kv_len), slice(0, now + 1)
    before = case.attend(mask=mask).output[..., present, :]
    case.key[..., now + 1 :, :] = 1000
    case.value[..., now + 1 :, :] = -1000
    assert case.attend(mask=mask).output[..., present, :].equal(before)


@given(cases)
@few
def test_gradients_are_finite_also_in_rows_that_attend_to_nothing(case):
    case.mask[0] = False
    leaves = [tensor.requires_grad_() for tensor in (case.query, case.key, case.value)]
    trace = case.attend(mask=case.mask)
    (trace.output.sum() + trace.logsumexp.masked_fill(~case.mask.any(-1), 0.0).sum()).backward()
    assert all(leaf.grad.isfinite().all() for leaf in leaves)
    assert case.query.grad[..., 0, :].abs().max() == 0


MASK = torch.tensor([[True, False, True], [False, False, False]])


@pytest.mark.parametrize(
    "options",
    [{}, {"mask": MASK}, {"mask": MASK, "masked_score": -1e9}, {"softcap": 0.8}],
    ids=["plain", "a row that attends to nothing", "finite masked_score", "softcap"],
)
@pytest.mark.parametrize("field", ["output", "weights"])
def test_gradients_against_differences(normal, options, field):
    leaves = [tensor.requires_grad_() for tensor in (normal(2, 5), normal(3, 5), normal(3, 2), normal(2, 3))]

    def function(query, key, value, bias):
        return getattr(scaled_dot_product_attention(query, key, value, bias=bias, **options), field)

    assert torch.autograd.gradcheck(function, leaves)
    assert torch.autograd.gradgradcheck(function, leaves)


def test_gradients_of_logsumexp_against_differences(normal):
    leaves = [normal(2, 5).requires_grad_(), normal(3, 5).requires_grad_()]

    def function(query, key):
        return scaled_dot_product_attention(query, key, key).logsumexp

    assert torch.autograd.gradcheck(function, leaves)


def test_the_gradient_of_logsumexp_in_a_row_that_attends_to_nothing_is_zero(normal):
    query = normal(2, 5).requires_grad_()
    scaled_dot_product_attention(query, normal(3, 5), normal(3, 2), mask=MASK).logsumexp.sum().backward()
    assert query.grad[1].tolist() == [0.0] * 5
    assert query.grad[0].abs().min() > 0


def test_gradients_with_a_bias_of_minus_infinity(normal):
    query, bias = normal(2, 5).requires_grad_(), torch.zeros(2, 3, dtype=torch.float64)
    bias[~MASK] = -torch.inf
    bias.requires_grad_()
    trace = scaled_dot_product_attention(query, normal(3, 5), normal(3, 2), bias=bias)
    (trace.output.sum() + trace.logsumexp[0]).backward()
    assert query.grad.isfinite().all()
    assert bias.grad[~MASK].abs().max() == 0
