"""Five lines for attention weights: which one is right, and how the others fail."""

import pytest
import torch

from attention.lab import softmax, softmax_lines
from attention.lab.softmax_lines import LINES

ORDINARY = torch.tensor([[2.0, 1.0, 0.1], [0.0, -1.0, 3.0]])
LARGE = ORDINARY + 1000.0


@pytest.mark.parametrize("scores", [ORDINARY, LARGE, -LARGE])
def test_the_shifted_line_is_softmax_for_scores_of_any_size(scores):
    torch.testing.assert_close(LINES["shifted"](scores), torch.softmax(scores, dim=-1), rtol=0, atol=1e-4)


def test_the_naive_line_is_right_for_ordinary_scores_and_nan_for_large_ones():
    torch.testing.assert_close(LINES["naive"](ORDINARY), torch.softmax(ORDINARY, dim=-1))
    assert LINES["naive"](LARGE).isnan().all()


def test_the_cooled_line_is_another_distribution():
    found = LINES["cooled"](LARGE)
    torch.testing.assert_close(found.sum(-1), torch.ones(2))
    assert (found - torch.softmax(LARGE, dim=-1)).abs().max() > 0.3
    expected = softmax.softmax(tuple(LARGE[0].tolist()), softmax_lines.COOLING)
    torch.testing.assert_close(found[0].double(), softmax.tensor(expected), rtol=0, atol=1e-4)


def test_the_line_over_queries_has_columns_that_sum_to_one_and_rows_that_do_not():
    found = LINES["over_queries"](ORDINARY)
    torch.testing.assert_close(found.sum(0), torch.ones(3))
    assert not softmax.rows_sum_to_one(found)


def test_dropout_called_as_a_function_drops_with_no_word_of_training():
    weights = torch.softmax(ORDINARY, dim=-1)
    draws = torch.stack([softmax_lines.dropped(ORDINARY, seed) for seed in range(200)])
    assert (draws == 0).any() and not torch.equal(draws[0], weights)
    kept = draws[draws != 0]
    assert kept.numel() / draws.numel() == pytest.approx(1 - softmax_lines.DROPOUT, abs=0.05)
    assert torch.equal(softmax_lines.dropped(ORDINARY, 3), softmax_lines.dropped(ORDINARY, 3))


def test_a_draw_leaves_the_global_generator_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    softmax_lines.dropped(ORDINARY)
    assert torch.equal(torch.rand(3), expected)
