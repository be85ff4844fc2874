"""SelfAttention and MultiHeadAttention: against PyTorch's layer, and what training needs of a module."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from attention import (
    AttentionError,
    MultiHeadAttention,
    MultiHeadTrace,
    SelfAttention,
    causal_mask,
    multi_head_attention,
    padding_mask,
)
from attention.errors import CODES
from tests.attention.numbers import BATCH, EMBED_DIM, HEAD_DIM, HEADS, KV_LEN, Q_LEN, VALUE_DIM, random_mask
from tests.support.tolerance import close

NAMES = ["w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"]


def shapes(module):
    return {name: tuple(parameter.shape) for name, parameter in module.named_parameters()}


# Against PyTorch


@pytest.fixture
def layers(normal):
    """nn.MultiheadAttention with random parameters, and ours made from it."""

    def make(**options):
        layer = nn.MultiheadAttention(EMBED_DIM, HEADS, batch_first=True, dtype=torch.float64, **options)
        with torch.no_grad():
            for parameter in layer.parameters():
                parameter.copy_(normal(*parameter.shape))
        return layer, MultiHeadAttention.from_torch(layer)

    return make


def as_ours(layer, of):
    """The layer's parameters, or with their gradients what `of` takes of them, by our names and as X @ W."""
    packed = layer.in_proj_weight
    separate = (layer.q_proj_weight, layer.k_proj_weight, layer.v_proj_weight)
    weights = [of(weight) for weight in separate] if packed is None else of(packed).chunk(3)
    named = dict(zip(NAMES[:3], (weight.mT for weight in weights), strict=True))
    named["w_o"] = of(layer.out_proj.weight).mT
    if layer.in_proj_bias is not None:
        named |= dict(zip(NAMES[4:7], of(layer.in_proj_bias).chunk(3), strict=True))
        named["b_o"] = of(layer.out_proj.bias)
    return named


def same_with_gradients(layer, own, inputs, masks=None, mask=None):
    """Output, weights and every gradient are PyTorch's; `inputs` are given in full, key and value too."""
    theirs = [tensor.clone().requires_grad_() for tensor in inputs]
    ours = [tensor.clone().requires_grad_() for tensor in inputs]
    output, averaged = layer(*theirs, **masks or {})
    _, per_head = layer(*theirs, **masks or {}, average_attn_weights=False)
    trace = own(*ours, mask=mask)
    close(trace.output, output)
    close(trace.heads.weights, per_head)
    close(trace.heads.weights.mean(dim=-3), averaged)
    slope = torch.linspace(-1, 1, output.numel(), dtype=torch.float64).view_as(output)
    output.backward(slope)
    trace.output.backward(slope)
    for tensor, reference in zip(ours, theirs, strict=True):
        close(tensor.grad, reference.grad)
    gradients = as_ours(layer, lambda parameter: parameter.grad)
    assert list(gradients) == [name for name, _ in own.named_parameters()]
    for name, gradient in gradients.items():
        close(getattr(own, name).grad, gradient)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("batch", [(), (BATCH,)])
def test_self_attention_is_pytorchs(layers, normal, bias, batch):
    layer, own = layers(bias=bias)
    same_with_gradients(layer, own, [normal(*batch, Q_LEN, EMBED_DIM)] * 3)


@pytest.mark.parametrize("bias", [False, True])
def test_cross_attention_is_pytorchs(layers, normal, bias):
    layer, own = layers(bias=bias)
    memory = normal(BATCH, KV_LEN, EMBED_DIM)
    same_with_gradients(layer, own, [normal(BATCH, Q_LEN, EMBED_DIM), memory, memory])


@pytest.mark.parametrize("bias", [False, True])
def test_inputs_of_three_sizes_are_pytorchs(layers, normal, bias):
    layer, own = layers(bias=bias, kdim=19, vdim=23)
    inputs = [normal(BATCH, Q_LEN, EMBED_DIM), normal(BATCH, KV_LEN, 19), normal(BATCH, KV_LEN, 23)]
    same_with_gradients(layer, own, inputs)


def test_a_causal_mask_is_pytorchs_reversed(layers, normal):
    layer, own = layers()
    mask = causal_mask(Q_LEN)
    same_with_gradients(layer, own, [normal(BATCH, Q_LEN, EMBED_DIM)] * 3, {"attn_mask": ~mask}, mask)


