"""One or two layers of one causal head each, with a residual stream.

Matrices are a dict of float64 tensors: embedding (6, 16) with a row for each letter, positions (8, 16) with a
row for each place, for each layer w_q_1, w_k_1, w_v_1 (16, 8) and w_o_1 (8, 16), and unembedding (16, 6).
There is no LayerNorm and no feed-forward layer (Elhage et al. 2021: an attention-only transformer).
"""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attention import MultiHeadTrace, causal_mask, multi_head_attention
from attention.checks import check_choice, integer, positive
from attention.lab.two_layers.task import ASKED, HALF, LENGTH, LETTERS, answers_of

Matrices = dict[str, Tensor]
WIDTH = 16  # d_model: columns of the residual stream
HEAD_DIM = 8  # d_k and d_v
CUTS = ("query", "key", "value")  # what layer 2 can read without the output of layer 1
MOST_STEPS = 1000


@dataclass(frozen=True)
class TwoLayersOptions:
    """One training.

    Raises AttentionError for another number of layers than 1 or 2, a seed below 0, steps outside 1 … 1000 and
    a learning rate that is not above 0.
    """

    layers: int = 2
    seed: int = 0
    steps: int = 600  # of Adam
    learning_rate: float = 0.01

    def __post_init__(self) -> None:
        integer("layers", self.layers, 1, 2)
        integer("seed", self.seed, 0)
        integer("steps", self.steps, 1, MOST_STEPS)
        positive("learning_rate", self.learning_rate)


@dataclass(frozen=True, eq=False)
class StreamTrace:
    """The residual stream before, between and after the layers, each layer's attention, and the logits."""

    streams: tuple[Tensor, ...]  # each (..., n, 16)
    layers: tuple[MultiHeadTrace, ...]
    logits: Tensor  # (..., n, 6)


def layers_of(matrices: Matrices) -> int:
    return 2 if "w_q_2" in matrices else 1


def fresh(options: TwoLayersOptions) -> Matrices:
    """The matrices at the start: normal, drawn from the seed, with standard deviation 1/√rows.

    Letters and places have standard deviation 1.
    """
    generator = torch.Generator().manual_seed(options.seed)

    def drawn(rows: int, cols: int, spread: float) -> Tensor:
        return torch.randn(rows, cols, generator=generator, dtype=torch.float64) * spread

    matrices = {"embedding": drawn(len(LETTERS), WIDTH, 1.0), "positions": drawn(LENGTH, WIDTH, 1.0)}
    for layer in range(1, options.layers + 1):
        for name in ("w_q", "w_k", "w_v"):
            matrices[f"{name}_{layer}"] = drawn(WIDTH, HEAD_DIM, 1 / math.sqrt(WIDTH))
        matrices[f"w_o_{layer}"] = drawn(HEAD_DIM, WIDTH, 1 / math.sqrt(HEAD_DIM))
    return matrices | {"unembedding": drawn(WIDTH, len(LETTERS), 1 / math.sqrt(WIDTH))}


def trace_of(matrices: Matrices, tokens: Tensor, cut: Collection[str] = ()) -> StreamTrace:
    """The model on sequences (..., n), n at most 8. Each layer adds its output to the residual stream.

    cut: layer 2 computes these of its query, key and value from the stream as it was before layer 1. Raises
    AttentionError for another name.
    """
    for name in cut:
        check_choice("cut", name, CUTS)
    streams = [matrices["embedding"][tokens] + matrices["positions"][: tokens.shape[-1]]]
    mask, layers = causal_mask(tokens.shape[-1]), list[MultiHeadTrace]()
    for layer in range(1, layers_of(matrices) + 1):
        inputs = [streams[0] if name in cut else streams[-1] for name in CUTS]
        weights: dict[str, Any] = {name: matrices[f"{name}_{layer}"] for name in ("w_q", "w_k", "w_v", "w_o")}
        layers.append(multi_head_attention(*inputs, **weights, mask=mask))
        streams.append(streams[-1] + layers[-1].output)
    return StreamTrace(tuple(streams), tuple(layers), streams[-1] @ matrices["unembedding"])


def asked_logits(trace: StreamTrace) -> Tensor:
    """The logits (..., 3, 6) of the tokens that answer."""
    return trace.logits[..., HALF : LENGTH - 1, :]


def loss_of(matrices: Matrices, tokens: Tensor) -> Tensor:
    """Mean cross-entropy of the asked tokens of sequences (count, 8)."""
    logits = asked_logits(trace_of(matrices, tokens))
    return F.cross_entropy(logits.flatten(0, 1), answers_of(tokens).flatten())


def accuracy_of(matrices: Matrices, tokens: Tensor, cut: Collection[str] = ()) -> float:
    """Share of right answers on sequences (count, 8). cut: as in trace_of."""
    return sum(accuracy_by_place(matrices, tokens, cut)) / len(ASKED)


def accuracy_by_place(matrices: Matrices, tokens: Tensor, cut: Collection[str] = ()) -> list[float]:
    """The same for each of the three places that answer."""
    with torch.no_grad():
        answers = asked_logits(trace_of(matrices, tokens, cut)).argmax(-1)
    return (answers == answers_of(tokens)).double().mean(0).tolist()
