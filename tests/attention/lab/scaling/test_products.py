"""Products from sums of noise: exactly those of the vectors, and distributed as the theory says."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention.lab.scaling import products as lab
from attention.lab.scaling.variance import KURTOSIS, SIZES, Sample, measure, theory_mean, theory_variance

samples = st.builds(
    Sample,
    kind=st.sampled_from(sorted(KURTOSIS)),
    mean=st.floats(-2, 2),
    variance=st.floats(0.1, 4),
    correlation=st.floats(-1, 1),
    seed=st.integers(0, 99),
    inside=st.floats(0, 1),
)


def directly(a, b, e, f, sample: Sample):
    """q and k written out."""
    alpha, beta = math.sqrt(sample.inside), math.sqrt(1 - sample.inside)
    u, z = alpha * a[:, None] + beta * e, alpha * b[:, None] + beta * f
    v = sample.correlation * u + math.sqrt(1 - sample.correlation**2) * z
    size = math.sqrt(sample.variance)
    return ((sample.mean + size * u) * (sample.mean + size * v)).sum(-1)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(samples, st.sampled_from([1, 3, 17]))
def test_the_sums_give_the_products_of_the_vectors(sample, d_k):
    generator = torch.Generator().manual_seed(1)
    a, b = torch.randn(2, 5, generator=generator, dtype=torch.float64)
    e, f = torch.randn(2, 5, d_k, generator=generator, dtype=torch.float64)
    torch.testing.assert_close(lab.products(lab.summed(a, b, e, f), sample), directly(a, b, e, f, sample))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(samples, st.sampled_from([1, 2, 16, 100]))
def test_what_is_drawn_lies_within_its_standard_error_of_the_theory(sample, d_k):
    products = lab.products(lab.noise(sample.kind, d_k, 8000, sample.seed), sample)
    point, theory = measure(d_k, products), theory_variance(sample, d_k)
    assert abs(point.variance - theory) <= 6 * point.error + 1e-9 * (1 + point.mean**2)
    spread = math.sqrt(theory / 8000)
    assert abs(point.mean - theory_mean(sample, d_k)) <= 6 * spread + 1e-9 * (1 + abs(point.mean))


def test_correlation_inside_q_and_inside_k_grows_with_the_square():
    """The figures of r = 0.5: Var / d_k = 1 + (d_k − 1)/4. Correlation of q_i with k_i only adds a factor."""
    inside, between = Sample(inside=0.5), Sample(correlation=0.5)
    for d_k, ratio in ((4, 1.75), (16, 4.75), (64, 16.75), (256, 64.75)):
        assert theory_variance(inside, d_k) / d_k == pytest.approx(ratio)
        assert theory_variance(between, d_k) / d_k == pytest.approx(1.25)
        drawn = lab.noise("normal", d_k, 20_000, 0)
        assert lab.products(drawn, inside).var().item() / d_k == pytest.approx(ratio, rel=0.1)
        assert lab.products(drawn, between).var().item() / d_k == pytest.approx(1.25, rel=0.1)


@given(st.integers(1, 5000))
def test_a_width_goes_on_from_one_that_is_few_entries_shorter(d_k):
    way = [d_k]
    while (fewer := lab.shorter(way[-1])) > 0:
        assert fewer < way[-1] and fewer % 8 == 0
        way.append(fewer)
    assert len(way) <= len(f"{d_k:o}") and (d_k & (d_k - 1) or len(way) == 1)
    assert lab.shorter(d_k) >= d_k - 7 or d_k % 8 == 0


def test_the_entries_that_follow_are_new_and_belong_to_the_same_pairs():
    first = lab.noise("normal", 64, 20_000, 0)
    longer = lab.noise("normal", 100, 20_000, 0, first)
    assert longer.d_k == 100 and longer.a is first.a and longer.b is first.b
    for name in ("e", "f", "ee", "ef"):
        before, after = getattr(first, name), getattr(longer, name) - getattr(first, name)
        assert abs(torch.stack([before, after]).corrcoef()[0, 1].item()) < 0.04  # six standard errors
    for kind in KURTOSIS:
        sample = Sample(kind, 0.5, 2.0, 0.5, 20_000, 0, 0.3)
        drawn = lab.noise(kind, 100, 20_000, 0, lab.noise(kind, 96, 20_000, 0))
        point = measure(100, lab.products(drawn, sample))
        assert abs(point.variance - theory_variance(sample, 100)) <= 6 * point.error


@given(st.integers(100, 5000), st.sampled_from(SIZES))
@settings(max_examples=15, deadline=None)
def test_as_many_pairs_as_asked_for(pairs, d_k):
    products = lab.noise("signs", d_k, pairs, 0)
    assert len(products.a) == len(products.ef) == pairs and bool((products.ee == d_k).all())


def test_a_seed_draws_the_same_and_another_one_not():
    first, again, other = (lab.noise("normal", 8, 100, seed).ef for seed in (3, 3, 4))
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_noise_weighs_six_numbers_for_each_pair():
    assert lab.noise("normal", 64, 1000, 0).nbytes == 6 * 8 * 1000
