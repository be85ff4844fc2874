"""Tiled attention is plain attention: for any shapes, blocks, masks and biases, and after every tile."""

import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import (
    AttentionError,
    causal_mask,
    flash_attention,
    online_softmax,
    scaled_dot_product_attention,
    sliding_window_mask,
)
from tests.attention.numbers import normal

few = settings(max_examples=80, deadline=None, derandomize=True)
lengths = st.integers(1, 9)
blocks = st.integers(1, 11)
seeds = st.integers(0, 2**31)
leadings = st.sampled_from([((), (), ()), ((2,), (2,), (2,)), ((3, 1), (1, 2), (2,)), ((), (), (2,))])


def operands(leading=((), (), ()), q_len=5, kv_len=7, head_dim=3, value_dim=2, seed=0, dtype=torch.float64):
    dims = ((q_len, head_dim), (kv_len, head_dim), (kv_len, value_dim))
    return tuple(
        normal(*lead, *dim, seed=seed + k, dtype=dtype)
        for k, (lead, dim) in enumerate(zip(leading, dims, strict=True))
    )


def close(actual, expected, dtype=torch.float64):
    tolerance = 1e-12 if dtype == torch.float64 else 3e-6
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance)


def same(flash, plain, dtype=torch.float64):
    close(flash.output, plain.output, dtype)
    close(flash.logsumexp, plain.logsumexp, dtype)
    assert flash.scale == plain.scale


@given(leadings, lengths, lengths, blocks, blocks, st.sampled_from(["none", "some", "rows", "causal"]),
       st.booleans(), st.sampled_from([None, 0.3, 1000.0]), st.sampled_from(["keys", "queries"]),
       st.sampled_from([torch.float32, torch.float64]), seeds)  # fmt: skip
@few
def test_it_is_plain_attention(
    leading, q_len, kv_len, block_q, block_k, masked, biased, scale, outer, dtype, seed
):
    arguments = operands(leading, q_len, kv_len, seed=seed, dtype=dtype)
    scores = torch.broadcast_shapes(leading[0], leading[1])
    some = normal(*scores, q_len, kv_len, seed=seed + 5) > 0
    mask = {"none": None, "some": some, "causal": causal_mask(q_len, kv_len)}.get(masked)
    if masked == "rows":  # some queries may attend to nothing
        mask = some & (torch.arange(q_len) % 2 == 0)[:, None]
    bias = normal(*scores, 1, kv_len, seed=seed + 6, dtype=dtype) if biased else None
    options = {"mask": mask, "bias": bias, "scale": scale}
    flash = flash_attention(*arguments, block_q=block_q, block_k=block_k, outer=outer, **options)
    assert flash.output.dtype == flash.logsumexp.dtype == dtype
    if scale == 1000.0 and dtype == torch.float32:  # scores in the thousands have few digits after the point
        wide = [tensor.double() for tensor in arguments]
        options["bias"] = None if bias is None else bias.double()
        plain = scaled_dot_product_attention(*wide, **options)
        assert flash.output.isfinite().all()
        torch.testing.assert_close(flash.logsumexp.double(), plain.logsumexp, rtol=1e-5, atol=1e-3)
    else:
        same(flash, scaled_dot_product_attention(*arguments, **options), dtype)


@pytest.mark.parametrize("size", [1000.0, -1000.0])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_scores_of_a_thousand(size, dtype):
    key = torch.tensor([[1.0], [0.999], [0.5], [-1.0], [1.0]], dtype=dtype)
    query, value = torch.tensor([[size]], dtype=dtype), normal(5, 2, dtype=dtype)
    flash = flash_attention(query, key, value, block_q=1, block_k=2)
    same(flash, scaled_dot_product_attention(query, key, value), dtype)
    assert flash.logsumexp.item() == pytest.approx(1000 + (math.log(2 + math.exp(-1)) if size > 0 else 0))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_added_up_in_float32(dtype):
    arguments = operands(q_len=8, kv_len=300, dtype=dtype)
    exact = scaled_dot_product_attention(*(tensor.double() for tensor in arguments))
    flash = flash_attention(*arguments, block_q=3, block_k=7)
    assert flash.output.dtype == dtype
    torch.testing.assert_close(flash.output, exact.output.to(dtype), rtol=0, atol=torch.finfo(dtype).eps)


