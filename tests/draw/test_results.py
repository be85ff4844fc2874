"""What is said of a row of attention weights: one key leads only where the shown digits say so."""

import torch

from attention import causal_mask, scaled_dot_product_attention
from pages.draw.results import reading
from pages.draw.texts import Texts

NAMES = ("a", "b", "c")


def said(scores: list[float], **options) -> str:
    """The reading of the last query, whose scores are these: the keys are the identity."""
    query = torch.tensor([scores] * 3, dtype=torch.float64)
    keys = torch.eye(3, dtype=torch.float64)
    trace = scaled_dot_product_attention(query, keys, keys, scale=1.0, **options)
    return reading(Texts("en"), trace, NAMES, 2)


def test_one_key_leads():
    assert said([0.0, 1.0, 0.0]) == "“c” attends most to “b” (0.58)."


def test_several_keys_lead_where_their_weights_read_the_same():
    expected = "“c” attends most to “a” and “b”, equally in these decimals (0.42 each)."
    assert said([1.0, 1.0, 0.0]) == said([1.0, 1.001, 0.0]) == expected


def test_no_key_leads_where_all_weights_read_the_same():
    expected = "“c” gives every visible key the same weight in these decimals (0.33 each)."
    assert said([1.0, 1.0, 1.0]) == said([1.0, 1.001, 1.0], mask=causal_mask(3)) == expected


def test_masked_keys_do_not_count_as_visible():
    mask = torch.tensor([[True, True, False]] * 3)
    expected = "“c” gives every visible key the same weight in these decimals (0.50 each)."
    assert said([1.0, 1.0, 1.0], mask=mask) == expected
    none = torch.zeros(3, 3, dtype=torch.bool)
    assert said([1.0, 1.0, 1.0], mask=none) == "“c” may attend to no key."
    assert said([1.0, 1.0, 1.0], mask=none, masked_score=-1e9).startswith("“c” attends most to “a”, “b”,")
