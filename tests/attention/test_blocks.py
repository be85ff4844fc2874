"""LayerNorm, the feed-forward layer and a block: by hand, and against PyTorch in float64."""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from attention import (
    AttentionError,
    causal_mask,
    feed_forward,
    layer_norm,
    multi_head_attention,
    rotary_embedding,
    transformer_block,
)
from tests.support.tolerance import close

BATCH, LENGTH, HEADS, HEAD_DIM, HIDDEN = 2, 5, 3, 7, 11
EMBED = HEADS * HEAD_DIM


def test_layer_norm_by_hand():
    """Mean 4 and variance 5 in the first row; the second is the first, a thousand times as large."""
    row = torch.tensor([[1.0, 3.0, 5.0, 7.0]], dtype=torch.float64)
    gain, bias = torch.tensor([[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 1.0, 1.0]], dtype=torch.float64)
    trace = layer_norm(torch.cat((row, 1000 * row)), gain=gain, bias=bias, eps=1e-12)
    close(trace.mean, [[4.0], [4000.0]])
    close(trace.centred[0], [-3.0, -1.0, 1.0, 3.0])
    close(trace.variance, [[5.0], [5e6]])
    root = math.sqrt(5)
    close(trace.normalized, [[-3 / root, -1 / root, 1 / root, 3 / root]] * 2)
    close(trace.output[0], [-3 / root, -2 / root, 3 / root + 1, 12 / root + 1])


def test_feed_forward_by_hand():
    x = torch.tensor([[1.0, -2.0]], dtype=torch.float64)
    w_1 = torch.tensor([[1.0, 0.0, 3.0], [0.0, 1.0, 1.0]], dtype=torch.float64)
    w_2 = torch.tensor([[1.0], [10.0], [100.0]], dtype=torch.float64)
    trace = feed_forward(x, w_1=w_1, w_2=w_2, b_2=torch.ones(1).double(), activation="relu")
    close(trace.hidden, [[1.0, -2.0, 1.0]])
    close(trace.activated, [[1.0, 0.0, 1.0]])
    close(trace.output, [[102.0]])
    phi = (1 + math.erf(1 / math.sqrt(2))) / 2
    close(feed_forward(x, w_1=w_1, w_2=w_2).activated[0, 0], torch.tensor(phi).double(), 1e-7)


@pytest.mark.parametrize("with_gain", [False, True])
def test_layer_norm_against_pytorch(normal, with_gain):
    x = normal(BATCH, LENGTH, EMBED)
    gain, bias = (normal(EMBED), normal(EMBED)) if with_gain else (None, None)
    trace = layer_norm(x, gain=gain, bias=bias, eps=1e-3)
    close(trace.output, F.layer_norm(x, (EMBED,), gain, bias, 1e-3))
    names = ["mean", "centred", "variance", "normalized", "scaled", "output"]
    assert [step.name for step in trace.steps()] == [n for n in names if with_gain or n != "scaled"]


def test_float16_is_widened_on_the_way(normal):
    x = (1000 * normal(LENGTH, EMBED)).half()
    output = layer_norm(x).output
    assert output.dtype == torch.float16 and output.isfinite().all()
    close(output.double(), layer_norm(x.double()).output, 1e-3)


@pytest.fixture
def weights(normal):
    shapes = {"w_q": (EMBED, EMBED), "w_k": (EMBED, EMBED), "w_v": (EMBED, EMBED), "w_o": (EMBED, EMBED)}
    shapes |= {"w_1": (EMBED, HIDDEN), "w_2": (HIDDEN, EMBED), "b_1": (HIDDEN,), "b_2": (EMBED,)}
    names = ("b_q", "b_k", "b_v", "b_o", "gain_1", "bias_1", "gain_2", "bias_2")
    shapes |= dict.fromkeys(names, (EMBED,))
    return {name: normal(*shape) / math.sqrt(EMBED) for name, shape in shapes.items()}