@pytest.mark.parametrize(("q_len", "kv_len"), [(0, 3), (3, 0), (0, 0)])
def test_nothing_to_attend_from_or_to(q_len, kv_len):
    arguments = operands(((2,), (2,), (2,)), q_len, kv_len)
    flash = flash_attention(*arguments, block_q=2, block_k=2)
    same(flash, scaled_dot_product_attention(*arguments))
    assert flash.tiles == ()


def test_minus_infinity_in_the_bias_masks_too():
    arguments, mask = operands(q_len=5, kv_len=5), causal_mask(5)
    bias = torch.zeros(5, 5).double().masked_fill(~mask, -math.inf)
    flash = flash_attention(*arguments, block_q=2, block_k=3, bias=bias)
    same(flash, scaled_dot_product_attention(*arguments, mask=mask))
    assert not any(tile.skipped for tile in flash.tiles)


# ---- tiles


@given(lengths, lengths, blocks, blocks, st.sampled_from(["keys", "queries"]))
@few
def test_the_tiles_cover_the_scores_once_in_the_order_of_the_loops(q_len, kv_len, block_q, block_k, outer):
    trace = flash_attention(
        *operands(q_len=q_len, kv_len=kv_len), block_q=block_q, block_k=block_k, outer=outer
    )
    covered = torch.zeros(q_len, kv_len)
    for tile in trace.tiles:
        covered[tile.rows, tile.columns] += 1
        assert tile.rows.stop - tile.rows.start <= block_q
        assert tile.columns.stop - tile.columns.start <= block_k
    assert (covered == 1).all()
    corners = [(tile.columns.start, tile.rows.start) for tile in trace.tiles]
    ordered = corners if outer == "keys" else [corner[::-1] for corner in corners]
    assert ordered == sorted(ordered)


@given(lengths, lengths, blocks, blocks, st.sampled_from(["keys", "queries"]), st.booleans(), seeds)
@few
def test_after_each_tile_its_rows_stand_at_attention_to_the_keys_so_far(
    q_len, kv_len, block_q, block_k, outer, masked, seed
):
    query, key, value = operands(q_len=q_len, kv_len=kv_len, seed=seed)
    mask = normal(q_len, kv_len, seed=seed + 9) > 0 if masked else None
    trace = flash_attention(query, key, value, block_q=block_q, block_k=block_k, mask=mask, outer=outer)
    for tile in trace.tiles:
        so_far = slice(0, tile.columns.stop)
        part = None if mask is None else mask[tile.rows, so_far]
        plain = scaled_dot_product_attention(query[tile.rows], key[so_far], value[so_far], mask=part)
        close(tile.partial_output, plain.output)
        largest = plain.masked_scores.amax(-1)
        close(tile.running_maximum, largest)
        below = largest.masked_fill(largest == -math.inf, 0.0)[:, None]
        close(tile.running_sum, torch.exp(plain.masked_scores - below).sum(-1))


@given(lengths, lengths, blocks, blocks, seeds)
@few
def test_the_factor_mends_the_sum_that_came_before(q_len, kv_len, block_q, block_k, seed):
    query, key, value = operands(q_len=q_len, kv_len=kv_len, seed=seed)
    trace = flash_attention(query, key, value, block_q=block_q, block_k=block_k, outer="queries")
    scores = scaled_dot_product_attention(query, key, value).masked_scores
    for tile in trace.tiles:
        if tile.columns.start == 0:
            assert (tile.rescale_factor == 0).all()
    for before, now in pairwise(trace.tiles):
        if now.rows != before.rows:
            continue
        close(now.rescale_factor, torch.exp(before.running_maximum - now.running_maximum))
        added = torch.exp(scores[now.rows, now.columns] - now.running_maximum[:, None]).sum(-1)
        close(now.running_sum, before.running_sum * now.rescale_factor + added)


