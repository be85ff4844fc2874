"""How far NaN from a fully masked row spreads in the layers after it."""

import torch

from attention import causal_mask, padding_mask, scaled_dot_product_attention
from attention.lab import masking, padding


def head(n=4):
    query, key, value = torch.randn(3, n, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return scaled_dot_product_attention(query, key, value)


def test_a_masked_value_that_is_nan_reaches_every_row_of_the_second_layer():
    mask = masking.left_padded_causal(2, 4)  # the first two rows are fully masked, and so are their columns
    first, second = padding.nan_rows(head(), mask)
    assert first.tolist() == [True, True, False, False]
    assert second.tolist() == [True] * 4


def test_without_a_fully_masked_row_nothing_is_nan():
    for mask in (causal_mask(4), masking.left_padded_causal(2, 4, attend_to_self=True)):
        assert not any(rows.any() for rows in padding.nan_rows(head(), mask, layers=3))
    right = causal_mask(4) & padding_mask([2], 4)
    assert not any(rows.any() for rows in padding.nan_rows(head(), right))


def test_as_many_layers_as_asked_for():
    assert len(padding.nan_rows(head(), causal_mask(4), layers=5)) == 5
