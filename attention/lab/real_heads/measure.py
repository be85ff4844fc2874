"""What every head attends to on average, over many sentences."""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.lab.real_heads.store import HEADS, HeadPattern, ModelSentence, ordinary
from attention.lab.softmax.scores import entropy

# What is measured of each query's weights: on the token before it, after it, the first ([CLS]), the last
# ([SEP]), the query's own, the same word elsewhere; and the entropy of all its weights in bits.
MEASURES = ("previous", "next", "first", "last", "itself", "same_word", "entropy")


@dataclass(frozen=True, eq=False)
class PatternMeans:
    """Means over queries: of their weights on a certain token, and of their weights' entropy.

    A query counts where the token exists: the first token has no previous token, most tokens have no equal.
    """

    sentences: int
    means: dict[str, Tensor]  # by MEASURES, each (layers, heads)
    queries: dict[str, int]  # by MEASURES, over how many queries

    def best(self, measure: str) -> tuple[int, int]:
        """The layer and the head, counted from 0, whose mean is the largest."""
        return divmod(int(self.means[measure].argmax()), HEADS)


@functools.lru_cache(maxsize=1)
def pattern_means() -> PatternMeans:
    """The heads over the ordinary sentences."""
    return measure(ordinary())


def measure(patterns: Iterable[HeadPattern]) -> PatternMeans:
    """The heads over these sentences, at least one."""
    parts: dict[str, list[Tensor]] = {name: [] for name in MEASURES}
    count = 0
    for pattern in patterns:
        count += 1
        for name, values in _of_each_query(pattern):
            parts[name].append(values)
    whole = {name: torch.cat(values, dim=-1) for name, values in parts.items()}
    return PatternMeans(
        count,
        {name: values.mean(-1) for name, values in whole.items()},
        {name: values.shape[-1] for name, values in whole.items()},
    )


def _of_each_query(pattern: HeadPattern) -> Iterator[tuple[str, Tensor]]:
    """Each measure for each query that it counts for: (layers, heads, queries)."""
    weights = pattern.model_weights
    yield "previous", weights.diagonal(-1, -2, -1)
    yield "next", weights.diagonal(1, -2, -1)
    yield "first", weights[..., 0]
    yield "last", weights[..., -1]
    yield "itself", weights.diagonal(0, -2, -1)
    equal = equals(pattern.tokens)
    yield "same_word", (weights * equal).sum(-1)[..., equal.any(-1)]
    yield "entropy", entropy(weights)


def equals(tokens: tuple[str, ...]) -> Tensor:
    """(n, n), True where two different places have the same token."""
    return torch.tensor([[i != j and a == b for j, b in enumerate(tokens)] for i, a in enumerate(tokens)])


def first_norms(sentences: Iterable[ModelSentence]) -> Tensor:
    """How large the value of the first token is in every head (layers, heads): its norm as a share of the
    mean norm of the words' values, in the mean over the sentences."""
    shares = []
    for sentence in sentences:
        norms = sentence.value.norm(dim=-1)
        shares.append(norms[..., 0] / norms[..., 1:-1].mean(-1))
    return torch.stack(shares).mean(0)


def repeats(patterns: Iterable[HeadPattern]) -> Counter[str]:
    """The words that occur more than once in a sentence, with the number of their queries."""
    return Counter(
        token
        for pattern in patterns
        for token, equal in zip(pattern.tokens, equals(pattern.tokens), strict=True)
        if equal.any()
    )