def test_both_loop_orders_give_the_same_numbers_to_the_last_bit():
    arguments, options = operands(((2,), (2,), (2,))), {"block_q": 2, "block_k": 3}
    first, second = (flash_attention(*arguments, **options, outer=outer) for outer in ("keys", "queries"))
    assert first.output.equal(second.output) and first.logsumexp.equal(second.logsumexp)


def test_tiles_that_the_mask_masks_throughout_are_skipped():
    arguments = operands(q_len=6, kv_len=6)
    causal = flash_attention(*arguments, block_q=2, block_k=2, mask=causal_mask(6))
    skipped = {(t.rows.start, t.columns.start) for t in causal.tiles if t.skipped}
    assert skipped == {(0, 2), (0, 4), (2, 4)}
    window = flash_attention(*arguments, block_q=3, block_k=2, mask=sliding_window_mask(6, left=1, right=0))
    assert [(t.rows.start, t.columns.start) for t in window.tiles if t.skipped] == [(3, 0), (0, 4)]


def test_a_tile_that_only_one_batch_entry_needs_is_not_skipped():
    mask = torch.stack((causal_mask(4), torch.ones(4, 4, dtype=torch.bool)))
    trace = flash_attention(*operands(((2,), (2,), (2,)), 4, 4), block_q=2, block_k=2, mask=mask)
    assert not any(tile.skipped for tile in trace.tiles)


def test_a_skipped_tile_leaves_its_rows_as_they_were():
    trace = flash_attention(
        *operands(q_len=4, kv_len=4), block_q=2, block_k=2, mask=causal_mask(4), outer="queries"
    )
    before, skipped = trace.tiles[:2]
    assert skipped.skipped and (skipped.rescale_factor == 1).all()
    for name in ("running_maximum", "running_sum", "partial_output"):
        assert getattr(skipped, name).equal(getattr(before, name))


def test_two_tiles_by_hand():
    """Scores 1, 3 | 2 with values 10, 20 | 30: first tile below 3, second one too."""
    query, key = torch.tensor([[1.0]]).double(), torch.tensor([[1.0], [3.0], [2.0]]).double()
    value = torch.tensor([[10.0], [20.0], [30.0]]).double()
    first, second = flash_attention(query, key, value, block_q=1, block_k=2).tiles
    assert (first.running_maximum.item(), second.running_maximum.item()) == (3, 3)
    assert first.running_sum.item() == pytest.approx(math.exp(-2) + 1)
    assert second.running_sum.item() == pytest.approx(math.exp(-2) + 1 + math.exp(-1))
    assert (first.rescale_factor.item(), second.rescale_factor.item()) == (0, 1)
    part = (10 * math.exp(-2) + 20) / (math.exp(-2) + 1)
    assert first.partial_output.item() == pytest.approx(part)


# ---- gradients, purity, errors


def test_gradients_are_those_of_plain_attention():
    mask = causal_mask(5, 7) & (torch.arange(5) != 2)[:, None]
    grads = []
    for attend in (
        lambda *start: flash_attention(*start, block_q=2, block_k=3, mask=mask),
        lambda *start: scaled_dot_product_attention(*start, mask=mask),
    ):
        arguments = [tensor.requires_grad_() for tensor in operands()]
        trace = attend(*arguments)
        kept = trace.logsumexp.isfinite()
        loss = trace.output.square().sum() + trace.logsumexp[kept].sum()
        grads.append(torch.autograd.grad(loss, arguments))
    for ours, theirs in zip(*grads, strict=True):
        close(ours, theirs)


def test_it_changes_nothing_it_is_given():
    arguments, mask = operands(), causal_mask(5, 7)
    before = [tensor.clone() for tensor in (*arguments, mask)]
    flash_attention(*arguments, block_q=2, block_k=3, mask=mask, bias=torch.zeros(5, 7).double())
    assert all(now.equal(then) for now, then in zip((*arguments, mask), before, strict=True))


