"""The spread of dot products and of weights, held against exact moments, counts by hand, and the theory."""

import math
from dataclasses import replace
from itertools import pairwise
from itertools import product as choices

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention.lab.scaling import variance as facts
from attention.lab.scaling.divisors import divisors
from attention.lab.scaling.products import noise, products
from attention.lab.scaling.variance import Sample, VarianceMeasure

means = st.floats(-3, 3)
variances = st.floats(0.01, 9)
correlations = st.floats(-1, 1)
shares = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@given(means, variances, correlations, shares)
@settings(deadline=None, max_examples=50)
def test_the_theory_is_exact_with_correlation_inside_too(mean, variance, rho, inside):
    """All 64 vectors of two entries: common and own parts of q, and of what k does not share with q."""
    sample = Sample("signs", mean, variance, rho, inside=inside)
    size, rest = math.sqrt(variance), math.sqrt(1 - rho**2)
    common, own = math.sqrt(inside), math.sqrt(1 - inside)
    dots = []
    for a, e0, e1, b, f0, f1 in choices((-1.0, 1.0), repeat=6):
        dot = 0.0
        for e, f in ((e0, f0), (e1, f1)):
            u = common * a + own * e
            v = rho * u + rest * (common * b + own * f)
            dot += (mean + size * u) * (mean + size * v)
        dots.append(dot)
    average = sum(dots) / 64
    spread = sum((dot - average) ** 2 for dot in dots) / 64
    assert facts.theory_mean(sample, 2) == pytest.approx(average, abs=1e-9)
    assert facts.theory_variance(sample, 2) == pytest.approx(spread, abs=1e-9)


def test_correlation_inside_makes_the_variance_grow_with_the_square():
    sample = Sample(inside=0.5)
    ratios = [facts.theory_variance(sample, d_k) / d_k for d_k in (4, 16, 64, 256)]
    assert ratios == [1.75, 4.75, 16.75, 64.75]


@pytest.mark.parametrize("kind", sorted(facts.KURTOSIS))
@pytest.mark.parametrize("inside", [0.0, 0.3, 1.0])
def test_entries_of_one_vector_have_that_correlation(kind, inside):
    drawn = facts.vectors(Sample(kind, inside=inside), (100_000, 3), torch.Generator().manual_seed(1))
    correlation = torch.corrcoef(drawn.T)
    off = correlation[~torch.eye(3, dtype=torch.bool)]
    torch.testing.assert_close(off, torch.full((6,), inside, dtype=torch.float64), atol=0.02, rtol=0)
    assert drawn.var().item() == pytest.approx(1, abs=0.02)


def test_the_note_s_claim_is_the_theory_s_plain_case():
    for kind in facts.KURTOSIS:
        assert facts.theory_variance(Sample(kind), 64) == 64
        assert facts.theory_mean(Sample(kind), 64) == 0
    assert facts.theory_variance(Sample(correlation=1.0), 64) == 2 * 64  # |q|² of normal entries
    assert facts.theory_mean(Sample(correlation=1.0), 64) == 64


def drawn(sample: Sample, d_k: int) -> torch.Tensor:
    return products(noise(sample.kind, d_k, sample.pairs, sample.seed), sample)


def measure(sample: Sample, d_k: int) -> VarianceMeasure:
    return facts.measure(d_k, drawn(sample, d_k))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.sampled_from(sorted(facts.KURTOSIS)),
    means,
    variances,
    correlations,
    st.sampled_from([0.0, 0.2, 0.7]),
    st.sampled_from([1, 2, 16, 100]),
    st.integers(0, 9999),
)
def test_what_is_measured_lies_within_its_standard_error_of_the_theory(
    kind, mean, variance, rho, inside, d_k, seed
):
    sample = Sample(kind, mean, variance, rho, 8000, seed, inside)
    point = measure(sample, d_k)
    theory = facts.theory_variance(sample, d_k)
    assert abs(point.variance - theory) <= 6 * point.error + 1e-9 * (1 + point.mean**2)
    spread = math.sqrt(theory / sample.pairs)
    assert abs(point.mean - facts.theory_mean(sample, d_k)) <= 6 * spread + 1e-9 * (1 + abs(point.mean))


