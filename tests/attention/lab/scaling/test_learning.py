"""What scaling does to learning, held against autograd; and what it does not correct, against the theory."""

import math

import pytest
import torch

from attention.lab.scaling import learning
from attention.lab.scaling.divisors import SCALINGS, divisors
from attention.lab.softmax.scores import jacobian
from tests.attention.lab.scaling import autograd


def test_many_jacobians_at_once():
    weights = torch.tensor([[0.5, 0.5], [1.0, 0.0]], dtype=torch.float64)
    assert jacobian(weights).tolist() == [[[0.25, -0.25], [-0.25, 0.25]], [[0, 0], [0, 0]]]
    assert learning.jacobian_norm(weights).tolist() == [0.5, 0]


def part_by_autograd(start: autograd.Drawn, scaling: str, row: int) -> tuple[float, float]:
    """The gradients at W_Q and W_K of that query's weights alone."""
    w_q, w_k = (w.detach().clone().requires_grad_() for w in (start.w_q, start.w_k))
    scores = (start.x @ w_q) @ (start.x @ w_k).T / divisors(w_q.shape[-1])[scaling]
    (scores.softmax(dim=-1)[row] * start.arriving[row]).sum().backward()
    return (w_q.grad.norm() / w_q.norm()).item(), (w_k.grad.norm() / w_k.norm()).item()


@pytest.mark.parametrize("d_k", [1, 5, 32])
@pytest.mark.parametrize("scaling", SCALINGS)
def test_a_query_s_part_is_the_gradient_of_its_own_weights(d_k, scaling):
    start = autograd.drawn(d_k, 7, 1)
    gradients = autograd.gradient_norms(start, scaling)
    for row in range(learning.TOKENS):
        at_q, at_k = part_by_autograd(start, scaling, row)
        assert gradients["query_part"][row].item() == pytest.approx(at_q)
        assert gradients["key_part"][row].item() == pytest.approx(at_k)


def test_the_start_has_the_variances_that_the_page_says():
    start = autograd.drawn(256, 0, 0)
    for w in (start.w_q, start.w_k):
        assert (start.x @ w).var().item() == pytest.approx(1, abs=0.15)
    assert torch.equal(start.x, autograd.drawn(256, 0, 0).x)
    assert not torch.equal(start.x, autograd.drawn(256, 0, 1).x)


def test_quartiles_by_hand():
    quartile = learning.quartiles(torch.tensor([5.0, 1.0, 2.0, 4.0, 3.0]))
    assert (quartile.low, quartile.median, quartile.high) == (2, 3, 4)


# ---- what √d_k does not correct


@pytest.mark.parametrize("start", learning.STARTS)
@pytest.mark.parametrize("width", [8, 64, 512])
def test_the_spread_at_the_start_is_the_theory_s(start, width):
    result = learning.start_of(start, width, 0)
    assert result.deviation == pytest.approx(learning.theory_deviation(start, width), rel=0.05)
    assert 1 / learning.LIMIT_TOKENS <= result.top <= 1 and 0 <= result.share <= 1
    assert result == learning.start_of(start, width, 0)


def test_weights_drawn_without_scaling_have_scores_as_large_as_the_width():
    assert learning.theory_deviation("raw", 8) == 8
    assert learning.theory_deviation("raw", 512) == pytest.approx(500, rel=0.05)


def test_dividing_the_weights_divides_the_scores_by_the_width():
    def scores(start):
        return learning.start_scores(start, 16, torch.Generator().manual_seed(2), 3, 5)

    assert scores("raw").shape == (3, 5, 5)
    torch.testing.assert_close(scores("raw") / 16, scores("divided"))


def test_our_linear_start_is_the_one_of_nn_linear():
    theirs = torch.nn.Linear(64, 300, bias=False).weight
    assert theirs.abs().max().item() <= 1 / 8
    assert theirs.std().item() == pytest.approx(1 / math.sqrt(3 * 64), rel=0.05)


def test_a_few_tokens_weights():
    for start in learning.STARTS:
        weights = learning.few_scores(start, 32, 0).softmax(-1)
        assert weights.shape == (learning.TOKENS, learning.TOKENS)
        torch.testing.assert_close(weights.sum(-1), torch.ones(learning.TOKENS, dtype=torch.float64))
