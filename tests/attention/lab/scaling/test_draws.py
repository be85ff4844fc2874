"""What the lesson on scaling says of weights and gradients, over many draws and for any seed."""

import math
from dataclasses import astuple

import pytest
import torch

from attention.lab.scaling import draws as scaling
from attention.lab.scaling.divisors import SCALINGS, divisors
from attention.lab.scaling.variance import KEYS
from attention.lab.softmax.scores import entropy
from tests.attention.lab.scaling import autograd


@pytest.mark.parametrize("d_k", [1, 4, 64])
def test_scores_are_drawn_as_those_of_queries_and_keys(d_k):
    """Second and fourth moments of the scores, and the products of two scores' squares of one query."""
    ours = scaling.rows_of_scores(d_k, 4, 100_000, seed=1)
    generator = torch.Generator().manual_seed(2)
    q = torch.randn(100_000, 1, d_k, generator=generator, dtype=torch.float64)
    k = torch.randn(100_000, 4, d_k, generator=generator, dtype=torch.float64)
    theirs = (q * k).sum(dim=-1)
    for moment in (lambda s: s.square(), lambda s: s[:, 0] ** 2 * s[:, 1] ** 2):
        assert moment(ours).mean().item() == pytest.approx(moment(theirs).mean().item(), rel=0.1)
    assert ours.square().mean().item() == pytest.approx(d_k, rel=0.02)
    squares = d_k * (d_k + 2)  # E|q|⁴
    assert (ours[:, 0] ** 2 * ours[:, 1] ** 2).mean().item() == pytest.approx(squares, rel=0.1)


def test_a_concentration_by_hand():
    """A divisor so large that all keys weigh the same, and one so small that one key takes all."""
    flat, sharp = (scaling.concentration(scaling.rows_of_scores(16), by) for by in (1e9, 1e-9))
    for quartile in ("low", "median", "high"):
        assert getattr(flat.largest, quartile) == pytest.approx(1 / KEYS)
        assert getattr(flat.effective, quartile) == pytest.approx(KEYS)
        assert getattr(sharp.largest, quartile) == pytest.approx(1)
        assert getattr(sharp.effective, quartile) == pytest.approx(1)


@pytest.mark.parametrize("seed", range(5))
def test_the_largest_weight_of_a_typical_row(seed):
    """The question of the part on attention: d_k = 512, eight keys."""
    scores = scaling.rows_of_scores(512, seed=seed)
    none, root, whole, model = (
        scaling.concentration(scores, divisors(512)[name]).largest.median for name in SCALINGS
    )
    assert none > 0.99
    assert 0.3 < root < 0.5
    assert 0.2 < model < root
    assert whole == pytest.approx(1 / KEYS, abs=0.02)


@pytest.mark.parametrize("seed", range(3))
def test_with_the_square_root_the_weights_are_alike_at_any_width(seed):
    rows = {d_k: scaling.rows_of_scores(d_k, seed=seed) for d_k in (16, 64, 256, 1024)}
    tops = [scaling.concentration(scores, math.sqrt(d_k)).largest.median for d_k, scores in rows.items()]
    assert max(tops) - min(tops) < 0.03


# ---- √n in place of √d_k


def test_with_the_root_of_the_number_of_keys_short_texts_saturate_and_long_ones_are_uniform():
    rows = {keys: scaling.rows_of_scores(64, keys, rows=200) for keys in (2, 1024)}
    few, many = (scaling.concentration(scores, math.sqrt(keys)) for keys, scores in rows.items())
    assert few.effective.median < 1.1  # of 2
    assert many.effective.median > 0.9 * 1024
    right = scaling.concentration(rows[1024], math.sqrt(64))
    assert 0.4 * 1024 < right.effective.median < 0.8 * 1024


# ---- gradients


@pytest.mark.parametrize("d_k", [1, 5, 32])
@pytest.mark.parametrize("name", SCALINGS)
def test_norms_from_the_gram_matrix_are_autograd_s(d_k, name):
    start = autograd.drawn(d_k, 3, 1)
    plain = autograd.gradient_norms(start, name)
    x, w_q, w_k = start.x, start.w_q.detach(), start.w_k.detach()
    result = scaling.norms(x @ x.T, x @ w_q, x @ w_k, start.arriving, divisors(d_k)[name])
    lengths = {"query": w_q.norm() / math.sqrt(d_k), "key": w_k.norm() / math.sqrt(d_k), "jacobian": 1.0}
    assert list(result) == list(plain)
    for metric in result:
        theirs = plain[metric] * lengths[metric.split("_")[0]]
        torch.testing.assert_close(result[metric].flatten(), theirs, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("d_k", [1, 8, 64])
def test_the_starts_are_drawn_as_the_plain_ones(d_k):
    """Medians of 2,000 and of 1,600 values: within a quarter, which chance leaves seldom."""
    plain = [autograd.gradient_norms(autograd.drawn(d_k, 3, draw), "sqrt_d_k") for draw in range(200)]
    ours = scaling.gradients(d_k, seed=5)
    for metric in plain[0]:
        theirs = torch.cat([norms[metric] for norms in plain]).median().item()
        assert ours[metric, "sqrt_d_k"].median == pytest.approx(theirs, rel=0.25)


@pytest.mark.parametrize("seed", range(3))
def test_what_the_lesson_says_of_gradients_holds_for_any_seed(seed):
    narrow, wide = scaling.gradients(8, seed), scaling.gradients(512, seed)
    for part in ("query_part", "key_part"):
        plain, scaled = wide[part, "none"], wide[part, "sqrt_d_k"]
        assert plain.low < scaled.low / 1000  # a quarter of the queries: next to nothing
        assert plain.median < scaled.median / 10
        assert plain.high > scaled.high / 5  # a quarter still contribute
        assert scaled.high < 4 * scaled.low
        assert scaled.median == pytest.approx(narrow[part, "sqrt_d_k"].median, rel=0.35)
        assert wide[part, "d_k"].median < scaled.median / 10
    for whole in ("query_all", "key_all"):  # the few large ones make up for the rest
        assert wide[whole, "none"].median > wide[whole, "sqrt_d_k"].median / 2
        spread, scaled_spread = (
            wide[whole, name].high / wide[whole, name].low for name in ("none", "sqrt_d_k")
        )
        assert spread > 2 * scaled_spread
    assert wide["jacobian", "none"].median < narrow["jacobian", "none"].median / 50
    for name in SCALINGS[1:3]:
        assert wide["jacobian", name].median == pytest.approx(narrow["jacobian", name].median, rel=0.2)


def test_effective_keys_are_of_all_rows_though_they_are_computed_in_chunks():
    scores = scaling.rows_of_scores(16, 512, 100)
    bits = entropy(torch.softmax(scores / 4, dim=-1))
    expected, measured = scaling.quartiles(torch.exp2(bits)), scaling.effective_keys(scores, 4)
    assert astuple(measured) == pytest.approx(astuple(expected), rel=1e-12)
