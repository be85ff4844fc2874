"""The trace: every field follows from the ones before it, and nothing else is touched."""

import math
from dataclasses import FrozenInstanceError, fields, replace

import pytest
import torch

from attention import AttentionTrace, causal_mask, scaled_dot_product_attention
from tests.support.tolerance import close

ALL_STEPS = [
    "query",
    "key",
    "value",
    "scores",
    "scaled_scores",
    "softcapped_scores",
    "biased_scores",
    "masked_scores",
    "weights",
    "dropped_weights",
    "output",
]
OPTIONAL = {"softcapped_scores", "biased_scores", "dropped_weights"}


def generator():
    return torch.Generator().manual_seed(7)


@pytest.fixture
def qkv(normal):
    return normal(2, 6, 5, 11), normal(2, 3, 7, 11), normal(2, 3, 7, 13)


@pytest.fixture
def options(normal):
    """Every option at once."""
    return {
        "mask": causal_mask(5, 7),
        "bias": normal(6, 5, 7),
        "scale": 0.3,
        "softcap": 2.0,
        "enable_gqa": True,
        "dropout_p": 0.4,
        "generator": generator(),
    }


@pytest.fixture
def full(qkv, options):
    return scaled_dot_product_attention(*qkv, **options)


@pytest.fixture
def plain(qkv):
    return scaled_dot_product_attention(*qkv, enable_gqa=True)


def test_steps_in_the_order_of_computation(full):
    assert [step.name for step in full.steps()] == ALL_STEPS


def test_unmasked_scores_are_the_last_ones_before_the_mask(full, plain):
    assert full.unmasked_scores is full.biased_scores
    assert plain.unmasked_scores is plain.scaled_scores


def test_steps_that_did_not_take_place_are_left_out(plain):
    assert [step.name for step in plain.steps()] == [name for name in ALL_STEPS if name not in OPTIONAL]


def test_a_step_is_a_field(full):
    assert all(value is getattr(full, name) for name, value in full.steps())


def test_fields_stand_in_the_order_of_computation():
    names = [field.name for field in fields(AttentionTrace) if field.name in ALL_STEPS]
    assert names == ALL_STEPS


def test_key_and_value_are_repeated_so_that_every_head_has_its_own(full, qkv):
    assert full.query.equal(qkv[0])
    assert full.key.equal(qkv[1][:, [0, 0, 1, 1, 2, 2]])
    assert full.value.equal(qkv[2][:, [0, 0, 1, 1, 2, 2]])


def test_each_field_follows_from_the_ones_before(full, plain, options):
    assert full.scale == 0.3 and full.bias is options["bias"] and full.mask is options["mask"]
    close(full.scores, torch.einsum("bhqd,bhkd->bhqk", full.query, full.key))
    assert full.scaled_scores.equal(full.scores * 0.3)
    close(full.softcapped_scores, 2 * torch.tanh(full.scaled_scores / 2))
    assert full.biased_scores.equal(full.softcapped_scores + full.bias)
    assert full.masked_scores.equal(torch.where(full.mask, full.biased_scores, -math.inf))
    close(full.weights, torch.softmax(full.masked_scores, dim=-1))
    close(full.output, full.dropped_weights @ full.value)
    assert plain.mask is None and plain.masked_scores.equal(plain.scaled_scores)
    close(plain.output, plain.weights @ plain.value)


def test_biased_scores_from_scaled_scores_without_softcap(qkv, options):
    trace = scaled_dot_product_attention(*qkv, **options | {"softcap": None})
    assert trace.biased_scores.equal(trace.scaled_scores + trace.bias)


def test_dropped_weights_are_zero_or_the_weight_over_what_is_kept(full):
    kept = full.dropped_weights != 0
    close(full.dropped_weights[kept], full.weights[kept] / 0.6)
    assert 0.4 < kept[full.weights > 0].double().mean() < 0.8