def layer_of(weights, norm, activation):
    """PyTorch's layer with these weights."""
    options = {"batch_first": True, "norm_first": norm == "before", "activation": activation}
    layer = nn.TransformerEncoderLayer(EMBED, HEADS, HIDDEN, 0.0, **options).double().eval()
    named = {"linear1.weight": "w_1", "linear2.weight": "w_2", "self_attn.out_proj.weight": "w_o"}
    named |= {"linear1.bias": "b_1", "linear2.bias": "b_2", "self_attn.out_proj.bias": "b_o"}
    named |= {
        "norm1.weight": "gain_1",
        "norm1.bias": "bias_1",
        "norm2.weight": "gain_2",
        "norm2.bias": "bias_2",
    }
    state = {name: weights[own].T for name, own in named.items()}
    state["self_attn.in_proj_weight"] = torch.cat([weights[name].T for name in ("w_q", "w_k", "w_v")])
    state["self_attn.in_proj_bias"] = torch.cat([weights[name] for name in ("b_q", "b_k", "b_v")])
    layer.load_state_dict(state)
    return layer


@pytest.mark.filterwarnings("ignore:.*")  # of PyTorch, about its own fast path
@pytest.mark.parametrize("activation", ["gelu", "relu"])
@pytest.mark.parametrize("norm", ["before", "after"])
def test_a_block_against_pytorch(normal, weights, norm, activation):
    x, visible = normal(BATCH, LENGTH, EMBED), causal_mask(LENGTH)
    block = transformer_block(x, **weights, num_heads=HEADS, mask=visible, norm=norm, activation=activation)
    close(block.output, layer_of(weights, norm, activation)(x, src_mask=~visible), 1e-10)


@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("norm", ["before", "after", "none"])
def test_a_block_is_its_parts(normal, weights, norm, residual):
    """The output again from the formulas, and the steps in the order in which they are computed."""
    x = normal(LENGTH, EMBED)
    block = transformer_block(x, **weights, num_heads=HEADS, norm=norm, residual=residual)

    def normed(stream, i):
        return F.layer_norm(stream, (EMBED,), weights[f"gain_{i}"], weights[f"bias_{i}"])

    def attend(y):
        own = {
            name: tensor for name, tensor in weights.items() if name[:2] in ("w_", "b_") and name[2] in "qkvo"
        }
        return multi_head_attention(y, **own, num_heads=HEADS).output

    def forward(y):
        return F.gelu(y @ weights["w_1"] + weights["b_1"]) @ weights["w_2"] + weights["b_2"]

    stream = x
    for i, layer in ((1, attend), (2, forward)):
        added = layer(normed(stream, i) if norm == "before" else stream)
        stream = stream + added if residual else added
        stream = normed(stream, i) if norm == "after" else stream
    close(block.output, stream, 1e-10)
    parts = [("norm_1", "attention", "attention_stream"), ("norm_2", "feed_forward", "feed_forward_stream")]
    if norm != "before":
        parts = [(part, stream, name) for name, part, stream in parts]
    names = [name for part in parts for name in part if norm != "none" or not name.startswith("norm")]
    steps = list(block.steps())
    assert [step.name for step in steps] == [*names, "output"]
    assert steps[-1].value is block.output and all(step.value.shape == x.shape for step in steps)


def test_without_a_feed_forward_layer_and_with_options_of_attention(normal, weights):
    x = normal(LENGTH, EMBED)
    own = {name: weights[name] for name in ("w_q", "w_k", "w_v")}
    options = {"num_heads": HEADS, "bias": normal(LENGTH, LENGTH), "scale": 0.1}
    options["rotate"] = lambda y: rotary_embedding(y, rotary_dim=4)
    block = transformer_block(x, **own, **options, norm="none")
    close(block.output, x + multi_head_attention(x, **own, **options).output)
    assert block.feed_forward is block.norm_1 is block.norm_2 is block.feed_forward_stream is None