def test_a_padding_mask_is_pytorchs_reversed(layers, normal):
    layer, own = layers()
    mask = padding_mask([7, 3], KV_LEN)
    memory = normal(BATCH, KV_LEN, EMBED_DIM)
    inputs = [normal(BATCH, Q_LEN, EMBED_DIM), memory, memory]
    same_with_gradients(layer, own, inputs, {"key_padding_mask": ~mask}, mask[:, None, :])


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("dims", [{}, {"kdim": 19, "vdim": 23}])
def test_from_torch_has_its_matrices_turned(layers, bias, dims):
    layer, own = layers(bias=bias, **dims)
    expected = as_ours(layer, lambda parameter: parameter.detach())
    assert list(expected) == [name for name, _ in own.named_parameters()]
    for name, matrix in expected.items():
        assert getattr(own, name).equal(matrix)
        assert getattr(own, name).data_ptr() != matrix.data_ptr()


def test_from_torch_is_batch_first_also_where_the_layer_is_not(normal):
    layer = nn.MultiheadAttention(EMBED_DIM, HEADS, dtype=torch.float64)
    x = normal(Q_LEN, BATCH, EMBED_DIM)
    own = MultiHeadAttention.from_torch(layer)(x.transpose(0, 1)).output
    close(own.transpose(0, 1), layer(x, x, x)[0])


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("sizes", [(17, 17, 17), (17, 19, 23)])
@pytest.mark.parametrize("heads", [1, HEADS])
def test_weights_of_linear_layers_are_recognised_and_transposed(normal, bias, sizes, heads):
    columns = (heads * HEAD_DIM, heads * HEAD_DIM, heads * VALUE_DIM)
    layers = [
        nn.Linear(rows, count, bias=bias, dtype=torch.float64)
        for rows, count in zip((*sizes, columns[2]), (*columns, 29), strict=True)
    ]
    options = {f"w_{name}": layer.weight.detach() for name, layer in zip("qkvo", layers, strict=True)}
    options |= {f"b_{name}": layer.bias for name, layer in zip("qkvo", layers, strict=True) if bias}
    with pytest.raises(AttentionError, match=r"w_q=w_q\.T, w_k=w_k\.T, w_v=w_v\.T, w_o=w_o\.T") as caught:
        MultiHeadAttention.from_matrices(**options, num_heads=heads)
    assert caught.value.code == "weights_transposed"
    options |= eval(f"dict({caught.value.facts['fits']})", dict(options))
    own = MultiHeadAttention.from_matrices(**options, num_heads=heads)
    query_input, key_input, value_input = normal(5, sizes[0]), normal(7, sizes[1]), normal(7, sizes[2])
    trace = own(query_input, key_input, value_input)
    close(trace.query, layers[0](query_input))
    close(trace.output, layers[3](trace.concatenated))


@pytest.mark.parametrize("training", [False, True])
def test_from_torch_keeps_dropout_and_mode(layers, training):
    layer, _ = layers(dropout=0.25)
    own = MultiHeadAttention.from_torch(layer.train(training))
    assert own.dropout_p == 0.25
    assert own.training == training


@pytest.mark.parametrize("argument", ["add_bias_kv", "add_zero_attn"])
def test_from_torch_refuses_a_key_that_no_input_has(argument):
    with pytest.raises(AttentionError) as caught:
        MultiHeadAttention.from_torch(nn.MultiheadAttention(EMBED_DIM, HEADS, **{argument: True}))
    assert (caught.value.code, caught.value.argument) == ("key_of_no_input", argument)
    assert set(caught.value.facts) == set(CODES["key_of_no_input"])


@pytest.mark.parametrize("num_kv_heads", [1, 2, 6])
def test_grouped_heads_are_pytorchs(normal, num_kv_heads):
    own = MultiHeadAttention(17, 6, num_kv_heads=num_kv_heads, head_dim=11, value_dim=13, dtype=torch.float64)
    x, mask = normal(BATCH, Q_LEN, 17), causal_mask(Q_LEN)
    query, key, value = (
        (x @ weight).view(BATCH, Q_LEN, heads, -1).transpose(1, 2)
        for weight, heads in ((own.w_q, 6), (own.w_k, num_kv_heads), (own.w_v, num_kv_heads))
    )
    output = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, enable_gqa=True)
    close(own(x, mask=mask).output, output.transpose(1, 2).flatten(-2) @ own.w_o)


