"""The advice of every error, followed: the corrected call works, and gives the numbers that are meant."""

import re
from functools import partial
from itertools import combinations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import attention
from attention import (
    AttentionError,
    MultiHeadAttention,
    SelfAttention,
    alibi_bias,
    block_diagonal_mask,
    causal_mask,
    flash_attention,
    multi_head_attention,
    padding_mask,
    rotary_embedding,
    scaled_dot_product_attention,
    show,
    sinusoidal_encoding,
)
from attention.errors import CODES
from attention.indexing import MOST_WAYS
from attention.lab.training import Options, descend, fresh
from tests.attention.numbers import normal
from tests.attention.test_errors import raised
from tests.support.tolerance import close

NAMES = {name: getattr(attention, name) for name in attention.__all__} | {"torch": torch}


# ---- a mask or bias of any shape

PRIMES, EQUAL = (11, 2, 3, 5, 7), (2, 2, 2, 5, 5)
LEADING = 3  # sizes in front of q_len and kv_len


def tensor_of(argument, shape):
    numbers = normal(*shape, seed=len(shape))
    return numbers if argument == "bias" else numbers > -0.5


def readings(error):
    """Every index that the sentence advises, with the names of the dimensions that it gives."""
    return [(code, names.split(", ")) for code, names in re.findall(r"(\w+\[.*?\]) → \((.*?)\)", error.fix)]


def shapes(target):
    """Every choice of the target's dimensions, also with a 1 more at any place, and where each lies."""
    for count in range(1, len(target) + 1):
        for axes in combinations(range(len(target)), count):
            plain = [target[axis] for axis in axes]
            full = [size if axis in axes else 1 for axis, size in enumerate(target)]
            yield plain, full
            for place in range(count + 1):
                yield [*plain[:place], 1, *plain[place:]], full


def follow(call, argument, target, reference, heads=None):
    """The errors of `call` for all shapes, each advice followed and compared with `reference`.

    heads: the dimension of the target that a shape of one dimension fewer is without.
    """
    count = 0
    for shape, full in shapes(target):
        tensor = tensor_of(argument, shape)
        try:
            call(**{argument: tensor})
            continue
        except AttentionError as error:
            ways = readings(error)
        explicit = []
        for code, names in ways:
            sizes = [None if name == "1" else name for name in names]
            if heads is not None and len(sizes) == len(target) - 1 > 2:
                sizes.insert(heads, None)
            sizes = [None] * (len(target) - len(sizes)) + sizes
            explicit.append([1 if size is None else target[axis] for axis, size in enumerate(sizes)])
            result = call(**{argument: eval(code, {argument: tensor})})
            close(result, reference(tensor.reshape(explicit[-1]).expand(target)))
            count += 1
        assert len(set(map(tuple, explicit))) == len(ways), "one advice, twice"
        assert full in explicit or len(ways) == MOST_WAYS
    return count


@pytest.mark.exhaustive("sizes", "leading")
@pytest.mark.parametrize("argument", ["mask", "bias"])
@pytest.mark.parametrize("sizes", [PRIMES, EQUAL], ids=["primes", "equal"])
@pytest.mark.parametrize("leading", range(LEADING + 1))
@pytest.mark.parametrize("tiled", [False, True])
def test_an_index_that_is_advised_puts_the_mask_where_it_says(argument, sizes, leading, tiled):
    target = sizes[LEADING - leading :]
    query, key, value = normal(*target[:-1], 4), normal(*target[:-2], target[-1], 4), normal(target[-1], 6)

    def reference(tensor):
        return F.scaled_dot_product_attention(query, key, value.expand(*target[:-2], *value.shape), tensor)

    def call(**masks):
        options = {"block_q": 2, "block_k": 3} if tiled else {}
        function = flash_attention if tiled else scaled_dot_product_attention
        return function(query, key, value, **options, **masks).output

    assert follow(call, argument, target, reference) > 0


