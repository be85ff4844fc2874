"""What three checks of a mask find: hand-made cases, and random ones."""

import pytest
import torch

from attention.checking.runs import Inputs
from attention.lab.mistakes.mask_checks import CHECKS, WAYS, found_by, weights_of

FOUND = {
    "right": (True, True, True),
    "after_softmax": (False, True, False),
    "renormalised": (True, True, True),
    "times_zero": (True, False, False),
    "inverted": (True, False, False),
    "query_rows": (True, False, False),
}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("n", "valid", "dim"), [(5, 3, 2), (7, 6, 3), (3, 1, 4)])
def test_only_the_changed_padding_finds_every_mistake(n, valid, dim, seed):
    generator = torch.Generator().manual_seed(seed)
    query, key, value = (torch.randn(n, dim, generator=generator, dtype=torch.float64) for _ in range(3))
    result = found_by(query, key, value, valid)
    assert tuple(result) == WAYS
    for way, expected in FOUND.items():
        assert tuple(result[way][check] for check in CHECKS) == expected, way


def test_the_weights_by_hand():
    zeros = torch.zeros(2, 2, dtype=torch.float64)
    inputs = Inputs(zeros, zeros, zeros, zeros, real=1)
    halves = torch.full((2, 2), 0.5, dtype=torch.float64)
    first = torch.tensor([[1.0, 0.0], [1.0, 0.0]], dtype=torch.float64)
    assert weights_of("right", inputs).equal(first)
    assert weights_of("after_softmax", inputs).equal(first / 2)
    assert weights_of("renormalised", inputs).equal(first)
    assert weights_of("times_zero", inputs).equal(halves)
    assert weights_of("inverted", inputs).equal(first.flip(-1))
    assert weights_of("query_rows", inputs)[0].equal(halves[0])
