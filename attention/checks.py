"""What an argument must be. A check returns nothing or the clean value, and raises AttentionError."""

import math
import operator
from collections.abc import Callable, Sequence
from itertools import combinations, zip_longest
from typing import SupportsIndex, TypeVar

import torch
from torch import Tensor

from attention.errors import AttentionError
from attention.indexing import Form, Shape, names_of_leading, pattern, ways_to_fit, with_dimensions

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


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


def check_floating(argument: str, tensor: Tensor, example: torch.dtype | None = None) -> None:
    if tensor.dtype not in FLOATS:
        dtypes = {"dtype": str(tensor.dtype), "example": str(example or torch.get_default_dtype())}
        raise AttentionError("not_floating", argument, **dtypes)


def check_alike(**tensors: Tensor) -> None:
    """All are floating point, and have the dtype and the device of the first tensor."""
    reference, first = next(iter(tensors.items()))
    check_tensor(reference, first)
    others = (tensor.dtype for tensor in tensors.values() if isinstance(tensor, Tensor))
    check_floating(reference, first, next((dtype for dtype in others if dtype in FLOATS), None))
    dtype, device = first.dtype, first.device
    for argument, tensor in tensors.items():
        check_tensor(argument, tensor)
        if tensor.dtype != dtype:
            check_floating(argument, tensor, dtype)
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
        shape = tuple(tensor.shape)
        advice = with_dimensions(argument, shape, allowed)
        raise AttentionError("wrong_dimensions", argument, shape=shape, allowed=allowed, fits=advice)


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
        sizes = [str(size) for size in shape[-2:]]
        ways = leading_ways(argument, shape[:-2], leading, sizes)
        ways = ways or leading_ways(reference, leading, shape[:-2], ["·", "·"])
        facts = {"shape": tuple(shape), "reference_leading": tuple(leading)}
        fits = ways or pattern([*map(str, leading), *sizes])
        raise AttentionError("leading_differs", argument, reference=reference, fits=fits, **facts)
    return joined


def leading_ways(argument: str, leading: Shape, target: Shape, sizes: Sequence[str]) -> str:
    """How leading dimensions, with these sizes after them, fit the target; "" for "query, key"."""
    return (
        ""
        if "," in argument
        else ways_to_fit(argument, leading, target, names_of_leading(target), tail=sizes)
    )


def check_broadcasts(
    argument: str,
    tensor: Tensor,
    target: Shape,
    names: Sequence[str],  # of the target's last dimensions
) -> None:
    """The tensor must broadcast to the target's shape without making it larger."""
    shape = tuple(tensor.shape)
    if broadcast_shape(shape, target) != target:
        names = (*names_of_leading(target[: len(target) - len(names)]), *names)
        fits = ways_to_fit(argument, shape, target, names) or pattern(names)
        raise AttentionError("not_broadcastable", argument, shape=shape, target=target, fits=fits)


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
        check_head_count("key", key_shape, query.shape[:-2])
        check_head_count("value", value_shape, query.shape[:-2])
    leading = check_leading("query", query.shape[:-2], "key", key_shape)
    check_leading("query, key", leading, "value", value_shape)
    scores_shape = (*leading, query.shape[-2], key.shape[-2])
    check_mask(mask, "query", query)
    check_bias(bias, "query", query)
    for argument, tensor in (("mask", mask), ("bias", bias)):
        if tensor is not None:
            check_broadcasts(argument, tensor, scores_shape, ("q_len", "kv_len"))
    return scores_shape


def shared_heads(argument: str, tensor: Tensor, query: Tensor) -> Shape:
    """The tensor's shape once its heads, on dimension −3, are shared by the query's heads."""
    for name, operand in (("query", query), (argument, tensor)):
        check_dimensions(name, operand, "(..., heads, length, dim)", operand.ndim >= 3)
    check_divides(argument, tensor.shape[-3], query.shape[-3])
    return (*tensor.shape[:-3], *query.shape[-3:-2], *tensor.shape[-2:])


def check_divides(argument: str, heads: int, query_heads: int) -> None:
    """The number of key/value heads must divide the number of query heads."""
    if heads == 0 or query_heads % heads:
        raise AttentionError("heads_not_shared", argument, heads=heads, query_heads=query_heads)


