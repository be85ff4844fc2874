"""A causal language model, SmolLM2-135M-Instruct: the next word, and what its heads attend to.

    x = embedding of the tokens
    in each layer: x += attention(rms_norm(x)) and x += feed-forward(rms_norm(x))
    logits = rms_norm(x) @ embeddingᵀ

Attention is the core's, with grouped queries, rotary positions and a causal mask.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from attention import MultiHeadTrace, causal_mask, multi_head_attention, rotary_embedding
from attention.checks import integer

MOST_TOKENS = 64
Head = tuple[int, int]  # layer and head, counted from 0


@dataclass(frozen=True, eq=False)
class CausalLayer:
    """The matrices of a layer, (in, out), and the gains of its two norms."""

    gain_1: Tensor  # (embed_dim,)
    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    w_o: Tensor
    gain_2: Tensor  # (embed_dim,)
    w_gate: Tensor  # (embed_dim, hidden_dim)
    w_up: Tensor  # (embed_dim, hidden_dim)
    w_down: Tensor  # (hidden_dim, embed_dim)


@dataclass(frozen=True, eq=False)
class CausalModel:
    """All weights of a model, and the numbers that they are used with."""

    embedding: Tensor  # (words, embed_dim)
    layers: tuple[CausalLayer, ...]
    gain: Tensor  # (embed_dim,), of the last norm
    heads: int
    kv_heads: int
    base: float  # of the rotary embedding
    interleaved: bool  # whether a pair that is rotated is next to each other, or half the width apart
    eps: float  # of the norms

    @property
    def head_dim(self) -> int:
        return self.layers[0].w_q.shape[1] // self.heads

    def rotate(self, x: Tensor) -> Tensor:
        return rotary_embedding(x, base=self.base, interleaved=self.interleaved)

    def norm(self, x: Tensor, gain: Tensor) -> Tensor:
        """x / √(mean(x²) + eps) · gain"""
        return F.rms_norm(x, gain.shape, gain, self.eps)


@dataclass(frozen=True, eq=False)
class CausalTrace:
    """What the model computes for a text."""

    heads: tuple[MultiHeadTrace, ...]  # of each layer
    logits: Tensor  # (words,), of the next word


def attend(model: CausalModel, layer: CausalLayer, x: Tensor) -> MultiHeadTrace:
    """The attention of a layer to its stream (..., n, embed_dim)."""
    return multi_head_attention(
        model.norm(x, layer.gain_1),
        w_q=layer.w_q,
        w_k=layer.w_k,
        w_v=layer.w_v,
        w_o=layer.w_o,
        num_heads=model.heads,
        num_kv_heads=model.kv_heads,
        rotate=model.rotate,
        mask=causal_mask(x.shape[-2]),
    )


def feed_forward(model: CausalModel, layer: CausalLayer, x: Tensor) -> Tensor:
    """SwiGLU (Shazeer 2020): (silu(x @ w_gate) · (x @ w_up)) @ w_down, in each row by itself."""
    rows = model.norm(x, layer.gain_2)
    return (F.silu(rows @ layer.w_gate) * (rows @ layer.w_up)) @ layer.w_down


def head_part(model: CausalModel, layer: CausalLayer, trace: MultiHeadTrace, head: int) -> Tensor:
    """What a head adds to the stream: its output times its rows of w_o."""
    rows = slice(head * model.head_dim, (head + 1) * model.head_dim)
    return trace.heads.output[..., head, :, :] @ layer.w_o[rows]


def logits(model: CausalModel, x: Tensor) -> Tensor:
    """The logits of the word after the last token of the stream (..., n, embed_dim)."""
    return model.norm(x[..., -1, :], model.gain) @ model.embedding.T


@torch.no_grad()
def run(model: CausalModel, ids: Tensor, off: Head | None = None) -> CausalTrace:
    """The whole computation for tokens (n,). off: a head whose output is replaced by zeros.

    Raises AttentionError for a text of no token, or of more than MOST_TOKENS.
    """
    integer("tokens", len(ids), 1, MOST_TOKENS)
    x, traces = model.embedding[ids], []
    for number, layer in enumerate(model.layers):
        trace = attend(model, layer, x)
        traces.append(trace)
        x = x + trace.output
        if off is not None and off[0] == number:
            x = x - head_part(model, layer, trace, off[1])
        x = x + feed_forward(model, layer, x)
    return CausalTrace(tuple(traces), logits(model, x))


@torch.no_grad()
def without_each(model: CausalModel, ids: Tensor) -> Iterator[Tensor]:
    """Layer by layer, the probabilities (heads, words) of the next word without each of its heads.

    The heads of a layer are a batch, which begins in their layer.
    """
    integer("tokens", len(ids), 1, MOST_TOKENS)
    x = model.embedding[ids]
    for number, layer in enumerate(model.layers):
        trace = attend(model, layer, x)
        x = x + trace.output
        parts = [head_part(model, layer, trace, head) for head in range(model.heads)]
        rows = x - torch.stack(parts)  # (heads, n, embed_dim)
        rows = rows + feed_forward(model, layer, rows)
        for later in model.layers[number + 1 :]:
            rows = rows + attend(model, later, rows).output
            rows = rows + feed_forward(model, later, rows)
        yield logits(model, rows).softmax(-1)
        x = x + feed_forward(model, layer, x)
