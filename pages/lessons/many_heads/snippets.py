"""Attention as the field writes it in PyTorch. Tests run this code and compare it with the core."""

from __future__ import annotations

SELF_ATTENTION = """\
import math
import torch
from torch import nn

class SelfAttention(nn.Module):
    \"\"\"One head: no split, and no output projection.\"\"\"

    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_k, bias=False)
        self.w_k = nn.Linear(d_model, d_k, bias=False)
        self.w_v = nn.Linear(d_model, d_v, bias=False)

    def forward(self, x, mask=None):                             # x: (batch, n, d_model)
        query, key, value = self.w_q(x), self.w_k(x), self.w_v(x)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])   # (batch, n, n)
        if mask is not None:                                     # True = may attend
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = torch.softmax(scores, dim=-1)                  # each row sums to 1
        return weights @ value, weights                          # (batch, n, d_v)
"""

MULTI_HEAD_ATTENTION = """\
class MultiHeadAttention(nn.Module):
    \"\"\"h heads side by side; w_o mixes what they found.\"\"\"

    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0, "h must divide d_model"
        self.h, self.d_k = h, d_model // h
        self.w_q = nn.Linear(d_model, d_model, bias=False)
        self.w_k = nn.Linear(d_model, d_model, bias=False)
        self.w_v = nn.Linear(d_model, d_model, bias=False)
        self.w_o = nn.Linear(d_model, d_model, bias=False)

    def split(self, projected):                                  # (batch, n, d_model)
        batch, n, _ = projected.shape
        return projected.view(batch, n, self.h, self.d_k).transpose(1, 2)   # (batch, h, n, d_k)

    def forward(self, x, mask=None):
        query, key, value = (self.split(w(x)) for w in (self.w_q, self.w_k, self.w_v))
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.d_k)        # (batch, h, n, n)
        if mask is not None:                                     # (batch, n, n): one for all heads
            scores = scores.masked_fill(~mask.unsqueeze(1), float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        heads = weights @ value                                  # (batch, h, n, d_k)
        concatenated = heads.transpose(1, 2).flatten(2)          # (batch, n, d_model)
        return self.w_o(concatenated), weights
"""

# The core's own module, with the learner's sizes.
MODULE = """\
import torch
from attention import MultiHeadAttention

module = MultiHeadAttention(
    embed_dim={d_model}, num_heads={heads}, num_kv_heads={kv_heads}, head_dim={d_k}, value_dim={d_v}
)
trace = module(torch.randn(2, {n}, {d_model}))  # (batch, n, d_model)
trace.heads.weights.shape  # (2, {heads}, {n}, {n})
trace.output.shape         # (2, {n}, {d_model})
"""