def check_head_count(argument: str, shape: Shape, query_leading: Shape) -> None:
    """Refuse the one mismatch of leading dimensions that enable_gqa solves, if dimension −3 counts heads."""
    leading, sizes = shape[:-2], [str(size) for size in shape[-2:]]
    if not leading or not query_leading or leading[-1] in (0, 1) or query_leading[-1] in (0, 1, leading[-1]):
        return
    heads, query_heads = leading[-1], query_leading[-1]
    if query_heads % heads == 0 and broadcast_shape(leading[:-1], query_leading[:-1]) is not None:
        ways = leading_ways(argument, leading, query_leading, sizes)
        fits = ways or pattern([*map(str, query_leading), *sizes])
        facts = {"heads": heads, "query_heads": query_heads}
        raise AttentionError("head_count_differs", argument, fits=fits, **facts)


def check_mask(mask: Tensor | None, reference: str, like: Tensor) -> None:
    if mask is not None:
        check_tensor("mask", mask)
        if mask.dtype != torch.bool:
            raise AttentionError("mask_not_boolean", "mask", dtype=str(mask.dtype))
        check_device("mask", mask, reference, like.device)


def check_bias(bias: Tensor | None, reference: str, like: Tensor) -> None:
    if bias is not None:
        check_tensor("bias", bias)
        if bias.dtype == torch.bool:
            raise AttentionError("bias_is_boolean", "bias", dtype=str(bias.dtype))
        check_alike(**{reference: like, "bias": bias})


def check_sinks(sinks: Tensor | None, reference: str, like: Tensor, heads: Shape) -> None:
    """A number for each head; heads is () where the scores have no dimension for them."""
    if sinks is not None:
        check_alike(**{reference: like, "sinks": sinks})
        check_dimensions("sinks", sinks, "(num_heads,)" if heads else "()", sinks.ndim == len(heads))
        for count in heads:
            check_size("sinks", sinks.shape, -1, count, "num_heads")


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


def check_for_heads(argument: str, tensor: Tensor, scores_shape: Shape, num_heads: int) -> None:
    """mask or bias of several heads: its number of dimensions says what they are.

    scores_shape is (batch…, q_len, kv_len), without the heads.
    """
    shape, dimensions = tuple(tensor.shape), len(scores_shape)
    full = (*scores_shape[:-2], num_heads, *scores_shape[-2:])
    known = tensor.ndim <= 2 or dimensions <= tensor.ndim <= dimensions + 1
    target = scores_shape if tensor.ndim == dimensions > 2 else full
    if known and broadcast_shape(shape, target) == target:
        return
    batch = ("batch",) if dimensions == 3 else tuple(map(str, scores_shape[:-2]))
    names = (*batch, "num_heads", "q_len", "kv_len")
    last, leading = (dimensions - 1, dimensions), tuple(range(dimensions - 2))
    forms = [Form(last, exact=False), Form((*leading, dimensions - 2, *last), exact=True)]
    if leading:
        forms.insert(1, Form((*leading, *last), exact=True))
    allowed = " | ".join(pattern([names[axis] for axis in form.axes]) for form in forms)
    fits = ways_to_fit(argument, shape, full, names, forms) or allowed
    if known:
        raise AttentionError("not_broadcastable", argument, shape=shape, target=target, fits=fits)
    raise AttentionError("wrong_dimensions", argument, shape=shape, allowed=allowed, fits=fits)


WEIGHTS = ("w_q", "w_k", "w_v", "w_o")
Weights = tuple[Tensor, Tensor, Tensor, Tensor | None]
T = TypeVar("T")


def check_projections(
    inputs: tuple[Tensor, Tensor, Tensor],  # query_input, key_input, value_input
    weights: Weights,
    offsets: tuple[Tensor | None, Tensor | None, Tensor | None, Tensor | None],  # b_q, b_k, b_v, b_o
    num_heads: int,
    num_kv_heads: int,
) -> tuple[int, int]:
    """head_dim and value_dim, each head's equal share of the columns of w_q and w_k, and of w_v."""

    def sizes(weights: Weights) -> tuple[int, int]:
        return sizes_of_heads(inputs, weights, offsets, num_heads, num_kv_heads)

    return transposed_if_that_fits(sizes, weights)