@pytest.mark.exhaustive("module", "batch")
@pytest.mark.parametrize("argument", ["mask", "bias"])
@pytest.mark.parametrize("sizes", [PRIMES, EQUAL], ids=["primes", "equal"])
@pytest.mark.parametrize("batch", range(LEADING))
@pytest.mark.parametrize("module", [False, True])
@pytest.mark.parametrize("num_heads", [1, None])
def test_an_index_that_is_advised_for_several_heads(argument, sizes, batch, module, num_heads):
    num_heads = num_heads or sizes[2]
    target = (*sizes[2 - batch : 2], num_heads, *sizes[LEADING:])
    x, memory = normal(*target[:batch], target[-2], 6), normal(*target[:batch], target[-1], 6, seed=1)
    w = normal(3, 6, 4 * num_heads)
    weights = {"w_q": w[0], "w_k": w[1], "w_v": w[2]}
    whole = multi_head_attention(x, memory, **weights, num_heads=num_heads).heads
    if module:
        called = MultiHeadAttention.from_matrices(**weights, num_heads=num_heads)
    else:
        called = partial(multi_head_attention, **weights, num_heads=num_heads)

    def reference(tensor):
        return F.scaled_dot_product_attention(whole.query, whole.key, whole.value, tensor)

    def call(**masks):
        return called(x, memory, **masks).heads.output

    assert follow(call, argument, target, reference, heads=batch) > 0


def codes_of(argument, call):
    return [code for code, _ in readings(raised(call)) if code.startswith(argument)]


@pytest.mark.parametrize(
    ("leading", "shape", "codes"),
    [
        ((2, 3), (2, 7), ["mask[:, None, None, :]"]),
        ((2, 3), (2, 5, 7), ["mask[:, None, :, :]"]),
        ((2, 3), (2, 3, 7), ["mask[:, :, None, :]"]),
        ((2,), (2, 7), ["mask[:, None, :]"]),
        ((2, 2), (2, 7), ["mask[:, None, None, :]", "mask[:, None, :]"]),
        ((2, 3), (1, 1, 2, 1, 7), ["mask[0, 0, :, None, :, :]"]),
        ((2, 3), (7, 5), []),
    ],
)
def test_the_index_for_a_mask(leading, shape, codes):
    query, key = normal(*leading, 5, 4), normal(*leading, 7, 4)
    mask = torch.ones(shape, dtype=torch.bool)
    assert codes_of("mask", lambda: scaled_dot_product_attention(query, key, key, mask=mask)) == codes


def test_the_index_for_a_mask_of_a_module():
    own, x = MultiHeadAttention(6, 3), torch.ones(1, 5, 6)
    mask = torch.ones(3, 5, 5, dtype=torch.bool)
    assert codes_of("mask", lambda: own(x, mask=mask)) == ["mask[None]"]
    padding = padding_mask([5, 2], 5)
    assert codes_of("mask", lambda: own(x.expand(2, 5, 6), mask=padding))[0] == "mask[:, None, :]"
    assert (
        codes_of("mask", lambda: SelfAttention(6)(x.expand(2, 5, 6), mask=padding))[0] == "mask[:, None, :]"
    )


def test_where_no_index_helps_the_sentence_says_what_the_dimensions_are():
    query = normal(2, 3, 5, 4)
    wide = torch.ones(7, 5, dtype=torch.bool)
    error = raised(lambda: scaled_dot_product_attention(query, query, query, mask=wide))
    assert error.fix.endswith("What fits: (batch, num_heads, q_len, kv_len).")


def test_a_tensor_of_very_many_dimensions_is_answered_at_once():
    query = torch.ones(1).expand(*[2] * 20, 3, 4)
    mask = torch.ones(1, dtype=torch.bool).expand(*[2] * 10, 5, 3)
    error = raised(lambda: scaled_dot_product_attention(query, query, query, mask=mask))
    assert len(str(error)) < 500


# ---- every other advice

Q, K, V = normal(2, 6, 5, 11), normal(2, 6, 7, 11), normal(2, 6, 7, 13)
X, W = normal(2, 5, 12), normal(12, 12)
LINEAR = nn.Linear(12, 8, bias=False).double().weight.detach()  # (out, in)
ATTEND = {"query": Q, "key": K, "value": V}
HEADS = {"query_input": X, "w_q": W, "w_k": W, "w_v": W}
MASK = torch.ones(5, 7, dtype=torch.bool)


