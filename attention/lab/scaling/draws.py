"""What scaling does to attention weights and to gradients: quartiles over many draws."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.lab.scaling.divisors import HEADS, SCALINGS, divisors
from attention.lab.scaling.learning import TOKENS, Quartiles, jacobian_norm, quartiles
from attention.lab.scaling.variance import KEYS, chunks, normal

ROWS = 2000
DRAWS = 250  # starts of TOKENS queries each


@dataclass(frozen=True)
class Concentration:
    """Of many rows of attention weights: the largest weight, and the effective number of keys, 2^entropy."""

    largest: Quartiles
    effective: Quartiles


def rows_of_scores(d_k: int, keys: int = KEYS, rows: int = ROWS, seed: int = 0) -> Tensor:
    """Scores (rows, keys), not scaled, of independent queries and keys with entries N(0, 1).

    Given q, its products with independent keys are independent N(0, |q|²). So q is drawn, and the products
    are drawn from that distribution: the same as with drawn keys, for a fraction of the work.
    """
    generator = torch.Generator().manual_seed((seed << 22) + (d_k << 11) + keys)
    counts = (part.stop - part.start for part in chunks(rows, d_k))
    lengths = [normal((count, d_k), generator).norm(dim=-1, keepdim=True) for count in counts]
    return torch.cat(lengths) * normal((rows, keys), generator)


def concentration(scores: Tensor, by: float) -> Concentration:
    """How concentrated the softmax of scores / by is, over many rows of scores (rows, keys)."""
    return Concentration(largest(torch.softmax(scores / by, dim=-1)), effective_keys(scores, by))


def largest(weights: Tensor) -> Quartiles:
    """The largest weight of a row, over all rows (..., keys)."""
    return quartiles(weights.amax(dim=-1))


def effective_keys(scores: Tensor, by: float) -> Quartiles:
    """How many keys count under the softmax of scores / by: 2^entropy in bits, over all rows (rows, keys)."""
    nats = torch.cat([_entropy(scores[part] / by) for part in chunks(*scores.shape)])
    return quartiles(torch.exp(nats))


def _entropy(scores: Tensor) -> Tensor:
    """Of the softmax of each row (rows, keys), in nats: log Σ exp(s) − Σ p·s, which needs no log p."""
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    exps = shifted.exp()
    total = exps.sum(dim=-1)
    return total.log() - (exps * shifted).sum(dim=-1) / total


# ---- gradients


def norms(gram: Tensor, query: Tensor, key: Tensor, arriving: Tensor, by: float) -> dict[str, Tensor]:
    """Norms of gradients from the tokens' Gram matrix X·Xᵀ, without X and the W's.

    A number for each query: of the softmax's Jacobian, and of that query's part of the gradient at W_Q and at
    W_K. And one for all queries: of the whole gradient at W_Q and at W_K.

    gram, arriving (…, n, n), query and key (…, n, d_k); scores are divided by `by`. A gradient at W_Q is Xᵀ·G
    with G the gradient at Q, and |Xᵀ·G|² = Σ G ∘ (X·Xᵀ·G). All are divided by √d_k, the root mean square of
    |W_Q| for entries of variance 1/d_model: the share of W_Q's own size by which a step of gradient descent
    with learning rate 1 changes it.
    """
    scores = (query @ key.mT / by).requires_grad_()
    weights = torch.softmax(scores, dim=-1)
    (at_scores,) = torch.autograd.grad((weights * arriving).sum(), scores)
    at_query, at_key = at_scores @ key / by, at_scores.mT @ query / by
    root = math.sqrt(query.shape[-1])

    def whole(at: Tensor) -> Tensor:
        return (at * (gram @ at)).sum(dim=(-2, -1)).sqrt() / root

    lengths = gram.diagonal(dim1=-2, dim2=-1).sqrt()  # |x_i|
    mixed = (at_scores * (at_scores @ gram)).sum(dim=-1).clamp(min=0).sqrt()  # |Σ_j ∂s_ij x_j|
    return {
        "jacobian": jacobian_norm(weights.detach()),
        "query_part": lengths * at_query.norm(dim=-1) / root,
        "key_part": mixed * query.norm(dim=-1) / by / root,
        "query_all": whole(at_query),
        "key_all": whole(at_key),
    }


def gradients(d_k: int, seed: int = 0) -> dict[tuple[str, str], Quartiles]:
    """(metric, scaling) → quartiles over the queries of many starts; the same starts under every scaling.

    X has entries N(0, 1), the W's N(0, 1/d_model), d_model = 4·d_k. Given X, each column of X·W is normal
    with covariance X·Xᵀ/d_model, so Q and K are drawn from that distribution, without W.
    """
    generator = torch.Generator().manual_seed((seed << 12) + d_k)
    d_model = HEADS * d_k

    def draw(*shape: int) -> Tensor:
        return normal((DRAWS, *shape), generator)

    x = draw(TOKENS, d_model)
    gram = x @ x.mT
    values, vectors = torch.linalg.eigh(gram / d_model)
    factor = vectors * values.clamp(min=0).sqrt().unsqueeze(-2)  # factor · factorᵀ = gram / d_model
    query, key = (factor @ draw(TOKENS, d_k) for _ in range(2))
    arriving = draw(TOKENS, TOKENS)
    results = {}
    for scaling in SCALINGS:
        for metric, sizes in norms(gram, query, key, arriving, divisors(d_k)[scaling]).items():
            results[metric, scaling] = quartiles(sizes.flatten())
    return results
