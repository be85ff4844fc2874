"""A sink is one more key and value of zeros, with the sink as its bias (gpt-oss, OpenAI 2025)."""

import math

import torch
from torch import Tensor
from torch.nn import functional as F

from attention import AttentionTrace, scaled_dot_product_attention


def with_a_key_of_zeros(
    trace: AttentionTrace, sink: float, *, masked_score: float = -math.inf
) -> AttentionTrace:
    """The attention of one head to one more key and value of zeros: visible, and with the sink as its bias.

    The trace has no dropout and no softcap.
    """
    bias = torch.zeros_like(trace.scores) if trace.bias is None else trace.bias.expand_as(trace.scores)
    mask = None if trace.mask is None else F.pad(trace.mask.expand_as(trace.scores), (0, 1), value=True)
    return scaled_dot_product_attention(
        trace.query,
        _longer(trace.key),
        _longer(trace.value),
        bias=F.pad(bias, (0, 1), value=sink),
        mask=mask,
        scale=trace.scale,
        masked_score=masked_score,
    )


def _longer(rows: Tensor) -> Tensor:
    return F.pad(rows, (0, 0, 0, 1))
