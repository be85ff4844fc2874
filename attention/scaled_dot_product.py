"""softmax(Q·Kᵀ / √d_k)·V, with every intermediate kept."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import torch
from torch import Tensor

from attention import checks
from attention.errors import AttentionError

STEPS = (
    "query",
    "key",
    "value",
    "scores",
    "scaled_scores",
    "softcapped_scores",
    "biased_scores",
    "masked_scores",
    "weights",
    "dropped_weights",
    "output",
)


class Step(NamedTuple):
    """One step of a computation: its name and its value."""

    name: str
    value: Tensor


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Every intermediate of scaled_dot_product_attention, in the order it is computed.

    A field is None where its step did not take place. masked_scores is always there: without a mask it equals
    the scores before it. weights are the softmax's own; what dropout makes of them is dropped_weights.
    """

    query: Tensor  # (..., q_len, head_dim)
    key: Tensor  # (..., kv_len, head_dim), each head repeated for its group with enable_gqa
    value: Tensor  # (..., kv_len, value_dim), likewise
    scores: Tensor  # (..., q_len, kv_len)
    scale: float
    scaled_scores: Tensor  # (..., q_len, kv_len)
    softcapped_scores: Tensor | None  # (..., q_len, kv_len)
    bias: Tensor | None  # as given
    biased_scores: Tensor | None  # (..., q_len, kv_len)
    mask: Tensor | None  # as given
    masked_scores: Tensor  # (..., q_len, kv_len)
    weights: Tensor  # (..., q_len, kv_len)
    dropped_weights: Tensor | None  # (..., q_len, kv_len)
    output: Tensor  # (..., q_len, value_dim)
    logsumexp: Tensor  # (..., q_len), of masked_scores

    def steps(self) -> Iterator[Step]:
        """The steps that took place, in order."""
        for name in STEPS:
            if getattr(self, name) is not None:
                yield Step(name, getattr(self, name))

    @property
    def unmasked_scores(self) -> Tensor:
        """The scores as they come to the mask: scaled, and capped and with the bias where there are such."""
        return latest(self.scaled_scores, self.softcapped_scores, self.biased_scores)

    def head(self, index: int) -> "AttentionTrace":
        """The trace of one head: every field at `index` of dimension −3, where it has that dimension.

        Raises AttentionError where the trace has no dimension −3 or no head of that index.
        """
        output = self.output
        checks.check_dimensions("head", output, "(..., num_heads, q_len, value_dim)", output.ndim >= 3)
        index = checks.integer("index", index, 0, output.shape[-3] - 1)
        heads = {}
        for field in fields(self):
            tensor = getattr(self, field.name)
            dimension = -2 if field.name == "logsumexp" else -3
            if isinstance(tensor, Tensor) and tensor.ndim >= -dimension:
                shared = tensor.shape[dimension] == 1  # one entry that serves all heads
                heads[field.name] = tensor.select(dimension, 0 if shared else index)
        return replace(self, **heads)


