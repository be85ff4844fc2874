"""multi_head_attention: by hand, against nn.MultiheadAttention, and against one head after the other."""

from dataclasses import FrozenInstanceError

import pytest
import torch

from attention import (
    AttentionTrace,
    causal_mask,
    multi_head_attention,
    rotary_embedding,
    scaled_dot_product_attention,
)
from tests.attention.numbers import BATCH, HEAD_DIM, HEADS, KV_LEN, Q_LEN, VALUE_DIM, random_mask
from tests.support.tolerance import close


@pytest.fixture
def weights(matrices):
    return matrices | {"num_heads": HEADS}


def one_head_after_the_other(query_input, key_input, value_input, w, num_kv_heads, mask=None):
    """The definition: each head attends with its own columns; the results side by side go through w_o."""
    query, key, value = (
        query_input @ w["w_q"] + w["b_q"],
        key_input @ w["w_k"] + w["b_k"],
        value_input @ w["w_v"] + w["b_v"],
    )
    outputs = []
    for head in range(HEADS):
        shared = head * num_kv_heads // HEADS
        trace = scaled_dot_product_attention(
            query[..., head * HEAD_DIM : (head + 1) * HEAD_DIM],
            key[..., shared * HEAD_DIM : (shared + 1) * HEAD_DIM],
            value[..., shared * VALUE_DIM : (shared + 1) * VALUE_DIM],
            mask=mask,
        )
        outputs.append(trace.output)
    return torch.cat(outputs, dim=-1) @ w["w_o"] + w["b_o"]


def test_two_heads_by_hand():
    # One token attends to itself: weights 1, so each head's output is its value, [1 2] @ w_v = [1 2 | 3 6];
    # w_o turns the four columns round
    x = torch.tensor([[1.0, 2.0]])
    w_v = torch.tensor([[1.0, 0.0, 3.0, 0.0], [0.0, 1.0, 0.0, 3.0]])
    w_q = torch.ones(2, 4)
    w_o = torch.eye(4).flip(0)
    trace = multi_head_attention(x, w_q=w_q, w_k=w_q, w_v=w_v, w_o=w_o, num_heads=2)
    assert trace.query.tolist() == [[3.0, 3.0, 3.0, 3.0]]
    assert trace.heads.output.tolist() == [[[1.0, 2.0]], [[3.0, 6.0]]]
    assert trace.concatenated.tolist() == [[1.0, 2.0, 3.0, 6.0]]
    assert trace.output.tolist() == [[6.0, 3.0, 2.0, 1.0]]


def test_one_head_after_the_other(inputs, weights):
    trace = multi_head_attention(*inputs, **weights)
    close(trace.output, one_head_after_the_other(*inputs, weights, HEADS))


def test_grouped_heads_share_neighbouring_columns(normal):
    # 6 query heads of 2 columns, 2 key/value heads: heads 0 1 2 share the first, 3 4 5 the second
    x, w_q, w_k, w_v = normal(5, 17), normal(17, 12), normal(17, 4), normal(17, 6)
    trace = multi_head_attention(x, w_q=w_q, w_k=w_k, w_v=w_v, num_heads=6, num_kv_heads=2)
    repeated = {"w_k": w_k[:, [0, 1] * 3 + [2, 3] * 3], "w_v": w_v[:, [0, 1, 2] * 3 + [3, 4, 5] * 3]}
    close(trace.output, multi_head_attention(x, w_q=w_q, **repeated, num_heads=6).output)
    assert trace.key.shape == (5, 4)
    assert trace.heads.key.shape == (6, 5, 2)


def test_one_key_value_head_for_all(inputs, weights):
    weights["w_k"], weights["b_k"] = weights["w_k"][:, :HEAD_DIM], weights["b_k"][:HEAD_DIM]
    weights["w_v"], weights["b_v"] = weights["w_v"][:, :VALUE_DIM], weights["b_v"][:VALUE_DIM]
    trace = multi_head_attention(*inputs, **weights, num_kv_heads=1)
    close(trace.output, one_head_after_the_other(*inputs, weights, 1))


def test_key_and_value_inputs_default_to_the_query_input(normal):
    x, w = normal(5, 17), normal(17, 6)
    trace = multi_head_attention(x, w_q=w, w_k=w, w_v=w, num_heads=2)
    assert trace.key_input is x
    assert trace.value_input is x


