"""Which noun a head prefers for a pronoun, over pairs of sentences; what chance gives, and two controls."""

import functools
import math
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.lab.real_heads.store import HeadPattern, ModelSentence, load
from attention.lab.real_heads.texts import PAIRS, Trial
from attention.lab.real_heads.toggles import traces_of

T_95 = 2.365  # of 5% of means from 8 values (7 degrees of freedom) the |mean / standard error| is larger


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Whether each head puts more weight on the right noun than on the wrong one."""

    right_noun: Tensor  # bool (pairs, 2, layers, heads)

    @property
    def right(self) -> Tensor:
        """Of how many sentences, (layers, heads)."""
        return self.right_noun.flatten(0, 1).sum(0)

    @property
    def pairs(self) -> Tensor:
        """Of how many pairs both sentences, (layers, heads)."""
        return self.right_noun.all(1).sum(0)

    @property
    def same_noun(self) -> Tensor:
        """In how many pairs it prefers the same noun twice, (layers, heads): once that is right."""
        return (self.right_noun[:, 0] != self.right_noun[:, 1]).sum(0)


def on(pattern: HeadPattern, query: str, key: str) -> Tensor:
    """The weight (layers, heads) of the first token `query` on the first token `key`."""
    return pattern.model_weights[..., pattern.tokens.index(query), pattern.tokens.index(key)]


@functools.lru_cache(maxsize=64)
def weights_on_nouns(trial: Trial) -> tuple[Tensor, Tensor]:
    """The weight (layers, heads) of the pronoun on the right noun and on the wrong one, from Q and K.

    The weights in the files are in half precision, where both may be 0.
    """
    return on_nouns(load(trial.name), trial)


def on_nouns(sentence: ModelSentence, trial: Trial) -> tuple[Tensor, Tensor]:
    """The same in any sentence that has these words."""
    row = traces_of(sentence).weights[..., sentence.tokens.index(trial.pronoun), :]
    right, wrong = (row[..., sentence.tokens.index(noun)] for noun in (trial.right, trial.wrong))
    return right, wrong


def finds(trial: Trial) -> Tensor:
    """Whether each head (layers, heads) puts more weight on the right noun."""
    right, wrong = weights_on_nouns(trial)
    return right > wrong


@functools.lru_cache(maxsize=1)
def verdicts(pairs: tuple[tuple[Trial, Trial], ...] = PAIRS) -> Verdicts:
    """Every head on both sentences of each pair."""
    return Verdicts(torch.stack([torch.stack([finds(trial) for trial in pair]) for pair in pairs]))


# ---- controls


@dataclass(frozen=True, eq=False)
class Control:
    """How the other queries attend to the key to which one query attends: each (layers, heads).

    The others are all tokens but that query and the key itself.
    """

    others: int  # how many they are
    own: Tensor  # the query's weight on the key
    mean: Tensor  # the others' mean weight on it
    tops: Tensor  # for how many of the others the key has the largest weight


def control(pattern: HeadPattern, query: str, key: str) -> Control:
    """Every head's weights on the key, from the query and from the others."""
    places = [pattern.tokens.index(word) for word in (query, key)]
    others = [place for place in range(len(pattern.tokens)) if place not in places]
    rows = pattern.model_weights[..., others, :]
    tops = (rows.argmax(-1) == places[1]).sum(-1)
    return Control(len(others), on(pattern, query, key), rows[..., places[1]].mean(-1), tops)


@dataclass(frozen=True, eq=False)
class Selectivity:
    """By how much the weight on a noun grows where it is the right one: of each pair, (pairs, layers, heads).

    In a pair each noun is right once and wrong once, at the same place; the value is the mean over both.
    """

    of_pairs: Tensor

    @property
    def mean(self) -> Tensor:
        return self.of_pairs.mean(0)

    @property
    def error(self) -> Tensor:
        """The standard error of the mean over the pairs."""
        return self.of_pairs.std(0) / math.sqrt(len(self.of_pairs))

    @property
    def beyond(self) -> Tensor:
        """The heads whose mean is further from 0 than chance gives in 95% of cases."""
        return self.mean.abs() > T_95 * self.error


@functools.lru_cache(maxsize=1)
def selectivity(pairs: tuple[tuple[Trial, Trial], ...] = PAIRS) -> Selectivity:
    return Selectivity(torch.stack([growth(*map(weights_on_nouns, pair)) for pair in pairs]))


def growth(first: tuple[Tensor, Tensor], second: tuple[Tensor, Tensor]) -> Tensor:
    """By how much the weight on a noun grows where it is the right one, (layers, heads): the mean over both
    nouns of a pair. first, second: the weights on the right noun and on the wrong one in each sentence.
    """
    (right, wrong), (second_right, second_wrong) = first, second
    return (right - second_wrong + second_right - wrong) / 2


# ---- chance


def coin(n: int) -> list[float]:
    """The chances that a fair coin is right in 0, 1, … of n sentences."""
    return [math.comb(n, k) / 2**n for k in range(n + 1)]


def as_far(right: int, n: int) -> float:
    """The chance that a fair coin is as far from n / 2, or further."""
    return sum(chance for k, chance in enumerate(coin(n)) if abs(k - n / 2) >= abs(right - n / 2))


def toss(coins: int, n: int, seed: int) -> list[int]:
    """How many of so many coins are right in 0, 1, … of n sentences, in one throw of all of them."""
    drawn = torch.randint(2, (coins, n), generator=torch.Generator().manual_seed(seed))
    return torch.bincount(drawn.sum(-1), minlength=n + 1).tolist()


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
