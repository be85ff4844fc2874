"""Five lines that people write for attention weights: scores (n, m) → (n, m). One of them is right."""

import torch
from torch import Tensor
from torch.nn import functional as F

COOLING = 1000.0
DROPOUT = 0.1


def shifted(scores: Tensor) -> Tensor:
    """Right: no exponent is above 0, for the logsumexp is at least the largest score."""
    return torch.exp(scores - torch.logsumexp(scores, dim=-1, keepdim=True))


def naive(scores: Tensor) -> Tensor:
    """Right on paper; exp overflows where scores are large."""
    exps = torch.exp(scores)
    return exps / exps.sum(dim=-1, keepdim=True)


def cooled(scores: Tensor) -> Tensor:
    """Scores made small enough by a division: a softmax at temperature COOLING, another distribution."""
    return torch.softmax(scores / COOLING, dim=-1)


def over_queries(scores: Tensor) -> Tensor:
    """Normalised along the wrong dimension: the columns sum to 1."""
    return torch.softmax(scores, dim=-2)


def dropped(scores: Tensor, seed: int = 0) -> Tensor:
    """F.dropout drops whenever it is called, for its `training` is True unless it is set."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return F.dropout(torch.softmax(scores, dim=-1), p=DROPOUT)


LINES = {
    "shifted": shifted,
    "naive": naive,
    "cooled": cooled,
    "over_queries": over_queries,
    "dropped": dropped,
}
