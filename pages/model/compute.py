"""From the settings to the core's trace: where the screen calls the core.

A trace is kept for its settings, so a page that needs it in ten places computes it once.
"""

from __future__ import annotations

import functools
import math

import torch

from attention import (
    MultiHeadTrace,
    block_diagonal_mask,
    causal_mask,
    multi_head_attention,
    padding_mask,
    prefix_mask,
    sliding_window_mask,
)

from .settings import Settings

KEPT = 256  # traces; the largest, 12 tokens and 8 heads of width 16, takes 0.2 MB


def packed_lengths(packed: tuple[int, ...], n: int) -> list[int]:
    """The lengths of n tokens' packed sequences: as given, cut off at n; the last one takes what is left."""
    lengths, left = [], n
    for length in packed:
        if left:
            lengths.append(min(length, left))
            left -= lengths[-1]
    return lengths + [left] * (left > 0)


def one_mask(settings: Settings, kind: str) -> torch.Tensor | None:
    """The mask (n, n) of that kind with the settings' numbers, True = may attend; None for no mask."""
    s, n = settings, len(settings.tokens)
    if kind == "causal":
        return causal_mask(n)
    if kind == "padding":
        return padding_mask([s.padding], n).expand(n, n)
    if kind == "window":
        return sliding_window_mask(n, left=s.window_left, right=s.window_right)
    if kind == "causal_window":
        return sliding_window_mask(n, left=s.window_left, right=0)
    if kind == "prefix":
        return prefix_mask(n, prefix=s.prefix)
    if kind == "packed":
        return block_diagonal_mask(packed_lengths(s.packed, n))
    if kind == "custom":
        mask = torch.ones(n, n, dtype=torch.bool)
        for row, col in s.blocked:
            mask[row, col] = False
        return mask
    return None


def mask_of(settings: Settings) -> torch.Tensor | None:
    """The mask (n, n) that the settings ask for, of one kind or of two together; None for no mask."""
    first, second = one_mask(settings, settings.mask), one_mask(settings, settings.mask_2)
    if first is None or second is None:
        return first
    return first & second if settings.combine == "and" else first | second


def _tensor(values) -> torch.Tensor | None:
    return None if values is None else torch.tensor(values, dtype=torch.float64)


def tensors_of(settings: Settings) -> dict[str, torch.Tensor | None]:
    """The weight matrices as multi_head_attention takes them. W_O is used with several heads only."""
    names = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")
    names += ("w_o", "b_o") if settings.num_heads > 1 else ()
    return {name: _tensor(getattr(settings, name)) for name in names}


def options_of(settings: Settings) -> dict:
    """Everything else that multi_head_attention takes, but the mask."""
    return {
        "num_heads": settings.num_heads,
        "num_kv_heads": settings.kv_heads,
        "scale": 1 / settings.divisor,
        "masked_score": -math.inf if settings.masked_score == "-inf" else -1e9,
    }


@functools.lru_cache(maxsize=KEPT)
def trace_of(settings: Settings) -> MultiHeadTrace:
    """Self-attention on the learner's numbers, in float64."""
    x = _tensor(settings.x)
    return multi_head_attention(x, **tensors_of(settings), mask=mask_of(settings), **options_of(settings))


def cross_mask_of(settings: Settings) -> torch.Tensor | None:
    """The mask (tokens, source tokens) of the cross-attention; None for no mask."""
    n, m = len(settings.tokens), len(settings.source)
    if settings.cross_mask == "padding":
        return padding_mask([settings.source_padding], m).expand(n, m)
    if settings.cross_mask == "causal":
        return causal_mask(n, m, alignment=settings.alignment)
    return None


@functools.lru_cache(maxsize=KEPT)
def cross_trace_of(settings: Settings) -> MultiHeadTrace:
    """Queries from the tokens, keys and values from the source, in float64."""
    x, y = _tensor(settings.x), _tensor(settings.y)
    mask = cross_mask_of(settings)
    return multi_head_attention(x, y, **tensors_of(settings), mask=mask, **options_of(settings))
