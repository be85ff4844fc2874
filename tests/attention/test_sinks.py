"""Sinks: one more key and value of zeros with the sink as its bias, and the formula of gpt-oss in PyTorch."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from attention import AttentionError, causal_mask, multi_head_attention, scaled_dot_product_attention
from tests.attention.numbers import BATCH, HEADS, KV_LEN, Q_LEN, VALUE_DIM
from tests.attention.test_sdpa_properties import cases, few
from tests.support.tolerance import close


@pytest.fixture
def sinks(normal):
    return 2 * normal(HEADS)


def formula(query, key, value, sinks, mask, scale):
    """The lines of gpt-oss: the sink is a column of the scores whose weights are cut off again."""
    scores = (query @ key.mT * scale).masked_fill(~mask, -math.inf)
    column = sinks.reshape(-1, 1, 1).expand(*scores.shape[:-1], 1)
    return torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)[..., :-1] @ value


def with_a_key_of_zeros(query, key, value, sinks, mask):
    """Attention without sinks, to one more key and value of zeros, visible and with the sinks as its bias."""
    bias = torch.zeros(HEADS, Q_LEN, KV_LEN, dtype=sinks.dtype)
    bias = torch.cat((bias, sinks[:, None, None].expand(HEADS, Q_LEN, 1)), dim=-1)
    key, value, mask = F.pad(key, (0, 0, 0, 1)), F.pad(value, (0, 0, 0, 1)), F.pad(mask, (0, 1), value=True)
    return scaled_dot_product_attention(query, key, value, mask=mask, bias=bias)


def test_by_hand():
    """Scores 0 and ln 2, a sink of 0: the sum is 1 + 2 + 1, as in softmax with + 1."""
    scores = torch.tensor([[0.0, math.log(2)]], dtype=torch.float64)
    trace = scaled_dot_product_attention(
        torch.ones(1, 1).double(), scores.mT, 4 * torch.eye(2).double(), sinks=torch.tensor(0.0).double()
    )
    close(trace.weights, torch.tensor([[0.25, 0.5]], dtype=torch.float64))
    close(trace.sink_weights, [0.25])
    close(trace.output, torch.tensor([[1.0, 2.0]], dtype=torch.float64))
    close(trace.logsumexp, [math.log(4)])


def test_against_pytorch(qkv, sinks):
    mask = causal_mask(Q_LEN, KV_LEN)
    trace = scaled_dot_product_attention(*qkv, mask=mask, scale=0.3, sinks=sinks)
    close(trace.output, formula(*qkv, sinks, mask, 0.3))


def test_equal_to_one_key_and_value_of_zeros_with_the_sink_as_its_bias(qkv, sinks):
    mask = causal_mask(Q_LEN, KV_LEN)
    trace, longer = (
        scaled_dot_product_attention(*qkv, mask=mask, sinks=sinks),
        with_a_key_of_zeros(*qkv, sinks, mask),
    )
    close(trace.output, longer.output)
    close(trace.weights, longer.weights[..., :-1])
    close(trace.sink_weights, longer.weights[..., -1])
    close(trace.logsumexp, longer.logsumexp)


def test_gradients_are_those_of_pytorch(qkv, sinks, normal):
    mask, upstream = causal_mask(Q_LEN, KV_LEN), normal(BATCH, HEADS, Q_LEN, VALUE_DIM)
    leaves = [tensor.requires_grad_() for tensor in (*qkv, sinks)]
    own = scaled_dot_product_attention(*qkv, mask=mask, scale=0.3, sinks=sinks).output
    theirs = formula(*qkv, sinks, mask, 0.3)
    for a, b in zip(*(torch.autograd.grad(out, leaves, upstream) for out in (own, theirs)), strict=True):
        close(a, b)


@given(cases, st.floats(-50, 50))
@few
def test_the_weights_and_the_share_of_the_sink_sum_to_one_in_every_row(case, sink):
    heads = case.query.shape[:-2][-1:]
    trace = case.attend(mask=case.mask, sinks=torch.full(heads, sink, dtype=torch.float64))
    close(
        trace.weights.sum(-1) + trace.sink_weights, torch.ones(trace.sink_weights.shape, dtype=torch.float64)
    )
    close((sink - trace.logsumexp).exp(), trace.sink_weights, 1e-9)
    empty = ~case.mask.any(-1).expand(trace.sink_weights.shape)
    assert (trace.output[empty] == 0).all() and (trace.sink_weights[empty] == 1).all()


@given(cases)
@few
def test_a_sink_takes_the_same_factor_from_all_weights_of_a_row_and_one_of_minus_infinity_takes_nothing(case):
    heads, plain = case.query.shape[:-2][-1:], case.attend()
    trace = case.attend(sinks=torch.zeros(heads, dtype=torch.float64))
    close(trace.weights, plain.weights * (1 - trace.sink_weights[..., None]))
    close(trace.output, plain.output * (1 - trace.sink_weights[..., None]), 1e-9)
    close(case.attend(sinks=torch.full(heads, -math.inf, dtype=torch.float64)).output, plain.output)


@given(cases, st.floats(0.1, 10))
@few
def test_with_lower_scores_the_weights_of_the_keys_sum_to_less(case, less):
    sinks = torch.zeros(case.query.shape[:-2][-1:], dtype=torch.float64)
    before = case.attend(sinks=sinks, softcap=3.0).weights.sum(-1)
    lower = torch.full((case.q_len, case.kv_len), -less, dtype=torch.float64)
    after = case.attend(sinks=sinks, softcap=3.0, bias=lower).weights.sum(-1)
    assert (after < before).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_a_large_sink_does_not_overflow(dtype):
    ones = torch.ones(2, 3, 5, dtype=dtype)
    trace = scaled_dot_product_attention(ones, ones, ones, sinks=torch.tensor([300.0, -300.0], dtype=dtype))
    assert trace.output[0].eq(0).all() and trace.output[1].eq(1).all()


def test_only_the_keys_are_capped_masked_and_dropped(qkv, sinks):
    options = {"softcap": 0.01, "mask": torch.zeros(Q_LEN, KV_LEN, dtype=torch.bool)}
    trace = scaled_dot_product_attention(*qkv, sinks=sinks, **options, dropout_p=1.0)
    assert trace.sink_weights.eq(1).all() and trace.dropped_weights.eq(0).all()


def test_in_attention_with_heads_each_head_has_its_sink(matrices, inputs, sinks):
    options = {"num_heads": HEADS, "mask": causal_mask(Q_LEN, KV_LEN)}
    trace = multi_head_attention(*inputs, **matrices, **options, sinks=sinks)
    plain = multi_head_attention(*inputs, **matrices, **options).heads
    close(
        trace.heads.output, formula(plain.query, plain.key, plain.value, sinks, options["mask"], plain.scale)
    )
    head = trace.head(1)
    assert head.sinks == sinks[1] and head.sink_weights.equal(trace.heads.sink_weights[:, 1])
    again = scaled_dot_product_attention(
        head.query[0], head.key[0], head.value[0], mask=options["mask"], sinks=head.sinks
    )
    close(again.output, head.output[0])


def test_without_a_dimension_for_heads_the_sink_is_a_single_number():
    query = torch.ones(2, 3)
    with pytest.raises(AttentionError, match=r"expected the shape \(\), got the shape \(1,\).*sinks\[0\]"):
        scaled_dot_product_attention(query, query, query, sinks=torch.zeros(1))
