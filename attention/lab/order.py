"""What attention knows of the order of its tokens, and how positions behave: shifted, and far apart."""

import math

import torch
from torch import Tensor

from attention.lab.softmax.scores import entropy
from attention.positions import frequencies, rotary_embedding


def off_after_reordering(before: Tensor, after: Tensor, order: list[int]) -> Tensor:
    """How far the rows (n, ·) for reordered tokens are from the same rows moved along: row i of `after` is of
    token order[i]. It is 0 but for rounding where nothing depends on the order, for then f(ΠX) = Πf(X).
    """
    return after - before[order]


def products_by_distance(length: int, dim: int, base: float) -> Tensor:
    """Dot products of two rows of the sinusoidal table 0, 1, …, length − 1 positions apart, for an even dim.

    Σₖ sin a·sin b + cos a·cos b = Σₖ cos(ωₖ·distance): it depends on the distance alone. Shape (length,).
    """
    distances = torch.arange(length, dtype=torch.float64)[:, None]
    return (distances * frequencies(dim, base, None)).cos().sum(-1)


def score_by_distance(query: Tensor, key: Tensor, length: int, base: float) -> Tensor:
    """q·k of one query and one key (d_k,) under rotary positions, the key 0, 1, … positions earlier.

    Shape (length,). Of an odd d_k the last number is not turned.
    """
    even = len(query) - len(query) % 2
    places = torch.arange(length)
    queries = rotary_embedding(query.expand(length, -1), positions=places, base=base, rotary_dim=even)
    return queries @ key


def wavelengths(dim: int, base: float) -> Tensor:
    """After how many positions each pair has turned once: 2π / ωₖ, for an even dim. Shape (dim / 2,)."""
    return 2 * math.pi / frequencies(dim, base, None)


def alibi_weights(length: int, slope: float) -> Tensor:
    """Weights of the last of so many queries, where all scores are equal before the bias: (length,)."""
    distances = torch.arange(length - 1, -1, -1, dtype=torch.float64)
    return torch.softmax(-slope * distances, dim=-1)


def effective_keys(length: int, slope: float) -> float:
    """2^entropy of alibi_weights: `length` without a slope; with one it stops growing."""
    return 2 ** entropy(alibi_weights(length, slope)).item()


def effective_limit(slope: float) -> float:
    """What effective_keys tends to as the length grows, for a slope above 0: 2^entropy of a geometric law.

    With r = e^(−slope), the entropy of (1 − r)·r^d is (−log₂(1 − r)) − r/(1 − r)·log₂ r bits.
    """
    r = math.exp(-slope)
    return 2 ** (-math.log2(1 - r) - r / (1 - r) * math.log2(r))