@pytest.mark.parametrize("bias", [False, True])
def test_one_head_is_pytorchs(normal, bias):
    own = SelfAttention(17, 11, 13, bias=bias, dtype=torch.float64)
    with torch.no_grad():
        for parameter in own.parameters():
            parameter.copy_(normal(*parameter.shape))
    x, mask = normal(BATCH, Q_LEN, 17), random_mask(BATCH, Q_LEN, Q_LEN) | torch.eye(Q_LEN).bool()
    b_q, b_k, b_v = (own.b_q, own.b_k, own.b_v) if bias else (0, 0, 0)
    query, key, value = x @ own.w_q + b_q, x @ own.w_k + b_k, x @ own.w_v + b_v
    close(own(x).output, F.scaled_dot_product_attention(query, key, value))
    expected = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=0.5)
    close(own(x, mask=mask, scale=0.5).output, expected)


# Shapes and defaults


def test_sizes_of_self_attention():
    assert shapes(SelfAttention(5)) == dict.fromkeys(NAMES[:3], (5, 5))
    assert shapes(SelfAttention(5, 3)) == dict.fromkeys(NAMES[:3], (5, 3))
    assert shapes(SelfAttention(5, 3, 2, bias=True)) == {
        "w_q": (5, 3),
        "w_k": (5, 3),
        "w_v": (5, 2),
        "b_q": (3,),
        "b_k": (3,),
        "b_v": (2,),
    }
    assert shapes(SelfAttention(5, value_dim=2))["w_v"] == (5, 2)


def test_sizes_of_multi_head_attention():
    assert shapes(MultiHeadAttention(33, 3)) == dict.fromkeys(NAMES[:4], (33, 33))
    grouped = MultiHeadAttention(30, 6, num_kv_heads=2)
    assert shapes(grouped) == {"w_q": (30, 30), "w_k": (30, 10), "w_v": (30, 10), "w_o": (30, 30)}
    assert shapes(MultiHeadAttention(17, 3, head_dim=11)) == {
        "w_q": (17, 33),
        "w_k": (17, 33),
        "w_v": (17, 33),
        "w_o": (33, 17),
    }


def test_every_size_of_ones_own(matrices):
    own = MultiHeadAttention(
        17,
        HEADS,
        head_dim=HEAD_DIM,
        value_dim=VALUE_DIM,
        key_input_dim=19,
        value_input_dim=23,
        output_dim=29,
        bias=True,
    )
    assert shapes(own) == {name: tuple(matrix.shape) for name, matrix in matrices.items()}


def test_the_value_input_has_the_size_of_the_key_input(normal):
    own = MultiHeadAttention(17, HEADS, head_dim=HEAD_DIM, key_input_dim=19, dtype=torch.float64)
    memory = normal(KV_LEN, 19)
    trace = own(normal(Q_LEN, 17), memory)
    assert trace.value_input is memory
    assert trace.heads.weights.shape == (HEADS, Q_LEN, KV_LEN)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_dtype_and_device(dtype):
    own = MultiHeadAttention(33, 3, bias=True, dtype=dtype, device="meta")
    assert {(p.dtype, p.device.type) for p in own.parameters()} == {(dtype, "meta")}


def test_the_dtype_is_pytorchs_default():
    assert {p.dtype for p in SelfAttention(5, bias=True).parameters()} == {torch.get_default_dtype()}


# The whole trace of the one function


def same_trace(actual, expected):
    assert isinstance(actual, MultiHeadTrace)
    names = [step.name for step in expected.steps()]
    assert [step.name for step in actual.steps()] == names
    for step, reference in zip(actual.steps(), expected.steps(), strict=True):
        assert step.value.equal(reference.value), step.name


