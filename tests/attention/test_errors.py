"""Every way to go wrong: its code, the argument it names, its facts, and a sentence on how to correct it."""

import math
import pickle

import pytest
import torch

from attention import (
    AttentionError,
    MultiHeadAttention,
    SelfAttention,
    alibi_bias,
    causal_mask,
    check,
    multi_head_attention,
    padding_mask,
    rotary_embedding,
    scaled_dot_product_attention,
    show,
    sinusoidal_encoding,
    sliding_window_mask,
)
from attention.errors import CODES
from attention.lab.training import Options, descend, fresh

Q = torch.ones(2, 6, 5, 11)
K = torch.ones(2, 6, 7, 11)
V = torch.ones(2, 6, 7, 13)
X = torch.ones(2, 5, 12)
W = torch.ones(12, 12)
ADDING = torch.nn.MultiheadAttention(4, 2, add_zero_attn=True)
NAMED = {f"{name}_proj.weight": torch.eye(4) for name in "qkv"}
PACKED = {"qkv.weight": torch.ones(12, 4)}
NAN, INF = math.nan, math.inf


def attend(query=Q, key=K, value=V, **options):
    return scaled_dot_product_attention(query, key, value, **options)


def heads(query_input=X, key_input=None, value_input=None, *, w_q=W, w_k=W, w_v=W, **options):
    return multi_head_attention(query_input, key_input, value_input, w_q=w_q, w_k=w_k, w_v=w_v, **options)


def too_long_a_step():
    options = Options("previous")
    descend(descend(fresh(options), options, 1e300), options, 1e300)


