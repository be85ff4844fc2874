"""What PyTorch itself does with a mask, asked on the spot; what the tests measured of other libraries."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attention import AttentionTrace

# Measured in tests/attention/test_dead_rows.py with the versions the page names.
MEASURED = (
    ("jax.nn.dot_product_attention(mask=…)", "alike", "JAX 0.10.2"),
    ("jax.nn.dot_product_attention(bias=−inf)", "nan", "JAX 0.10.2"),
    ("keras.ops.dot_product_attention", "alike", "Keras 3.15.1"),
    ("keras.layers.MultiHeadAttention", "zero", "Keras 3.15.1"),
    ("ONNX Runtime: Attention (opset 23)", "zero", "onnxruntime 1.31.1"),
)


def fate(output: Tensor, value: Tensor) -> str:
    """What became of a row: its output is NaN, 0, or the mean of all values; "other" if none of these."""
    if output.isnan().any():
        return "nan"
    if (output == 0).all():
        return "zero"
    return "alike" if torch.allclose(output, value.mean(0), rtol=1e-4, atol=1e-5) else "other"


def torch_fates(head: AttentionTrace, x: Tensor, mask: Tensor, row: int) -> list[tuple[str, str]]:
    """(call, what the row gets) for each way through PyTorch, computed now on these numbers."""
    scores, value = head.scaled_scores, head.value
    sdpa = F.scaled_dot_product_attention(head.query, head.key, value, attn_mask=mask, scale=head.scale)
    infinite = torch.softmax(scores.masked_fill(~mask, -math.inf), -1) @ value
    billion = torch.softmax(scores.masked_fill(~mask, -1e9), -1) @ value
    found = [
        ("F.scaled_dot_product_attention", fate(sdpa[row], value)),
        ("torch.softmax, −inf", fate(infinite[row], value)),
        ("torch.softmax, −1e9", fate(billion[row], value)),
    ]
    ways = {
        "nn.MultiheadAttention, need_weights=True": {"need_weights": True},
        "nn.MultiheadAttention, need_weights=False, train()": {"need_weights": False},
        "nn.MultiheadAttention, need_weights=False, eval()": {"need_weights": False, "training": False},
        "nn.MultiheadAttention, need_weights=False, eval(), bias=False": {
            "need_weights": False,
            "training": False,
            "bias": False,
        },
    }
    return found + [(name, fate(layer_output(x, mask, **way)[row], x)) for name, way in ways.items()]


def layer_output(
    x: Tensor, mask: Tensor, *, need_weights: bool, training: bool = True, bias: bool = True
) -> Tensor:
    """nn.MultiheadAttention on X with identity matrices; two heads, or there would be no fast path.

    mask: True = may attend, turned round here, as the layer wants it.
    """
    x = torch.cat((x, x), -1).float()[None]
    layer = nn.MultiheadAttention(x.shape[-1], 2, bias=bias, batch_first=True).train(training)
    _set_identity(layer)
    with torch.set_grad_enabled(training):
        output, _ = layer(x, x, x, attn_mask=~mask, need_weights=need_weights)
    return output[0].detach()


def _set_identity(layer: nn.MultiheadAttention) -> None:
    one = torch.eye(layer.embed_dim, dtype=layer.in_proj_weight.dtype)
    with torch.no_grad():
        layer.in_proj_weight.copy_(torch.cat((one, one, one)))
        layer.out_proj.weight.copy_(one)
        for offset in (layer.in_proj_bias, layer.out_proj.bias):
            if offset is not None:
                offset.zero_()


def layer_weights(head: AttentionTrace, mask: Tensor) -> Tensor:
    """The weights that nn.MultiheadAttention gives these queries and keys, the mask passed as it is.

    One head, identity matrices; the layer divides by √d_k, so the query carries the present scale.
    """
    d_k = head.query.shape[-1]
    layer = nn.MultiheadAttention(d_k, 1, bias=False, batch_first=True, dtype=head.query.dtype)
    _set_identity(layer)
    query = head.query * head.scale * math.sqrt(d_k)
    with torch.no_grad():
        _, weights = layer(query[None], head.key[None], head.key[None], attn_mask=mask)
    return weights[0]