def transposed_if_that_fits(
    check: Callable[[Weights], T], weights: Weights, *, inputs_known: bool = True
) -> T:
    """What `check` returns for these weights; where transposed ones would fit, its error says so.

    First all that are not square are transposed, as if all were those of nn.Linear, then as few as possible.
    Where the inputs are not known, w_q, w_k and w_v are transposed together or then have as many rows.
    """
    try:
        return check(weights)
    except AttentionError as error:
        if error.code not in ("size_differs", "not_divisible"):
            raise
        for subset in subsets_to_transpose(weights):
            w_q, w_k, w_v, w_o = (w.mT if w is not None and i in subset else w for i, w in enumerate(weights))
            assert w_q is not None and w_k is not None and w_v is not None
            if not (inputs_known or {0, 1, 2} <= set(subset) or len(w_q) == len(w_k) == len(w_v)):
                continue
            try:
                check((w_q, w_k, w_v, w_o))
            except AttentionError:
                continue
            fits = ", ".join(f"{WEIGHTS[i]}={WEIGHTS[i]}.T" for i in subset)
            raise transposed_error(error, fits, weights) from None
        raise


def subsets_to_transpose(weights: Weights) -> list[tuple[int, ...]]:
    """Places of matrices that are not square: all of them, then one, then two, …"""
    places = [i for i, w in enumerate(weights) if w is not None and w.ndim == 2 and w.shape[0] != w.shape[1]]
    subsets = [some for count in range(1, len(places)) for some in combinations(places, count)]
    return [tuple(places), *subsets] if places else []


def transposed_error(error: AttentionError, fits: str, weights: Weights) -> AttentionError:
    """The error, with what to transpose."""
    if error.code == "size_differs":
        shape, dimension = error.facts["shape"], error.facts["dimension"]
        assert isinstance(shape, tuple) and isinstance(dimension, int)
        sizes = ["·"] * len(shape)
        sizes[dimension] = str(error.facts["expected_size"])
    else:
        weight = weights[WEIGHTS.index(error.argument)]
        assert weight is not None
        shape, sizes = tuple(weight.shape), ["·", f"{error.facts['num_heads']} * ·"]
    return AttentionError(
        "weights_transposed", error.argument, shape=shape, allowed=pattern(sizes), fits=fits
    )


def sizes_of_heads(
    inputs: tuple[Tensor, Tensor, Tensor],  # query_input, key_input, value_input
    weights: Weights,
    offsets: tuple[Tensor | None, Tensor | None, Tensor | None, Tensor | None],  # b_q, b_k, b_v, b_o
    num_heads: int,
    num_kv_heads: int,
) -> tuple[int, int]:
    """What check_projections returns."""
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


def check_layers(embed_dim: int, w_1: Tensor, w_2: Tensor) -> None:
    """w_1 (embed_dim, hidden_dim) and w_2 (hidden_dim, ·). Where transposed ones fit, the error says so."""
    for argument, weight in (("w_1", w_1), ("w_2", w_2)):
        check_dimensions(argument, weight, "(rows, columns)", weight.ndim == 2)
    (rows, hidden), (read, columns) = w_1.shape, w_2.shape
    turned = {
        "w_1=w_1.T, w_2=w_2.T": hidden == embed_dim and rows == columns,
        "w_1=w_1.T": hidden == embed_dim and rows == read,
        "w_2=w_2.T": rows == embed_dim and hidden == columns,
    }
    if rows == embed_dim and read == hidden:
        return
    for fits in (fits for fits, right in turned.items() if right):
        name, weight, size = ("w_2", w_2, hidden) if rows == embed_dim else ("w_1", w_1, embed_dim)
        raise AttentionError(
            "weights_transposed",
            name,
            shape=tuple(weight.shape),
            allowed=pattern([str(size), "·"]),
            fits=fits,
        )
    check_size("w_1", w_1.shape, -2, embed_dim, "x.shape[-1]")
    check_size("w_2", w_2.shape, -2, hidden, "w_1.shape[-1]")
