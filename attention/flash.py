"""Tiled attention with online softmax: the same output without ever holding the whole score matrix."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from attention import checks
from attention.scaled_dot_product import fill_masked
from attention.spelling import FLASH, translates

OUTER = ("keys", "queries")


class OnlineSoftmax(NamedTuple):
    """What online_softmax computes at each score. Every field is (..., n), but logsumexp is (...)."""

    running_maximum: Tensor
    rescale_factor: Tensor  # exp(maximum before − maximum now), which multiplies the sum before
    running_sum: Tensor  # Σ exp(score − running maximum) over the scores so far
    weights: Tensor
    logsumexp: Tensor


def online_softmax(scores: Tensor) -> OnlineSoftmax:
    """Softmax, with maximum and sum in one pass over the last dimension (Milakov & Gimelshein 2018, alg. 3).

    At each larger score, the sum so far is multiplied by exp(maximum before − maximum now): no exponent is
    ever above 0, and the largest score need not be known at the start. A row of only −inf has weights 0 and
    logsumexp −inf. scores is (..., n), n at least 1.

    Raises AttentionError where scores is not a floating-point tensor, or has no number in its last dimension.
    """
    checks.check_alike(scores=scores)
    checks.check_dimensions("scores", scores, "(..., n)", scores.ndim >= 1 and scores.shape[-1] > 0)
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    maximum, total = wide.new_full(wide.shape[:-1], -math.inf), wide.new_zeros(wide.shape[:-1])
    maxima, factors, totals = [], [], []
    for score in wide.unbind(dim=-1):
        maximum, factor, exps = rescaled(maximum, score.unsqueeze(-1))
        total = total * factor + exps.squeeze(-1)
        maxima.append(maximum)
        factors.append(factor)
        totals.append(total)
    weights = torch.exp(wide - shift_of(maximum)[..., None]) / divisor_of(total)[..., None]
    return OnlineSoftmax(
        running_maximum=torch.stack(maxima, dim=-1).to(scores.dtype),
        rescale_factor=torch.stack(factors, dim=-1).to(scores.dtype),
        running_sum=torch.stack(totals, dim=-1).to(scores.dtype),
        weights=weights.to(scores.dtype),
        logsumexp=log_total(maximum, total).to(scores.dtype),
    )


@dataclass(frozen=True, eq=False)
class FlashTile:
    """A tile of the scores, and the state of its rows after this tile, which covers all keys so far.

    A tile in which every cell is masked is skipped: nothing is computed, and the state stays as before.
    """

    rows: slice  # of the queries
    columns: slice  # of the keys
    running_maximum: Tensor  # (..., rows), the largest score so far, −inf before the first
    running_sum: Tensor  # (..., rows), Σ exp(score − running maximum)
    rescale_factor: Tensor  # (..., rows), exp(maximum before − maximum now); 0 before the first score
    partial_output: Tensor  # (..., rows, value_dim), attention to the keys so far
    skipped: bool


@dataclass(frozen=True, eq=False)
class FlashTrace:
    """What flash_attention computes, tile by tile in the order of its loops."""

    block_q: int
    block_k: int
    scale: float
    tiles: tuple[FlashTile, ...]
    output: Tensor  # (..., q_len, value_dim)
    logsumexp: Tensor  # (..., q_len)


@translates(FLASH)
def flash_attention(
    query: Tensor,  # (..., q_len, head_dim)
    key: Tensor,  # (..., kv_len, head_dim)
    value: Tensor,  # (..., kv_len, value_dim)
    *,
    block_q: int,  # B_r, rows of a tile
    block_k: int,  # B_c, columns of a tile
    mask: Tensor | None = None,  # bool, broadcasts to (..., q_len, kv_len), True = may attend
    bias: Tensor | None = None,  # float, broadcasts to (..., q_len, kv_len)
    scale: float | None = None,
    outer: str = "keys",
) -> FlashTrace:
    """scaled_dot_product_attention by tiles of block_q × block_k scores (Dao et al. 2022, algorithm 1).

    Only one tile of scores is computed at a time, in at least float32. For each block of queries m_i, l_i
    and O_i are kept: the largest score so far, the sum of exp(score − m_i) so far, and the output so far.
    The outer loop goes over the keys, as in algorithm 1; with outer="queries" over the queries, as in
    FlashAttention-2 (Dao 2023). The numbers are the same, for each row meets its keys in the same order.

    Blocks need not divide the lengths: the last tiles are smaller. A row that may attend to nothing has
    output 0 and logsumexp −inf. ∞ or NaN in a masked row of value is NaN in the output of the queries whose
    tile with this row is not skipped.

    Raises AttentionError where scaled_dot_product_attention raises it, for a block size that is no integer or
    below 1, and for an unknown outer loop.
    """
    shape = checks.check_attention(query, key, value, mask, bias, enable_gqa=None)  # (..., q_len, kv_len)
    block_q, block_k = checks.integer("block_q", block_q, 1), checks.integer("block_k", block_k, 1)
    checks.check_choice("outer", outer, OUTER)
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else checks.finite("scale", scale)
    dtype, wide = query.dtype, torch.promote_types(query.dtype, torch.float32)
    query, key, value = query.to(wide), key.to(wide), value.to(wide)
    mask = None if mask is None else mask.expand(shape)
    bias = None if bias is None else bias.expand(shape)

    row_blocks, column_blocks = blocks(shape[-2], block_q), blocks(shape[-1], block_k)
    states = [start(shape[:-2], rows, value) for rows in row_blocks]
    tiles = []
    for i, j in tile_order(len(row_blocks), len(column_blocks), outer):
        rows, columns = row_blocks[i], column_blocks[j]
        visible = None if mask is None else mask[..., rows, columns]
        skipped = visible is not None and not bool(visible.any())
        factor = torch.ones_like(states[i].maximum)  # (..., rows)
        if not skipped:
            scores = query[..., rows, :] @ key[..., columns, :].mT * scale  # (..., rows, columns)
            scores = scores if bias is None else scores + bias[..., rows, columns]
            scores = fill_masked(scores, visible, -math.inf)
            states[i], factor = updated(states[i], scores, value[..., columns, :])
        maximum, total, output = states[i]
        tiles.append(FlashTile(rows, columns, maximum, total, factor, output, skipped))

    states.append(start(shape[:-2], slice(0, 0), value))  # no rows: something to join where q_len is 0
    output = torch.cat([state.output for state in states], dim=-2)  # (..., q_len, value_dim)
    logsumexp = torch.cat([log_total(state.maximum, state.total) for state in states], dim=-1)  # (..., q_len)
    return FlashTrace(
        block_q=block_q,
        block_k=block_k,
        scale=scale,
        tiles=tuple(tiles),
        output=output.to(dtype),
        logsumexp=logsumexp.to(dtype),
    )


class BlockState(NamedTuple):
    """The state of a block of rows."""

    maximum: Tensor  # (..., rows), m
    total: Tensor  # (..., rows), l
    output: Tensor  # (..., rows, value_dim), O


def start(leading: tuple[int, ...], rows: slice, value: Tensor) -> BlockState:
    """The state before the first key: m = −inf, l = 0, O = 0. The scores are (*leading, q_len, kv_len)."""
    count = rows.stop - rows.start
    output_leading = checks.check_leading("query, key", leading, "value", value.shape)
    return BlockState(
        maximum=value.new_full((*leading, count), -math.inf),
        total=value.new_zeros(*leading, count),
        output=value.new_zeros(*output_leading, count, value.shape[-1]),
    )


def updated(state: BlockState, scores: Tensor, value: Tensor) -> tuple[BlockState, Tensor]:
    """The state after one more tile, scores (..., rows, columns), and the factor that rescales the old sum.

    Lines 10 to 13 of algorithm 1, but the exponents are relative to the new maximum at once.
    """
    maximum, factor, exps = rescaled(state.maximum, scores)
    before = state.total * factor  # l before this tile, relative to the new maximum
    total = before + exps.sum(dim=-1)
    output = (before[..., None] * state.output + exps @ value) / divisor_of(total)[..., None]
    return BlockState(maximum, total, output), factor


def rescaled(maximum: Tensor, scores: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The new maximum, with scores (..., columns); exp(maximum − new maximum); exp(scores − new maximum).

    The maximum cancels out of every result, so no gradient needs to flow through it.
    """
    largest = torch.maximum(maximum, scores.detach().amax(dim=-1))
    shift = shift_of(largest)
    return largest, torch.exp(maximum - shift), torch.exp(scores - shift[..., None])


def shift_of(maximum: Tensor) -> Tensor:
    """What to subtract: the maximum, but 0 where it is −inf, for −inf − (−inf) is NaN."""
    return maximum.masked_fill(maximum == -math.inf, 0.0)


def divisor_of(total: Tensor) -> Tensor:
    """What to divide by: the sum, but 1 where the sum is 0."""
    return total.masked_fill(total == 0, 1.0)


def log_total(maximum: Tensor, total: Tensor) -> Tensor:
    """log Σ exp(score), from the maximum and Σ exp(score − maximum); −inf where this sum is 0."""
    return (maximum + divisor_of(total).log()).masked_fill(total == 0, -math.inf)


def blocks(length: int, size: int) -> list[slice]:
    return [slice(first, min(first + size, length)) for first in range(0, length, size)]


def tile_order(row_blocks: int, column_blocks: int, outer: str) -> list[tuple[int, int]]:
    """(row block, column block) of every tile, in the order of the loops."""
    if outer == "keys":
        return [(i, j) for j in range(column_blocks) for i in range(row_blocks)]
    return [(i, j) for i in range(row_blocks) for j in range(column_blocks)]
