"""Each wrong form differs from the right one where it is said to, and agrees where it is said to."""

import math

import pytest
import torch

from attention import scaled_dot_product_attention
from attention.lab.mistakes import misconceptions
from attention.lab.softmax.scores import entropy


def normal(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def close(actual, expected):
    torch.testing.assert_close(torch.as_tensor(actual), torch.as_tensor(expected), check_dtype=False)


# ---- the divisor


def test_the_divisors_by_hand():
    found = misconceptions.divisors(16, 100, 64)
    assert found == {"sqrt_d_k": 4, "sqrt_n": 10, "sqrt_d_model": 8, "d_k": 16, "none": 1}


def test_each_scaling_is_the_core_with_that_scale():
    query, key, value = normal(3, 16), normal(5, 16, seed=1), normal(5, 2, seed=2)
    for name, trace in misconceptions.scaled_by(query, key, value, d_model=64).items():
        divisor = misconceptions.divisors(16, 5, 64)[name]
        close(trace.weights, torch.softmax(query @ key.T / divisor, -1))
    assert trace.value is value


@pytest.mark.parametrize("d_k", [4, 64, 256])
@pytest.mark.parametrize("n", [16, 1000])
def test_only_sqrt_d_k_keeps_the_deviation_at_one(d_k, n):
    query, key = normal(200, d_k), normal(1000, d_k, seed=1)
    for name, divisor in misconceptions.divisors(d_k, n, 4 * d_k).items():
        measured = (query @ key.T / divisor).std().item()
        theory = misconceptions.score_deviation(d_k, divisor)
        assert measured == pytest.approx(theory, rel=0.1)
        if name == "sqrt_d_k":
            assert theory == 1


def test_with_sqrt_n_the_same_head_grows_flatter_on_a_longer_text():
    """With √n the scores shrink as n grows, beyond what more keys alone do to the entropy's share."""
    shares = {}
    for n in (8, 512):
        traces = misconceptions.scaled_by(normal(64, 16), normal(n, 16, seed=1), normal(n, 2, seed=2), 64)
        for name in ("sqrt_d_k", "sqrt_n"):
            deviation = traces[name].scaled_scores.std().item()
            shares[name, n] = deviation, (entropy(traces[name].weights).mean() / math.log2(n)).item()
    assert shares["sqrt_d_k", 8][0] == pytest.approx(shares["sqrt_d_k", 512][0], rel=0.2)
    assert shares["sqrt_n", 8][0] > 5 * shares["sqrt_n", 512][0]
    assert shares["sqrt_n", 512][1] > 0.99 > shares["sqrt_d_k", 512][1]


# ---- AᵀV


def test_transposed_weights_by_hand():
    weights = torch.tensor([[1.0, 0.0], [0.5, 0.5]])
    value = torch.tensor([[2.0], [4.0]])
    assert (weights @ value).tolist() == [[2.0], [3.0]]
    assert misconceptions.transposed_weights(weights, value).tolist() == [[4.0], [2.0]]


def test_transposed_weights_have_the_right_shape_and_columns_that_do_not_sum_to_one():
    trace = scaled_dot_product_attention(normal(4, 3), normal(4, 3, seed=1), normal(4, 2, seed=2))
    wrong = misconceptions.transposed_weights(trace.weights, trace.value)
    assert wrong.shape == trace.output.shape
    assert not torch.allclose(wrong, trace.output)
    assert not torch.allclose(trace.weights.sum(0), torch.ones(4, dtype=torch.float64))


def test_of_a_rectangle_transposed_weights_are_refused():
    with pytest.raises(RuntimeError):
        misconceptions.transposed_weights(torch.ones(2, 3), torch.ones(3, 1))


# ---- one projection


@pytest.mark.parametrize("seed", range(5))
def test_with_one_projection_the_scores_are_symmetric_and_bounded_by_their_diagonal(seed):
    x, w = normal(5, 4, seed=seed), normal(4, 3, seed=seed + 10)
    scores = misconceptions.one_projection(x, w).scores
    close(scores, scores.T)
    diagonal = scores.diagonal()
    assert (diagonal >= 0).all()
    assert (scores.abs() <= (diagonal[:, None] * diagonal).sqrt() + 1e-12).all()


def test_the_weights_of_symmetric_scores_need_not_be_symmetric():
    weights = misconceptions.one_projection(normal(5, 4), normal(4, 3, seed=1)).weights
    assert not torch.allclose(weights, weights.T)


def test_same_query_and_key_keep_a_value_of_their_own():
    x, w_q, w_v = normal(5, 4), normal(4, 3, seed=1), normal(4, 2, seed=2)
    trace = misconceptions.same_query_and_key(x, w_q, w_v)
    close(trace.scores, trace.scores.T)
    close(trace.value, x @ w_v)
    own = scaled_dot_product_attention(x @ w_q, x @ normal(4, 3, seed=3), x @ w_v).scores
    assert not torch.allclose(own, own.T)


# ---- columns for rows


def test_columns_are_the_transpose_of_rows():
    query, key, value = normal(4, 3), normal(5, 3, seed=1), normal(5, 2, seed=2)
    rows = scaled_dot_product_attention(query, key, value)
    columns = misconceptions.in_columns(query.T, key.T, value.T)
    close(columns.scores.T, rows.scaled_scores)
    close(columns.weights.T, rows.weights)
    close(columns.output.T, rows.output)
    close(columns.weights.sum(0), torch.ones(4))


def test_a_softmax_over_the_last_dimension_is_wrong_there():
    query, key, value = normal(4, 3), normal(5, 3, seed=1), normal(5, 2, seed=2)
    right = misconceptions.in_columns(query.T, key.T, value.T)
    wrong = misconceptions.in_columns(query.T, key.T, value.T, softmax_over="queries")
    assert wrong.output.shape == right.output.shape
    assert not torch.allclose(wrong.output, right.output)
    close(wrong.weights.sum(1), torch.ones(5))
