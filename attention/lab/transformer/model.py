"""The matrices of the model, the core's blocks with them, and its loss on the sentences of the grammar.

Matrices are a dict of float64 tensors, X @ W: e (words, width), p (positions, width), w_u (width, words), and
for block i, from 1 on, w_q_i w_k_i w_v_i w_o_i (width, width), w_1_i (width, hidden), w_2_i (hidden, width).
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from attention import BlockTrace, causal_mask, transformer_block
from attention.checks import check_choice, integer
from attention.lab.transformer.grammar import LENGTH, SENTENCES, WORDS
from attention.scaled_dot_product import softmax_rows

WIDTH, HIDDEN, MOST_BLOCKS = 4, 8, 3
IN_BLOCK = {
    "w_q": (WIDTH, WIDTH),
    "w_k": (WIDTH, WIDTH),
    "w_v": (WIDTH, WIDTH),
    "w_o": (WIDTH, WIDTH),
    "w_1": (WIDTH, HIDDEN),
    "w_2": (HIDDEN, WIDTH),
}
ModelMatrices = dict[str, Tensor]


@dataclass(frozen=True)
class ModelOptions:
    """The form of the model, and the seed of its first numbers. The matrices depend on blocks and seed alone.

    Raises AttentionError for blocks outside 1 … 3, heads other than 1, 2, 4, another norm, or a seed below 0.
    """

    blocks: int = 1
    heads: int = 1
    norm: str = "before"
    residual: bool = True
    feed_forward: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        integer("blocks", self.blocks, 1, MOST_BLOCKS)
        check_choice("heads", str(self.heads), ("1", "2", "4"))
        check_choice("norm", self.norm, ("before", "after", "none"))
        integer("seed", self.seed, 0)


@dataclass(frozen=True, eq=False)
class ModelTrace:
    """Every intermediate of the model, in the order it is computed."""

    embedded: Tensor  # (..., length, width), the rows of e
    x: Tensor  # (..., length, width), with p added
    blocks: tuple[BlockTrace, ...]
    logits: Tensor  # (..., length, words)
    probabilities: Tensor  # (..., length, words), of the next word


def shapes_of(blocks: int) -> dict[str, tuple[int, int]]:
    """Rows and columns of each matrix, in the order of the computation."""
    middle = {f"{name}_{i}": shape for i in range(1, blocks + 1) for name, shape in IN_BLOCK.items()}
    return {"e": (WORDS, WIDTH), "p": (LENGTH, WIDTH), **middle, "w_u": (WIDTH, WORDS)}


def fresh_model(options: ModelOptions) -> ModelMatrices:
    """The matrices before training: normal with the variance 1 / rows of X @ W, and 1/4 in e and p."""
    generator = torch.Generator().manual_seed(options.seed)
    shapes = shapes_of(options.blocks)
    return {
        name: torch.randn(shape, generator=generator, dtype=torch.float64)
        / (2 if name in ("e", "p") else math.sqrt(shape[0]))
        for name, shape in shapes.items()
    }


def model_trace(matrices: ModelMatrices, tokens: Tensor, options: ModelOptions) -> ModelTrace:
    """The whole trace for words (..., length), from 1 to 4 of them.

    Raises AttentionError where the matrices do not fit the options, as transformer_block does.
    """
    length = tokens.shape[-1]
    embedded = matrices["e"][tokens]
    x = stream = embedded + matrices["p"][:length]
    blocks = []
    for i in range(1, options.blocks + 1):
        own: dict[str, Any] = {
            name: matrices[f"{name}_{i}"] for name in IN_BLOCK if options.feed_forward or name[2] in "qkvo"
        }
        block = transformer_block(
            stream,
            **own,
            num_heads=options.heads,
            mask=causal_mask(length),
            activation="relu",
            norm=options.norm,
            residual=options.residual,
        )
        blocks.append(block)
        stream = block.output
    logits = stream @ matrices["w_u"]
    return ModelTrace(embedded, x, tuple(blocks), logits, softmax_rows(logits))


def loss_of_model(matrices: ModelMatrices, options: ModelOptions) -> Tensor:
    """Mean cross-entropy of the next word, over all places of all sentences."""
    sentences = torch.tensor(SENTENCES)
    logits = model_trace(matrices, sentences[:, :-1], options).logits
    return F.cross_entropy(logits.flatten(0, 1), sentences[:, 1:].flatten())


def evaluate_model(matrices: ModelMatrices, options: ModelOptions) -> tuple[float, float]:
    """The loss, and how often the third word, which needs attention, gets the largest probability."""
    with torch.no_grad():
        sentences = torch.tensor(SENTENCES)
        logits = model_trace(matrices, sentences[:, :-1], options).logits
        right = logits[:, 2].argmax(-1) == sentences[:, 3]
        return loss_of_model(matrices, options).item(), right.double().mean().item()
