"""Project, split into heads, attend in each, concatenate, project back, with every intermediate kept."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from attention import checks
from attention.errors import AttentionError
from attention.scaled_dot_product import AttentionTrace, Step, scaled_dot_product_attention


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """Every intermediate of multi_head_attention, in the order it is computed."""

    query_input: Tensor  # (..., q_len, embed_dim)
    key_input: Tensor  # (..., kv_len, ·)
    value_input: Tensor  # (..., kv_len, ·)
    query: Tensor  # (..., q_len, num_heads * head_dim), before the split
    key: Tensor  # (..., kv_len, num_kv_heads * head_dim)
    value: Tensor  # (..., kv_len, num_kv_heads * value_dim)
    rotated_query: Tensor | None  # (..., num_heads, q_len, head_dim); None without `rotate`
    rotated_key: Tensor | None  # (..., num_kv_heads, kv_len, head_dim); None without `rotate`
    heads: AttentionTrace  # its dimension −3 is the head; its query and key are the rotated ones
    concatenated: Tensor  # (..., q_len, num_heads * value_dim)
    output: Tensor  # (..., q_len, ·)

    def steps(self) -> Iterator[Step]:
        """The steps that took place, in order; the heads' own output is named head_output."""
        yield Step("query", self.query)
        yield Step("key", self.key)
        yield Step("value", self.value)
        if self.rotated_query is not None:
            yield Step("rotated_query", self.rotated_query)
            yield Step("rotated_key", self.rotated_key)
        for name, value in self.heads.steps():
            if name not in ("query", "key", "value"):
                yield Step("head_output" if name == "output" else name, value)
        yield Step("concatenated", self.concatenated)
        yield Step("output", self.output)

    def head(self, index: int) -> AttentionTrace:
        """The trace of one head."""
        return self.heads.head(index)