@pytest.mark.parametrize(
    ("kind", "moments"), [("normal", (0, 1, 3)), ("uniform", (0, 1, 1.8)), ("signs", (0, 1, 1))]
)
def test_the_entries_have_the_moments_that_the_theory_takes(kind, moments):
    entries = facts.standard(kind, (200, 1000), torch.Generator().manual_seed(1))
    measured = [entries.pow(power).mean().item() for power in (1, 2, 4)]
    assert measured == pytest.approx(moments, abs=0.05)


def test_the_standard_error_is_that_of_repeated_samples():
    points = [measure(Sample(pairs=500, seed=seed), 8) for seed in range(200)]
    scatter = torch.tensor([point.variance for point in points]).std().item()
    typical = torch.tensor([point.error for point in points]).median().item()
    assert typical == pytest.approx(scatter, rel=0.2)


def test_a_variance_by_hand_and_none_at_all():
    point = facts.measure(2, torch.tensor([1.0, 2.0, 3.0, 6.0], dtype=torch.float64))
    assert (point.mean, point.variance) == (3.0, pytest.approx(14 / 3))
    sample = Sample("signs", correlation=1.0, pairs=100)
    assert measure(sample, 7) == VarianceMeasure(7, 7.0, 0.0, 0.0)
    assert facts.theory_variance(sample, 7) == 0


@pytest.mark.parametrize("kind", sorted(facts.KURTOSIS))
@pytest.mark.parametrize("d_k", [1, 9, 64, 1024])
@pytest.mark.parametrize("rho", [0.0, 0.3, 1.0])
def test_the_histogram_holds_nearly_all_pairs(kind, d_k, rho):
    sample = Sample(kind, correlation=rho, pairs=1000)
    edges = facts.bins(sample, d_k)
    assert len(edges) == facts.BINS + 1 and edges == sorted(set(edges))
    assert sum(facts.shares(drawn(sample, d_k), edges)) >= 0.97


def test_bins_of_products_on_a_lattice_hold_as_many_points_each():
    edges = facts.bins(Sample("signs"), 16)  # products are even numbers
    inside = [sum(low < point < high for point in range(-16, 17, 2)) for low, high in pairwise(edges)]
    ends = zip(inside, pairwise(edges), strict=True)
    middle = [count for count, (low, high) in ends if low > -16 and high < 16]
    assert len(set(middle)) == 1


def test_densities_do_not_depend_on_the_width_of_the_bins():
    result, edges = drawn(Sample(pairs=5000), 16), [-4.0, 0.0, 1.0, 4.0]
    densities = facts.densities(result, edges)
    assert densities[0] * 4 == facts.shares(result, edges)[0]
    scaled = facts.densities(result / 4, [edge / 4 for edge in edges])
    assert scaled == pytest.approx([4 * density for density in densities])


# ---- one query against many keys


@pytest.mark.parametrize("inside", [0.0, 0.4])
@pytest.mark.parametrize("mean", [0.0, 1.0, -2.0])
def test_one_query_s_scores_spread_over_the_keys_as_said(mean, inside):
    sample = Sample(mean=mean, variance=1.7, seed=3, inside=inside)
    spread = facts.key_spread(sample, 64, keys=20_000)
    assert spread.deviation == pytest.approx(spread.theory, rel=0.03)


@pytest.mark.parametrize("sample", [Sample(), Sample(mean=1.0, variance=2.0), Sample(mean=0.5, inside=0.3)])
def test_the_typical_spread_is_the_root_mean_square_over_queries(sample):
    squares = [facts.key_spread(replace(sample, seed=seed), 16, keys=2).theory ** 2 for seed in range(1000)]
    assert math.sqrt(sum(squares) / 1000) == pytest.approx(facts.typical_key_spread(sample, 16), rel=0.1)