def test_the_value_input_defaults_to_the_key_input(normal):
    memory = normal(7, 17)
    trace = multi_head_attention(
        normal(5, 17), memory, w_q=normal(17, 6), w_k=normal(17, 6), w_v=normal(17, 6)
    )
    assert trace.value_input is memory
    assert trace.heads.weights.shape == (1, 5, 7)


def test_without_w_o_the_output_is_the_concatenation(inputs, weights):
    trace = multi_head_attention(*inputs, **weights | {"w_o": None, "b_o": None})
    assert trace.output.equal(trace.concatenated)
    assert trace.output.data_ptr() != trace.concatenated.data_ptr()


def test_b_o_is_added_without_w_o_too(inputs, weights, normal):
    b_o = normal(HEADS * VALUE_DIM)
    trace = multi_head_attention(*inputs, **weights | {"w_o": None, "b_o": b_o})
    assert trace.output.equal(trace.concatenated + b_o)


def test_batch_dimensions_broadcast(normal, weights):
    inputs = normal(2, 1, Q_LEN, 17), normal(3, KV_LEN, 19), normal(KV_LEN, 23)
    trace = multi_head_attention(*inputs, **weights)
    whole = [tensor.expand(2, 3, *tensor.shape[-2:]) for tensor in inputs]
    close(trace.output, multi_head_attention(*whole, **weights).output)


@pytest.mark.parametrize("shape", [(), (KV_LEN,), (Q_LEN, KV_LEN), (Q_LEN, 1)])
def test_a_mask_of_up_to_two_dimensions_is_for_all(inputs, weights, shape):
    mask = random_mask(*shape)
    trace = multi_head_attention(*inputs, **weights, mask=mask)
    close(trace.output, one_head_after_the_other(*inputs, weights, HEADS, mask))


@pytest.mark.parametrize("shape", [(BATCH, Q_LEN, KV_LEN), (BATCH, 1, KV_LEN), (1, Q_LEN, KV_LEN)])
def test_a_mask_with_a_batch_dimension_is_for_every_head_of_the_entry(inputs, weights, shape):
    mask = random_mask(*shape)
    trace = multi_head_attention(*inputs, **weights, mask=mask)
    close(trace.output, one_head_after_the_other(*inputs, weights, HEADS, mask))


def test_as_many_batch_entries_as_heads_confuse_no_mask(normal, weights):
    # BATCH == HEADS: the first dimension of the mask must still be the batch entry
    inputs = normal(HEADS, Q_LEN, 17), normal(HEADS, KV_LEN, 19), normal(HEADS, KV_LEN, 23)
    mask = random_mask(HEADS, Q_LEN, KV_LEN)
    trace = multi_head_attention(*inputs, **weights, mask=mask)
    for entry in range(HEADS):
        alone = [tensor[entry] for tensor in inputs]
        close(trace.output[entry], multi_head_attention(*alone, **weights, mask=mask[entry]).output)


def test_a_mask_with_a_head_dimension(inputs, weights):
    mask = random_mask(BATCH, HEADS, Q_LEN, KV_LEN)
    trace = multi_head_attention(*inputs, **weights, mask=mask)
    assert trace.heads.mask is mask
    assert trace.heads.masked_scores.isinf().equal(~mask)


def test_a_mask_with_a_head_dimension_without_batch(inputs, weights):
    mask = random_mask(HEADS, Q_LEN, KV_LEN)
    trace = multi_head_attention(*(tensor[0] for tensor in inputs), **weights, mask=mask)
    assert trace.heads.masked_scores.isinf().equal(~mask)


def test_a_bias_is_read_like_a_mask(inputs, weights, normal):
    bias = normal(BATCH, Q_LEN, KV_LEN)
    heads = multi_head_attention(*inputs, **weights, bias=bias).heads
    assert heads.biased_scores.equal(heads.scaled_scores + bias[:, None])


def test_options_are_handed_on(inputs, weights):
    heads = multi_head_attention(
        *inputs,
        **weights,
        scale=0.5,
        softcap=2.0,
        mask=causal_mask(Q_LEN, KV_LEN),
        masked_score=-1e9,
        dropout_p=0.5,
        generator=torch.Generator().manual_seed(2),
    ).heads
    assert heads.scale == 0.5
    assert heads.softcapped_scores.abs().max() <= 2
    assert heads.masked_scores.min() == -1e9
    assert heads.dropped_weights.equal(
        scaled_dot_product_attention(
            heads.query,
            heads.key,
            heads.value,
            scale=0.5,
            softcap=2.0,
            mask=causal_mask(Q_LEN, KV_LEN),
            masked_score=-1e9,
            dropout_p=0.5,
            generator=torch.Generator().manual_seed(2),
        ).dropped_weights
    )