def test_nothing_is_changed_in_place_and_gradients_pass(normal, weights):
    x = normal(LENGTH, EMBED).requires_grad_()
    before = {name: tensor.clone() for name, tensor in weights.items()}
    block = transformer_block(x, **weights, num_heads=HEADS)
    block.output.sum().backward()
    assert x.grad is not None and x.grad.isfinite().all()
    assert all(torch.equal(weights[name], tensor) for name, tensor in before.items())


X, W, W_1, W_2 = torch.ones(5, 4), torch.ones(4, 4), torch.ones(4, 7), torch.ones(7, 4)


def block(**options):
    return transformer_block(X, **({"w_q": W, "w_k": W, "w_v": W, "w_1": W_1, "w_2": W_2} | options))


@pytest.mark.parametrize(
    ("code", "argument", "call"),
    [
        ("not_a_tensor", "x", lambda: layer_norm([1.0])),
        ("not_floating", "x", lambda: layer_norm(torch.ones(4).long())),
        ("wrong_dimensions", "x", lambda: layer_norm(torch.tensor(1.0))),
        ("size_differs", "gain", lambda: layer_norm(X, gain=torch.ones(5))),
        ("wrong_dimensions", "bias", lambda: layer_norm(X, bias=torch.ones(1, 4))),
        ("dtype_differs", "gain", lambda: layer_norm(X, gain=torch.ones(4).double())),
        ("not_positive", "eps", lambda: layer_norm(X, eps=0)),
        ("wrong_dimensions", "x", lambda: feed_forward(torch.tensor(1.0), w_1=W_1, w_2=W_2)),
        ("wrong_dimensions", "w_1", lambda: feed_forward(X, w_1=W_1[None], w_2=W_2)),
        ("size_differs", "w_1", lambda: feed_forward(X, w_1=torch.ones(3, 7), w_2=W_2)),
        ("size_differs", "w_2", lambda: feed_forward(X, w_1=W_1, w_2=torch.ones(6, 5))),
        ("size_differs", "b_1", lambda: feed_forward(X, w_1=W_1, w_2=W_2, b_1=torch.ones(4))),
        ("size_differs", "b_2", lambda: feed_forward(X, w_1=W_1, w_2=W_2, b_2=torch.ones(7))),
        ("unknown_choice", "activation", lambda: feed_forward(X, w_1=W_1, w_2=W_2, activation="tanh")),
        ("unknown_choice", "norm", lambda: block(norm="first")),
        ("not_a_tensor", "x", lambda: transformer_block(1.0, w_q=W, w_k=W, w_v=W)),
        ("wrong_dimensions", "x", lambda: transformer_block(X[0], w_q=W, w_k=W, w_v=W)),
        ("not_a_tensor", "w_2", lambda: block(w_2=None)),
        ("not_a_tensor", "w_1", lambda: block(w_1=None)),
        ("size_differs", "w_o", lambda: block(w_o=torch.ones(4, 3))),
        ("size_differs", "w_v", lambda: block(w_v=torch.ones(4, 3))),
        ("size_differs", "w_2", lambda: block(w_2=torch.ones(7, 3))),
        ("size_differs", "gain", lambda: block(gain_1=torch.ones(3))),
        ("mask_not_boolean", "mask", lambda: block(mask=torch.ones(5, 5))),
    ],
)
def test_a_wrong_argument_is_named(code, argument, call):
    with pytest.raises(AttentionError) as caught:
        call()
    assert (caught.value.code, caught.value.argument) == (code, argument)


@pytest.mark.parametrize("turned", [("w_1",), ("w_2",), ("w_1", "w_2")])
def test_transposed_weights_are_named_and_the_advice_works(normal, turned):
    weights = {"w_1": normal(4, 7), "w_2": normal(7, 3)}
    wrong = {name: tensor.T if name in turned else tensor for name, tensor in weights.items()}
    with pytest.raises(AttentionError, match="Linear") as caught:
        feed_forward(normal(5, 4), **wrong)
    assert (caught.value.code, caught.value.argument) == ("weights_transposed", turned[0])
    assert caught.value.facts["fits"] == ", ".join(f"{name}={name}.T" for name in turned)