def test_a_mean_shifts_all_scores_and_also_spreads_them():
    without, shifted = (facts.key_spread(Sample(mean=mean), 64) for mean in (0.0, 1.0))
    assert shifted.mean - without.mean == pytest.approx(64, rel=0.3)  # the softmax cancels this
    assert shifted.deviation > 1.2 * without.deviation  # and this it does not
    assert facts.typical_key_spread(Sample(), 64) == 8
    assert facts.typical_key_spread(Sample(mean=1.0), 64) == pytest.approx(math.sqrt(128))


# ---- four scalings


def test_wider_queries_begin_with_the_numbers_of_narrower_ones():
    wide, narrow = facts.queries_and_keys(64, 5), facts.queries_and_keys(4, 5)
    for whole, part in zip(wide, narrow, strict=True):
        assert torch.equal(whole[:, :4], part)
    assert [tuple(rows.shape) for rows in wide] == [(facts.QUERIES, 64), (facts.KEYS, 64)]


@given(st.sampled_from(range(1, 1025)), st.integers(0, 9999))
@settings(max_examples=30, deadline=None)
def test_every_scaling_is_the_softmax_of_the_divided_scores(d_k, seed):
    query, key = facts.queries_and_keys(d_k, seed)
    for one in facts.under_each(query, key):
        scores = query @ key.T / divisors(d_k)[one.scaling]
        weights = scores.softmax(dim=-1)
        torch.testing.assert_close(one.weights, weights)
        bits = torch.special.entr(weights).sum(-1) / math.log(2)
        assert one.deviation == pytest.approx(scores.std().item())
        assert one.bits == pytest.approx(bits.mean().item(), abs=1e-9)
        assert one.share == pytest.approx(one.bits / 3)
        assert one.top == pytest.approx(weights.max(-1).values.mean().item())
        assert one.tokens == pytest.approx((2**bits).mean().item())


def test_entropy_runs_from_nothing_to_all_bits():
    assert facts.entropy(torch.tensor([[1.0, 0, 0, 0], [0.25] * 4])).tolist() == [0, 2]


def test_total_variation_is_the_weight_that_moved():
    before, after = torch.tensor([[0.5, 0.5, 0.0]]), torch.tensor([[0.2, 0.5, 0.3]])
    assert facts.total_variation(before, after).tolist() == pytest.approx([0.3])


def test_points_are_counted_within_their_errors():
    points = [VarianceMeasure(4, 0.0, 4.2, 0.1), VarianceMeasure(4, 0.0, 4.4, 0.1)]
    assert facts.within(points, Sample(), 3) == 1


@pytest.mark.parametrize("seed", range(10))
def test_what_the_lesson_says_of_the_four_scalings_holds_for_any_seed(seed):
    none, root, whole, model = facts.under_each(*facts.queries_and_keys(512, seed))
    assert none.share < root.share < model.share < whole.share
    assert none.deviation > 15 and 0.7 < root.deviation < 1.4 and whole.share > 0.99


@pytest.mark.slow
@given(st.integers(1, 50_000), st.integers(1, 40_000))
def test_chunks_are_all_rows_in_turn_and_small(rows, width):
    parts = [*facts.chunks(rows, width)]
    assert [parts[0].start, *(part.stop for part in parts)] == [*(part.start for part in parts), rows]
    assert all(0 < part.stop - part.start <= max(1, facts.CHUNK // width) for part in parts)


def test_normal_entries_are_float64_with_mean_0_and_variance_1():
    drawn = facts.normal((400, 500), torch.Generator().manual_seed(0))
    assert drawn.dtype == torch.float64 and drawn.shape == (400, 500)
    assert [drawn.mean().item(), drawn.var().item()] == pytest.approx([0, 1], abs=0.02)