def multi_head_attention(
    query_input: Tensor,  # (..., q_len, embed_dim)
    key_input: Tensor | None = None,  # (..., kv_len, ·), default query_input
    value_input: Tensor | None = None,  # (..., kv_len, ·), default key_input
    *,
    w_q: Tensor,  # (embed_dim, num_heads * head_dim)
    w_k: Tensor,  # (·, num_kv_heads * head_dim)
    w_v: Tensor,  # (·, num_kv_heads * value_dim)
    w_o: Tensor | None = None,  # (num_heads * value_dim, ·), default: none, the output is the concatenation
    b_q: Tensor | None = None,  # (num_heads * head_dim,)
    b_k: Tensor | None = None,  # (num_kv_heads * head_dim,)
    b_v: Tensor | None = None,  # (num_kv_heads * value_dim,)
    b_o: Tensor | None = None,  # (·,), as many as the output has columns
    num_heads: int = 1,
    num_kv_heads: int | None = None,
    mask: Tensor | None = None,
    bias: Tensor | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    enable_gqa: bool | None = None,  # default: where num_kv_heads is below num_heads
    masked_score: float = -math.inf,
    dropout_p: float = 0.0,
    generator: torch.Generator | None = None,
    rotate: Callable[[Tensor], Tensor] | None = None,  # (..., heads, length, head_dim) -> the same shape
) -> MultiHeadTrace:
    """Attention in num_heads subspaces at once (Vaswani et al. 2017, section 3.2.2), every intermediate kept.

    Weights multiply on the right, X @ W; one matrix holds all heads' columns, head by head. With num_kv_heads
    below num_heads, several query heads share one key/value head (Ainslie et al. 2023); it must divide
    num_heads. Inputs are (length, embed_dim), or have batch dimensions in front, which broadcast. `rotate`,
    such as rotary_embedding, is applied to each head's queries and keys before their scores. Everything else
    that follows num_kv_heads is as in scaled_dot_product_attention.

    mask (bool, True = may attend) and bias (added to the scores) are read by their number of dimensions; n is
    that of the inputs (of the one that has most):

        up to 2   (q_len, kv_len), for every batch entry and head
        n         (batch…, q_len, kv_len), for every head of its batch entry, if the inputs are batched
        n + 1     (batch…, num_heads, q_len, kv_len)

    Each size may also be 1. So a padding_mask needs mask[:, None, :].

    Raises AttentionError where a weight's shape does not fit the inputs or the number of heads, for any other
    shape of mask or bias, and for whatever scaled_dot_product_attention refuses.
    """
    key_input = query_input if key_input is None else key_input
    value_input = key_input if value_input is None else value_input
    num_heads, num_kv_heads = check_heads(num_heads, num_kv_heads)
    batch_shape = check_inputs(query_input, key_input, value_input)
    optional = {"w_o": w_o, "b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": b_o}
    given = {argument: tensor for argument, tensor in optional.items() if tensor is not None}
    checks.check_alike(query_input=query_input, w_q=w_q, w_k=w_k, w_v=w_v, **given)
    head_dim = check_weight("w_q", w_q, "query_input", query_input, num_heads)
    check_weight("w_k", w_k, "key_input", key_input, num_kv_heads, head_dim)
    value_dim = check_weight("w_v", w_v, "value_input", value_input, num_kv_heads)
    check_output_weight(w_o, num_heads * value_dim)
    out_dim = num_heads * value_dim if w_o is None else w_o.shape[-1]
    b_q = offset("b_q", b_q, num_heads * head_dim, "num_heads * head_dim")
    b_k = offset("b_k", b_k, num_kv_heads * head_dim, "num_kv_heads * head_dim")
    b_v = offset("b_v", b_v, num_kv_heads * value_dim, "num_kv_heads * value_dim")
    b_o = offset("b_o", b_o, out_dim, "output.shape[-1]")
    scores_shape = (*batch_shape, query_input.shape[-2], key_input.shape[-2])

    query = query_input @ w_q + b_q  # (..., q_len, num_heads * head_dim)
    key = key_input @ w_k + b_k  # (..., kv_len, num_kv_heads * head_dim)
    value = value_input @ w_v + b_v  # (..., kv_len, num_kv_heads * value_dim)
    # split each projection's columns among the heads: (..., length, heads * dim) -> (..., heads, length, dim)
    query_heads = query.unflatten(-1, (num_heads, head_dim)).transpose(-3, -2)
    key_heads = key.unflatten(-1, (num_kv_heads, head_dim)).transpose(-3, -2)
    value_heads = value.unflatten(-1, (num_kv_heads, value_dim)).transpose(-3, -2)
    rotated_query = None if rotate is None else rotate(query_heads)
    rotated_key = None if rotate is None else rotate(key_heads)
    heads = scaled_dot_product_attention(
        query_heads if rotated_query is None else rotated_query,
        key_heads if rotated_key is None else rotated_key,
        value_heads,
        mask=for_every_head("mask", mask, scores_shape),
        bias=for_every_head("bias", bias, scores_shape),
        scale=scale,
        softcap=softcap,
        enable_gqa=num_kv_heads != num_heads if enable_gqa is None else enable_gqa,
        masked_score=masked_score,
        dropout_p=dropout_p,
        generator=generator,
    )
    head_output = heads.output  # (..., num_heads, q_len, value_dim)
    concatenated = head_output.transpose(-3, -2).flatten(-2)  # (..., q_len, num_heads * value_dim)
    output = (concatenated if w_o is None else concatenated @ w_o) + b_o  # (..., q_len, ·)

    return MultiHeadTrace(
        query_input=query_input,
        key_input=key_input,
        value_input=value_input,
        query=query,
        key=key,
        value=value,
        rotated_query=rotated_query,
        rotated_key=rotated_key,
        heads=heads,
        concatenated=concatenated,
        output=output,
    )


