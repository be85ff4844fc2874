"""Reach and cache of local and global layers: counted, and asked of layers with random weights."""

import pytest
import torch

from attention import causal_mask, multi_head_attention, sliding_window_mask
from attention.lab.newer.windows import attended, in_turn, reach, rows_kept, tokens_reached

STACKS = [[3], [2, 2, 2], [3, 3, None], [2, None, 2], [None, None], [5, 2, 4, 3]]


def test_layers_come_in_turn():
    assert in_turn(7, 4, 5) == [4, 4, 4, 4, 4, None, 4]  # Gemma 3
    assert in_turn(4, 4, 1) == [4, None, 4, None]  # gpt-oss
    assert in_turn(3, 4, 0) == [None] * 3


def test_five_local_layers_of_gemma_3():
    """Five local layers before each global one, with windows of 1,024 (Gemma Team 2025)."""
    assert tokens_reached(32_768, [1024] * 5) == 5116 == 1 + 5 * 1023
    assert rows_kept(32_768, in_turn(6, 1024, 5)) == 5 * 1024 + 32_768


def test_reach_by_hand():
    """Five tokens, windows of 2: one more token in each layer, and all tokens after a global layer."""
    expected = [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [1, 1, 1, 1, 1]]
    assert reach(5, [2, 2, None]).int().tolist() == expected
    assert attended(5, [2, 2, None]).int().tolist() == [expected[0], expected[0], expected[2]]


@pytest.mark.parametrize("n", [1, 4, 9])
@pytest.mark.parametrize("windows", STACKS, ids=str)
def test_the_counts_are_those_of_the_masks(windows, n):
    assert tokens_reached(n, windows) == reach(n, windows)[-1].sum()
    assert rows_kept(n, windows) == attended(n, windows).sum()


@pytest.mark.parametrize("windows", STACKS, ids=str)
def test_layers_with_random_weights_depend_on_what_is_reached_and_on_nothing_else(windows):
    n, generator = 7, torch.Generator().manual_seed(len(windows))
    x = torch.randn(n, 4, generator=generator, dtype=torch.float64, requires_grad=True)
    state = x
    for layer, r in enumerate(windows):
        w_q, w_k, w_v = torch.randn(3, 4, 4, generator=generator, dtype=torch.float64)
        mask = causal_mask(n) if r is None else sliding_window_mask(n, left=r - 1, right=0)
        state = state + multi_head_attention(state, w_q=w_q, w_k=w_k, w_v=w_v, mask=mask).output
        (gradient,) = torch.autograd.grad(state[-1].sum(), x, retain_graph=True)
        assert (gradient.abs().sum(-1) > 0).equal(reach(n, windows)[layer])
