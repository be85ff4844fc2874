"""The shape to which shapes broadcast, against PyTorch."""

import itertools

import pytest
import torch

from attention.checks import broadcast_shape

SHAPES = [shape for count in range(4) for shape in itertools.product((0, 1, 2, 3), repeat=count)]


@pytest.mark.parametrize("first", SHAPES, ids=str)
def test_shapes_broadcast_as_pytorch_s(first):
    for second in SHAPES:
        try:
            expected = tuple(torch.broadcast_shapes(first, second))
        except RuntimeError:
            expected = None
        assert broadcast_shape(first, second) == expected


def test_three_shapes_broadcast_together():
    assert broadcast_shape((2, 1), (3,), (1, 1, 1)) == (1, 2, 3)
    assert broadcast_shape((2, 1), (3,), (4,)) is None
