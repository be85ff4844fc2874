import pytest
import torch
from hypothesis import settings

torch.set_num_threads(1)
# How long an example takes says something of the machine and its load, and nothing of the code.
settings.register_profile("patient", settings.default, deadline=None)
settings.load_profile("patient")


@pytest.fixture
def normal():
    """Random float64 tensors, the same in every run."""
    generator = torch.Generator().manual_seed(20170612)

    def draw(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    return draw
