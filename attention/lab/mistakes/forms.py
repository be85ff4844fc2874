"""Wrong forms of one step, as code, to be shown next to the right result; the catalogue has their names.

Every function here is wrong on purpose, except split, the right way; origins and in_columns have both ways.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from attention import AttentionTrace, scaled_dot_product_attention
from attention.checking.mistakes import MISTAKES


def split(projected: Tensor, num_heads: int) -> Tensor:
    """The right way: (n, heads * dim) -> (heads, n, dim), head h holds the columns h·dim … of every token."""
    n, columns = projected.shape
    return projected.reshape(n, num_heads, columns // num_heads).transpose(0, 1)


def view_split(projected: Tensor, num_heads: int) -> Tensor:
    """The same shape (heads, n, dim) by a view alone: a head gets all columns of a few tokens.

    A view keeps the numbers in reading order, so it cuts the rows, not the columns. Right: split, which views
    as (n, heads, dim) and then swaps the first two dimensions.
    """
    n, columns = projected.shape
    return projected.reshape(num_heads, n, columns // num_heads)


def origins(n: int, num_heads: int, dim: int, *, transpose: bool) -> Tensor:
    """Which (token, column) of the projected matrix each cell of each head is taken from: (heads, n, dim, 2).

    With transpose through split, without it through view_split.
    """
    cut = split if transpose else view_split
    columns = num_heads * dim
    token = torch.arange(n)[:, None].expand(n, columns)
    column = torch.arange(columns).expand(n, columns)
    return torch.stack((cut(token, num_heads), cut(column, num_heads)), dim=-1)


def multi_head_with_view_split(
    x: Tensor,  # (n, embed_dim)
    *,
    w_q: Tensor,  # (embed_dim, num_heads * head_dim)
    w_k: Tensor,  # (embed_dim, num_heads * head_dim)
    w_v: Tensor,  # (embed_dim, num_heads * value_dim)
    w_o: Tensor | None = None,  # (num_heads * value_dim, ·)
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
    b_o: Tensor | None = None,
    num_heads: int,
    mask: Tensor | None = None,
    scale: float | None = None,
    masked_score: float = -math.inf,
) -> tuple[AttentionTrace, Tensor]:
    """Self-attention with view_split, and joined by a view too: all heads, and the output (n, ·).

    Every shape is right and no error comes, but row i of a head's weights is not about token i. Right:
    attention.multi_head_attention, with the same arguments.
    """
    query, key, value = (
        view_split(project(x, weight, offset), num_heads)
        for weight, offset in ((w_q, b_q), (w_k, b_k), (w_v, b_v))
    )
    heads = scaled_dot_product_attention(query, key, value, mask=mask, scale=scale, masked_score=masked_score)
    joined = heads.output.reshape(len(x), -1)  # the right way is .transpose(0, 1).reshape(len(x), -1)
    return heads, project(joined, w_o, b_o)


def project(x: Tensor, weight: Tensor | None, offset: Tensor | None) -> Tensor:
    """x @ weight + offset, each where it is given: (n, ·) → (n, ·)."""
    x = x if weight is None else x @ weight
    return x if offset is None else x + offset


class NoteMultiHead(NamedTuple):
    """The intermediates of note_multi_head whose shapes matter; n tokens, dim = d_model / num_heads."""

    query: Tensor  # (num_heads, 1, n, dim), the same in every round of the loop
    heads: tuple[Tensor, ...]  # num_heads tensors (num_heads, 1, n, dim), one for each round
    concatenated: Tensor  # (num_heads, 1, n, num_heads * dim)
    output: Tensor  # (1, num_heads, n, d_model)


def note_multi_head(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor, num_heads: int
) -> NoteMultiHead:
    """Multi-head attention as a lecture note writes it; x is (n, d_model) or (1, n, d_model).

    Three faults:

    - The loop over the heads never uses its index: each round computes the same numbers.
    - The split is a view without transpose, so the tokens are mixed.
    - Each round already holds all heads, so the output has a dimension too many, (1, num_heads, n, d_model)
      where (1, n, d_model) is meant.

    Right: either a loop in which round h takes the columns h·dim … of each projection, or all heads at once
    without a loop, as in attention.multi_head_attention.
    """
    query, key, value = (note_split(x @ weight, num_heads) for weight in (w_q, w_k, w_v))
    heads = tuple(scaled_dot_product_attention(query, key, value).output for _ in range(num_heads))
    concatenated = torch.cat(heads, dim=-1)
    return NoteMultiHead(query, heads, concatenated, concatenated.transpose(0, 1) @ w_o)


def note_split(projected: Tensor, num_heads: int) -> Tensor:
    """(1, n, d_model) -> (num_heads, 1, n, dim): the transpose only swaps the batch of 1 and the heads."""
    n, columns = projected.shape[-2:]
    return projected.reshape(1, num_heads, n, columns // num_heads).transpose(0, 1)


def _weights(name: str, scaled_scores: Tensor, mask: Tensor) -> Tensor:
    """The weights of a mistake with the mask."""
    names = {"scores": scaled_scores, "mask": mask}
    return MISTAKES[name].values(["masked_scores", "weights"], names)["weights"]


def after_softmax(scaled_scores: Tensor, mask: Tensor) -> Tensor:
    """Weights (…, n, m) set to 0 after the softmax: the rest of a row no longer sums to 1.

    The masked keys stay in the softmax's denominator. Right: −inf in their scores, before the softmax.
    """
    return _weights("after_softmax", scaled_scores, mask)


def times_zero(scaled_scores: Tensor, mask: Tensor) -> Tensor:
    """Weights (…, n, m) of scores multiplied by the mask: a masked key still gets the share of exp(0) = 1.

    A score of 0 is a score like any other, and higher than a negative one. Right: −inf.
    """
    return _weights("times_zero", scaled_scores, mask)


def plain_softmax(scores: Tensor) -> Tensor:
    """exp(s − max) / Σ exp(s − max), (…, n, m), with no thought of a row of only −inf, where it is NaN.

    One NaN row spreads to everything computed from it. Right: a fully masked row has weights 0.
    """
    return MISTAKES["nan_rows"].values(["weights"], {"scores": scores})["weights"]


def query_rows(valid: int, n: int) -> Tensor:
    """A padding mask (n, n) laid on the query rows: the real queries may still attend to the padded keys.

    And the padded queries may attend to nothing. Right: the columns, padding_mask([valid], n).expand(n, n).
    """
    names = {"mask": torch.ones(n, n, dtype=torch.bool), "n": n, "real": valid}
    return MISTAKES["query_rows"].values(["padding"], names)["padding"]


def mask_on_heads(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Weights (batch, heads, q_len, kv_len) under a mask (batch, q_len, kv_len) without a head dimension.

    Broadcasting counts from the right and lays the mask's batch on the heads. With as many heads as batch
    entries no error comes: head b of every entry is masked as entry b should be. Right: mask[:, None], of
    shape (batch, 1, q_len, kv_len). attention.multi_head_attention inserts that dimension by itself.
    """
    return scaled_dot_product_attention(query, key, value, mask=mask).weights


