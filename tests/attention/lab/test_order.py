"""What the lesson on order claims, on many cases."""

import math

import pytest
import torch

from attention import (
    alibi_bias,
    causal_mask,
    rotary_embedding,
    scaled_dot_product_attention,
    sinusoidal_encoding,
)
from attention.lab import order as lab


@pytest.mark.parametrize("seed", range(20))
def test_without_positions_and_mask_rows_move_along_up_to_rounding(seed):
    generator = torch.Generator().manual_seed(seed)
    q, k, v = torch.randn(3, 7, 5, generator=generator, dtype=torch.float64)
    order = torch.randperm(7, generator=generator).tolist()
    before = scaled_dot_product_attention(q, k, v).output
    after = scaled_dot_product_attention(q[order], k[order], v[order]).output
    assert lab.off_after_reordering(before, after, order).abs().max() < 1e-13
    bias = alibi_bias(1, 7, 7, dtype=torch.float64)[0] * 100
    biased = [
        scaled_dot_product_attention(*rows, bias=bias).output
        for rows in ((q, k, v), (q[order], k[order], v[order]))
    ]
    assert order == list(range(7)) or lab.off_after_reordering(*biased, order).abs().max() > 1e-3


@pytest.mark.parametrize("at", range(6))
def test_with_a_causal_mask_two_neighbours_that_swap_change_their_own_rows_only(normal, at):
    q, k, v = normal(7, 5), normal(7, 5), normal(7, 3)
    order = list(range(7))
    order[at], order[at + 1] = at + 1, at
    before = scaled_dot_product_attention(q, k, v, mask=causal_mask(7)).output
    after = scaled_dot_product_attention(q[order], k[order], v[order], mask=causal_mask(7)).output
    off = lab.off_after_reordering(before, after, order).abs().amax(-1) > 1e-12
    assert off.nonzero().flatten().tolist() == [at, at + 1]


@pytest.mark.parametrize("dim", [2, 6, 16])
def test_products_of_waves_depend_on_the_distance_alone(dim):
    table = sinusoidal_encoding(40, dim, base=50.0, dtype=torch.float64)
    products, result = table @ table.mT, lab.products_by_distance(40, dim, 50.0)
    for i in range(40):
        for j in range(40):
            assert products[i, j].item() == pytest.approx(result[abs(i - j)].item(), abs=1e-10)


@pytest.mark.parametrize("d_k", [1, 4, 5])
def test_rotary_scores_depend_on_the_distance_alone(normal, d_k):
    query, key, even = normal(d_k), normal(d_k), d_k - d_k % 2
    result = lab.score_by_distance(query, key, 30, 20.0)
    for i, j in ((0, 0), (9, 4), (29, 0), (107, 90)):
        turned = [
            rotary_embedding(x[None], positions=torch.tensor([place]), base=20.0, rotary_dim=even)
            for x, place in ((query, i), (key, j))
        ]
        assert (turned[0] @ turned[1].T).item() == pytest.approx(result[i - j].item(), abs=1e-12)


def test_wavelengths():
    assert lab.wavelengths(4, 100.0).tolist() == pytest.approx([2 * math.pi, 20 * math.pi])


@pytest.mark.parametrize("slope", [2.0, 0.5, 0.01])
def test_alibi_looks_at_so_many_keys_and_no_more(slope):
    limit = lab.effective_limit(slope)
    counts = [lab.effective_keys(n, slope) for n in (1, 8, 64, 512, 4096)]
    assert counts == sorted(counts)
    assert counts[-1] == pytest.approx(limit, rel=1e-6)
    assert lab.effective_keys(64, 0.0) == pytest.approx(64)
    weights = lab.alibi_weights(9, slope)
    assert (weights[-1] / weights[-3]).item() == pytest.approx(math.exp(2 * slope))
