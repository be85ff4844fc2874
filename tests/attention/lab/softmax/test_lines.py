"""Of five lines for the weights one is right for all scores; each other one is wrong in its own way."""

import pytest
import torch

from attention.lab.softmax.lines import LINES
from attention.lab.softmax.scores import rows_sum_to_one


def scores(size=1.0):
    return size * torch.randn(5, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_the_shifted_line_is_softmax(size):
    torch.testing.assert_close(LINES["shifted"](scores(size)), torch.softmax(scores(size), -1))


def test_the_naive_line_is_right_until_exp_overflows():
    torch.testing.assert_close(LINES["naive"](scores()), torch.softmax(scores(), -1))
    assert LINES["naive"](scores(1000.0)).isnan().any()


def test_cooling_gives_rows_that_sum_to_one_and_are_nearly_uniform():
    cooled = LINES["cooled"](scores())
    assert rows_sum_to_one(cooled)
    torch.testing.assert_close(cooled, torch.full((5, 4), 0.25).double(), rtol=0.01, atol=0)


def test_over_queries_the_columns_sum_to_one():
    wrong = LINES["over_queries"](scores())
    assert rows_sum_to_one(wrong.T) and not rows_sum_to_one(wrong)


def test_functional_dropout_drops_whenever_it_is_called_and_leaves_the_random_state_alone():
    before = torch.random.get_rng_state()
    draws = [LINES["dropped"](scores(), seed) for seed in range(5)]
    assert torch.random.get_rng_state().equal(before)
    assert any((draw == 0).any() for draw in draws)
    right = torch.softmax(scores(), -1)
    for draw in draws:
        kept = draw != 0
        torch.testing.assert_close(draw[kept], right[kept] / 0.9)


@pytest.mark.parametrize("offset", [1000.0, -1000.0])
def test_in_float32_large_scores_are_right_shifted_and_nan_as_written(offset):
    large = scores().float() + offset
    exact = torch.softmax(large.double(), -1)
    torch.testing.assert_close(LINES["shifted"](large).double(), exact, rtol=0, atol=1e-4)
    assert LINES["naive"](large).isnan().all()


def test_cooling_large_scores_gives_another_distribution():
    large = scores() + 1000.0
    assert (LINES["cooled"](large) - torch.softmax(large, -1)).abs().max() > 0.3