# ---- A transposed, one projection for all three, columns for rows


def transposed_weights(weights: Tensor, value: Tensor) -> Tensor:
    """Wrong: AᵀV, (n, value_dim). Right: weights @ value.

    On a square the shapes agree and no error comes. But row j of the result weighs the values with column j
    of A, by how much each token attends to j, and a column need not sum to 1.
    """
    names = {"weights": weights, "value": value}
    return MISTAKES["transposed_weights"].values(["head_output"], names)["head_output"]


def one_projection(x: Tensor, w: Tensor) -> AttentionTrace:
    """Attention with the same W for queries, keys and values: x (n, d_model), w (d_model, d_k).

    Then S = X·W·Wᵀ·Xᵀ is symmetric: i's score for j is j's for i. S_ii = |q_i|² ≥ 0, and |S_ij| is never
    above √(S_ii·S_jj) (Cauchy and Schwarz). The weights need not be symmetric: each row has its own sum.
    """
    projected = MISTAKES["one_projection"].values(["query", "key", "value"], {"x": x, "w_q": w})
    return scaled_dot_product_attention(projected["query"], projected["key"], projected["value"])


class Columns(NamedTuple):
    """Attention written with tokens as columns."""

    scores: Tensor  # (kv_len, q_len), KᵀQ / √d_k
    weights: Tensor  # (kv_len, q_len)
    output: Tensor  # (value_dim, q_len), V·weights


def in_columns(query: Tensor, key: Tensor, value: Tensor, *, softmax_over: str = "keys") -> Columns:
    """Attention as some courses write it: query (d_k, q_len), key (d_k, kv_len), value (d_v, kv_len).

    A token is a column, so the scores are KᵀQ, a query is a column of them, and the softmax goes down the
    columns: each of the results is the transpose of what rows give. softmax_over="queries" is the mistake of
    taking over the softmax over the last dimension from the form with rows.
    """
    scores = key.mT @ query / math.sqrt(query.shape[-2])  # (kv_len, q_len)
    weights = torch.softmax(scores, dim={"keys": -2, "queries": -1}[softmax_over])
    return Columns(scores, weights, value @ weights)
