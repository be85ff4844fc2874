"""What PyTorch itself does with a mask, asked on the spot; what the tests measured of other libraries.

A head is the trace of one, without dimensions before q_len; masks are (q_len, kv_len), True = may attend.
"""

import math
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attention import AttentionTrace
from attention.lab.masks.masking import additive, attend, outcome

# What a fully masked row gets elsewhere, and where tests/attention/test_fully_masked_rows.py measured it.
MEASURED = (
    ("jax.nn.dot_product_attention(mask=…)", "alike", "JAX 0.10.2"),
    ("jax.nn.dot_product_attention(bias=−inf)", "nan", "JAX 0.10.2"),
    ("keras.ops.dot_product_attention", "alike", "Keras 3.15.1, PyTorch backend"),
    (
        "keras.layers.MultiHeadAttention(…)(…, return_attention_scores=True)",
        "zero",
        "Keras 3.15.1, PyTorch backend",
    ),
    ("keras.layers.MultiHeadAttention(…)(…)", "alike", "Keras 3.15.1, PyTorch backend"),
    ("ONNX Runtime: Attention (opset 23)", "zero", "onnxruntime 1.31.1"),
)


class LayerCall(NamedTuple):
    """A way to call nn.MultiheadAttention for self-attention, and the path that PyTorch takes for it.

    PyTorch takes its fast path only in eval(), without gradients, with biases, batched, with an even number
    of heads, and where query, key and value are one and the same tensor. The tests watch which path is taken.
    """

    name: str
    path: str  # "fast" or "ordinary"
    need_weights: bool = False
    training: bool = False
    gradients: bool = False
    bias: bool = True
    batched: bool = True
    same_tensor: bool = True
    num_heads: int = 2


LAYER_CALLS = (
    LayerCall("train(), need_weights=True", "ordinary", need_weights=True, training=True, gradients=True),
    LayerCall("train(), need_weights=False", "ordinary", training=True, gradients=True),
    LayerCall("eval(), need_weights=True", "fast", need_weights=True),
    LayerCall("eval(), need_weights=False", "fast"),
    LayerCall("eval(), need_weights=False, key a copy of query", "ordinary", same_tensor=False),
    LayerCall("eval(), need_weights=False, num_heads=1", "ordinary", num_heads=1),
    LayerCall("eval(), need_weights=False, unbatched", "ordinary", batched=False),
    LayerCall("eval(), need_weights=False, bias=False", "ordinary", bias=False),
    LayerCall("eval(), need_weights=False, gradients on", "ordinary", gradients=True),
)


def torch_outcomes(head: AttentionTrace, mask: Tensor, row: int) -> list[tuple[str, str]]:
    """(call, what fully masked `row` gets) for PyTorch's function and for softmax written out."""
    scores, value = head.unmasked_scores, head.value
    outputs = {
        "F.scaled_dot_product_attention": F.scaled_dot_product_attention(
            head.query, head.key, value, attn_mask=mask, scale=head.scale
        ),
        "torch.softmax, −inf": torch.softmax(scores.masked_fill(~mask, -math.inf), -1) @ value,
        "torch.softmax, −1e9": torch.softmax(scores.masked_fill(~mask, -1e9), -1) @ value,
    }
    return [(name, outcome(output[row], value)) for name, output in outputs.items()]


def layer_outcomes(x: Tensor, mask: Tensor, row: int) -> list[tuple[LayerCall, str]]:
    """What fully masked `row` gets from nn.MultiheadAttention on X (n, ·), called in each of these ways."""
    value = torch.cat((x, x), -1).float()
    return [(call, outcome(layer_output(x, mask, call)[row], value)) for call in LAYER_CALLS]


def layer_output(x: Tensor, mask: Tensor, call: LayerCall) -> Tensor:
    """Output (n, 2·columns) of nn.MultiheadAttention with identity matrices on X next to X, in float32.

    Next to itself, because the width must be even. mask (n, n), True = may attend; turned round here, as
    the layer wants it.
    """
    x = torch.cat((x, x), -1).float()
    x = x[None] if call.batched else x
    layer = nn.MultiheadAttention(x.shape[-1], call.num_heads, bias=call.bias, batch_first=True)
    set_identity(layer.train(call.training))
    other = x if call.same_tensor else x.clone()
    with torch.set_grad_enabled(call.gradients):
        output, _ = layer(x, other, other, attn_mask=~mask, need_weights=call.need_weights)
    return output.detach().reshape(-1, x.shape[-1])


def set_identity(layer: nn.MultiheadAttention) -> None:
    """All four matrices the identity, all biases 0."""
    identity = torch.eye(layer.embed_dim, dtype=layer.in_proj_weight.dtype)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat((identity, identity, identity)))
        layer.out_proj.weight.copy_(identity)
        for offset in (layer.in_proj_bias, layer.out_proj.bias):
            if offset is not None:
                offset.zero_()


def layer_weights(head: AttentionTrace, mask: Tensor) -> Tensor:
    """The weights (q_len, kv_len) of nn.MultiheadAttention for these queries and keys, the mask as it is.

    One head, identity matrices; the layer divides by √d_k, so the query carries the head's own scale.
    """
    d_k = head.query.shape[-1]
    layer = nn.MultiheadAttention(d_k, 1, bias=False, batch_first=True, dtype=head.query.dtype)
    set_identity(layer)
    query = head.query * head.scale * math.sqrt(d_k)
    with torch.no_grad():
        _, weights = layer(query[None], head.key[None], head.key[None], attn_mask=mask)
    return weights[0]


def polarity(head: AttentionTrace, mask: Tensor) -> str:
    """What nn.MultiheadAttention makes of a mask with True = may attend: "turned", "same" or "error"."""
    try:
        theirs = layer_weights(head, mask).nan_to_num()
    except (RuntimeError, TypeError):
        return "error"
    return "same" if torch.allclose(theirs, attend(replace(head, bias=None), mask).weights) else "turned"


def forms_difference(head: AttentionTrace, mask: Tensor) -> float:
    """The largest difference between PyTorch's outputs for the boolean mask and for the float mask."""
    boolean, added = (
        F.scaled_dot_product_attention(head.query, head.key, head.value, attn_mask=form, scale=head.scale)
        for form in (mask, additive(mask, head.query.dtype))
    )
    return (boolean - added).abs().max().item()
