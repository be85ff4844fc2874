"""What one change moves: a row of V the outputs that attend to it, a shift of all scores nothing."""

import pytest
import torch

from attention import causal_mask, scaled_dot_product_attention
from attention.lab import changes


def head(mask=None):
    query, key, value = torch.randn(3, 4, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return scaled_dot_product_attention(query, key, value, mask=mask, scale=0.7)


@pytest.mark.parametrize("row", range(4))
@pytest.mark.parametrize("mask", [None, causal_mask(4)], ids=["open", "causal"])
def test_a_row_of_v_moves_the_outputs_that_attend_to_it_by_their_weight(mask, row):
    before = head(mask)
    after = changes.with_value_row(before, row, 2.0)
    assert after.weights.equal(before.weights)
    moved = 2.0 * before.weights[:, row, None].expand(4, 3)
    torch.testing.assert_close(after.output - before.output, moved)
    attending = list(range(4)) if mask is None else list(range(row, 4))
    assert changes.moved_rows(before.output, after.output) == attending


@pytest.mark.parametrize("by", [5.0, -300.0])
@pytest.mark.parametrize("mask", [None, causal_mask(4)], ids=["open", "causal"])
def test_a_shift_of_all_scores_moves_nothing_but_the_logsumexp(mask, by):
    before = head(mask)
    after = changes.with_shifted_scores(before, by)
    torch.testing.assert_close(after.biased_scores, before.scaled_scores + by)
    torch.testing.assert_close(after.logsumexp, before.logsumexp + by)
    assert changes.moved_rows(before.weights, after.weights) == []
    assert changes.moved_rows(before.output, after.output) == []


def test_the_given_trace_is_left_alone():
    before = head()
    value = before.value.clone()
    changes.with_value_row(before, 1, 2.0)
    assert before.value.equal(value)


def test_rounding_is_no_move():
    before = torch.tensor([[1.0, 1e6], [2.0, 3.0]], dtype=torch.float64)
    assert changes.moved_rows(before, before + torch.tensor([[1e-9, 0.0], [0.0, 1e-5]])) == [1]