def test_options_are_handed_on(inputs, matrices, normal):
    options = {
        "mask": random_mask(Q_LEN, KV_LEN),
        "bias": normal(BATCH, HEADS, Q_LEN, KV_LEN),
        "scale": 0.5,
        "softcap": 2.0,
        "masked_score": -1e9,
    }
    own = MultiHeadAttention.from_matrices(**matrices, num_heads=HEADS)
    same_trace(own(*inputs, **options), multi_head_attention(*inputs, **matrices, num_heads=HEADS, **options))


def test_options_of_self_attention_are_handed_on(normal):
    w = {"w_q": normal(17, 11), "w_k": normal(17, 11), "w_v": normal(17, 13), "b_k": normal(11)}
    options = {
        "mask": causal_mask(5),
        "bias": normal(5, 5),
        "softcap": 2.0,
        "masked_score": -1e9,
        "scale": 0.3,
    }
    x = normal(BATCH, 5, 17)
    same_trace(SelfAttention.from_matrices(**w)(x, **options), multi_head_attention(x, **w, **options))


# Matrices in and out


def test_matrices_read_back_as_given(inputs, matrices):
    own = MultiHeadAttention.from_matrices(**matrices, num_heads=HEADS)
    assert [name for name, _ in own.named_parameters()] == NAMES
    for name, matrix in matrices.items():
        assert getattr(own, name).equal(matrix)
        assert getattr(own, name).requires_grad
    back = {name: parameter.detach() for name, parameter in own.named_parameters()}
    same_trace(own(*inputs), multi_head_attention(*inputs, **back, num_heads=HEADS))


def test_self_attention_from_matrices(normal):
    w = {"w_q": normal(17, 11), "w_k": normal(17, 11), "w_v": normal(17, 13), "b_v": normal(13)}
    own = SelfAttention.from_matrices(**w, dropout_p=0.25)
    assert {name: parameter.tolist() for name, parameter in own.named_parameters()} == {
        name: matrix.tolist() for name, matrix in w.items()
    }
    assert own.dropout_p == 0.25


def test_grouped_heads_from_matrices(normal):
    w = {"w_q": normal(17, 12), "w_k": normal(17, 4), "w_v": normal(17, 6), "num_heads": 6, "num_kv_heads": 2}
    x = normal(Q_LEN, 17)
    same_trace(MultiHeadAttention.from_matrices(**w)(x), multi_head_attention(x, **w))


def test_what_is_missing_is_none(matrices):
    start = {name: matrices[name] for name in ("w_q", "w_k", "w_v", "b_v")}
    own = MultiHeadAttention.from_matrices(**start, num_heads=HEADS)
    assert [own.w_o, own.b_q, own.b_k, own.b_o] == [None] * 4
    assert list(own.state_dict()) == ["w_q", "w_k", "w_v", "b_v"]
    unbiased = SelfAttention(5)
    assert [getattr(unbiased, name) for name in NAMES[3:]] == [None] * 5


def test_matrices_are_copied(matrices):
    own = MultiHeadAttention.from_matrices(**matrices, num_heads=HEADS)
    before = matrices["w_q"].clone()
    matrices["w_q"].zero_()
    assert own.w_q.equal(before)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_the_dtype_is_kept(matrices, dtype):
    start = {name: matrix.to(dtype) for name, matrix in matrices.items()}
    own = MultiHeadAttention.from_matrices(**start, num_heads=HEADS)
    assert {p.dtype for p in own.parameters()} == {dtype}


def test_turned_matrices_are_stored_in_rows(matrices):
    start = {
        name: matrix.mT.contiguous().mT if matrix.ndim == 2 else matrix for name, matrix in matrices.items()
    }
    assert not start["w_q"].is_contiguous()
    own = MultiHeadAttention.from_matrices(**start, num_heads=HEADS)
    assert all(parameter.is_contiguous() for parameter in own.parameters())


# The beginning: initialisation


def test_weights_start_xavier_uniform_and_biases_zero():
    own = MultiHeadAttention(61, 7, head_dim=13, key_input_dim=31, output_dim=127, bias=True)
    for name in ("w_q", "w_k", "w_v", "w_o"):
        weight = getattr(own, name)
        bound = math.sqrt(6 / sum(weight.shape))
        # the largest of thousands of uniform numbers comes close to the bound, on both sides
        assert 0.99 * bound < weight.max() <= bound
        assert 0.99 * bound < -weight.min() <= bound
        assert weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.05)
    assert all(getattr(own, name).count_nonzero() == 0 for name in ("b_q", "b_k", "b_v", "b_o"))