def rate(rate):
    options = Options("previous")
    return descend(descend(fresh(options), options, rate), options, rate)


def select(**arguments):
    return scaled_dot_product_attention(**arguments).head(0)


def copy_to(kind, module):
    return kind.from_torch(module)


def by_place(x, weights, named=False):
    names = ("w_q", "w_k", "w_v")
    return (
        multi_head_attention(x, **dict(zip(names, weights, strict=True)))
        if named
        else multi_head_attention(x, *weights)
    )


PACKED = {"qkv.weight": torch.ones(12, 4)}


# code, call, its arguments, a part of the advice, and the arguments that follow from it
FOLLOWED = [
    ("not_a_trace", show, {"trace": "Q"}, "", "trace=scaled_dot_product_attention(Q, Q, Q)"),
    ("not_a_trace", show, {"trace": None}, "(..., q_len, kv_len)", "trace=Q.softmax(-1)"),
    ("weights_inside", show, {"trace": {"attentions": (Q.softmax(-1), Q.softmax(-1))}},
     'show(trace["attentions"])', 'trace=trace["attentions"]'),
    ("weights_inside", show, {"trace": ((Q.softmax(-1),), (Q.softmax(-1),))}, "show(trace[0])",
     "trace=trace[0]"),
    ("tokens_differ", show, {"trace": torch.eye(3), "tokens": ["my", "cat"]}, "each token",
     'tokens=["[CLS]", "my", "cat"]'),
    ("not_callable", attention.check, {"fn": Q}, "without calling it", "fn=scaled_dot_product_attention"),
    ("not_a_tensor", scaled_dot_product_attention, ATTEND | {"mask": MASK.tolist()}, "torch.tensor(mask)",
     "mask=torch.tensor(mask)"),
    ("not_a_tensor", rotary_embedding, {"x": X, "positions": [0, 1, 2, 3, 4]}, "torch.tensor(positions)",
     "positions=torch.tensor(positions)"),
    ("not_floating", scaled_dot_product_attention, ATTEND | {"query": Q.long()}, "torch.float64",
     "query=query.to(torch.float64)"),
    ("not_floating", scaled_dot_product_attention, ATTEND | {"key": K.half().bool()}, "torch.float64",
     "key=key.to(torch.float64)"),
    ("not_floating", sinusoidal_encoding, {"length": 3, "dim": 4, "dtype": torch.int64}, "torch.float32",
     "dtype=torch.float32"),
    ("dtype_differs", scaled_dot_product_attention, ATTEND | {"key": K.half()}, "key.to(torch.float64)",
     "key=key.to(torch.float64)"),
    ("device_differs", scaled_dot_product_attention, ATTEND | {"query": Q.to("meta"), "value": V.to("meta")},
     "key.to(query.device)", "key=key.to(query.device)"),
    ("device_differs", multi_head_attention, {name: one.to("meta") for name, one in HEADS.items()}
     | {"mask": causal_mask(5)}, "mask.to(query_input.device)", "mask=mask.to(query_input.device)"),
    ("wrong_dimensions", scaled_dot_product_attention, ATTEND | {"query": Q[0, 0, 0]}, "query[None]",
     "query=query[None]"),
    ("wrong_dimensions", scaled_dot_product_attention, {"query": Q[0, 0], "key": K[0, 0, :1],
     "value": V[0, 0, 0, 0]}, "value[None, None]", "value=value[None, None]"),
    ("wrong_dimensions", multi_head_attention, HEADS | {"b_q": W[:1]}, "b_q[0]", "b_q=b_q[0]"),
    ("wrong_dimensions", scaled_dot_product_attention, {"query": Q, "key": K[0, 0], "value": V,
     "enable_gqa": True}, "key[None]", "key=key[None]"),
    ("no_heads", select, {"query": Q[0, 0], "key": K[0, 0], "value": V[0, 0]}, "a single head", "query=Q"),
    ("size_differs", scaled_dot_product_attention, ATTEND | {"key": K[..., :7]}, "equal", "key=K"),
    ("head_dim_zero", scaled_dot_product_attention, ATTEND | {"query": Q[..., :0], "key": K[..., :0]},
     "at least one column", "query=Q, key=K"),
    ("leading_differs", scaled_dot_product_attention, {"query": normal(4, 6, 5, 11), "key":
     normal(4, 7, 11), "value": V[:1]}, "key[:, None, :, :]", "key=key[:, None, :, :]"),
    ("head_count_differs", scaled_dot_product_attention, ATTEND | {"key": K[:, 0]}, "key[:, None, :, :]",
     "key=key[:, None, :, :]"),
    ("leading_differs", scaled_dot_product_attention, ATTEND | {"query": Q[:, 0]}, "query[:, None, :, :]",
     "query=query[:, None, :, :]"),
    ("head_count_differs", scaled_dot_product_attention, ATTEND | {"key": K[:, :2]}, "enable_gqa=True",
     "enable_gqa=True"),
    ("heads_not_shared", multi_head_attention, HEADS | {"num_heads": 6, "num_kv_heads": 4}, "divisor",
     "num_kv_heads=3, w_k=w_k[:, :6], w_v=w_v[:, :6]"),
    ("not_divisible", multi_head_attention, HEADS | {"num_heads": 5}, "another num_heads", "num_heads=4"),
    ("not_divisible", MultiHeadAttention, {"embed_dim": 33, "num_heads": 4}, "head_dim", "head_dim=8"),
    ("weights_transposed", multi_head_attention, HEADS | dict.fromkeys(("w_q", "w_k", "w_v"), LINEAR),
     "w_q=w_q.T, w_k=w_k.T, w_v=w_v.T", "w_q=w_q.T, w_k=w_k.T, w_v=w_v.T"),
    ("option_missing", multi_head_attention, HEADS | {"g_q": W[0]}, "qk_norm=True", "qk_norm=True"),
    ("option_missing", multi_head_attention, HEADS | {"g_q": W[0]}, "leave g_q out", "g_q=None"),
    ("mask_not_boolean", scaled_dot_product_attention, ATTEND | {"mask": MASK.int()}, "mask.bool()",
     "mask=mask.bool()"),
    ("mask_not_boolean", scaled_dot_product_attention, ATTEND | {"mask": MASK.double()}, "bias=...",
     "bias=mask, mask=None"),
    ("bias_is_boolean", scaled_dot_product_attention, ATTEND | {"bias": MASK}, "mask=...",
     "mask=bias, bias=None"),
    ("not_broadcastable", rotary_embedding, {"x": Q[..., :10], "positions": torch.ones(2, 5)},
     "positions[:, None, :]", "positions=positions[:, None, :]"),
    ("not_a_number", scaled_dot_product_attention, ATTEND | {"scale": torch.tensor(0.5)}, "plain Python",
     "scale=float(scale)"),
    ("not_an_integer", causal_mask, {"q_len": 3.0}, "whole number", "q_len=int(q_len)"),
    ("tensor_for_length", causal_mask, {"q_len": X}, "x.shape[-2]", "q_len=q_len.shape[-2]"),
    ("not_a_sequence", block_diagonal_mask, {"lengths": 3}, "[2, 4]", "lengths=[2, 4]"),
    ("not_real", rotary_embedding, {"x": X, "positions": torch.ones(5).bool()}, "torch.arange(seq)",
     "positions=torch.arange(x.shape[-2])"),
    ("out_of_range", scaled_dot_product_attention, ATTEND | {"dropout_p": 2}, "this range", "dropout_p=1"),
    ("not_finite", scaled_dot_product_attention, ATTEND | {"scale": float("nan")}, "Leave scale out",
     "scale=None"),
    ("not_positive", scaled_dot_product_attention, ATTEND | {"softcap": 0}, "Leave softcap out",
     "softcap=None"),
    ("result_not_finite", rate, {"rate": 1e300}, "a smaller rate", "rate=rate / 1e300"),
    ("masked_score_invalid", scaled_dot_product_attention, ATTEND | {"masked_score": float("inf")},
     'float("-inf")', 'masked_score=float("-inf")'),
    ("masked_score_too_large", scaled_dot_product_attention, {name: one.half() for name, one in
     ATTEND.items()} | {"masked_score": -1e9}, "torch.finfo(torch.float16).min",
     "masked_score=torch.finfo(torch.float16).min"),
    ("unknown_choice", causal_mask, {"q_len": 3, "alignment": "left"}, "these names",
     'alignment="upper_left"'),
    ("alignment_missing", alibi_bias, {"num_heads": 2, "q_len": 3, "kv_len": 5}, 'alignment="lower_right"',
     'alignment="lower_right"'),
    ("odd_dimension", rotary_embedding, {"x": torch.ones(5, 7)}, "an even rotary_dim", "rotary_dim=6"),
    ("not_a_layer", MultiHeadAttention.from_torch, {"module": nn.TransformerEncoderLayer(8, 2)}, "self_attn",
     "module=module.self_attn"),
    ("heads_unknown", MultiHeadAttention.from_torch, {"module": PACKED, "order": "qkv h d"}, "num_heads=8",
     "num_heads=2"),
    ("order_unknown", MultiHeadAttention.from_torch, {"module": PACKED, "num_heads": 2}, 'order="h qkv d"',
     'order="h qkv d"'),
    ("several_heads", copy_to, {"kind": SelfAttention, "module": nn.MultiheadAttention(4, 2)},
     "MultiHeadAttention.from_torch", "kind=MultiHeadAttention"),
    ("matrices_by_place", by_place, {"x": X, "weights": [torch.ones(X.shape[-1], 4).to(X)] * 3},
     "w_q=w_q, w_k=w_k, w_v=w_v", "named=True"),
]  # fmt: skip
ELSEWHERE = {  # below, and in test_spelling.py
    "key_of_no_input",
    "other_spelling",
    "mask_spelling",
    "argument_elsewhere",
    "needless_argument",
    "argument_without_effect",
}


