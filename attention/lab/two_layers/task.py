"""Sequences whose second half repeats the first half, from another place on: b e a c | a c b e.

The first half has four different letters. The second half has the same letters in the same order: it begins
at a place of the first half that differs from sequence to sequence, and goes on from its end to its start.
Each token of the second half but the last answers with the letter that comes next.
"""

import functools
import itertools

import torch
from torch import Tensor

from attention.checks import integer

LETTERS = ("a", "b", "c", "d", "e", "f")
HALF = 4
LENGTH = 2 * HALF
ASKED = tuple(range(HALF, LENGTH - 1))  # places of the tokens that answer
TEST_SHARE = 0.25  # of all sequences; no run is trained on them
SPLIT_SEED = 20210212


@functools.cache
def every() -> Tensor:
    """All sequences (1440, 8), as numbers of letters."""
    return torch.tensor(
        [
            [*first, *first[start:], *first[:start]]
            for first in itertools.permutations(range(len(LETTERS)), HALF)
            for start in range(HALF)
        ]
    )


@functools.cache
def _split() -> tuple[Tensor, Tensor]:
    """Sequences for training and for the test."""
    order = torch.randperm(len(every()), generator=torch.Generator().manual_seed(SPLIT_SEED))
    shuffled, tests = every()[order], round(TEST_SHARE * len(every()))
    return shuffled[tests:], shuffled[:tests]


def held_out() -> Tensor:
    """The test sequences (360, 8)."""
    return _split()[1]


def draw(count: int, generator: torch.Generator) -> Tensor:
    """`count` new training sequences (count, 8), drawn with replacement.

    Raises AttentionError for a count below 1.
    """
    sequences = _split()[0]
    return sequences[torch.randint(len(sequences), (integer("count", count, 1),), generator=generator)]


def answers_of(tokens: Tensor) -> Tensor:
    """The right answers (..., 3) of the asked tokens of sequences (..., 8)."""
    return tokens[..., HALF + 1 :]


def sources_of(tokens: Tensor) -> Tensor:
    """The places (..., 3) in the first half where the answers are: after the asked token's own letter.

    For the letter at the end of the first half it is the first place.
    """
    asked, first = tokens[..., HALF:-1], tokens[..., :HALF]
    own = (asked[..., :, None] == first[..., None, :]).long().argmax(-1)
    return (own + 1) % HALF
