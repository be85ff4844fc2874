"""Mistakes with heads and masks, as code, to be shown beside the right result.

Every function here is wrong on purpose, except split, the right way, and origins, which shows both ways.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from attention import scaled_dot_product_attention


def split(projected: Tensor, num_heads: int) -> Tensor:
    """The right way: (n, heads * dim) -> (heads, n, dim), head h holds the columns h·dim … of every token."""
    n, columns = projected.shape
    return projected.reshape(n, num_heads, columns // num_heads).transpose(0, 1)


def view_without_transpose(projected: Tensor, num_heads: int) -> Tensor:
    """The same shape (heads, n, dim) by a view alone: a head gets all columns of a few tokens.

    A view keeps the numbers in reading order, so it cuts the rows, not the columns. Right: split, which views
    as (n, heads, dim) and then swaps the first two dimensions.
    """
    n, columns = projected.shape
    return projected.reshape(num_heads, n, columns // num_heads)


def origins(n: int, num_heads: int, dim: int, *, transpose: bool) -> Tensor:
    """Which (token, column) of the projected matrix each cell of each head came from: (heads, n, dim, 2).

    With transpose through split, without it through view_without_transpose.
    """
    cut = split if transpose else view_without_transpose
    columns = num_heads * dim
    token = torch.arange(n)[:, None].expand(n, columns)
    column = torch.arange(columns).expand(n, columns)
    return torch.stack((cut(token, num_heads), cut(column, num_heads)), dim=-1)


def multi_head_with_wrong_split(
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
) -> tuple[Tensor, Tensor]:
    """Self-attention with view_without_transpose, and joined by a view too: weights (heads, n, n), output.

    Every shape is right and no error comes, but row i of a head's weights is not about token i. Right:
    attention.multi_head_attention, with the same arguments.
    """
    query, key, value = (
        view_without_transpose(project(x, weight, offset), num_heads)
        for weight, offset in ((w_q, b_q), (w_k, b_k), (w_v, b_v))
    )
    options = {"mask": mask, "scale": scale, "masked_score": masked_score}
    heads = scaled_dot_product_attention(query, key, value, **options)
    joined = heads.output.reshape(len(x), -1)  # the right way is .transpose(0, 1).reshape(len(x), -1)
    return heads.weights, project(joined, w_o, b_o)


def project(x: Tensor, weight: Tensor | None, offset: Tensor | None) -> Tensor:
    """x @ weight + offset, each where it is given."""
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
    """Multi-head attention as a study note writes it; x is (n, d_model) or (1, n, d_model).

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


def mask_after_softmax(scaled_scores: Tensor, mask: Tensor) -> Tensor:
    """Weights set to 0 after the softmax: the rest of a row no longer sums to 1.

    The masked keys stay in the softmax's denominator. Right: −inf in their scores, before the softmax.
    """
    return torch.softmax(scaled_scores, dim=-1).masked_fill(~mask, 0.0)


def multiply_by_zero(scaled_scores: Tensor, mask: Tensor) -> Tensor:
    """Weights of scores multiplied by the mask: a masked key still gets the share of exp(0) = 1.

    A score of 0 is a score like any other, and higher than a negative one. Right: −inf.
    """
    return torch.softmax(scaled_scores * mask, dim=-1)


def plain_softmax(scores: Tensor) -> Tensor:
    """exp(s − max) / Σ exp(s − max), with no thought of a row of only −inf: −inf − (−inf) is NaN.

    One NaN row spreads to everything computed from it. Right: weights 0 in such a row, as the core has them.
    """
    return torch.softmax(scores, dim=-1)


def padding_on_query_rows(valid: int, n: int) -> Tensor:
    """A padding mask (n, n) laid on the query rows: the real queries may still attend to the padded keys.

    And the padded queries may attend to nothing. Right: the columns, padding_mask([valid], n).expand(n, n).
    """
    return (torch.arange(n) < valid)[:, None].expand(n, n)


def mask_on_heads(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Weights (batch, heads, q_len, kv_len) under a mask (batch, q_len, kv_len) without a head dimension.

    Broadcasting counts from the right and lays the mask's batch on the heads. With as many heads as batch
    entries no error comes: head b of every entry is masked as entry b should be. Right: mask[:, None], of
    shape (batch, 1, q_len, kv_len). attention.multi_head_attention inserts that dimension by itself.
    """
    return scaled_dot_product_attention(query, key, value, mask=mask).weights
