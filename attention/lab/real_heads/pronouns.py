"""Which noun a head finds for a pronoun, over pairs of sentences; and what chance would find."""

import functools
import math
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.lab.real_heads.store import Pattern, load
from attention.lab.real_heads.texts import PAIRS, Trial


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Whether each head puts more weight on the right noun than on the wrong one."""

    found: Tensor  # bool (pairs, 2, layers, heads)

    @property
    def right(self) -> Tensor:
        """Of how many sentences, (layers, heads)."""
        return self.found.flatten(0, 1).sum(0)

    @property
    def pairs(self) -> Tensor:
        """Of how many pairs both sentences, (layers, heads)."""
        return self.found.all(1).sum(0)

    @property
    def same_noun(self) -> Tensor:
        """In how many pairs it prefers the same noun twice, (layers, heads): once that is right."""
        return (self.found[:, 0] != self.found[:, 1]).sum(0)


def on(pattern: Pattern, query: str, key: str) -> Tensor:
    """The weight (layers, heads) of the first token `query` on the first token `key`."""
    return pattern.model_weights[..., pattern.tokens.index(query), pattern.tokens.index(key)]


def finds(trial: Trial) -> Tensor:
    """Whether each head (layers, heads) puts more weight on the right noun."""
    sentence = load(trial.name)
    return on(sentence, trial.pronoun, trial.right) > on(sentence, trial.pronoun, trial.wrong)


@functools.lru_cache(maxsize=1)
def verdicts(pairs: tuple[tuple[Trial, Trial], ...] = PAIRS) -> Verdicts:
    """Every head on both sentences of each pair."""
    return Verdicts(torch.stack([torch.stack([finds(trial) for trial in pair]) for pair in pairs]))


def luckiest_of(heads: int, n: int) -> list[float]:
    """The distribution of the most right answers that any of so many fair coins gets, of n: 0 … n.

    The coins are independent of each other. P(most ≤ k) = P(one ≤ k)^heads.
    """
    total, below, chances = 0, 0.0, []
    for k in range(n + 1):
        total += math.comb(n, k)
        at_most = (total / 2**n) ** heads
        chances.append(at_most - below)
        below = at_most
    return chances


def mean_of(chances: list[float]) -> float:
    """The mean of a distribution over 0, 1, 2, …"""
    return sum(k * chance for k, chance in enumerate(chances))