@pytest.mark.parametrize("make", [lambda: SelfAttention(17, bias=True), lambda: MultiHeadAttention(33, 3)])
def test_the_seed_decides(make):
    torch.manual_seed(3)
    first = make().state_dict()
    torch.manual_seed(3)
    again = make().state_dict()
    torch.manual_seed(5)
    other = make().state_dict()
    assert all(first[name].equal(again[name]) for name in first)
    assert not any(first[name].equal(other[name]) for name in first if name.startswith("w_"))


def test_reset_parameters_starts_over():
    own = SelfAttention(17, bias=True)
    nn.init.ones_(own.w_k)
    nn.init.ones_(own.b_k)
    own.reset_parameters()
    assert own.w_k.abs().max() <= math.sqrt(6 / 34)
    assert own.b_k.count_nonzero() == 0


# Dropout


@pytest.fixture
def dropping(matrices):
    return MultiHeadAttention.from_matrices(**matrices, num_heads=HEADS, dropout_p=0.25)


def test_no_dropout_in_eval(inputs, matrices, dropping):
    trace = dropping.eval()(*inputs)
    assert trace.heads.dropped_weights is None
    assert trace.output.equal(multi_head_attention(*inputs, **matrices, num_heads=HEADS).output)


def test_dropout_in_training_is_the_functions(inputs, matrices, dropping):
    trace = dropping.train()(*inputs, generator=torch.Generator().manual_seed(2))
    expected = multi_head_attention(
        *inputs, **matrices, num_heads=HEADS, dropout_p=0.25, generator=torch.Generator().manual_seed(2)
    )
    same_trace(trace, expected)
    assert trace.heads.dropped_weights.count_nonzero() < trace.heads.weights.count_nonzero()


@pytest.mark.parametrize("seed", [2, 3])
def test_dropout_without_a_generator_follows_the_global_seed(inputs, dropping, seed):
    torch.manual_seed(seed)
    first = dropping(*inputs).output
    expected = dropping(*inputs, generator=torch.Generator().manual_seed(seed)).output
    assert first.equal(expected)


# Training


def test_gradients_stay_finite_where_a_query_may_attend_to_nothing(inputs, matrices):
    own = MultiHeadAttention.from_matrices(**matrices, num_heads=HEADS)
    mask = padding_mask([4, 0], KV_LEN)[:, None, :]
    own(*inputs, mask=mask).output.square().sum().backward()
    for parameter in own.parameters():
        assert parameter.grad.isfinite().all()
    assert own.w_q.grad.abs().max() > 0


def test_the_module_in_words():
    own = MultiHeadAttention(30, 6, num_kv_heads=2, dropout_p=0.25)
    assert repr(own) == (
        "MultiHeadAttention(num_heads=6, num_kv_heads=2, w_q=(30, 30), w_k=(30, 10), w_v=(30, 10), "
        "w_o=(30, 30), dropout_p=0.25)"
    )


# What is refused

W, B = torch.ones(12, 12), torch.ones(12)


def from_matrices(w_q=W, w_k=W, w_v=W, **options):
    return MultiHeadAttention.from_matrices(w_q=w_q, w_k=w_k, w_v=w_v, **options)


