"""What the heads of a model do, how strongly its layers are composed, and what its circuits say.

A row x of the residual stream is multiplied on the right, x @ W. So a layer's QK circuit is
W_QK = W_Q W_Kᵀ / √d_k, with the score x_i W_QK x_jᵀ, and its OV circuit is W_OV = W_V W_O, with the output
Σ A_ij x_j W_OV (Elhage et al. 2021, whose matrices multiply on the left).
"""

import math

import torch
from torch import Tensor

from attention.checks import integer
from attention.lab.two_layers.model import HEAD_DIM, WIDTH, Matrices, layers_of
from attention.lab.two_layers.task import HALF, LENGTH, sources_of


def previous_token_score(weights: Tensor) -> float:
    """Mean weight of the token before, over the tokens of the first half but the first.

    weights (..., 8, 8): a head's attention weights. The first token has none before it.
    """
    before = weights.diagonal(-1, -2, -1)  # (..., 7)
    return before[..., : HALF - 1].mean().item()


def induction_score(weights: Tensor, tokens: Tensor, *, wrapped: bool | None = None) -> float:
    """Mean weight of the token in the first half that each asked token has to answer.

    It is the token after the earlier occurrence of the asked token's letter, or the first token where that
    occurrence is the last of the first half. wrapped: the mean of these places alone, or of all others.

    weights (..., 8, 8): a head's attention weights for the sequences tokens (..., 8).
    """
    asked, sources = weights[..., HALF : LENGTH - 1, :], sources_of(tokens)  # (..., 3, 8), (..., 3)
    each = asked.gather(-1, sources[..., None])[..., 0]
    return (each if wrapped is None else each[(sources == 0) == wrapped]).mean().item()


def w_qk(matrices: Matrices, layer: int) -> Tensor:
    """(16, 16), by the scores' scale. Raises AttentionError for a layer that is not there."""
    layer = integer("layer", layer, 1, layers_of(matrices))
    return matrices[f"w_q_{layer}"] @ matrices[f"w_k_{layer}"].mT / math.sqrt(HEAD_DIM)


def w_ov(matrices: Matrices, layer: int) -> Tensor:
    """(16, 16). Raises AttentionError for a layer that is not there."""
    layer = integer("layer", layer, 1, layers_of(matrices))
    return matrices[f"w_v_{layer}"] @ matrices[f"w_o_{layer}"]


def composition_scores(matrices: Matrices) -> dict[str, float]:
    """How much of layer 1's output the queries, keys and values of layer 2 read: ‖A B‖ / (‖A‖ ‖B‖).

    A is W_OV of layer 1, B what reads it: W_QK of layer 2 for the queries, its transpose for the keys, W_OV
    for the values; ‖·‖ is the Frobenius norm. `unrelated` is the score of matrices that have nothing to do
    with each other. Raises AttentionError for a model of one layer.
    """
    first, qk, ov = w_ov(matrices, 1), w_qk(matrices, 2), w_ov(matrices, 2)
    readers = {"query": qk, "key": qk.mT, "value": ov}
    return {
        name: ((first @ reader).norm() / (first.norm() * reader.norm())).item()
        for name, reader in readers.items()
    }


def unrelated() -> float:
    """1/√d_model: the root mean square of ‖A R B‖ / (‖A‖ ‖B‖) over all rotations R, for any A and B."""
    return 1 / math.sqrt(WIDTH)


def sources(matrices: Matrices) -> Tensor:
    """The rows that the residual stream begins with (14, 16): of six letters, then of eight places."""
    return torch.cat([matrices["embedding"], matrices["positions"]])


def circuit_qk(matrices: Matrices, layer: int) -> Tensor:
    """What each letter and place of the query adds to a score with each letter and place of the key (14, 14).

    A score of layer 1 is the sum of four of these numbers: its query has a letter and a place, and so has its
    key. In layer 2 this is the part that does not pass through layer 1.
    """
    rows = sources(matrices)
    return rows @ w_qk(matrices, layer) @ rows.mT


def composed_qk(matrices: Matrices) -> Tensor:
    """The part of the scores of layer 2 whose key has passed through layer 1 (14, 14).

    Row: letter or place of the query. Column: letter or place of a token from which layer 1 has copied to the
    key, at an attention weight of 1.
    """
    rows = sources(matrices)
    return rows @ w_qk(matrices, 2) @ (rows @ w_ov(matrices, 1)).mT


def circuit_ov(matrices: Matrices, layer: int) -> Tensor:
    """What each letter and place adds to the logits where a head gives it the weight 1 (14, 6).

    Of layer 1 this is the part that does not pass through layer 2.
    """
    return sources(matrices) @ w_ov(matrices, layer) @ matrices["unembedding"]
