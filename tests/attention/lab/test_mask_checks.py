"""Which check finds which mistake: worked out from what each way of masking does."""

import pytest
import torch

from attention.lab import mask_checks

FOUND = {
    # way: which of the checks it passes
    "right": {"sums": True, "zeros": True, "change": True},
    "after_softmax": {"sums": False, "zeros": True, "change": False},
    "renormalised": {"sums": True, "zeros": True, "change": True},
    "times_zero": {"sums": True, "zeros": False, "change": False},
    "turned": {"sums": True, "zeros": False, "change": False},
    "query_rows": {"sums": True, "zeros": False, "change": False},
}


def normal(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("valid", [1, 3])
def test_which_check_finds_which_mistake(seed, valid):
    assert mask_checks.found_by(*normal(3, 5, 4, seed=seed), valid) == FOUND
    assert set(FOUND) == set(mask_checks.WAYS)
    assert all(tuple(checks) == mask_checks.CHECKS for checks in FOUND.values())


@pytest.mark.parametrize("way", mask_checks.WAYS)
def test_without_padding_only_a_turned_mask_is_wrong(way):
    weights = mask_checks.masked_weights(way, normal(4, 4), 4)
    if way == "turned":
        assert weights.isnan().all()
    else:
        torch.testing.assert_close(weights, torch.softmax(normal(4, 4), -1))