def scaled_dot_product_attention(
    query: Tensor,  # (..., q_len, head_dim)
    key: Tensor,  # (..., kv_len, head_dim)
    value: Tensor,  # (..., kv_len, value_dim)
    *,
    mask: Tensor | None = None,  # bool, broadcasts to (..., q_len, kv_len), True = may attend
    bias: Tensor | None = None,  # float, broadcasts to (..., q_len, kv_len), may hold −inf
    scale: float | None = None,
    softcap: float | None = None,
    enable_gqa: bool = False,
    masked_score: float = -math.inf,
    dropout_p: float = 0.0,
    generator: torch.Generator | None = None,
) -> AttentionTrace:
    """softmax(query·keyᵀ / √head_dim)·value (Vaswani et al. 2017, equation 1), every intermediate kept.

    Leading dimensions broadcast as in torch.matmul. The scores are scaled, by 1/√head_dim unless `scale` is
    given; capped to softcap·tanh(scores / softcap) if `softcap` is given (Gemma Team 2024); `bias` is added;
    and where `mask` is False they become `masked_score`. With −inf, a row that may attend to nothing has
    weights and output 0; with a finite number such as −1e9, it attends to all keys alike.

    `enable_gqa` (Ainslie et al. 2023): on dimension −3 query has a multiple of the heads of key and value,
    and each key/value head serves that many neighbouring query heads. `dropout_p` (Srivastava et al. 2014):
    each weight becomes 0 with this probability, drawn from `generator`, and the rest is divided by
    1 − dropout_p.

    Raises AttentionError where shapes, dtypes or devices do not go together, head_dim is 0, mask is not
    boolean, bias is not floating point, scale is not finite, softcap is not above 0, dropout_p is not from 0
    to 1, or masked_score is neither −inf nor a number that the dtype can hold.
    """
    check_query_key_value(query, key, value)
    if enable_gqa:
        key, value = repeat_heads("key", key, query), repeat_heads("value", value, query)
    check_mask_and_bias(mask, bias, query, check_leading_dimensions(query, key, value))
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else checks.finite("scale", scale)
    softcap = None if softcap is None else checks.positive("softcap", softcap)
    masked_score = checks.masked_score_for(query.dtype, masked_score)
    dropout_p = checks.probability("dropout_p", dropout_p)
    softcapped_scores: Tensor | None = None
    biased_scores: Tensor | None = None
    dropped_weights: Tensor | None = None

    scores = query @ key.transpose(-2, -1)  # (..., q_len, kv_len)
    scaled_scores = scores * scale
    if softcap is not None:
        softcapped_scores = softcap * torch.tanh(scaled_scores / softcap)
    if bias is not None:
        biased_scores = latest(scaled_scores, softcapped_scores) + bias
    unmasked_scores = latest(scaled_scores, softcapped_scores, biased_scores)
    masked_scores = fill_masked(unmasked_scores, mask, masked_score)
    weights = softmax_rows(masked_scores)  # (..., q_len, kv_len), each row sums to 1
    if dropout_p > 0:
        dropped_weights = drop(weights, dropout_p, generator)
    output = latest(weights, dropped_weights) @ value  # (..., q_len, value_dim)

    return AttentionTrace(
        query=query,
        key=key,
        value=value,
        scores=scores,
        scale=scale,
        scaled_scores=scaled_scores,
        softcapped_scores=softcapped_scores,
        bias=bias,
        biased_scores=biased_scores,
        mask=mask,
        masked_scores=masked_scores,
        weights=weights,
        dropped_weights=dropped_weights,
        output=output,
        logsumexp=logsumexp_rows(masked_scores),
    )


def latest(*values: Tensor | None) -> Tensor:
    """The last value that is there."""
    return [value for value in values if value is not None][-1]


def fill_masked(scores: Tensor, mask: Tensor | None, masked_score: float) -> Tensor:
    """The scores, but masked_score where the mask is False."""
    return scores.clone() if mask is None else scores.masked_fill(~mask, masked_score)


def softmax_rows(scores: Tensor) -> Tensor:
    """exp(s) / Σ exp(s) over the last dimension, 0 in a row that is −inf throughout."""
    exps, total, _ = shifted_exps(scores)
    return (exps / total.masked_fill(total == 0, 1.0)).to(scores.dtype)


def logsumexp_rows(scores: Tensor) -> Tensor:
    """log Σ exp(s) over the last dimension, −inf in a row that is −inf throughout."""
    _, total, row_max = shifted_exps(scores)
    logs = total.masked_fill(total == 0, 1.0).log() + row_max
    return logs.masked_fill(total == 0, -math.inf).squeeze(-1).to(scores.dtype)


