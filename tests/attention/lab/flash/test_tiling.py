"""FlashAttention stopped after any of its tiles: the state is attention to the keys seen so far."""

import math

import pytest
import torch

from attention import causal_mask, flash_attention, scaled_dot_product_attention
from attention.lab.flash.tiling import STATUS, moment, tile_of

Q, K, V = (
    torch.randn(n, d, generator=torch.Generator().manual_seed(n)).double()
    for n, d in ((5, 3), (7, 3), (7, 2))
)


@pytest.mark.parametrize("outer", ["keys", "queries"])
def test_every_moment_is_attention_to_the_keys_so_far(outer):
    mask = causal_mask(5, 7)
    trace = flash_attention(Q, K, V, block_q=2, block_k=3, mask=mask, outer=outer)
    for done in range(len(trace.tiles) + 1):
        now = moment(trace, done)
        assert {word for row in now.status for word in row} <= set(STATUS)
        seen = torch.tensor([[word in ("done", "current") for word in row] for row in now.status]) & mask
        expected = scaled_dot_product_attention(Q, K, V, mask=seen)
        torch.testing.assert_close(now.output, expected.output)
        torch.testing.assert_close(now.maximum, expected.masked_scores.amax(-1))
        sums = torch.where(seen.any(-1), (now.maximum + now.total.log()).nan_to_num(), -torch.inf)
        torch.testing.assert_close(sums, expected.logsumexp)
    assert torch.equal(now.output, trace.output)


def test_words_and_factors_by_hand():
    """Causal, 4 tokens in tiles of 2 × 2: the tile above the diagonal is skipped."""
    q = torch.eye(4, dtype=torch.float64)
    trace = flash_attention(q, q, q, block_q=2, block_k=2, mask=causal_mask(4), outer="queries")
    assert [tile.skipped for tile in trace.tiles] == [False, True, False, False]
    assert moment(trace, 0).tile is None
    assert all(word == "to_come" for row in moment(trace, 0).status for word in row)
    third = moment(trace, 3)
    assert third.status[0] == ["done", "done", "skipped", "skipped"]
    assert third.status[2] == ["current", "current", "to_come", "to_come"]
    assert third.factor.tolist() == [1.0, 1.0, 0.0, 0.0]  # there was nothing before in the last two rows
    last = moment(trace, 4)
    assert last.factor.tolist() == pytest.approx([1.0, 1.0, math.exp(-0.5), math.exp(-0.5)])


def test_the_tile_of_a_score():
    keys = flash_attention(Q, K, V, block_q=2, block_k=3)
    queries = flash_attention(Q, K, V, block_q=2, block_k=3, outer="queries")
    assert (tile_of(keys, 0, 0), tile_of(keys, 4, 0), tile_of(keys, 0, 3)) == (1, 3, 4)
    assert (tile_of(queries, 0, 0), tile_of(queries, 4, 0), tile_of(queries, 0, 3)) == (1, 7, 2)
