"""Softmax in four precisions: overflow, underflow and rounding, each where it is said to happen."""

import math

import pytest
import torch

from attention.lab.softmax import precision as precise
from tests.support.tolerance import close

SIZES = (10.0, 100.0, 1000.0)


def sized_scores(size, name, *, below=False):
    """Four scores of that size, all above 0 or all below; the gaps grow with it, so the weights saturate."""
    shares = torch.tensor([1.0, 0.9, 0.5, 0.1], dtype=torch.float64) - 2.0 * below
    return (size * shares).to(precise.DTYPES[name])


@pytest.mark.parametrize("name", precise.DTYPES)
def test_the_limits_are_where_exp_leaves_the_numbers(name):
    def exp(value):
        return torch.exp(torch.tensor(value, dtype=torch.float64)).to(precise.DTYPES[name])

    top, bottom = precise.largest_exponent(name), precise.smallest_exponent(name)
    assert torch.isfinite(exp(top - 0.01)) and (name == "float64" or not torch.isfinite(exp(top + 0.01)))
    assert exp(bottom + 0.01) > 0 and (name == "float64" or exp(bottom - 0.01) == 0)
    if name == "float64":
        assert math.isinf(torch.exp(torch.tensor(top + 0.01, dtype=torch.float64)))
        assert math.exp(bottom + 0.01) > 0 == math.exp(bottom - 0.01)


@pytest.mark.parametrize("below", [False, True])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", precise.DTYPES)
def test_the_shifted_form_is_right_in_every_precision(name, size, below):
    s = sized_scores(size, name, below=below)
    assert precise.verdict(precise.shifted(s), precise.truth(s)) == "right"
    close(precise.truth(s), torch.softmax(s.double(), dim=-1))


@pytest.mark.parametrize(
    ("name", "size", "below", "verdict"),
    [
        ("float64", 100.0, False, "right"),
        ("float64", 1000.0, False, "broken"),
        ("float32", 10.0, False, "right"),
        ("float32", 100.0, False, "broken"),
        ("float16", 10.0, False, "right"),
        ("float16", 100.0, False, "broken"),
        ("bfloat16", 100.0, False, "broken"),
        ("float32", 100.0, True, "lost"),
        ("float64", 1000.0, True, "broken"),
    ],
)
def test_the_naive_form(name, size, below, verdict):
    s = sized_scores(size, name, below=below)
    assert precise.verdict(precise.naive(s), precise.truth(s)) == verdict


@pytest.mark.parametrize("name", precise.DTYPES)
def test_every_step_is_done_in_its_precision(name):
    for form in (precise.naive, precise.shifted):
        assert {step.dtype for step in form(sized_scores(10.0, name))} == {precise.DTYPES[name]}


def test_logsumexp():
    s = sized_scores(1000.0, "float64")
    assert precise.naive(s).logsumexp == math.inf
    close(precise.shifted(s).logsumexp, torch.logsumexp(s, dim=-1))


def test_a_weight_far_below_is_zero_in_float32_as_the_answer_says():
    assert precise.far_below("float32") == 0
    assert round(-1000 / math.log(10), 2) == -434.29  # 10^-434.29 = 5·10^-435


# ---- fixed gaps


@pytest.mark.parametrize("name", ["float64", "float32", "float16"])
@pytest.mark.parametrize("top", [-1000.0, 0.0, 10.0, 100.0, 1000.0])
def test_with_fixed_gaps_the_exact_softmax_is_the_same_for_every_top(name, top):
    close(precise.truth(precise.fixed_gaps(top, name)), precise.truth(precise.fixed_gaps(0.0, "float64")))
    assert precise.rounding_loss(top, name) < 1e-12


@pytest.mark.parametrize("top", [-1000.0, 10.0, 100.0, 1000.0])
@pytest.mark.parametrize("name", precise.DTYPES)
def test_with_fixed_gaps_the_shifted_form_is_right(name, top):
    s = precise.fixed_gaps(top, name)
    assert precise.verdict(precise.shifted(s), precise.truth(s)) == "right"


@pytest.mark.parametrize(
    ("name", "top", "verdict"),
    [
        ("float64", 100.0, "right"),
        ("float64", 1000.0, "broken"),
        ("float32", 10.0, "right"),
        ("float32", 100.0, "broken"),
        ("float32", -100.0, "lost"),
        ("float32", -1000.0, "broken"),
        ("float16", 10.0, "right"),
        ("float16", 100.0, "broken"),
        ("bfloat16", 100.0, "broken"),
    ],
)
def test_with_fixed_gaps_the_naive_form_fails_by_overflow_and_underflow_alone(name, top, verdict):
    s = precise.fixed_gaps(top, name)
    assert precise.verdict(precise.naive(s), precise.truth(s)) == verdict


def test_bfloat16_rounds_the_gaps_of_large_scores_away():
    assert precise.fixed_gaps(1000.0, "bfloat16").tolist() == [1000, 1000, 1000, 996]
    assert precise.rounding_loss(1000.0, "bfloat16") > 0.3


# ---- NaN, −∞ and −10⁹


def test_nan_has_more_than_one_cause():
    masked = torch.full((3,), -math.inf)
    assert precise.nan_cause(precise.naive(masked)) == "0 / 0"
    assert precise.nan_cause(precise.shifted(masked)) == "inf - inf"
    large = precise.fixed_gaps(100.0, "float32")
    assert precise.nan_cause(precise.naive(large)) == "inf / inf"
    assert precise.nan_cause(precise.shifted(large)) is None


def test_which_dtypes_hold_infinity():
    names = ("float64", "float32", "float16", "bfloat16", "float8_e5m2", "float8_e4m3fn")
    assert [precise.holds_infinity(getattr(torch, name)) for name in names] == [True] * 5 + [False]


def test_half_precision_refuses_minus_a_billion_in_masked_fill():
    assert precise.half_precision_error() == "value cannot be converted to type c10::Half without overflow"


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_the_other_dtypes_take_it(dtype):
    assert precise.half_precision_error(dtype) is None


def test_an_arithmetic_mask_overflows_without_a_word():
    scores, mask = torch.zeros(2, dtype=torch.float16), torch.tensor([True, False])
    assert precise.arithmetic_mask(scores, mask).tolist() == [0, -math.inf]
    assert precise.arithmetic_mask(scores, mask, factor_in_dtype=True).isnan().tolist() == [True, False]
    assert precise.arithmetic_mask(scores.float(), mask).tolist() == [0, -1e9]
