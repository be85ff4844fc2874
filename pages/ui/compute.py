"""From the settings to the core's trace: the one place where the pages call the core."""

from __future__ import annotations

import math

import torch

from attention import (
    MultiHeadTrace,
    causal_mask,
    multi_head_attention,
    padding_mask,
    sliding_window_mask,
)

from .settings import Settings


def mask_of(settings: Settings) -> torch.Tensor | None:
    """The mask (n, n) the settings ask for, True = may attend; None for no mask."""
    n = len(settings.tokens)
    if settings.mask == "causal":
        return causal_mask(n)
    if settings.mask == "padding":
        return padding_mask([settings.padding], n).expand(n, n)
    if settings.mask == "window":
        return sliding_window_mask(n, left=settings.window_left, right=settings.window_right)
    if settings.mask == "custom":
        mask = torch.ones(n, n, dtype=torch.bool)
        for row, col in settings.blocked:
            mask[row, col] = False
        return mask
    return None


def _tensor(values) -> torch.Tensor | None:
    return None if values is None else torch.tensor(values, dtype=torch.float64)


def trace_of(settings: Settings) -> MultiHeadTrace:
    """Attention on the learner's numbers, in float64. W_O is used with several heads only."""
    several = settings.num_heads > 1
    s = settings
    x, w_q, w_k, w_v, w_o, b_q, b_k, b_v, b_o = (
        _tensor(m) for m in (s.x, s.w_q, s.w_k, s.w_v, s.w_o, s.b_q, s.b_k, s.b_v, s.b_o)
    )
    return multi_head_attention(
        x,
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        w_o=w_o if several else None,
        b_q=b_q,
        b_k=b_k,
        b_v=b_v,
        b_o=b_o if several else None,
        num_heads=s.num_heads,
        mask=mask_of(s),
        scale=1 / s.divisor,
        masked_score=-math.inf if s.masked_score == "-inf" else -1e9,
    )
