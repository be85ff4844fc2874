"""Self-attention from its inputs to its output: what it starts from, and every step of a run."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor

from attention.masks import padding_mask
from attention.multi_head import multi_head_attention


@dataclass(frozen=True, eq=False)
class Inputs:
    """What self-attention starts from."""

    x: Tensor  # (n, d_model)
    w_q: Tensor  # (d_model, num_heads * d_k)
    w_k: Tensor  # (d_model, num_heads * d_k)
    w_v: Tensor  # (d_model, num_heads * d_v)
    w_o: Tensor | None = None  # (num_heads * d_v, d_model)
    num_heads: int = 1
    mask: Tensor | None = None  # (n, n), True = may attend, without the padding
    real: int | None = None  # only the first so many tokens are real, the rest is padding; None: no padding
    beside: Tensor | None = None  # (n, n), the whole mask of the batch's second sentence, if there is one

    @property
    def n(self) -> int:
        return self.x.shape[0]

    @property
    def d_model(self) -> int:
        return self.x.shape[1]

    @property
    def d_k(self) -> int:
        return self.w_q.shape[1] // self.num_heads

    @property
    def d_v(self) -> int:
        return self.w_v.shape[1] // self.num_heads

    @property
    def every(self) -> Tensor:
        """The mask without the padding, all True where there is no mask: (n, n)."""
        return torch.ones(self.n, self.n, dtype=torch.bool) if self.mask is None else self.mask

    @property
    def visible(self) -> Tensor | None:
        """The mask and the padding together, (n, n); None where nothing is masked."""
        return self.mask if self.real is None else self.every & padding_mask([self.real], self.n)

    @cached_property
    def run(self) -> "Run":
        """The run as the core computes it, kept."""
        return right(self)


class Run(NamedTuple):
    """The steps of one computation, named and in order as in MultiHeadTrace.steps(); h heads, or one."""

    query: Tensor  # (h, n, d_k)
    key: Tensor  # (h, n, d_k)
    value: Tensor  # (h, n, d_v)
    scores: Tensor  # (h, n, n)
    scaled_scores: Tensor  # (h, n, n)
    masked_scores: Tensor  # (h, n, n), the scaled scores where nothing is masked
    weights: Tensor  # (h, n, n)
    head_output: Tensor  # (h, n, d_v)
    concatenated: Tensor  # (n, h * d_v)
    output: Tensor  # (n, d_model), the concatenation where there is no W_O


def right(inputs: Inputs) -> Run:
    """The run as the core computes it."""
    trace = multi_head_attention(
        inputs.x,
        w_q=inputs.w_q,
        w_k=inputs.w_k,
        w_v=inputs.w_v,
        w_o=inputs.w_o,
        num_heads=inputs.num_heads,
        mask=inputs.visible,
    )
    heads = trace.heads
    scores = heads.scores, heads.scaled_scores, heads.masked_scores
    joined = heads.output, trace.concatenated, trace.output
    return Run(heads.query, heads.key, heads.value, *scores, heads.weights, *joined)
