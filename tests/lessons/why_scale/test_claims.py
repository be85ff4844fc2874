"""What the lesson says, held against the functions that its parts call."""

import math
import random

import pytest
import torch

from attention.lab.scaling import draws as scaling
from attention.lab.scaling import learning, variance
from attention.lab.scaling.variance import Sample
from attention.lab.softmax.scores import jacobian
from pages.draw.numbers import short
from pages.draw.texts import Texts
from pages.lessons.why_scale import limits, spread, summary
from pages.model.compute import trace_of
from pages.model.view import Place, View
from tests.support.screen import matrix, open_page, said
from tests.support.states import with_own


@pytest.mark.parametrize("seed", range(3))
def test_one_query_s_parts_are_alike_from_a_width_of_about_8_on(seed):
    """learning.one_query_note: under √d_k from 8 on, not before; ÷ d_k makes all small and weights alike."""
    gradients = {d_k: scaling.gradients(d_k, seed) for d_k in learning.GRADIENT_SIZES}
    for part in ("query_part", "key_part"):
        root, small = ([gradients[d_k][part, name] for d_k in gradients] for name in ("sqrt_d_k", "d_k"))
        wide = root[learning.GRADIENT_SIZES.index(8) :]
        medians = [one.median for one in wide]
        assert max(medians) < 1.25 * min(medians)
        assert root[0].median < 0.6 * min(medians) and root[1].median < 0.8 * min(medians)
        assert all(one.high < 2.5 * one.low for one in wide)  # most queries
        assert [one.median for one in small[3:]] == sorted((one.median for one in small[3:]), reverse=True)
        assert small[-1].high < root[-1].low / 10
    at = [spread.concentrations(d_k, seed)["d_k"] for d_k in learning.GRADIENT_SIZES]
    assert [one.largest.median for one in at] == sorted((one.largest.median for one in at), reverse=True)
    assert [one.effective.median for one in at] == sorted(one.effective.median for one in at)


@pytest.mark.parametrize("case", range(40))
def test_the_reason_for_the_variance_is_that_of_the_assumptions(case):
    """summary.one: uncorrelated terms, whose covariances are 0, or covariances on top of the variances."""
    draw = random.Random(case)
    sample = Sample(
        draw.choice(sorted(variance.KURTOSIS)),
        mean=draw.choice((0.0, 1.0)),
        variance=draw.choice((1.0, 2.0)),
        correlation=draw.choice((0.0, 0.5, 1.0, -1.0)),
        inside=draw.choice((0.0, 0.0, 0.3, 1.0)),
    )
    for d_k in (1, 2, 64):
        alone, result = (d_k * variance.theory_variance(sample, 1), variance.theory_variance(sample, d_k))
        assert summary._terms(sample, d_k) == ("_correlated" if result - alone > 1e-6 else "")
        assert result - alone > -1e-6
        if sample.inside == 0 or d_k == 1:
            assert summary._terms(sample, d_k) == ""


def test_near_uniform_weights_have_a_pale_jacobian_too():
    """learning.saturation_note: 0.03 on the diagonal for 32 keys."""
    diagonal = jacobian(torch.full((32,), 1 / 32, dtype=torch.float64)).diagonal()
    assert [f"{value:.2f}" for value in diagonal.tolist()] == ["0.03"] * 32


@pytest.mark.parametrize("start", learning.STARTS)
def test_normalised_queries_and_keys_bound_the_scaled_scores(start):
    """limits.corrects: √d_k, whatever the weight matrices are; only for the normalised start."""
    width = 64
    generator = torch.Generator().manual_seed(1)
    scores = learning.start_scores(start, width, generator, draws=4, tokens=32).abs()
    if start == "normalised":
        assert scores.max().item() <= math.sqrt(width) + 1e-9
    if start == "raw":
        assert scores.max().item() > math.sqrt(width)


def test_the_study_note_s_scores_have_the_deviation_of_its_width():
    """ask.note_start; the note's own head has d_k = 4 at d_model = 8."""
    generator = torch.Generator().manual_seed(0)
    x, w_q, w_k = (torch.randn(4000, *shape, generator=generator) for shape in ((2, 8), (8, 4), (8, 4)))
    scores = (x @ w_q) @ (x @ w_k).mT / math.sqrt(4)
    assert scores[:, 0, 1].std().item() == pytest.approx(limits.NOTE_WIDTH, rel=0.05)


def test_with_two_keys_a_row_moves_most_in_between():
    """yours.rule: nothing at margin 0, less and less at large ones; one largest value between."""
    margins = torch.linspace(0, 30, 3001, dtype=torch.float64)
    scores = torch.stack([margins, torch.zeros_like(margins)], dim=-1)
    moved = variance.total_variation(scores.softmax(-1), (scores / 2).softmax(-1))
    top = moved.argmax().item()
    assert moved[0] == 0 and moved[-1] < 1e-6 and 0 < top < 3000
    assert bool((moved.diff()[:top] > 0).all()) and bool((moved.diff()[top:] < 0).all())


def test_the_last_question_needs_the_variance_of_the_entries():
    deviation = math.sqrt(variance.theory_variance(Sample(variance=summary.VARIANCE), summary.D_K))
    assert deviation / math.sqrt(summary.D_K) == summary.VARIANCE
    generator = torch.Generator().manual_seed(0)
    q, k = 2 * torch.randn(2, 50_000, summary.D_K, generator=generator, dtype=torch.float64)
    assert ((q * k).sum(-1) / 8).std().item() == pytest.approx(4, rel=0.02)


@pytest.mark.parametrize("cap", [0.5, 2.0, 50.0])
def test_the_capped_scores_are_the_core_s_and_the_sentence_says_what_they_do(cap):
    state, view = with_own(softcap=cap), View(answers=(("row", "shown"),))
    app = open_page("why_scale", state, view, Place(part="yours", topic="capped"))
    assert not app.exception
    plain, capped = trace_of(state.core).heads, trace_of(state.core, cap).heads
    for name in ("scaled_scores", "softcapped_scores", "weights", "output"):
        assert matrix(app, name)["values"] == getattr(capped, name)[0].tolist()
    assert matrix(app, "free_weights")["values"] == plain.weights[0].tolist()
    top = plain.scaled_scores.abs().max().item()
    facts = {"score": top, "to": cap * math.tanh(top / cap)}
    facts |= {"free": plain.weights.max().item(), "top": capped.weights.max().item()}
    values = {name: short(value, 3) for name, value in facts.items()}
    assert Texts("en", "why_scale")("softcap.reading", **values) in said(app)
