"""What an argument must be. A check returns nothing or the clean value, and raises AttentionError."""

import math
import operator
from itertools import zip_longest
from typing import SupportsIndex

import torch
from torch import Tensor

from attention.errors import AttentionError

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
Shape = tuple[int, ...]


# ---- a number


def number(argument: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise AttentionError("not_a_number", argument, type=type(value).__name__)
    return float(value)


def probability(argument: str, value: object) -> float:
    clean = number(argument, value)
    if not 0 <= clean <= 1:
        raise AttentionError("out_of_range", argument, value=clean, minimum=0, maximum=1)
    return clean


def finite(argument: str, value: object) -> float:
    clean = number(argument, value)
    if not math.isfinite(clean):
        raise AttentionError("not_finite", argument, value=clean)
    return clean


def positive(argument: str, value: object) -> float:
    clean = number(argument, value)
    if not 0 < clean < math.inf:
        raise AttentionError("not_positive", argument, value=clean)
    return clean


def masked_score_for(dtype: torch.dtype, value: object) -> float:
    """−inf, or a finite number that the dtype can hold."""
    clean = number("masked_score", value)
    if math.isnan(clean) or clean == math.inf:
        raise AttentionError("masked_score_invalid", "masked_score", value=clean)
    low, high = torch.finfo(dtype).min, torch.finfo(dtype).max
    if clean != -math.inf and not low <= clean <= high:
        facts = {"value": clean, "minimum": low, "maximum": high}
        raise AttentionError("masked_score_too_large", "masked_score", dtype=str(dtype), **facts)
    return clean


def integer(argument: str, value: SupportsIndex, minimum: int, maximum: int | None = None) -> int:
    """An integer from minimum to maximum, which are included; None is no maximum."""
    try:
        clean = operator.index(value)
    except TypeError:
        raise AttentionError("not_an_integer", argument, type=type(value).__name__) from None
    if isinstance(value, bool):
        raise AttentionError("not_an_integer", argument, type="bool")
    if clean < minimum or (maximum is not None and clean > maximum):
        raise AttentionError("out_of_range", argument, value=clean, minimum=minimum, maximum=maximum)
    return clean


def check_choice(argument: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise AttentionError("unknown_choice", argument, value=str(value), choices=choices)


# ---- a tensor


def check_tensor(argument: str, value: object) -> None:
    if not isinstance(value, Tensor):
        raise AttentionError("not_a_tensor", argument, type=type(value).__name__)


def check_floating(argument: str, tensor: Tensor) -> None:
    if tensor.dtype not in FLOATS:
        raise AttentionError("not_floating", argument, dtype=str(tensor.dtype))


def check_alike(**tensors: Tensor) -> None:
    """All are floating point, and have the dtype and the device of the first tensor."""
    reference, first = next(iter(tensors.items()))
    check_tensor(reference, first)
    check_floating(reference, first)
    dtype, device = first.dtype, first.device
    for argument, tensor in tensors.items():
        check_tensor(argument, tensor)
        if tensor.dtype != dtype:
            check_floating(argument, tensor)
            dtypes = {"dtype": str(tensor.dtype), "reference_dtype": str(dtype)}
            raise AttentionError("dtype_differs", argument, reference=reference, **dtypes)
        check_device(argument, tensor, reference, device)


def check_device(argument: str, tensor: Tensor, reference: str, device: torch.device) -> None:
    if tensor.device != device:
        devices = {"device": str(tensor.device), "reference_device": str(device)}
        raise AttentionError("device_differs", argument, reference=reference, **devices)


def check_dimensions(argument: str, tensor: Tensor, allowed: str, fits: bool) -> None:
    """`fits` says whether the tensor's number of dimensions is right, `allowed` which shape is."""
    if not fits:
        raise AttentionError("wrong_dimensions", argument, shape=tuple(tensor.shape), allowed=allowed)


def check_size(argument: str, shape: Shape, dimension: int, size: int, reference: str) -> None:
    """The size on `dimension` must be `size`, which is the value of `reference`."""
    if shape[dimension] != size:
        facts = {"size": shape[dimension], "dimension": dimension, "expected_size": size}
        raise AttentionError("size_differs", argument, reference=reference, shape=tuple(shape), **facts)


# ---- shapes that broadcast


def broadcast_shape(*shapes: Shape) -> Shape | None:
    """The shape to which these broadcast, None where they do not.

    Not torch.broadcast_shapes, which imports sympy at its first call: 0.3 s.
    """
    if all(shape == shapes[0] for shape in shapes):
        return tuple(shapes[0])
    joined: list[int] = []
    for sizes in zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1):
        others = set(sizes) - {1}
        if len(others) > 1:
            return None
        joined.append(others.pop() if others else 1)
    return tuple(reversed(joined))


def check_leading(reference: str, leading: Shape, argument: str, shape: Shape) -> Shape:
    """The leading dimensions (all but the last two) to which both broadcast."""
    joined = broadcast_shape(leading, shape[:-2])
    if joined is None:
        shapes = {"shape": tuple(shape), "reference_leading": tuple(leading)}
        raise AttentionError("leading_differs", argument, reference=reference, **shapes)
    return joined


def check_broadcasts(argument: str, tensor: Tensor, target: Shape) -> None:
    """The tensor must broadcast to the target's shape without making it larger."""
    shape = tuple(tensor.shape)
    if broadcast_shape(shape, target) != target:
        raise AttentionError("not_broadcastable", argument, shape=shape, target=target)


# ---- attention


def check_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    bias: Tensor | None,
    *,
    enable_gqa: bool | None,
) -> Shape:
    """The shape of the scores, (..., q_len, kv_len). enable_gqa is None in a function without this option."""
    check_alike(query=query, key=key, value=value)
    check_dimensions("query", query, "(..., q_len, head_dim)", query.ndim >= 2)
    check_dimensions("key", key, "(..., kv_len, head_dim)", key.ndim >= 2)
    check_dimensions("value", value, "(..., kv_len, value_dim)", value.ndim >= 2)
    if query.shape[-1] == 0:
        raise AttentionError("head_dim_zero", "query", shape=tuple(query.shape))
    check_size("key", key.shape, -1, query.shape[-1], "query.shape[-1]")
    check_size("value", value.shape, -2, key.shape[-2], "key.shape[-2]")
    key_shape, value_shape = tuple(key.shape), tuple(value.shape)
    if enable_gqa:
        key_shape, value_shape = shared_heads("key", key, query), shared_heads("value", value, query)
    elif enable_gqa is not None:
        check_head_count("key", key_shape[:-2], query.shape[:-2])
        check_head_count("value", value_shape[:-2], query.shape[:-2])
    leading = check_leading("query", query.shape[:-2], "key", key_shape)
    check_leading("query, key", leading, "value", value_shape)
    scores_shape = (*leading, query.shape[-2], key.shape[-2])
    check_mask(mask, query, scores_shape)
    check_bias(bias, query, scores_shape)
    return scores_shape


