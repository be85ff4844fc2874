"""softmax(Q·Kᵀ / √d_k)·V, with every intermediate kept."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attention import checks
from attention.errors import AttentionError
from attention.spelling import SDPA, translates

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
OF_ROWS = {"logsumexp": -2, "sink_weights": -2, "sinks": -1}  # the dimension of the heads, where it is not −3


class Step(NamedTuple):
    """One step of a computation: its name and its value."""

    name: str
    value: Tensor


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Every intermediate of scaled_dot_product_attention, in the order it is computed.

    A field is None where its step did not take place. masked_scores is never None: without a mask it equals
    the scores of the step before. weights are the result of the softmax; with `sinks` they and the share of
    the sink, sink_weights, sum to 1. dropped_weights are the weights after dropout.
    """

    query: Tensor  # (..., q_len, head_dim)
    key: Tensor  # (..., kv_len, head_dim), each head repeated for its group with enable_gqa
    value: Tensor  # (..., kv_len, value_dim), its heads repeated as the heads of key are
    scores: Tensor  # (..., q_len, kv_len)
    scale: float
    scaled_scores: Tensor  # (..., q_len, kv_len)
    softcapped_scores: Tensor | None  # (..., q_len, kv_len)
    bias: Tensor | None  # the argument
    biased_scores: Tensor | None  # (..., q_len, kv_len)
    mask: Tensor | None  # the argument
    masked_scores: Tensor  # (..., q_len, kv_len)
    sinks: Tensor | None  # the argument
    weights: Tensor  # (..., q_len, kv_len)
    sink_weights: Tensor | None  # (..., q_len), 1 minus the sum of the row's weights
    dropped_weights: Tensor | None  # (..., q_len, kv_len)
    output: Tensor  # (..., q_len, value_dim)
    logsumexp: Tensor  # (..., q_len), of masked_scores and, with `sinks`, of the sink

    def steps(self) -> Iterator[Step]:
        """The steps that took place, in order."""
        for name in STEPS:
            if getattr(self, name) is not None:
                yield Step(name, getattr(self, name))

    @property
    def unmasked_scores(self) -> Tensor:
        """The scores before the mask: scaled, then capped and with the bias where these steps took place."""
        return latest(self.scaled_scores, self.softcapped_scores, self.biased_scores)

    def head(self, index: int) -> "AttentionTrace":
        """The trace of one head: every field at `index` of dimension −3, if the field has a dimension −3.

        Raises AttentionError where the trace has no dimension −3 or no head of that index.
        """
        output = self.output
        if output.ndim < 3:
            raise AttentionError("no_heads", "trace", shape=tuple(output.shape))
        index = checks.integer("index", index, 0, output.shape[-3] - 1)
        heads: dict[str, Any] = {}
        for field in fields(self):
            tensor = getattr(self, field.name)
            dimension = OF_ROWS.get(field.name, -3)
            if isinstance(tensor, Tensor) and tensor.ndim >= -dimension:
                shared = tensor.shape[dimension] == 1  # one entry that serves all heads
                heads[field.name] = tensor.select(dimension, 0 if shared else index)
        return replace(self, **heads)