def for_every_head(argument: str, tensor: Tensor | None, scores_shape: tuple[int, ...]) -> Tensor | None:
    """mask or bias with a head dimension, read by its number of dimensions as multi_head_attention says.

    scores_shape is (batch…, q_len, kv_len), without the heads.
    """
    if tensor is None:
        return None
    checks.check_tensor(argument, tensor)
    dimensions = len(scores_shape)
    if tensor.ndim <= 2 or tensor.ndim == dimensions + 1:
        return tensor
    allowed = "(q_len, kv_len) | (num_heads, q_len, kv_len)"
    if dimensions > 2:
        allowed = "(q_len, kv_len) | (batch..., q_len, kv_len) | (batch..., num_heads, q_len, kv_len)"
    checks.check_dimensions(argument, tensor, allowed, tensor.ndim == dimensions)
    checks.check_broadcasts(argument, tensor, scores_shape)
    return tensor.unsqueeze(-3)  # (batch…, 1, q_len, kv_len)


def check_heads(num_heads: int, num_kv_heads: int | None) -> tuple[int, int]:
    num_heads = checks.integer("num_heads", num_heads, 1)
    num_kv_heads = num_heads if num_kv_heads is None else checks.integer("num_kv_heads", num_kv_heads, 1)
    if num_heads % num_kv_heads:
        expected, got = f"a number that divides num_heads {num_heads}", str(num_kv_heads)
        fix = "Each key/value head serves the same number of query heads: choose a divisor."
        facts = {"heads": num_kv_heads, "query_heads": num_heads}
        raise AttentionError("heads_not_shared", "num_kv_heads", expected, got, fix, facts)
    return num_heads, num_kv_heads


def check_inputs(query_input: Tensor, key_input: Tensor, value_input: Tensor) -> tuple[int, ...]:
    """The batch shape the three inputs broadcast to."""
    inputs = {"query_input": query_input, "key_input": key_input, "value_input": value_input}
    checks.check_alike(**inputs)
    for argument, tensor in inputs.items():
        checks.check_dimensions(argument, tensor, "(..., length, embed_dim)", tensor.ndim >= 2)
    fix = "Every key needs exactly one value."
    checks.check_size("value_input", value_input.shape, -2, key_input.shape[-2], "key_input.shape[-2]", fix)
    batch = checks.check_leading("query_input", query_input.shape[:-2], "key_input", key_input.shape)
    return checks.check_leading("query_input, key_input", batch, "value_input", value_input.shape)


def check_weight(
    argument: str, weight: Tensor, reference: str, given: Tensor, heads: int, head_dim: int | None = None
) -> int:
    """A head's share of the weight's columns, which must be head_dim where that is known."""
    checks.check_dimensions(argument, weight, "(rows, columns)", weight.ndim == 2)
    fix = f"{reference} @ {argument} needs as many rows in {argument} as columns in {reference}."
    checks.check_size(argument, weight.shape, -2, given.shape[-1], f"{reference}.shape[-1]", fix)
    columns = weight.shape[-1]
    if head_dim is not None:
        fix = "Queries and keys meet in a dot product: they need the same head_dim."
        checks.check_size(argument, weight.shape, -1, heads * head_dim, "num_kv_heads * head_dim", fix)
    if columns % heads:
        expected = f"a number of columns that is a multiple of {heads}, the number of heads"
        fix = f"Every head takes an equal share of the columns of {argument}."
        facts = {"size": columns, "num_heads": heads}
        raise AttentionError("not_divisible", argument, expected, str(columns), fix, facts)
    return columns // heads


def check_output_weight(w_o: Tensor | None, rows: int) -> None:
    if w_o is not None:
        checks.check_dimensions("w_o", w_o, "(rows, columns)", w_o.ndim == 2)
        fix = "w_o takes the concatenated heads: a row for each of their columns."
        checks.check_size("w_o", w_o.shape, -2, rows, "num_heads * value_dim", fix)


def offset(argument: str, vector: Tensor | None, columns: int, reference: str) -> Tensor | float:
    """What is added to a projection: the vector, or 0 where none is given."""
    if vector is None:
        return 0.0
    checks.check_dimensions(argument, vector, "(columns,)", vector.ndim == 1)
    fix = f"{argument} is added to every row of its projection: one number a column."
    checks.check_size(argument, vector.shape, -1, columns, reference, fix)
    return vector