def shared_heads(argument: str, tensor: Tensor, query: Tensor) -> Shape:
    """The tensor's shape once its heads, on dimension −3, are shared by the query's heads."""
    for name, one in (("query", query), (argument, tensor)):
        check_dimensions(name, one, "(..., heads, length, dim)", one.ndim >= 3)
    check_divides(argument, tensor.shape[-3], query.shape[-3])
    return (*tensor.shape[:-3], *query.shape[-3:-2], *tensor.shape[-2:])


def check_divides(argument: str, heads: int, query_heads: int) -> None:
    """The number of key/value heads must divide the number of query heads."""
    if heads == 0 or query_heads % heads:
        raise AttentionError("heads_not_shared", argument, heads=heads, query_heads=query_heads)


def check_head_count(argument: str, leading: Shape, query_leading: Shape) -> None:
    """Refuse the one mismatch of leading dimensions that enable_gqa solves, if dimension −3 counts heads."""
    if not leading or not query_leading or leading[-1] in (0, 1) or query_leading[-1] in (0, 1, leading[-1]):
        return
    heads, query_heads = leading[-1], query_leading[-1]
    if query_heads % heads == 0 and broadcast_shape(leading[:-1], query_leading[:-1]) is not None:
        raise AttentionError("head_count_differs", argument, heads=heads, query_heads=query_heads)


def check_mask(mask: Tensor | None, query: Tensor, scores_shape: Shape) -> None:
    if mask is not None:
        check_tensor("mask", mask)
        if mask.dtype != torch.bool:
            raise AttentionError("mask_not_boolean", "mask", dtype=str(mask.dtype))
        check_device("mask", mask, "query", query.device)
        check_broadcasts("mask", mask, scores_shape)


def check_bias(bias: Tensor | None, query: Tensor, scores_shape: Shape) -> None:
    if bias is not None:
        check_tensor("bias", bias)
        if bias.dtype == torch.bool:
            raise AttentionError("bias_is_boolean", "bias", dtype=str(bias.dtype))
        check_alike(query=query, bias=bias)
        check_broadcasts("bias", bias, scores_shape)


# ---- attention with heads