def test_steps_in_the_order_of_computation(inputs, weights):
    steps = list(multi_head_attention(*inputs, **weights).steps())
    assert [step.name for step in steps] == [
        "query",
        "key",
        "value",
        "scores",
        "scaled_scores",
        "masked_scores",
        "weights",
        "head_output",
        "concatenated",
        "output",
    ]


def test_a_step_is_a_field(inputs, weights):
    trace = multi_head_attention(*inputs, **weights)
    steps = dict(trace.steps())
    for name in ("query", "key", "value", "concatenated", "output"):
        assert steps[name] is getattr(trace, name)
    for name in ("scores", "scaled_scores", "masked_scores", "weights"):
        assert steps[name] is getattr(trace.heads, name)
    assert steps["head_output"] is trace.heads.output


def test_each_field_follows_from_the_ones_before(inputs, weights):
    trace = multi_head_attention(*inputs, **weights)
    close(trace.query, inputs[0] @ weights["w_q"] + weights["b_q"])
    close(trace.key, inputs[1] @ weights["w_k"] + weights["b_k"])
    close(trace.value, inputs[2] @ weights["w_v"] + weights["b_v"])
    for head in range(HEADS):
        assert trace.heads.query[:, head].equal(trace.query[..., head * HEAD_DIM : (head + 1) * HEAD_DIM])
        assert trace.heads.key[:, head].equal(trace.key[..., head * HEAD_DIM : (head + 1) * HEAD_DIM])
        assert trace.heads.value[:, head].equal(trace.value[..., head * VALUE_DIM : (head + 1) * VALUE_DIM])
        columns = slice(head * VALUE_DIM, (head + 1) * VALUE_DIM)
        assert trace.concatenated[..., columns].equal(trace.heads.output[:, head])
    close(trace.output, trace.concatenated @ weights["w_o"] + weights["b_o"])


def test_rotate_turns_each_head_s_queries_and_keys_and_no_value(inputs, weights):
    def rotate(x):
        return rotary_embedding(x, rotary_dim=10, base=100.0)

    plain, trace = (multi_head_attention(*inputs, **weights, rotate=f) for f in (None, rotate))
    assert plain.rotated_query is plain.rotated_key is None
    assert trace.query.equal(plain.query) and trace.key.equal(plain.key)
    for head in range(HEADS):
        own = [tensor.heads.head(head) for tensor in (plain, trace)]
        expected = scaled_dot_product_attention(rotate(own[0].query), rotate(own[0].key), own[0].value)
        close(own[1].weights, expected.weights)
        close(own[1].output, expected.output)
    names = [step.name for step in trace.steps()]
    assert names[3:6] == ["rotated_query", "rotated_key", "scores"]
    assert trace.heads.query is trace.rotated_query


def test_rotated_keys_are_shared_like_keys(normal):
    x, w = normal(5, 6), {"w_q": normal(6, 8), "w_k": normal(6, 4), "w_v": normal(6, 4)}
    trace = multi_head_attention(x, **w, num_heads=4, num_kv_heads=2, rotate=rotary_embedding)
    assert trace.rotated_key.shape == (2, 5, 2)
    assert trace.heads.key.equal(trace.rotated_key.repeat_interleave(2, dim=0))


def test_head_is_the_trace_of_one_head(inputs, weights):
    trace = multi_head_attention(*inputs, **weights, mask=random_mask(BATCH, Q_LEN, KV_LEN))
    head = trace.head(2)
    assert isinstance(head, AttentionTrace)
    assert head.output.equal(trace.heads.output[:, 2])
    assert head.mask.shape == (BATCH, Q_LEN, KV_LEN)


def test_the_trace_is_frozen(inputs, weights):
    trace = multi_head_attention(*inputs, **weights)
    with pytest.raises(FrozenInstanceError):
        trace.output = trace.query


def test_inputs_and_weights_are_not_modified(inputs, weights):
    start = [*inputs, *(value for name, value in weights.items() if name != "num_heads")]
    before = [tensor.clone() for tensor in start]
    multi_head_attention(*inputs, **weights)
    assert all(tensor.equal(copy) for tensor, copy in zip(start, before, strict=True))
