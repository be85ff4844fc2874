"""The same arguments to torch.nn.functional.scaled_dot_product_attention, on shapes of different primes."""

import functools
import math

import pytest
import torch
from torch.nn import functional as F

from attention import causal_mask, padding_mask, scaled_dot_product_attention, sliding_window_mask
from tests.attention.numbers import BATCH, HEAD_DIM, HEADS, KV_LEN, Q_LEN
from tests.support.tolerance import close as close_to

INF = math.inf


close = functools.partial(close_to, tolerance=1e-13)


@pytest.mark.parametrize("leading", [(), (2,), (2, 3), (2, 3, 17)])
@pytest.mark.parametrize(("q_len", "kv_len"), [(5, 7), (7, 5), (1, 7), (5, 1)])
def test_shapes(normal, leading, q_len, kv_len):
    query, key, value = (
        normal(*leading, q_len, 11),
        normal(*leading, kv_len, 11),
        normal(*leading, kv_len, 13),
    )
    trace = scaled_dot_product_attention(query, key, value)
    assert trace.output.shape == (*leading, q_len, 13)
    assert trace.weights.shape == (*leading, q_len, kv_len)
    assert trace.logsumexp.shape == (*leading, q_len)
    close(trace.output, F.scaled_dot_product_attention(query, key, value))


@pytest.mark.parametrize(
    ("query_leading", "key_leading", "value_leading"),
    [((2, 3), (1, 3), (2, 1)), ((3,), (2, 1), (2, 3)), ((), (3,), (3,)), ((), (), (3,)), ((2, 3), (), ())],
)
def test_leading_dimensions_broadcast(normal, query_leading, key_leading, value_leading):
    query, key, value = (
        normal(*query_leading, 5, 11),
        normal(*key_leading, 7, 11),
        normal(*value_leading, 7, 13),
    )
    leading = torch.broadcast_shapes(query_leading, key_leading, value_leading)
    whole = [tensor.expand(*leading, *tensor.shape[-2:]) for tensor in (query, key, value)]
    trace = scaled_dot_product_attention(query, key, value)
    assert trace.weights.shape == (*torch.broadcast_shapes(query_leading, key_leading), 5, 7)
    close(trace.output, F.scaled_dot_product_attention(*whole))


def random_mask(*shape):
    return torch.rand(shape, generator=torch.Generator().manual_seed(5)) > 0.4