@pytest.mark.parametrize(
    ("code", "argument", "change"),
    [
        (
            "leading_differs",
            "key",
            {"query": torch.ones(4, 5, 3).double(), "key": torch.ones(2, 7, 3).double()},
        ),
        ("out_of_range", "block_q", {"block_q": 0}),
        ("not_an_integer", "block_k", {"block_k": 2.0}),
        ("unknown_choice", "outer", {"outer": "rows"}),
        ("not_finite", "scale", {"scale": math.inf}),
        ("mask_not_boolean", "mask", {"mask": torch.ones(5, 7)}),
        ("not_broadcastable", "mask", {"mask": causal_mask(7, 5)}),
        ("bias_is_boolean", "bias", {"bias": causal_mask(5, 7)}),
        ("size_differs", "key", {"key": torch.ones(7, 4).double()}),
        ("dtype_differs", "value", {"value": torch.ones(7, 2)}),
        (
            "leading_differs",
            "key",
            {"query": torch.ones(2, 5, 3).double(), "key": torch.ones(3, 7, 3).double()},
        ),
    ],
)
def test_wrong_arguments_are_refused(code, argument, change):
    query, key, value = operands()
    arguments = {"query": query, "key": key, "value": value, "block_q": 2, "block_k": 3} | change
    with pytest.raises(AttentionError) as caught:
        flash_attention(**arguments)
    assert (caught.value.code, caught.value.argument) == (code, argument)


# ---- online softmax


rows = st.lists(st.floats(-1000, 1000) | st.just(-math.inf), min_size=1, max_size=12)


@given(rows)
@settings(deadline=None)
def test_online_softmax_is_softmax(row):
    scores = torch.tensor(row, dtype=torch.float64)
    one_pass = online_softmax(scores)
    if torch.isneginf(scores).all():
        assert (
            not one_pass.weights.any() and not one_pass.running_sum.any() and one_pass.logsumexp == -math.inf
        )
        return
    close(one_pass.weights, torch.softmax(scores, -1))
    close(one_pass.logsumexp, torch.logsumexp(scores, -1))


@given(rows)
@settings(deadline=None)
def test_each_step_stands_at_the_scores_so_far(row):
    scores = torch.tensor(row, dtype=torch.float64)
    one_pass = online_softmax(scores)
    total, maximum = 0.0, -math.inf
    for i, score in enumerate(row):
        assert one_pass.running_maximum[i] == max(row[: i + 1])
        largest = max(maximum, score)
        factor = math.exp(maximum - largest) if largest > -math.inf else 0.0
        total = total * factor + (math.exp(score - largest) if score > -math.inf else 0.0)
        assert one_pass.rescale_factor[i].item() == pytest.approx(factor)
        assert one_pass.running_sum[i].item() == pytest.approx(total)
        maximum = largest


def test_online_softmax_by_hand():
    one_pass = online_softmax(torch.tensor([1.0, 3.0, 2.0], dtype=torch.float64))
    assert one_pass.running_maximum.tolist() == [1, 3, 3]
    assert one_pass.rescale_factor.tolist() == pytest.approx([0, math.exp(-2), 1])
    assert one_pass.running_sum.tolist() == pytest.approx(
        [1, 1 + math.exp(-2), 1 + math.exp(-2) + math.exp(-1)]
    )


def test_online_softmax_of_many_rows_and_of_half_precision():
    scores = normal(2, 3, 5)
    one_pass = online_softmax(scores)
    close(one_pass.weights, torch.softmax(scores, -1))
    assert one_pass.running_sum.shape == (2, 3, 5) and one_pass.logsumexp.shape == (2, 3)
    half = online_softmax(scores.half())
    assert half.weights.dtype == torch.float16
    torch.testing.assert_close(half.weights, torch.softmax(scores.half(), -1))


@pytest.mark.parametrize(
    ("code", "scores"),
    [("not_a_tensor", [1.0]), ("not_floating", torch.ones(3).int()), ("wrong_dimensions", torch.tensor(1.0)),
     ("wrong_dimensions", torch.ones(2, 0))],
)  # fmt: skip
def test_online_softmax_refuses(code, scores):
    with pytest.raises(AttentionError) as caught:
        online_softmax(scores)
    assert caught.value.code == code