# code, argument, call
CASES = [
    ("not_a_trace", "trace", lambda: show("Q")),
    ("not_a_trace", "trace", lambda: show(None)),
    ("not_a_trace", "trace", lambda: show(Q.to("meta"))),
    ("not_a_trace", "trace", lambda: show([Q, None])),
    ("weights_inside", "trace", lambda: show({"attentions": (Q, Q)})),
    ("weights_inside", "trace", lambda: show(((Q, Q), (Q, Q)))),
    ("wrong_dimensions", "trace", lambda: show(3.0)),
    ("tokens_differ", "tokens", lambda: show(torch.eye(3), tokens=["a"])),
    ("tokens_differ", "key_tokens", lambda: show(torch.ones(1, 3) / 3, tokens=["a"])),
    ("not_callable", "fn", lambda: check(Q)),
    ("not_a_tensor", "query", lambda: attend(query=[[1.0]])),
    ("not_a_tensor", "query", lambda: attend(query=None)),
    ("not_a_tensor", "key", lambda: attend(key=None)),
    ("not_a_tensor", "value", lambda: attend(value=3)),
    ("not_a_tensor", "mask", lambda: attend(mask=[[True]])),
    ("not_a_tensor", "bias", lambda: attend(bias=1.0)),
    ("not_a_tensor", "sinks", lambda: attend(sinks=0.0)),
    ("not_a_tensor", "query_input", lambda: heads(query_input=[[1.0]])),
    ("not_a_tensor", "w_q", lambda: heads(w_q=None)),
    ("not_a_tensor", "mask", lambda: heads(mask="causal")),
    ("not_a_tensor", "x", lambda: rotary_embedding([[1.0]])),
    ("not_a_tensor", "positions", lambda: rotary_embedding(X, positions=[0, 1])),
    ("not_floating", "query", lambda: attend(query=Q.long())),
    ("not_floating", "value", lambda: attend(value=V.bool())),
    ("not_floating", "key", lambda: attend(key=K.cfloat())),
    ("not_floating", "bias", lambda: attend(bias=torch.ones(7, dtype=torch.int64))),
    ("not_floating", "sinks", lambda: attend(sinks=torch.ones(6, dtype=torch.bool))),
    ("not_floating", "w_k", lambda: heads(w_k=W.int())),
    ("not_floating", "x", lambda: rotary_embedding(X.int())),
    ("not_floating", "dtype", lambda: sinusoidal_encoding(3, 4, dtype=torch.int64)),
    ("not_floating", "dtype", lambda: alibi_bias(2, 5, 5, dtype=torch.bool)),
    ("dtype_differs", "key", lambda: attend(key=K.double())),
    ("dtype_differs", "value", lambda: attend(value=V.half())),
    ("dtype_differs", "bias", lambda: attend(bias=torch.ones(7).double())),
    ("dtype_differs", "sinks", lambda: attend(sinks=torch.ones(6).double())),
    ("dtype_differs", "w_o", lambda: heads(w_o=W.double())),
    ("dtype_differs", "b_v", lambda: heads(b_v=torch.ones(12).double())),
    ("dtype_differs", "value_input", lambda: heads(value_input=X.double())),
    ("device_differs", "key", lambda: attend(key=K.to("meta"))),
    ("device_differs", "mask", lambda: attend(mask=torch.ones(7, dtype=torch.bool, device="meta"))),
    ("device_differs", "bias", lambda: attend(bias=torch.ones(7, device="meta"))),
    ("device_differs", "sinks", lambda: attend(sinks=torch.ones(6, device="meta"))),
    ("device_differs", "w_v", lambda: heads(w_v=W.to("meta"))),
    ("wrong_dimensions", "query", lambda: attend(query=torch.ones(11))),
    ("wrong_dimensions", "key", lambda: attend(key=torch.ones(11))),
    ("wrong_dimensions", "value", lambda: attend(value=torch.tensor(1.0))),
    ("wrong_dimensions", "query", lambda: attend(query=torch.ones(5, 11), enable_gqa=True)),
    ("wrong_dimensions", "key", lambda: attend(key=torch.ones(7, 11), enable_gqa=True)),
    ("wrong_dimensions", "value", lambda: attend(value=torch.ones(7, 13), enable_gqa=True)),
    ("no_heads", "trace", lambda: attend(torch.ones(5, 11), torch.ones(7, 11), torch.ones(7, 13)).head(0)),
    ("wrong_dimensions", "key_input", lambda: heads(key_input=torch.ones(12))),
    ("wrong_dimensions", "w_q", lambda: heads(w_q=torch.ones(2, 12, 6))),
    ("wrong_dimensions", "w_o", lambda: heads(w_o=torch.ones(12))),
    ("wrong_dimensions", "b_q", lambda: heads(b_q=torch.ones(1, 12))),
    ("wrong_dimensions", "mask", lambda: heads(mask=torch.ones(1, 2, 3, 5, 5, dtype=torch.bool))),
    ("wrong_dimensions", "bias", lambda: heads(bias=torch.ones(1, 2, 3, 5, 5))),
    ("wrong_dimensions", "mask", lambda: heads(X[None], mask=torch.ones(2, 5, 5, dtype=torch.bool))),
    ("wrong_dimensions", "sinks", lambda: attend(sinks=torch.ones(2, 6))),
    ("wrong_dimensions", "sinks", lambda: attend(Q[0, 0], K[0, 0], V[0, 0], sinks=torch.ones(1))),
    ("wrong_dimensions", "sinks", lambda: heads(sinks=torch.tensor(1.0))),
    ("wrong_dimensions", "x", lambda: rotary_embedding(torch.ones(4))),
    ("wrong_dimensions", "lengths", lambda: padding_mask(torch.ones(2, 2, dtype=torch.int64), 3)),
    ("size_differs", "key", lambda: attend(key=torch.ones(2, 6, 7, 10))),
    ("size_differs", "value", lambda: attend(value=torch.ones(2, 6, 8, 13))),
    ("size_differs", "value_input", lambda: heads(value_input=torch.ones(2, 7, 12))),
    ("size_differs", "w_q", lambda: heads(w_q=torch.ones(11, 12))),
    ("size_differs", "w_k", lambda: heads(w_k=torch.ones(11, 12))),
    ("size_differs", "w_k", lambda: heads(w_k=torch.ones(12, 6))),
    ("size_differs", "w_v", lambda: heads(w_v=torch.ones(11, 13))),
    ("size_differs", "w_o", lambda: heads(w_o=torch.ones(11, 13))),
    ("size_differs", "b_q", lambda: heads(b_q=torch.ones(11))),
    ("size_differs", "b_k", lambda: heads(b_k=torch.ones(1))),
    ("size_differs", "b_v", lambda: heads(b_v=torch.ones(13))),
    ("size_differs", "b_o", lambda: heads(b_o=torch.ones(11))),
    ("size_differs", "sinks", lambda: attend(sinks=torch.ones(1))),
    ("size_differs", "sinks", lambda: heads(num_heads=3, sinks=torch.ones(4))),
    ("head_dim_zero", "query", lambda: attend(torch.ones(5, 0), torch.ones(7, 0), torch.ones(7, 13))),
    ("leading_differs", "key", lambda: attend(key=torch.ones(3, 6, 7, 11))),
    ("leading_differs", "key", lambda: attend(key=torch.ones(2, 4, 7, 11))),
    ("leading_differs", "value", lambda: attend(value=torch.ones(3, 6, 7, 13))),
    ("leading_differs", "key_input", lambda: heads(key_input=torch.ones(3, 5, 12))),
    ("leading_differs", "value_input", lambda: heads(value_input=torch.ones(3, 5, 12))),
    ("head_count_differs", "key", lambda: attend(key=torch.ones(2, 3, 7, 11))),
    ("head_count_differs", "value", lambda: attend(value=torch.ones(2, 2, 7, 13))),
    (
        "head_count_differs",
        "key",
        lambda: heads(w_k=W[:, :6], w_v=W[:, :6], num_heads=4, num_kv_heads=2, enable_gqa=False),
    ),
    ("heads_not_shared", "key", lambda: attend(key=torch.ones(2, 4, 7, 11), enable_gqa=True)),
    ("heads_not_shared", "value", lambda: attend(value=torch.ones(2, 0, 7, 13), enable_gqa=True)),
    ("heads_not_shared", "num_kv_heads", lambda: heads(num_heads=4, num_kv_heads=3)),
    ("heads_not_shared", "num_kv_heads", lambda: heads(num_heads=2, num_kv_heads=4)),
    ("not_divisible", "w_q", lambda: heads(num_heads=5)),
    ("not_divisible", "w_v", lambda: heads(w_v=torch.ones(12, 13), num_heads=2)),
    ("weights_transposed", "w_v", lambda: heads(w_v=torch.ones(13, 12))),
    ("weights_transposed", "w_q", lambda: heads(w_q=W[:8], w_k=W[:8], w_v=W[:8])),
    ("not_a_layer", "module", lambda: MultiHeadAttention.from_torch(torch.nn.Linear(2, 2))),
    ("heads_unknown", "num_heads", lambda: MultiHeadAttention.from_torch(NAMED)),
    ("several_heads", "module", lambda: SelfAttention.from_torch(torch.nn.MultiheadAttention(4, 2))),
    ("order_unknown", "order", lambda: MultiHeadAttention.from_torch(PACKED, num_heads=2)),
    ("tensor_for_length", "q_len", lambda: causal_mask(X)),
    ("tensor_for_length", "kv_len", lambda: causal_mask(3, X)),
    ("matrices_by_place", "w_q", lambda: multi_head_attention(X, W, W, W, W)),
    ("key_of_no_input", "add_zero_attn", lambda: MultiHeadAttention.from_torch(ADDING)),
    ("other_spelling", "softmax_scale", lambda: attend(softmax_scale=1.0)),
    ("mask_spelling", "is_causal", lambda: attend(is_causal=True)),
    ("argument_elsewhere", "dropout", lambda: MultiHeadAttention(4, 2)(X, dropout=0.1)),
    ("needless_argument", "need_weights", lambda: heads(need_weights=True)),
    ("argument_without_effect", "need_weights", lambda: heads(need_weights=False)),
    ("option_missing", "g_q", lambda: heads(g_q=torch.ones(12))),
    ("option_missing", "g_k", lambda: heads(g_k=torch.ones(12))),
    ("dtype_differs", "g_q", lambda: heads(qk_norm=True, g_q=torch.ones(12).double())),
    ("wrong_dimensions", "g_k", lambda: heads(qk_norm=True, g_k=torch.ones(1, 12))),
    ("size_differs", "g_q", lambda: heads(qk_norm=True, g_q=torch.ones(12), num_heads=2)),
    ("mask_not_boolean", "mask", lambda: attend(mask=torch.ones(5, 7))),
    ("mask_not_boolean", "mask", lambda: attend(mask=torch.ones(5, 7, dtype=torch.int64))),
    ("mask_not_boolean", "mask", lambda: heads(mask=torch.ones(5, 5))),
    ("bias_is_boolean", "bias", lambda: attend(bias=causal_mask(5, 7))),
    ("bias_is_boolean", "bias", lambda: heads(bias=causal_mask(5))),
    ("not_broadcastable", "mask", lambda: attend(mask=causal_mask(7, 5))),
    ("not_broadcastable", "mask", lambda: attend(mask=torch.ones(3, 2, 6, 5, 7, dtype=torch.bool))),
    ("not_broadcastable", "bias", lambda: attend(bias=torch.ones(2, 5, 7))),
    ("not_broadcastable", "mask", lambda: heads(mask=torch.ones(3, 5, 5, dtype=torch.bool))),
    ("not_broadcastable", "mask", lambda: heads(mask=padding_mask([5, 2], 5))),
    ("not_broadcastable", "bias", lambda: heads(bias=torch.ones(2, 3, 5, 5), num_heads=4)),
    ("not_broadcastable", "positions", lambda: rotary_embedding(X, positions=torch.arange(4))),
    ("not_broadcastable", "positions", lambda: rotary_embedding(X[0], positions=torch.ones(2, 5))),
    ("not_a_number", "scale", lambda: attend(scale="half")),
    ("not_a_number", "scale", lambda: attend(scale=True)),
    ("not_a_number", "softcap", lambda: attend(softcap=torch.ones(1))),
    ("not_a_number", "masked_score", lambda: attend(masked_score=None)),
    ("not_a_number", "dropout_p", lambda: attend(dropout_p=None)),
    ("not_a_number", "base", lambda: rotary_embedding(X, base="10000")),
    ("not_real", "positions", lambda: rotary_embedding(X, positions=torch.ones(5, dtype=torch.bool))),
    ("not_an_integer", "q_len", lambda: causal_mask(3.0)),
    ("not_an_integer", "q_len", lambda: causal_mask(True)),
    ("not_an_integer", "kv_len", lambda: sliding_window_mask(3, "5", left=1, right=0)),
    ("not_an_integer", "left", lambda: sliding_window_mask(3, left=0.5, right=0)),
    ("not_a_sequence", "lengths", lambda: padding_mask(3, 5)),
    ("not_an_integer", "lengths[1]", lambda: padding_mask([1, 2.5], 5)),
    ("not_an_integer", "lengths[0]", lambda: padding_mask(torch.tensor([1.0]), 5)),
    ("not_an_integer", "lengths[0]", lambda: padding_mask([True], 5)),
    ("not_an_integer", "num_heads", lambda: heads(num_heads=2.0)),
    ("not_an_integer", "num_kv_heads", lambda: heads(num_heads=2, num_kv_heads="2")),
    ("not_an_integer", "length", lambda: sinusoidal_encoding(None, 4)),
    ("not_an_integer", "rotary_dim", lambda: rotary_embedding(X, rotary_dim=2.0)),
    ("not_an_integer", "num_heads", lambda: alibi_bias(2.0, 3, 5)),
    ("not_an_integer", "index", lambda: attend().head("first")),
    ("not_finite", "scale", lambda: attend(scale=NAN)),
    ("not_finite", "scale", lambda: attend(scale=INF)),
    ("result_not_finite", "rate", too_long_a_step),
    ("not_positive", "softcap", lambda: attend(softcap=0.0)),
    ("not_positive", "softcap", lambda: attend(softcap=-1)),
    ("not_positive", "softcap", lambda: attend(softcap=INF)),
    ("out_of_range", "dropout_p", lambda: attend(dropout_p=-0.1)),
    ("out_of_range", "dropout_p", lambda: attend(dropout_p=1.1)),
    ("out_of_range", "dropout_p", lambda: attend(dropout_p=NAN)),
    ("out_of_range", "num_heads", lambda: heads(num_heads=0)),
    ("out_of_range", "num_kv_heads", lambda: heads(num_kv_heads=0)),
    ("out_of_range", "q_len", lambda: causal_mask(-1)),
    ("out_of_range", "kv_len", lambda: causal_mask(3, -1)),
    ("out_of_range", "left", lambda: sliding_window_mask(3, left=-1, right=0)),
    ("out_of_range", "right", lambda: sliding_window_mask(3, left=0, right=-1)),
    ("out_of_range", "lengths[2]", lambda: padding_mask([1, 2, 6], 5)),
    ("out_of_range", "lengths[0]", lambda: padding_mask([-1], 5)),
    ("out_of_range", "kv_len", lambda: padding_mask([0], -1)),
    ("out_of_range", "length", lambda: sinusoidal_encoding(-1, 4)),
    ("out_of_range", "dim", lambda: sinusoidal_encoding(3, 0)),
    ("out_of_range", "rotary_dim", lambda: rotary_embedding(X, rotary_dim=14)),
    ("not_positive", "base", lambda: rotary_embedding(X, base=0)),
    ("not_positive", "base", lambda: sinusoidal_encoding(5, 6, base=0.0)),
    ("out_of_range", "num_heads", lambda: alibi_bias(0, 3, 5)),
    ("out_of_range", "index", lambda: attend().head(6)),
    ("out_of_range", "index", lambda: attend().head(-1)),
    ("masked_score_invalid", "masked_score", lambda: attend(masked_score=NAN)),
    ("masked_score_invalid", "masked_score", lambda: attend(masked_score=INF)),
    (
        "masked_score_too_large",
        "masked_score",
        lambda: attend(Q.half(), K.half(), V.half(), masked_score=-1e9),
    ),
    ("masked_score_too_large", "masked_score", lambda: attend(masked_score=-1e300)),
    ("masked_score_too_large", "masked_score", lambda: attend(masked_score=1e300)),
    ("unknown_choice", "alignment", lambda: causal_mask(3, alignment="upper-left")),
    ("unknown_choice", "alignment", lambda: alibi_bias(2, 3, 3, alignment="middle")),
    ("alignment_missing", "alignment", lambda: alibi_bias(2, 3, 5)),
    ("alignment_missing", "alignment", lambda: alibi_bias(2, 5, 3, alignment=None)),
    ("odd_dimension", "rotary_dim", lambda: rotary_embedding(torch.ones(5, 7))),
    ("odd_dimension", "rotary_dim", lambda: rotary_embedding(X, rotary_dim=3)),
]
IDS = [f"{index}-{code}-{argument}" for index, (code, argument, _) in enumerate(CASES)]


