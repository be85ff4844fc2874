"""The parameters that a module begins with: empty ones of the right sizes, or copies of matrices."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from attention import checks
from attention.errors import AttentionError
from attention.multi_head import multi_head_attention


def size(argument: str, value: int | None, default: int) -> int:
    return default if value is None else checks.integer(argument, value, 1)


def share(embed_dim: int, num_heads: int) -> int:
    """A head's share of embed_dim."""
    if embed_dim % num_heads:
        raise AttentionError("not_divisible", "num_heads", size=embed_dim, num_heads=num_heads)
    return embed_dim // num_heads


def empty(
    weights: dict[str, tuple[int, int]],
    bias: bool,
    gains: dict[str, int],
    dtype: torch.dtype | None,
    device: torch.device | str | None,
) -> dict[str, Tensor]:
    """Uninitialized weights of these shapes, with `bias` a bias for each weight, and gains of these sizes."""
    checks.check_floating("dtype", torch.empty(0, dtype=dtype))
    shapes: dict[str, tuple[int, ...]] = dict(weights)
    if bias:
        shapes |= {name.replace("w", "b"): (columns,) for name, (_, columns) in weights.items()}
    shapes |= {name: (dim,) for name, dim in gains.items()}
    return {name: torch.empty(shape, dtype=dtype, device=device) for name, shape in shapes.items()}


def opened(
    weights: Mapping[str, Tensor | nn.Linear], optional: Mapping[str, Tensor | nn.Linear | None]
) -> tuple[dict[str, Tensor], dict[str, Tensor | None]]:
    """The same with the weight of each nn.Linear, which is (out, in), transposed, and with its bias."""
    matrices: dict[str, Any] = {**weights, **optional}
    for name, layer in {**weights, **optional}.items():
        if isinstance(layer, nn.Linear):
            matrices[name] = layer.weight.T
            bias = name.replace("w_", "b_")
            matrices[bias] = layer.bias if matrices.get(bias) is None else matrices[bias]
    return {name: matrices[name] for name in weights}, {
        name: matrix for name, matrix in matrices.items() if name not in weights
    }


def checked_copies(
    weights: dict[str, Tensor],
    optional: Mapping[str, Tensor | None],
    inputs: dict[str, str],  # of multi_head_attention, each with its weight
    num_heads: int,
    num_kv_heads: int,
    qk_norm: bool,
) -> dict[str, Tensor]:
    """Copies of the matrices that are there, once multi_head_attention has attend them."""
    matrices = weights | {name: m for name, m in optional.items() if m is not None}
    checks.check_alike(**matrices)
    for name in inputs.values():
        checks.check_dimensions(name, weights[name], "(rows, columns)", weights[name].ndim == 2)
    others: dict[str, Any] = {name: m for name, m in matrices.items() if name not in checks.WEIGHTS}

    def attend(weights: checks.Weights) -> None:
        named: dict[str, Any] = dict(zip(checks.WEIGHTS, weights, strict=True))
        tokens: dict[str, Any] = {
            argument: w_q.new_zeros(0, len(named[name])) for argument, name in inputs.items()
        }
        options: dict[str, Any] = {
            "num_heads": num_heads,
            "num_kv_heads": num_kv_heads,
            "qk_norm": qk_norm,
        }
        multi_head_attention(**tokens, **named, **others, **options)

    w_q = weights["w_q"]
    all_weights = w_q, weights["w_k"], weights["w_v"], optional.get("w_o")
    checks.transposed_if_that_fits(attend, all_weights, inputs_known=False)
    return {name: m.detach().clone(memory_format=torch.contiguous_format) for name, m in matrices.items()}