def check_heads(num_heads: int, num_kv_heads: int | None) -> tuple[int, int]:
    """Both numbers of heads; without num_kv_heads every query head has a key/value head of its own."""
    num_heads = integer("num_heads", num_heads, 1)
    num_kv_heads = num_heads if num_kv_heads is None else integer("num_kv_heads", num_kv_heads, 1)
    check_divides("num_kv_heads", num_kv_heads, num_heads)
    return num_heads, num_kv_heads


def check_inputs(query_input: Tensor, key_input: Tensor, value_input: Tensor) -> Shape:
    """The shape of a head's scores, (batch…, q_len, kv_len)."""
    inputs = {"query_input": query_input, "key_input": key_input, "value_input": value_input}
    check_alike(**inputs)
    for argument, tensor in inputs.items():
        check_dimensions(argument, tensor, "(..., length, embed_dim)", tensor.ndim >= 2)
    check_size("value_input", value_input.shape, -2, key_input.shape[-2], "key_input.shape[-2]")
    batch = check_leading("query_input", query_input.shape[:-2], "key_input", key_input.shape)
    batch = check_leading("query_input, key_input", batch, "value_input", value_input.shape)
    return (*batch, query_input.shape[-2], key_input.shape[-2])


def check_projections(
    inputs: tuple[Tensor, Tensor, Tensor],  # query_input, key_input, value_input
    weights: tuple[Tensor, Tensor, Tensor, Tensor | None],  # w_q, w_k, w_v, w_o
    offsets: tuple[Tensor | None, Tensor | None, Tensor | None, Tensor | None],  # b_q, b_k, b_v, b_o
    num_heads: int,
    num_kv_heads: int,
) -> tuple[int, int]:
    """head_dim and value_dim, each head's equal share of the columns of w_q and w_k, and of w_v."""
    (query_input, key_input, value_input), (w_q, w_k, w_v, w_o) = inputs, weights
    optional = dict(zip(("w_o", "b_q", "b_k", "b_v", "b_o"), (w_o, *offsets), strict=True))
    present = {argument: tensor for argument, tensor in optional.items() if tensor is not None}
    check_alike(query_input=query_input, w_q=w_q, w_k=w_k, w_v=w_v, **present)
    head_dim = columns_of_a_head("w_q", w_q, "query_input", query_input, num_heads)
    check_rows("w_k", w_k, "key_input.shape[-1]", key_input.shape[-1])
    check_size("w_k", w_k.shape, -1, num_kv_heads * head_dim, "num_kv_heads * head_dim")
    value_dim = columns_of_a_head("w_v", w_v, "value_input", value_input, num_kv_heads)
    if w_o is not None:
        check_rows("w_o", w_o, "num_heads * value_dim", num_heads * value_dim)
    b_q, b_k, b_v, b_o = offsets
    check_vector("b_q", b_q, num_heads * head_dim, "num_heads * head_dim")
    check_vector("b_k", b_k, num_kv_heads * head_dim, "num_kv_heads * head_dim")
    check_vector("b_v", b_v, num_kv_heads * value_dim, "num_kv_heads * value_dim")
    check_vector("b_o", b_o, num_heads * value_dim if w_o is None else w_o.shape[-1], "output.shape[-1]")
    return head_dim, value_dim


def check_rows(argument: str, weight: Tensor, reference: str, rows: int) -> None:
    """A weight has as many rows as its input has columns."""
    check_dimensions(argument, weight, "(rows, columns)", weight.ndim == 2)
    check_size(argument, weight.shape, -2, rows, reference)


def columns_of_a_head(argument: str, weight: Tensor, reference: str, tensor: Tensor, heads: int) -> int:
    """How many of the weight's columns each head has. `tensor`, named `reference`, is the weight's input."""
    check_rows(argument, weight, f"{reference}.shape[-1]", tensor.shape[-1])
    columns = weight.shape[-1]
    if columns % heads:
        raise AttentionError("not_divisible", argument, size=columns, num_heads=heads)
    return columns // heads


def check_vector(argument: str, vector: Tensor | None, columns: int, reference: str) -> None:
    if vector is not None:
        check_dimensions(argument, vector, "(columns,)", vector.ndim == 1)
        check_size(argument, vector.shape, -1, columns, reference)


def check_gains(
    qk_norm: bool, g_q: Tensor | None, g_k: Tensor | None, query_input: Tensor, head_dim: int
) -> None:
    """A gain has a number for each column of a head, and is used only with qk_norm."""
    for argument, gain in (("g_q", g_q), ("g_k", g_k)):
        if gain is not None:
            if not qk_norm:
                raise AttentionError("option_missing", argument, option="qk_norm")
            check_alike(query_input=query_input, **{argument: gain})
            check_vector(argument, gain, head_dim, "head_dim")
