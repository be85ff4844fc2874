"""Latent attention: equal products, the nearest matrices of a rank, and the numbers of a cache."""

import pytest
import torch

from attention.lab.newer import latent as lab
from tests.support.tolerance import close

N, EMBED_DIM, KEY_DIM, VALUE_DIM, LENGTH = 5, 7, 3, 2, 11


@pytest.fixture
def matrices(normal):
    return (
        normal(N, EMBED_DIM),
        normal(EMBED_DIM, KEY_DIM),
        normal(EMBED_DIM, VALUE_DIM),
        normal(LENGTH, KEY_DIM),
    )


def test_with_the_rank_of_both_matrices_keys_and_values_stay_and_with_less_they_do_not(matrices):
    x, w_k, w_v, _ = matrices
    down, up_k, up_v = lab.compressed(w_k, w_v, KEY_DIM + VALUE_DIM)
    close(x @ down @ up_k, x @ w_k)
    close(x @ down @ up_v, x @ w_v)
    down, up_k, up_v = lab.compressed(w_k, w_v, KEY_DIM + VALUE_DIM - 1)
    assert not torch.allclose(down @ torch.cat((up_k, up_v), -1), torch.cat((w_k, w_v), -1), atol=0.01)


@pytest.mark.parametrize("rank", range(1, KEY_DIM + VALUE_DIM))
def test_no_matrices_of_the_rank_are_nearer(matrices, normal, rank):
    """The sum of squared differences is that of the singular values left out; nearby matrices are farther."""
    _, w_k, w_v, _ = matrices
    joint = torch.cat((w_k, w_v), dim=-1)
    down, up_k, up_v = lab.compressed(w_k, w_v, rank)
    up = torch.cat((up_k, up_v), dim=-1)
    off = (down @ up - joint).square().sum()
    close(off, torch.linalg.svdvals(joint)[rank:].square().sum())
    for _ in range(20):
        other = (down + 0.1 * normal(*down.shape)) @ (up + 0.1 * normal(*up.shape))
        assert (other - joint).square().sum() > off


def test_the_signs_do_not_depend_on_the_machine(matrices):
    _, w_k, w_v, _ = matrices
    down = lab.compressed(w_k, w_v, 4).down
    close(down.mT @ down, torch.eye(4, dtype=torch.float64))
    assert (down.gather(0, down.abs().argmax(0, keepdim=True)) > 0).all()


def test_the_cache_of_deepseek_v3_is_that_of_its_configuration():
    """128 heads of 128; kv_lora_rank 512, qk_rope_head_dim 64: as much as 2.25 key/value heads."""
    assert lab.numbers_of_latent(512, 64) == 576 == 2.25 * lab.numbers_of_heads(1, 128, 128)
    assert lab.numbers_of_heads(128, 128, 128) == 32_768
