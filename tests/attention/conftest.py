import pytest
import torch

torch.set_num_threads(1)


@pytest.fixture
def normal():
    """Random float64 tensors, the same in every run."""
    generator = torch.Generator().manual_seed(20170612)

    def draw(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    return draw
