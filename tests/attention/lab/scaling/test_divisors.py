"""The divisors, and what each of them makes of the scores' deviation."""

import math

import pytest

from attention import scaled_dot_product_attention
from attention.lab.scaling.divisors import divisors, score_deviation
from attention.lab.softmax.scores import entropy
from tests.attention.numbers import normal


def test_the_divisors_by_hand():
    assert divisors(16, 100, 36) == {"sqrt_d_k": 4, "sqrt_n": 10, "sqrt_d_model": 6, "d_k": 16, "none": 1}
    assert divisors(16) == {"none": 1, "sqrt_d_k": 4, "d_k": 16, "sqrt_d_model": 8}  # d_model = 64


@pytest.mark.parametrize("d_k", [4, 64, 256])
@pytest.mark.parametrize("n", [16, 1000])
def test_only_sqrt_d_k_keeps_the_deviation_at_one(d_k, n):
    query, key = normal(200, d_k), normal(1000, d_k, seed=1)
    for name, divisor in divisors(d_k, n, 4 * d_k).items():
        measured = (query @ key.T / divisor).std().item()
        theory = score_deviation(d_k, divisor)
        assert measured == pytest.approx(theory, rel=0.1)
        if name == "sqrt_d_k":
            assert theory == 1


def test_with_sqrt_n_the_same_head_grows_flatter_on_a_longer_text():
    """With √n the scores shrink as n grows, beyond what more keys alone do to the entropy's share."""
    shares = {}
    for n in (8, 512):
        query, key = normal(64, 16), normal(n, 16, seed=1)
        for name in ("sqrt_d_k", "sqrt_n"):
            trace = scaled_dot_product_attention(query, key, key, scale=1 / divisors(16, n)[name])
            deviation = trace.scaled_scores.std().item()
            shares[name, n] = deviation, (entropy(trace.weights).mean() / math.log2(n)).item()
    assert shares["sqrt_d_k", 8][0] == pytest.approx(shares["sqrt_d_k", 512][0], rel=0.2)
    assert shares["sqrt_n", 8][0] > 5 * shares["sqrt_n", 512][0]
    assert shares["sqrt_n", 512][1] > 0.99 > shares["sqrt_d_k", 512][1]