@pytest.mark.parametrize(
    ("code", "call", "arguments", "advice", "change"),
    FOLLOWED,
    ids=[f"{index}-{case[0]}" for index, case in enumerate(FOLLOWED)],
)
def test_followed_advice_leads_to_no_other_error(code, call, arguments, advice, change):
    error = raised(lambda: call(**arguments))
    assert error.code == code and advice in error.fix
    call(**arguments | eval(f"dict({change})", NAMES | {"Q": Q, "K": K} | arguments))


def test_the_advice_of_every_error_is_followed():
    assert {case[0] for case in FOLLOWED} | ELSEWHERE == set(CODES)


@pytest.mark.parametrize("option", ["add_bias_kv", "add_zero_attn"])
@pytest.mark.parametrize("masked", [False, True])
def test_a_key_of_no_input_is_appended_as_the_sentence_says(option, masked):
    layer = nn.MultiheadAttention(6, 3, bias=False, batch_first=True, **{option: True}).double()
    error = raised(lambda: MultiHeadAttention.from_torch(layer))
    assert (error.code, error.argument) == ("key_of_no_input", option)
    x, mask = normal(2, 5, 6), causal_mask(5) if masked else None
    w_q, w_k, w_v = (w.T for w in layer.in_proj_weight.chunk(3))
    zeros = torch.zeros(6, dtype=torch.float64)
    more = {"zeros": zeros, "bias_k": layer.bias_k, "bias_v": layer.bias_v}
    names = [error.facts["key"], error.facts["value"]]
    assert all(f"append {names[0]} to the keys" in error.fix and name in error.fix for name in names)

    def split(x):
        return x.unflatten(-1, (3, 2)).transpose(-3, -2)

    def appended(x, name):
        return split(torch.cat((x, more[name].expand(2, 1, 6)), dim=1))

    key, value = appended(x @ w_k, names[0]), appended(x @ w_v, names[1])
    wide = None if mask is None else F.pad(mask, (0, 1), value=True)
    own = scaled_dot_product_attention(split(x @ w_q), key, value, mask=wide).output
    expected, _ = layer(x, x, x, attn_mask=None if mask is None else ~mask)
    close(own.transpose(-3, -2).flatten(-2) @ layer.out_proj.weight.T, expected)
