import pytest
import torch

from tests.attention.numbers import BATCH, HEAD_DIM, HEADS, KV_LEN, Q_LEN, VALUE_DIM

torch.set_num_threads(1)


@pytest.fixture
def normal():
    """Random float64 tensors, the same in every run."""
    generator = torch.Generator().manual_seed(20170612)

    def draw(*shape):
        return torch.randn(shape, generator=generator, dtype=torch.float64)

    return draw


@pytest.fixture
def matrices(normal):
    """Query inputs have 17 columns, key inputs 19, value inputs 23, the output 29."""
    return {
        "w_q": normal(17, HEADS * HEAD_DIM),
        "w_k": normal(19, HEADS * HEAD_DIM),
        "w_v": normal(23, HEADS * VALUE_DIM),
        "w_o": normal(HEADS * VALUE_DIM, 29),
        "b_q": normal(HEADS * HEAD_DIM),
        "b_k": normal(HEADS * HEAD_DIM),
        "b_v": normal(HEADS * VALUE_DIM),
        "b_o": normal(29),
    }


@pytest.fixture
def inputs(normal):
    return normal(BATCH, Q_LEN, 17), normal(BATCH, KV_LEN, 19), normal(BATCH, KV_LEN, 23)


@pytest.fixture
def qkv(normal):
    return (
        normal(BATCH, HEADS, Q_LEN, HEAD_DIM),
        normal(BATCH, HEADS, KV_LEN, HEAD_DIM),
        normal(BATCH, HEADS, KV_LEN, VALUE_DIM),
    )