def shifted_exps(scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """exp(s − max) of each row, its sum, and the max: no overflow, and at least float32 on the way.

    The max cancels out, so no gradient needs to flow through it. A row of only −inf is shifted by 0.
    """
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
    floor = scores.new_full((*scores.shape[:-1], 1), -math.inf)
    row_max = torch.cat((scores, floor), dim=-1).amax(dim=-1, keepdim=True).detach()
    row_max = row_max.masked_fill(row_max == -math.inf, 0.0)
    exps = torch.exp(scores - row_max)
    return exps, exps.sum(dim=-1, keepdim=True), row_max


def drop(weights: Tensor, dropout_p: float, generator: torch.Generator | None) -> Tensor:
    """Each weight is kept with probability 1 − dropout_p and then divided by it, so that the mean stays."""
    chance = torch.rand(weights.shape, generator=generator, dtype=torch.float32, device=weights.device)
    return weights * (chance >= dropout_p) * (1 / (1 - dropout_p) if dropout_p < 1 else 0.0)


def check_query_key_value(query: Tensor, key: Tensor, value: Tensor) -> None:
    checks.check_alike(query=query, key=key, value=value)
    checks.check_dimensions("query", query, "(..., q_len, head_dim)", query.ndim >= 2)
    checks.check_dimensions("key", key, "(..., kv_len, head_dim)", key.ndim >= 2)
    checks.check_dimensions("value", value, "(..., kv_len, value_dim)", value.ndim >= 2)
    if query.shape[-1] == 0:
        expected, got = "a head_dim of at least 1", f"shape {tuple(query.shape)}"
        fix = "A score is a dot product over head_dim: give query and key a last dimension."
        raise AttentionError("head_dim_zero", "query", expected, got, fix, {"shape": tuple(query.shape)})
    fix = "Query and key must have the same head_dim; only value may have its own."
    checks.check_size("key", key.shape, -1, query.shape[-1], "query.shape[-1]", fix)
    fix = "Every key needs exactly one value."
    checks.check_size("value", value.shape, -2, key.shape[-2], "key.shape[-2]", fix)


def repeat_heads(argument: str, tensor: Tensor, query: Tensor) -> Tensor:
    """Each head on dimension −3 as many times in a row as query heads share it: 0 0 1 1, not 0 1 0 1."""
    for name, given in (("query", query), (argument, tensor)):
        checks.check_dimensions(name, given, "(..., heads, length, dim)", given.ndim >= 3)
    query_heads, heads = query.shape[-3], tensor.shape[-3]
    if heads == 0 or query_heads % heads:
        expected, got = f"a number of heads on dimension -3 that divides query's {query_heads}", str(heads)
        fix = "Each key/value head serves the same number of query heads: choose a divisor."
        facts = {"heads": heads, "query_heads": query_heads}
        raise AttentionError("heads_not_shared", argument, expected, got, fix, facts)
    return tensor.repeat_interleave(query_heads // heads, dim=-3)


def check_leading_dimensions(query: Tensor, key: Tensor, value: Tensor) -> tuple[int, ...]:
    """The shape of the scores, once query, key and value are known to broadcast."""
    for argument, tensor in (("key", key), ("value", value)):
        check_head_count(argument, tensor.shape[:-2], query.shape[:-2])
    leading = checks.check_leading("query", query.shape[:-2], "key", key.shape)
    checks.check_leading("query, key", leading, "value", value.shape)
    return (*leading, query.shape[-2], key.shape[-2])


def check_head_count(argument: str, leading: tuple[int, ...], query_leading: tuple[int, ...]) -> None:
    """Refuse the one mismatch of leading dimensions that enable_gqa solves, if dimension −3 counts heads."""
    if not leading or not query_leading or leading[-1] in (0, 1) or query_leading[-1] in (0, 1, leading[-1]):
        return
    query_heads, heads = query_leading[-1], leading[-1]
    if query_heads % heads == 0 and checks.broadcast_shape(leading[:-1], query_leading[:-1]) is not None:
        expected = f"{query_heads} or 1 on dimension -3, as query has {query_heads}"
        fix = (
            "If dimension -3 counts heads, and each key/value head is to serve several query heads, pass "
            f"enable_gqa=True. If it counts batch entries, give {argument} as many as query has, or 1."
        )
        facts = {"heads": heads, "query_heads": query_heads}
        raise AttentionError("head_count_differs", argument, expected, str(heads), fix, facts)


def check_mask_and_bias(mask: object, bias: object, query: Tensor, scores_shape: tuple[int, ...]) -> None:
    if mask is not None:
        checks.check_mask(mask, "query", query)
        checks.check_broadcasts("mask", mask, scores_shape)
    if bias is not None:
        checks.check_bias(bias, "query", query)
        checks.check_broadcasts("bias", bias, scores_shape)