def raised(call):
    with pytest.raises(AttentionError) as caught:
        call()
    return caught.value


@pytest.mark.parametrize(("code", "argument", "call"), CASES, ids=IDS)
def test_code_argument_sentence_and_facts(code, argument, call):
    error = raised(call)
    assert (error.code, error.argument) == (code, argument)
    assert str(error) == f"{argument}: expected {error.expected}, got {error.got}. {error.fix}"
    assert min(len(error.expected), len(error.got), len(error.fix)) > 0
    assert error.fix.endswith(".")
    assert set(error.facts) == set(CODES[code])
    assert {type(fact) for fact in error.facts.values()} <= {int, float, str, tuple, type(None)}


def test_every_code_is_raised():
    assert {code for code, _, _ in CASES} == set(CODES)


def test_an_attention_error_is_a_value_error():
    with pytest.raises(ValueError, match=r"^scale: expected a finite number, got inf\. "):
        attend(scale=INF)


def test_an_error_survives_pickling():
    error = raised(lambda: attend(scale=INF))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_shapes_are_in_the_sentence():
    sentence = str(raised(lambda: attend(mask=causal_mask(7, 5))))
    assert "(2, 6, 5, 7)" in sentence
    assert "(7, 5)" in sentence


@pytest.mark.parametrize(
    ("call", "fixes"),
    [
        (lambda: attend(mask=torch.ones(5, 7)), ["pass it as bias"]),
        (lambda: attend(mask=torch.ones(5, 7).int()), ["mask.bool()"]),
        (lambda: attend(bias=causal_mask(5, 7)), ["pass them as mask"]),
        (lambda: attend(key=torch.ones(2, 3, 7, 11)), ["enable_gqa=True"]),
        (
            lambda: attend(Q.half(), K.half(), V.half(), masked_score=-1e9),
            ['float("-inf")', "torch.finfo(torch.float16).min"],
        ),
        (lambda: heads(mask=padding_mask([5, 2], 5)), ["mask[:, None, :]"]),
    ],
)
def test_the_sentence_says_what_to_write(call, fixes):
    fix = raised(call).fix
    assert all(text in fix for text in fixes)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: attend(value=3),
            "value: expected a torch.Tensor, got a value of type int. "
            "A number or a list of numbers becomes one with torch.tensor(value).",
        ),
        (
            lambda: attend(key=torch.ones(2, 6, 7, 10)),
            "key: expected 11 on dimension -1, as query.shape[-1], got 10 (the shape is (2, 6, 7, 10)). "
            "Make the two sizes equal.",
        ),
        (
            lambda: heads(num_heads=0),
            "num_heads: expected 1 to ∞, got 0. Choose a number from this range.",
        ),
        (
            lambda: causal_mask(3, alignment="middle"),
            'alignment: expected "upper_left" | "lower_right", got \'middle\'. '
            "Choose alignment from these names.",
        ),
        (
            lambda: attend(masked_score=-1e300),
            "masked_score: expected -inf or a number from -3.40282e+38 to 3.40282e+38, the range of "
            'torch.float32, got -1e+300. Write float("-inf"), or torch.finfo(torch.float32).min.',
        ),
    ],
)
def test_the_sentence_in_full(call, sentence):
    assert str(raised(call)) == sentence


def test_where_dimension_3_may_as_well_be_the_batch_the_sentence_says_both():
    error = raised(lambda: attend(torch.ones(4, 5, 11), torch.ones(2, 7, 11), torch.ones(2, 7, 13)))
    assert error.facts == {"heads": 2, "query_heads": 4, "fits": "(4, 7, 11)"}
    assert "enable_gqa=True" in error.fix and "batch entries" in error.fix


def test_a_missing_alignment_says_which_lengths_differ_and_what_to_write():
    error = raised(lambda: alibi_bias(2, 3, 5))
    assert error.facts == {"q_len": 3, "kv_len": 5, "choices": ("upper_left", "lower_right")}
    assert "q_len 3 and kv_len 5" in error.expected and 'alignment="lower_right"' in error.fix


def test_a_head_count_that_grouping_does_not_mend_does_not_say_so():
    assert "enable_gqa" not in str(raised(lambda: attend(key=torch.ones(2, 4, 7, 11))))