CASES = [
    ("not_divisible", "num_heads", lambda: MultiHeadAttention(33, 4)),
    ("not_divisible", "num_heads", lambda: MultiHeadAttention(33, 34, value_dim=3)),
    ("heads_not_shared", "num_kv_heads", lambda: MultiHeadAttention(33, 3, num_kv_heads=2)),
    ("out_of_range", "num_heads", lambda: MultiHeadAttention(33, 0)),
    ("out_of_range", "num_kv_heads", lambda: MultiHeadAttention(33, 3, num_kv_heads=0)),
    ("not_an_integer", "num_heads", lambda: MultiHeadAttention(33, 3.0)),
    ("not_an_integer", "embed_dim", lambda: MultiHeadAttention(None, 3)),
    ("out_of_range", "embed_dim", lambda: MultiHeadAttention(0, 3)),
    ("out_of_range", "head_dim", lambda: MultiHeadAttention(33, 3, head_dim=0)),
    ("out_of_range", "value_dim", lambda: MultiHeadAttention(33, 3, value_dim=-1)),
    ("out_of_range", "key_input_dim", lambda: MultiHeadAttention(33, 3, key_input_dim=0)),
    ("out_of_range", "value_input_dim", lambda: MultiHeadAttention(33, 3, value_input_dim=0)),
    ("out_of_range", "output_dim", lambda: MultiHeadAttention(33, 3, output_dim=0)),
    ("out_of_range", "dropout_p", lambda: MultiHeadAttention(33, 3, dropout_p=1.5)),
    ("not_a_number", "dropout_p", lambda: SelfAttention(5, dropout_p="0.1")),
    ("not_floating", "dtype", lambda: SelfAttention(5, dtype=torch.int64)),
    ("out_of_range", "head_dim", lambda: SelfAttention(5, 0)),
    ("out_of_range", "value_dim", lambda: SelfAttention(5, 3, 0)),
    ("not_an_integer", "embed_dim", lambda: SelfAttention("5")),
    ("not_a_tensor", "w_q", lambda: from_matrices(w_q=[[1.0]])),
    ("not_a_tensor", "w_k", lambda: from_matrices(w_k=None)),
    ("not_floating", "w_v", lambda: from_matrices(w_v=W.long())),
    ("dtype_differs", "w_o", lambda: from_matrices(w_o=W.double())),
    ("wrong_dimensions", "w_q", lambda: from_matrices(w_q=torch.tensor(1.0))),
    ("wrong_dimensions", "w_v", lambda: from_matrices(w_v=B)),
    ("wrong_dimensions", "w_k", lambda: from_matrices(w_k=W[None])),
    ("size_differs", "w_k", lambda: from_matrices(w_k=W[:, :6])),
    ("weights_transposed", "w_o", lambda: from_matrices(w_o=W[:6])),
    ("size_differs", "w_o", lambda: from_matrices(w_o=W[:6, :6])),
    ("size_differs", "b_q", lambda: from_matrices(b_q=B[:6])),
    ("size_differs", "b_o", lambda: from_matrices(w_o=W, b_o=B[:6])),
    ("not_divisible", "w_q", lambda: from_matrices(num_heads=5)),
    ("heads_not_shared", "num_kv_heads", lambda: from_matrices(num_heads=4, num_kv_heads=3)),
    ("out_of_range", "dropout_p", lambda: from_matrices(dropout_p=-1)),
    ("size_differs", "w_k", lambda: SelfAttention.from_matrices(w_q=W, w_k=W[:6], w_v=W)),
    ("wrong_dimensions", "w_v", lambda: SelfAttention.from_matrices(w_q=W, w_k=W, w_v=B)),
    ("size_differs", "w_k", lambda: MultiHeadAttention(12, 2, key_input_dim=5)(W)),
    ("mask_not_boolean", "mask", lambda: SelfAttention(12)(W, mask=W)),
]
IDS = [f"{index}-{code}-{argument}" for index, (code, argument, _) in enumerate(CASES)]


@pytest.mark.parametrize(("code", "argument", "call"), CASES, ids=IDS)
def test_refused(code, argument, call):
    with pytest.raises(AttentionError) as caught:
        call()
    error = caught.value
    assert (error.code, error.argument) == (code, argument)
    assert set(error.facts) == set(CODES[code])


def test_a_head_count_that_does_not_divide_has_two_ways_out():
    with pytest.raises(AttentionError) as caught:
        MultiHeadAttention(33, 4)
    assert caught.value.facts == {"size": 33, "num_heads": 4}
    assert "another num_heads" in caught.value.fix
    assert "head_dim" in caught.value.fix
    assert MultiHeadAttention(33, 4, head_dim=8).w_q.shape == (33, 32)


@pytest.mark.parametrize(
    ("option", "error"), [({"dropout_p": 0.5}, AttentionError), ({"num_heads": 2}, TypeError)]
)
def test_what_the_module_holds_is_no_option(option, error):
    with pytest.raises(error):
        SelfAttention(12)(W, **option)
