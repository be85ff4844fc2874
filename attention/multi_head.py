"""Project, split into heads, attend in each, concatenate, project back, with every intermediate kept."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from attention import checks
from attention.scaled_dot_product import AttentionTrace, Step, latest, scaled_dot_product_attention
from attention.spelling import LAYER, translates

EPSILON = 1e-6  # added to a mean of squares before its root, so that a row of zeros stays 0 and is not NaN
BEFORE_SCORES = ("normalized_query", "normalized_key", "rotated_query", "rotated_key")  # steps of each head


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """Every intermediate of multi_head_attention, in the order it is computed.

    A field is None where its step did not take place. The query and key of `heads` are the rotated ones, else
    the normalized ones, else the columns of each head in the projections.
    """

    query_input: Tensor  # (..., q_len, embed_dim)
    key_input: Tensor  # (..., kv_len, ·)
    value_input: Tensor  # (..., kv_len, ·)
    query: Tensor  # (..., q_len, num_heads * head_dim), before the split
    key: Tensor  # (..., kv_len, num_kv_heads * head_dim)
    value: Tensor  # (..., kv_len, num_kv_heads * value_dim)
    normalized_query: Tensor | None  # (..., num_heads, q_len, head_dim); None without qk_norm
    normalized_key: Tensor | None  # (..., num_kv_heads, kv_len, head_dim); None without qk_norm
    rotated_query: Tensor | None  # (..., num_heads, q_len, head_dim); None without `rotate`
    rotated_key: Tensor | None  # (..., num_kv_heads, kv_len, head_dim); None without `rotate`
    heads: AttentionTrace  # its dimension −3 is the head
    concatenated: Tensor  # (..., q_len, num_heads * value_dim)
    output: Tensor  # (..., q_len, ·)

    def steps(self) -> Iterator[Step]:
        """The steps that took place, in order; the heads' own output is named head_output."""
        for name in ("query", "key", "value", *BEFORE_SCORES):
            if getattr(self, name) is not None:
                yield Step(name, getattr(self, name))
        for name, value in self.heads.steps():
            if name not in ("query", "key", "value"):
                yield Step("head_output" if name == "output" else name, value)
        yield Step("concatenated", self.concatenated)
        yield Step("output", self.output)

    def head(self, index: int) -> AttentionTrace:
        """The trace of one head."""
        return self.heads.head(index)


