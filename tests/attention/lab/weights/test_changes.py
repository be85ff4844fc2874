"""What an edit of V, or a constant added to all scores, changes."""

import pytest
import torch

from attention import causal_mask
from attention.lab.weights.changes import moved_rows, with_shifted_scores, with_value_row
from tests.attention.numbers import head


@pytest.mark.parametrize("row", range(5))
def test_a_value_goes_into_every_output_row_with_its_weight(row):
    before = head(5)
    after = with_value_row(before, row, 2.0)
    assert torch.equal(after.weights, before.weights)
    torch.testing.assert_close(after.output - before.output, 2 * before.weights[:, [row]].expand(-1, 4))
    assert moved_rows(before.output, after.output) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("row", range(5))
def test_under_a_causal_mask_a_value_goes_into_later_rows_only(row):
    before = head(5, mask=causal_mask(5))
    after = with_value_row(before, row, 2.0)
    assert moved_rows(before.weights, after.weights) == []
    assert moved_rows(before.output, after.output) == list(range(row, 5))


@pytest.mark.parametrize("mask", [None, causal_mask(5)])
@pytest.mark.parametrize("by", [5.0, -300.0, 1000.0])
def test_a_constant_added_to_all_scores_changes_no_weight(mask, by):
    before = head(5, mask=mask)
    after = with_shifted_scores(before, by)
    assert moved_rows(before.scaled_scores, after.biased_scores) == [0, 1, 2, 3, 4]
    torch.testing.assert_close(after.weights, before.weights, rtol=0, atol=1e-12)


def test_moved_rows_passes_over_rounding_but_not_over_a_change():
    before = torch.tensor([[1e6, 1.0], [2.0, 3.0]], dtype=torch.float64)
    assert moved_rows(before, before * (1 + 1e-15)) == []
    after = before.clone()
    after[1, 1] += 1e-3
    assert moved_rows(before, after) == [1]


def test_the_value_edit_leaves_the_first_trace_alone():
    before = head(5)
    value = before.value.clone()
    with_value_row(before, 0, 1.0)
    assert torch.equal(before.value, value)
