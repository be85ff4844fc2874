"""Who does what with a row that may attend to nothing, as measured: nothing, NaN, or all keys alike.

JAX, Keras and ONNX Runtime are asked where they are installed.
"""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attention import scaled_dot_product_attention

MASK = torch.tensor([[False, False, False], [True, False, True], [True, True, True]])
QUERY = torch.tensor([[1.0, 2.0], [0.0, 1.0], [-1.0, 1.0]])
KEY = torch.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, -1.0]])
VALUE = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 12.0]])
MEAN = torch.tensor([3.0, 6.0])
MINUS_INF = torch.zeros(3, 3).masked_fill(~MASK, -math.inf)
DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def heads(tensor):
    """(length, dim) -> (1, length, 1, dim), as JAX and Keras have it, in NumPy."""
    return tensor[None, :, None, :].numpy()


def test_our_core_gives_0():
    trace = scaled_dot_product_attention(QUERY, KEY, VALUE, mask=MASK)
    assert (trace.weights[0] == 0).all()
    assert (trace.output[0] == 0).all()
    torch.testing.assert_close(trace.weights[1:].sum(-1), torch.ones(2))


def test_our_core_with_minus_a_billion_gives_all_keys_alike():
    trace = scaled_dot_product_attention(QUERY, KEY, VALUE, mask=MASK, masked_score=-1e9)
    torch.testing.assert_close(trace.weights[0], torch.full((3,), 1 / 3))
    torch.testing.assert_close(trace.output[0], MEAN)


def test_torch_softmax_gives_nan():
    weights = torch.softmax(QUERY @ KEY.T + MINUS_INF, dim=-1)
    assert weights.isnan().any(-1).tolist() == [True, False, False]


def test_torch_softmax_with_minus_a_billion_gives_all_keys_alike():
    weights = torch.softmax((QUERY @ KEY.T).masked_fill(~MASK, -1e9), dim=-1)
    torch.testing.assert_close(weights[0], torch.full((3,), 1 / 3))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mask", [MASK, MINUS_INF], ids=["boolean", "minus infinity"])
def test_torch_sdpa_gives_0(dtype, mask):
    mask = mask if mask.dtype == torch.bool else mask.to(dtype)
    output = F.scaled_dot_product_attention(QUERY.to(dtype), KEY.to(dtype), VALUE.to(dtype), attn_mask=mask)
    assert (output[0] == 0).all()
    assert (output[1:] != 0).all()


def torch_layer(*, training, need_weights, bias=True):
    """Output and weights of nn.MultiheadAttention, whose masks are True where a query may not attend."""
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(4, 2, bias=bias, batch_first=True).train(training)
    if bias:
        nn.init.constant_(layer.out_proj.bias, 7.0)
    x = torch.randn(1, 3, 4)
    with torch.set_grad_enabled(training):
        output, weights = layer(x, x, x, attn_mask=~MASK, need_weights=need_weights)
    return output[0], weights


@pytest.mark.parametrize("training", [True, False])
def test_torch_layer_that_returns_weights_gives_nan(training):
    output, weights = torch_layer(training=training, need_weights=True)
    assert weights[0].isnan().any(-1).tolist() == [True, False, False]
    assert output.isnan().any(-1).tolist() == [True, False, False]


def test_torch_layer_in_training_without_weights_gives_0():
    output, _ = torch_layer(training=True, need_weights=False)
    assert (output[0] == 7).all()  # 0 @ W_O + bias
    assert output.isfinite().all()


def test_torch_layer_in_inference_without_weights_gives_nan_on_its_fast_path():
    output, _ = torch_layer(training=False, need_weights=False)
    assert output.isnan().any(-1).tolist() == [True, False, False]


def test_torch_layer_in_inference_gives_0_where_it_has_no_fast_path():
    output, _ = torch_layer(training=False, need_weights=False, bias=False)
    assert (output[0] == 0).all()
    assert (output[1:] != 0).any(-1).all()


def test_jax_gives_all_keys_alike():
    jax = pytest.importorskip("jax")
    tensors = (heads(QUERY), heads(KEY), heads(VALUE))
    output = jax.nn.dot_product_attention(*tensors, mask=MASK[None, None].numpy())
    torch.testing.assert_close(torch.tensor(output[0, 0, 0].tolist()), MEAN)


def test_jax_with_minus_infinity_gives_nan():
    jax = pytest.importorskip("jax")
    tensors = (heads(QUERY), heads(KEY), heads(VALUE))
    output = jax.nn.dot_product_attention(*tensors, bias=MINUS_INF[None, None].numpy())
    assert torch.tensor(output[0, :, 0].tolist()).isnan().any(-1).tolist() == [True, False, False]


@pytest.fixture
def keras(monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    return pytest.importorskip("keras")


def test_keras_function_gives_all_keys_alike(keras):
    tensors = (heads(QUERY), heads(KEY), heads(VALUE))
    output = keras.ops.dot_product_attention(*tensors, mask=MASK[None, None].numpy())
    torch.testing.assert_close(torch.tensor(keras.ops.convert_to_numpy(output)[0, 0, 0]), MEAN)


def test_keras_layer_by_default_gives_all_keys_alike(keras):
    layer = keras.layers.MultiHeadAttention(num_heads=1, key_dim=2)
    x, mask = VALUE[None].numpy(), MASK[None].numpy()
    output = keras.ops.convert_to_numpy(layer(x, x, attention_mask=mask))[0, 0]
    everything = keras.ops.convert_to_numpy(layer.value_dense(x))[0].mean(0)  # (1 head, 2)
    expected = keras.ops.convert_to_numpy(layer.output_dense(everything[None, None]))[0, 0]
    assert output.tolist() == pytest.approx(expected.tolist(), rel=1e-5)


def test_keras_layer_that_returns_weights_gives_0(keras):
    layer = keras.layers.MultiHeadAttention(num_heads=1, key_dim=2)
    x, mask = VALUE[None].numpy(), MASK[None].numpy()
    _, weights = layer(x, x, attention_mask=mask, return_attention_scores=True)
    rows = keras.ops.convert_to_numpy(weights)[0, 0]
    assert rows.sum(-1).tolist() == pytest.approx([0, 1, 1])


def test_onnx_runtime_gives_0():
    onnx = pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    shapes = {"query": [1, 1, 3, 2], "key": [1, 1, 3, 2], "value": [1, 1, 3, 2], "mask": [3, 3]}
    kinds = {name: onnx.TensorProto.BOOL if name == "mask" else onnx.TensorProto.FLOAT for name in shapes}
    inputs = [onnx.helper.make_tensor_value_info(name, kinds[name], shapes[name]) for name in shapes]
    result = onnx.helper.make_tensor_value_info("output", onnx.TensorProto.FLOAT, shapes["value"])
    node = onnx.helper.make_node("Attention", list(shapes), ["output"])
    graph = onnx.helper.make_graph([node], "attention", inputs, [result])
    opset = onnx.helper.make_opsetid("", 23)
    model = onnx.helper.make_model(graph, opset_imports=[opset], ir_version=10)
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    tensors = {"query": QUERY[None, None], "key": KEY[None, None], "value": VALUE[None, None], "mask": MASK}
    (output,) = session.run(None, {name: tensor.numpy() for name, tensor in tensors.items()})
    assert (output[0, 0, 0] == 0).all()
    assert (output[0, 0, 1:] != 0).all()
