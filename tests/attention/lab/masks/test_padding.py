"""NaN from fully masked rows, layer by layer."""

import torch

from attention import causal_mask, scaled_dot_product_attention
from attention.lab.masks.masking import left_padded_causal
from attention.lab.masks.padding import nan_rows

X = torch.tensor([[1.0, 0.0], [0.5, 2.0], [-1.0, 1.0], [0.0, 3.0]], dtype=torch.float64)
HEAD = scaled_dot_product_attention(X, X, X)


def test_nan_spreads_from_the_padding_to_every_row_in_the_second_layer():
    first, second = nan_rows(HEAD, left_padded_causal(3, 4))
    assert first.tolist() == [True, False, False, False]
    assert second.all()


def test_without_a_fully_masked_row_nothing_is_nan():
    for mask in (causal_mask(4), left_padded_causal(3, 4, attend_to_self=True)):
        assert not any(rows.any() for rows in nan_rows(HEAD, mask, layers=4))