MASKS = {
    "causal, upper left": causal_mask(Q_LEN, KV_LEN),
    "causal, lower right": causal_mask(Q_LEN, KV_LEN, alignment="lower_right"),
    "sliding window": sliding_window_mask(Q_LEN, KV_LEN, left=2, right=1),
    "padding": padding_mask([7, 4], KV_LEN)[:, None, None, :],
    "padding, one entry all padding": padding_mask([3, 0], KV_LEN)[:, None, None, :],
    "causal and padding": causal_mask(Q_LEN, KV_LEN) & padding_mask([5, 2], KV_LEN)[:, None, None, :],
    "one for each head": random_mask(HEADS, Q_LEN, KV_LEN),
    "one for each head of each batch entry": random_mask(BATCH, HEADS, Q_LEN, KV_LEN),
    "one for each key": random_mask(KV_LEN),
    "one for all": torch.tensor(True),
    "every key for no query": torch.zeros(Q_LEN, KV_LEN, dtype=torch.bool),
    "every key for every query": torch.ones(Q_LEN, KV_LEN, dtype=torch.bool),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_masks(qkv, mask):
    close(
        scaled_dot_product_attention(*qkv, mask=mask).output,
        F.scaled_dot_product_attention(*qkv, attn_mask=mask.expand(BATCH, HEADS, Q_LEN, KV_LEN)),
    )


@pytest.mark.parametrize(
    "shape", [(), (KV_LEN,), (Q_LEN, 1), (HEADS, Q_LEN, KV_LEN), (BATCH, 1, Q_LEN, KV_LEN)]
)
def test_bias(qkv, normal, shape):
    bias = normal(*shape)
    close(
        scaled_dot_product_attention(*qkv, bias=bias).output,
        F.scaled_dot_product_attention(*qkv, attn_mask=bias.expand(BATCH, HEADS, Q_LEN, KV_LEN)),
    )


def test_bias_of_minus_infinity_masks(qkv, normal):
    bias = normal(Q_LEN, KV_LEN)
    bias[1, 2] = bias[3] = -INF
    trace = scaled_dot_product_attention(*qkv, bias=bias)
    close(trace.output, F.scaled_dot_product_attention(*qkv, attn_mask=bias))
    assert trace.weights[..., 3, :].abs().max() == 0


def test_mask_and_bias_together(qkv, normal):
    bias, mask = normal(HEADS, Q_LEN, KV_LEN), causal_mask(Q_LEN, KV_LEN)
    close(
        scaled_dot_product_attention(*qkv, mask=mask, bias=bias).output,
        F.scaled_dot_product_attention(*qkv, attn_mask=bias.masked_fill(~mask, -INF)),
    )


@pytest.mark.parametrize("scale", [0.7, 3, 0, -0.5])
def test_scale(qkv, scale):
    trace = scaled_dot_product_attention(*qkv, scale=scale)
    close(trace.output, F.scaled_dot_product_attention(*qkv, scale=float(scale)))


@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_grouped_heads(normal, kv_heads):
    query, key, value = normal(2, 6, 5, 11), normal(2, kv_heads, 7, 11), normal(2, kv_heads, 7, 13)
    trace = scaled_dot_product_attention(query, key, value, enable_gqa=True)
    close(trace.output, F.scaled_dot_product_attention(query, key, value, enable_gqa=True))


@pytest.mark.parametrize("size", [1e4, 1e150])
def test_large_scores_do_not_overflow(qkv, size):
    # 1e150 in query and key: scores of about ±1e300
    query, key, value = qkv[0] * size, qkv[1] * size, qkv[2]
    trace = scaled_dot_product_attention(query, key, value)
    assert trace.scores.abs().max() > size
    close(trace.weights, torch.softmax(trace.masked_scores, dim=-1))
    close(trace.output, F.scaled_dot_product_attention(query, key, value))


def test_large_but_equal_scores_share(normal):
    query, value = torch.full((1, 1), 1e150, dtype=torch.float64), normal(7, 13)
    trace = scaled_dot_product_attention(query, query.expand(7, 1), value)
    close(trace.output, value.mean(0, keepdim=True))


def test_weights_and_logsumexp(qkv):
    trace = scaled_dot_product_attention(*qkv, mask=MASKS["causal and padding"])
    close(trace.weights, torch.softmax(trace.masked_scores, dim=-1))
    close(trace.logsumexp, torch.logsumexp(trace.masked_scores, dim=-1))


def test_softcap(qkv):
    trace = scaled_dot_product_attention(*qkv, softcap=0.9)
    scores = qkv[0] @ qkv[1].mT / math.sqrt(HEAD_DIM)
    close(trace.output, torch.softmax(0.9 * torch.tanh(scores / 0.9), dim=-1) @ qkv[2])


@pytest.mark.parametrize("masked_score", [-1e9, -3, 0, 2.5])
def test_finite_masked_score(qkv, masked_score):
    mask = causal_mask(Q_LEN, KV_LEN)
    scores = (qkv[0] @ qkv[1].mT / math.sqrt(HEAD_DIM)).masked_fill(~mask, masked_score)
    trace = scaled_dot_product_attention(*qkv, mask=mask, masked_score=masked_score)
    close(trace.output, torch.softmax(scores, dim=-1) @ qkv[2])


TOLERANCE = {torch.float32: 1e-5, torch.float16: 1e-2, torch.bfloat16: 5e-2}


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_smaller_dtypes(qkv, dtype):
    mask = MASKS["padding, one entry all padding"]
    small = [tensor.to(dtype) for tensor in qkv]
    trace = scaled_dot_product_attention(*small, mask=mask)
    expected = F.scaled_dot_product_attention(*qkv, attn_mask=mask)
    assert {value.dtype for _, value in trace.steps()} == {trace.logsumexp.dtype} == {dtype}
    torch.testing.assert_close(trace.output.double(), expected, rtol=0, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_softmax_is_exact_to_the_last_digit_in_half_precision(normal, dtype):
    query, key = (4 * normal(53, 1)).to(dtype), normal(71, 1).to(dtype)
    trace = scaled_dot_product_attention(query, key, key)
    exact = torch.softmax(trace.masked_scores.double(), dim=-1).to(dtype)
    torch.testing.assert_close(trace.weights, exact, rtol=torch.finfo(dtype).eps, atol=1e-7)
    exact = torch.logsumexp(trace.masked_scores.double(), dim=-1).to(dtype)
    torch.testing.assert_close(trace.logsumexp, exact, rtol=torch.finfo(dtype).eps, atol=1e-7)


def test_smallest_number_of_float16_as_masked_score():
    ones = torch.ones(3, 2, dtype=torch.float16)
    lowest = torch.finfo(torch.float16).min
    trace = scaled_dot_product_attention(ones, ones, ones, mask=torch.tensor(False), masked_score=lowest)
    torch.testing.assert_close(trace.weights, torch.full_like(trace.weights, 1 / 3))


def test_no_queries(normal):
    trace = scaled_dot_product_attention(normal(2, 0, 11), normal(2, 7, 11), normal(2, 7, 13))
    assert trace.output.shape == (2, 0, 13)
    assert trace.logsumexp.shape == (2, 0)


def test_no_keys(normal):
    trace = scaled_dot_product_attention(normal(2, 5, 11), normal(2, 0, 11), normal(2, 0, 13))
    assert trace.output.equal(torch.zeros(2, 5, 13, dtype=torch.float64))
    assert trace.logsumexp.equal(torch.full((2, 5), -INF, dtype=torch.float64))