@translates(SDPA)
def scaled_dot_product_attention(
    query: Tensor,  # (..., q_len, head_dim)
    key: Tensor,  # (..., kv_len, head_dim)
    value: Tensor,  # (..., kv_len, value_dim)
    *,
    mask: Tensor | None = None,  # bool, broadcasts to (..., q_len, kv_len), True = may attend
    bias: Tensor | None = None,  # float, broadcasts to (..., q_len, kv_len), may hold −inf
    scale: float | None = None,
    softcap: float | None = None,
    sinks: Tensor | None = None,  # float, (num_heads,), or () where the scores have no dimension −3
    enable_gqa: bool = False,
    masked_score: float = -math.inf,
    dropout_p: float = 0.0,
    generator: torch.Generator | None = None,
) -> AttentionTrace:
    """softmax(query·keyᵀ / √head_dim)·value (Vaswani et al. 2017, equation 1), every intermediate kept.

    Leading dimensions broadcast as in torch.matmul. The scores are scaled, by 1/√head_dim unless `scale` is
    given; capped to softcap·tanh(scores / softcap) if `softcap` is given (Gemma Team 2024); `bias` is added;
    and where `mask` is False they become `masked_score`. With −inf, a row that may attend to nothing has
    weights and output 0; with a finite number such as −1e9, its weights are equal for all keys. A weight
    of 0 times ∞ or NaN is NaN, so a mask does not keep ∞ or NaN in value out of the output, as in PyTorch.

    `enable_gqa` (Ainslie et al. 2023): on dimension −3 query has a multiple of the heads of key and value,
    and each key/value head serves that many neighbouring query heads. `dropout_p` (Srivastava et al. 2014):
    each weight becomes 0 with this probability, drawn from `generator`, and the other weights are divided by
    1 − dropout_p.

    `sinks` (gpt-oss, OpenAI 2025) has a number for each head, on dimension −3: its exponential is added to
    the sum by which the softmax divides. That is one more key and value of zeros, never masked, with the sink
    as its bias; the scores of the other keys alone are capped, masked and dropped. A sink of 0 adds 1 to the
    sum (Miller 2023).

    Raises AttentionError where shapes, dtypes or devices do not fit together, head_dim is 0, mask is not
    boolean, bias or sinks is not floating point, scale is not finite, softcap is not above 0, dropout_p is
    not from 0 to 1, or masked_score is neither −inf nor a number that the dtype can hold.
    """
    shape = checks.check_attention(query, key, value, mask, bias, enable_gqa=enable_gqa)
    checks.check_sinks(sinks, "query", query, shape[-3:-2])
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else checks.finite("scale", scale)
    softcap = None if softcap is None else checks.positive("softcap", softcap)
    masked_score = checks.masked_score_for(query.dtype, masked_score)
    dropout_p = checks.probability("dropout_p", dropout_p)
    if enable_gqa:
        key, value = repeat_heads(key, query.shape[-3]), repeat_heads(value, query.shape[-3])

    scores = query @ key.transpose(-2, -1)  # (..., q_len, kv_len)
    scaled_scores = scores * scale  # same shape
    softcapped_scores = None if softcap is None else softcap * (scaled_scores / softcap).tanh()  # same shape
    biased_scores = None if bias is None else latest(scaled_scores, softcapped_scores) + bias  # same shape
    unmasked_scores = latest(scaled_scores, softcapped_scores, biased_scores)  # same shape
    masked_scores = fill_masked(unmasked_scores, mask, masked_score)  # same shape
    with_sinks = add_sinks(masked_scores, sinks)  # (..., q_len, kv_len), with sinks one column more
    weights = softmax_rows(with_sinks)[..., : key.shape[-2]]  # (..., q_len, kv_len)
    sink_weights = None if sinks is None else softmax_rows(with_sinks)[..., -1]  # (..., q_len)
    dropped_weights = drop(weights, dropout_p, generator) if dropout_p > 0 else None  # same shape
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
        sinks=sinks,
        weights=weights,
        sink_weights=sink_weights,
        dropped_weights=dropped_weights,
        output=output,
        logsumexp=logsumexp_rows(with_sinks),
    )


def latest(*values: Tensor | None) -> Tensor:
    """The last value that is not None."""
    return [value for value in values if value is not None][-1]


def fill_masked(scores: Tensor, mask: Tensor | None, masked_score: float) -> Tensor:
    """The scores, but masked_score where the mask is False."""
    return scores.clone() if mask is None else scores.masked_fill(~mask, masked_score)


def add_sinks(scores: Tensor, sinks: Tensor | None) -> Tensor:
    """The scores and, in a last column, the sink of each head. Without sinks the scores themselves."""
    if sinks is None:
        return scores
    return torch.cat((scores, sinks[..., None, None].expand(*scores.shape[:-1], 1)), dim=-1)


def softmax_rows(scores: Tensor) -> Tensor:
    """exp(s) / Σ exp(s) over the last dimension, 0 in a row of only −inf."""
    exps, total, _ = shifted_exps(scores)
    return (exps / total.masked_fill(total == 0, 1.0)).to(scores.dtype)


def logsumexp_rows(scores: Tensor) -> Tensor:
    """log Σ exp(s) over the last dimension, −inf in a row of only −inf."""
    _, total, row_max = shifted_exps(scores)
    logs = total.masked_fill(total == 0, 1.0).log() + row_max
    return logs.masked_fill(total == 0, -math.inf).squeeze(-1).to(scores.dtype)


def shifted_exps(scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """exp(s − max) of each row, its sum, and the max, in at least float32. Nothing overflows.

    The max cancels out, so no gradient needs to flow through it. A row of only −inf is shifted by 0.
    """
    scores = scores.to(torch.promote_types(scores.dtype, torch.float32))
    floor = scores.new_full((*scores.shape[:-1], 1), -math.inf)
    row_max = torch.cat((scores, floor), dim=-1).amax(dim=-1, keepdim=True).detach()
    row_max = row_max.masked_fill(row_max == -math.inf, 0.0)
    exps = torch.exp(scores - row_max)
    return exps, exps.sum(dim=-1, keepdim=True), row_max


def drop(weights: Tensor, dropout_p: float, generator: torch.Generator | None) -> Tensor:
    """Each weight is kept with probability 1 − dropout_p and then divided by it, so its mean stays."""
    draws = torch.rand(weights.shape, generator=generator, dtype=torch.float32, device=weights.device)
    return weights * (draws >= dropout_p) * (1 / (1 - dropout_p) if dropout_p < 1 else 0.0)


def repeat_heads(tensor: Tensor, query_heads: int) -> Tensor:
    """Each head on dimension −3 as many times in a row as query heads share it: 0 0 1 1, not 0 1 0 1."""
    return tensor.repeat_interleave(query_heads // tensor.shape[-3], dim=-3)