def test_dropout_leaves_the_softmax_alone(full, qkv, options):
    without = scaled_dot_product_attention(*qkv, **options | {"dropout_p": 0.0})
    assert full.weights.equal(without.weights)


def test_a_generator_makes_dropout_reproducible(full, qkv, options):
    again = scaled_dot_product_attention(*qkv, **options | {"generator": generator()})
    assert full.dropped_weights.equal(again.dropped_weights)


def test_dropout_of_everything_is_zero(qkv, options):
    trace = scaled_dot_product_attention(*qkv, **options | {"dropout_p": 1.0})
    assert trace.output.equal(torch.zeros(2, 6, 5, 13, dtype=torch.float64))


def test_dropout_keeps_the_mean():
    key = torch.zeros(2, 1)
    trace = scaled_dot_product_attention(
        torch.zeros(20_000, 1), key, key, dropout_p=0.3, generator=generator()
    )
    # 40,000 draws of weight 0.5: the mean's standard deviation is 0.5·√(0.3/0.7 / 40000) = 0.0016
    assert abs(trace.dropped_weights.mean() - 0.5) < 0.007


def test_the_trace_is_frozen(plain):
    with pytest.raises(FrozenInstanceError):
        plain.scores = plain.weights


def test_traces_are_told_apart_by_identity(plain):
    assert plain != replace(plain)
    assert len({plain, plain}) == 1


def test_inputs_are_not_modified(qkv, options):
    start = [*qkv, options["mask"], options["bias"]]
    before = [tensor.clone() for tensor in start]
    scaled_dot_product_attention(*qkv, **options)
    assert all(tensor.equal(copy) for tensor, copy in zip(start, before, strict=True))


def test_fields_hold_what_was_given(normal):
    query, key, value = normal(5, 11), normal(7, 11), normal(7, 13)
    trace = scaled_dot_product_attention(query, key, value)
    assert trace.query is query
    assert trace.key is key
    assert trace.value is value


@pytest.mark.parametrize("case", ["full", "plain"])
def test_computed_steps_share_no_memory(case, request):
    trace = request.getfixturevalue(case)
    places = [value.data_ptr() for _, value in trace.steps()]
    assert len(set(places)) == len(places)


def test_tensors_that_are_not_contiguous(qkv, plain):
    strided = [tensor.mT.contiguous().mT for tensor in qkv]
    trace = scaled_dot_product_attention(*strided, enable_gqa=True)
    close(trace.output, plain.output)


def test_head_takes_every_field_at_its_index(full):
    head = full.head(4)
    for name, value in full.steps():
        assert getattr(head, name).equal(value[:, 4])
    assert head.bias.equal(full.bias[4])
    assert head.mask is full.mask
    assert head.logsumexp.equal(full.logsumexp[:, 4])
    assert head.scale == full.scale


def test_head_is_the_computation_of_that_head(qkv, options):
    trace = scaled_dot_product_attention(*qkv, **options | {"dropout_p": 0.0})
    query, key, value = qkv[0][:, 4], qkv[1][:, 2], qkv[2][:, 2]
    bias = options["bias"][4]
    alone = scaled_dot_product_attention(
        query, key, value, mask=trace.mask, bias=bias, scale=0.3, softcap=2.0
    )
    close(trace.head(4).output, alone.output)


def test_head_of_a_mask_with_a_head_dimension(qkv):
    mask = torch.rand(2, 6, 5, 7, generator=generator()) > 0.5
    trace = scaled_dot_product_attention(*qkv, mask=mask, enable_gqa=True)
    assert trace.head(5).mask.equal(mask[:, 5])


def test_head_of_what_all_heads_share(normal):
    query, key, value = normal(6, 5, 11), normal(1, 7, 11), normal(7, 13)
    trace = scaled_dot_product_attention(query, key, value, mask=causal_mask(5, 7)[None])
    head = trace.head(3)
    assert head.key.equal(key[0])
    assert head.value is value
    assert head.mask.equal(causal_mask(5, 7))
    assert head.output.equal(trace.output[3])
