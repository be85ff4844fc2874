"""How alike the attention of two runs is, and how alike a run's attention and the task's pattern."""

import itertools
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.lab.scaling.variance import total_variation
from attention.lab.training.model import Matrices, sequences, trace_of
from attention.lab.training.options import Options
from attention.lab.training.run import TrainingRun


@dataclass(frozen=True)
class Agreement:
    """Two runs of one task side by side. Heads come in no order: they are paired as their weights fit best.

    The first four are cosines of the entries, −1 … 1, over all heads. Scores are compared less each row's
    mean, because the softmax does not see what is added to a whole row.
    """

    w_q: float
    w_k: float
    product: float  # W_Q · W_Kᵀ
    scores: float  # scaled, of the asked tokens, where both may attend
    weights: float  # mean total variation of the asked tokens' rows of A: 0 where they are equal, at most 1
    darkest: float  # share of these rows whose largest weight is in the same column


def agreement(a: TrainingRun, b: TrainingRun) -> Agreement | None:
    """The ends of two runs, on the test sequences of the first.

    None where they cannot be laid side by side: another task, or another number of heads. The cosines of the
    matrices are NaN where these differ in shape.
    """
    if (a.options.task, a.options.num_heads) != (b.options.task, b.options.num_heads):
        return None
    batch = sequences(a.options.task, a.options.seed, True)
    first, second = (trace_of(run.last.matrices, batch.tokens, run.options).heads for run in (a, b))
    rows = [asked_rows(trace.weights, batch.asked) for trace in (first, second)]
    order = best_order(*rows)
    rows[1] = rows[1][:, order]
    visible = [torch.isfinite(asked_rows(trace.masked_scores, batch.asked)) for trace in (first, second)]
    scores = [asked_rows(trace.scaled_scores, batch.asked) for trace in (first, second)]
    scores[1], both = scores[1][:, order], visible[0] & visible[1][:, order]
    w_q, w_k = ([split(run, name) for run in (a, b)] for name in ("w_q", "w_k"))
    products = [q @ k.mT for q, k in zip(w_q, w_k, strict=True)]
    of_queries, of_keys, of_products = (
        cosine(first, second[order]) for first, second in (w_q, w_k, products)
    )
    return Agreement(
        of_queries,
        of_keys,
        of_products,
        cosine(*(centred(each, both) for each in scores)),
        total_variation(*rows).mean().item(),
        (rows[0].argmax(dim=-1) == rows[1].argmax(dim=-1)).double().mean().item(),
    )


def distance_from_pattern(matrices: Matrices, options: Options) -> float:
    """Mean total variation between the rows of A and the rows of the task's pattern, on its test sequences.

    0 where they are equal, at most 1. Rows of which the pattern says nothing do not count. NaN where there
    are not as many heads as the pattern has.
    """
    batch = sequences(options.task, options.seed, True)
    of = options.of
    expected = torch.stack([of.expected_weights(of.words(sequence)) for sequence in batch.tokens])
    if expected.shape[1] != options.num_heads:
        return float("nan")
    weights = trace_of(matrices, batch.tokens, options).heads.weights
    rows, right = asked_rows(weights, batch.asked), asked_rows(expected, batch.asked)
    apart = total_variation(right, rows[:, best_order(right, rows)])
    return apart[right.any(dim=-1)].mean().item()


def asked_rows(weights: Tensor, asked: Tensor) -> Tensor:
    """The rows of the asked tokens: (count, heads, n, n) -> (asked, heads, n)."""
    return weights.transpose(1, 2)[asked]


def best_order(first: Tensor, second: Tensor) -> list[int]:
    """The order of the second's heads in which the rows (asked, heads, n) are most alike."""
    orders = map(list, itertools.permutations(range(first.shape[1])))
    return min(orders, key=lambda order: total_variation(first, second[:, order]).mean().item())


def centred(scores: Tensor, visible: Tensor) -> Tensor:
    """Scores less the mean of their row's visible ones; 0 where one is not visible."""
    visible_scores = torch.where(visible, scores, 0.0)
    mean = visible_scores.sum(dim=-1, keepdim=True) / visible.sum(dim=-1, keepdim=True)
    return torch.where(visible, scores - mean, 0.0)


def split(run: TrainingRun, name: str) -> Tensor:
    """A matrix (d_model, heads · d_k) of the run's end, by heads: (heads, d_model, d_k)."""
    return run.last.matrices[name].unflatten(-1, (run.options.num_heads, -1)).movedim(-2, 0)


def cosine(a: Tensor, b: Tensor) -> float:
    if a.shape != b.shape:
        return float("nan")
    return torch.cosine_similarity(a.flatten(), b.flatten(), dim=0).item()