@translates(LAYER)
def multi_head_attention(
    query_input: Tensor,  # (..., q_len, embed_dim)
    key_input: Tensor | None = None,  # (..., kv_len, ·), default query_input
    value_input: Tensor | None = None,  # (..., kv_len, ·), default key_input
    *,
    w_q: Tensor,  # (embed_dim, num_heads * head_dim)
    w_k: Tensor,  # (·, num_kv_heads * head_dim)
    w_v: Tensor,  # (·, num_kv_heads * value_dim)
    w_o: Tensor | None = None,  # (num_heads * value_dim, ·); without w_o the output is the concatenation
    b_q: Tensor | None = None,  # (num_heads * head_dim,)
    b_k: Tensor | None = None,  # (num_kv_heads * head_dim,)
    b_v: Tensor | None = None,  # (num_kv_heads * value_dim,)
    b_o: Tensor | None = None,  # (·,), as many as the output has columns
    num_heads: int = 1,
    num_kv_heads: int | None = None,
    qk_norm: bool = False,
    g_q: Tensor | None = None,  # (head_dim,), default ones; only with qk_norm
    g_k: Tensor | None = None,  # (head_dim,), default ones; only with qk_norm
    rotate: Callable[[Tensor], Tensor] | None = None,  # (..., heads, length, head_dim) -> the same shape
    mask: Tensor | None = None,
    bias: Tensor | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    sinks: Tensor | None = None,  # (num_heads,)
    enable_gqa: bool | None = None,  # default: where num_kv_heads is below num_heads
    masked_score: float = -math.inf,
    dropout_p: float = 0.0,
    generator: torch.Generator | None = None,
) -> MultiHeadTrace:
    """Attention in num_heads subspaces at once (Vaswani et al. 2017, section 3.2.2), every intermediate kept.

    Weights multiply on the right, X @ W; one matrix holds all heads' columns, head by head. With
    num_kv_heads below num_heads, several query heads share one key/value head (Ainslie et al. 2023); it
    must divide num_heads. A weight is (in, out); nn.Linear.weight is (out, in), so pass its .T. Inputs are
    (length, embed_dim), or have batch dimensions in front, which broadcast. The arguments from scale to
    generator are passed to scaled_dot_product_attention.

    With qk_norm, each row of each head's query and key is divided by its root mean square and multiplied by
    the gain (rms_norm), which is the same for every head. Without gains each row then has the norm √head_dim,
    and no scaled score is above √head_dim in absolute value. This is the query-key normalization of Qwen3 and
    Gemma 3; OLMo 2 divides by the root mean square over the columns of all heads together. Henry et al. 2020,
    who introduced query-key normalization, divide by the norm and learn one scale; Dehghani et al. 2023
    (ViT-22B) use LayerNorm.

    `rotate`, such as rotary_embedding, is applied to each head's queries and keys after qk_norm and before
    their scores.

    The number of dimensions of mask (bool, True = may attend) and of bias (added to the scores) says what
    they are; n is the largest number of dimensions of an input:

        up to 2   (q_len, kv_len), for every sequence of the batch and every head
        n         (batch…, q_len, kv_len), for every head of its sequence, if the inputs are batched
        n + 1     (batch…, num_heads, q_len, kv_len)

    Each size may also be 1. So a padding_mask needs mask[:, None, :].

    Raises AttentionError where a weight's shape does not fit the inputs or the number of heads, for any other
    shape of mask or bias, for a gain without qk_norm or of another size than head_dim, and where
    scaled_dot_product_attention raises it.
    """
    key_input = query_input if key_input is None else key_input
    value_input = key_input if value_input is None else value_input
    inputs = query_input, key_input, value_input
    weights, offsets = (w_q, w_k, w_v, w_o), (b_q, b_k, b_v, b_o)
    num_heads, num_kv_heads = checks.check_heads(num_heads, num_kv_heads)
    scores_shape = checks.check_inputs(*inputs)  # (batch…, q_len, kv_len)
    head_dim, value_dim = checks.check_projections(inputs, weights, offsets, num_heads, num_kv_heads)
    checks.check_gains(qk_norm, g_q, g_k, query_input, head_dim)
    checks.check_mask(mask, "query_input", query_input)
    checks.check_bias(bias, "query_input", query_input)
    checks.check_sinks(sinks, "query_input", query_input, (num_heads,))

    query = project(query_input, w_q, b_q)  # (..., q_len, num_heads * head_dim)
    key = project(key_input, w_k, b_k)  # (..., kv_len, num_kv_heads * head_dim)
    value = project(value_input, w_v, b_v)  # (..., kv_len, num_kv_heads * value_dim)
    query_heads = split(query, num_heads, head_dim)  # (..., num_heads, q_len, head_dim)
    key_heads = split(key, num_kv_heads, head_dim)  # (..., num_kv_heads, kv_len, head_dim)
    value_heads = split(value, num_kv_heads, value_dim)  # (..., num_kv_heads, kv_len, value_dim)
    normalized_query = rms_norm(query_heads, g_q) if qk_norm else None  # same shape
    normalized_key = rms_norm(key_heads, g_k) if qk_norm else None  # same shape
    rotated_query = None if rotate is None else rotate(latest(query_heads, normalized_query))  # same shape
    rotated_key = None if rotate is None else rotate(latest(key_heads, normalized_key))  # same shape
    heads = scaled_dot_product_attention(
        latest(query_heads, normalized_query, rotated_query),
        latest(key_heads, normalized_key, rotated_key),
        value_heads,
        mask=for_every_head("mask", mask, scores_shape, num_heads),
        bias=for_every_head("bias", bias, scores_shape, num_heads),
        scale=scale,
        softcap=softcap,
        sinks=sinks,
        enable_gqa=num_kv_heads != num_heads if enable_gqa is None else enable_gqa,
        masked_score=masked_score,
        dropout_p=dropout_p,
        generator=generator,
    )
    head_output = heads.output  # (..., num_heads, q_len, value_dim)
    concatenated = head_output.transpose(-3, -2).flatten(-2)  # (..., q_len, num_heads * value_dim)
    output = project(concatenated, w_o, b_o)  # (..., q_len, ·)

    return MultiHeadTrace(
        query_input=query_input,
        key_input=key_input,
        value_input=value_input,
        query=query,
        key=key,
        value=value,
        normalized_query=normalized_query,
        normalized_key=normalized_key,
        rotated_query=rotated_query,
        rotated_key=rotated_key,
        heads=heads,
        concatenated=concatenated,
        output=output,
    )


def project(x: Tensor, weight: Tensor | None, offset: Tensor | None) -> Tensor:
    """x @ weight + offset, each where it is not None; a tensor of its own, as every step of a trace."""
    product = x.clone() if weight is None else x @ weight
    return product if offset is None else product + offset


def split(x: Tensor, heads: int, dim: int) -> Tensor:
    """The columns shared out among the heads: (..., length, heads * dim) -> (..., heads, length, dim)."""
    return x.reshape(*x.shape[:-1], heads, dim).transpose(-3, -2)


def rms_norm(x: Tensor, gain: Tensor | None = None) -> Tensor:
    """x / √(mean(x²) + 10⁻⁶) · gain over the last dimension (Zhang & Sennrich 2019). Shape of x.

    As torch.nn.functional.rms_norm with eps=1e-6, the value in Qwen3 and Gemma 3. At least float32 on the
    way. gain is (size of the last dimension,), default ones; Gemma stores gain − 1.
    """
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    normalized = wide * torch.rsqrt(wide.square().mean(dim=-1, keepdim=True) + EPSILON)
    return (normalized if gain is None else normalized * gain).to(x.dtype)


def for_every_head(
    argument: str, tensor: Tensor | None, scores_shape: tuple[int, ...], num_heads: int
) -> Tensor | None:
    """mask or bias with a head dimension; multi_head_attention says what its number of dimensions means.

    scores_shape is (batch…, q_len, kv_len), without the heads.
    """
    if tensor is None:
        return None
    checks.check_for_heads(argument, tensor, scores_shape, num_heads)
    if tensor.ndim <= 2 or tensor.ndim == len(scores_shape) + 1:
        return tensor
    return tensor.unsqueeze(-3)  # (batch…, 1, q_len, kv_len)
