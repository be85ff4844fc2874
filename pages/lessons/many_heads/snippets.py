"""Attention as the field writes it in PyTorch. Tests run this code and compare it with the core."""

SELF_ATTENTION = """\
from math import inf, sqrt

import torch
from torch import nn

class SelfAttention(nn.Module):
    # one head: no split, no output projection
    def __init__(self, d_model, d_k, d_v):
        super().__init__()
        self.w_q = nn.Linear(d_model, d_k)
        self.w_k = nn.Linear(d_model, d_k)
        self.w_v = nn.Linear(d_model, d_v)

    def forward(self, x, mask=None):
        query = self.w_q(x)           # (b, n, d_k)
        key = self.w_k(x)
        value = self.w_v(x)           # (b, n, d_v)
        scores = query @ key.transpose(-2, -1)
        scores = scores / sqrt(query.shape[-1])
        if mask is not None:          # True = may attend
            scores = scores.masked_fill(~mask, -inf)
        weights = torch.softmax(scores, dim=-1)
        return weights @ value        # (b, n, d_v)
"""

MULTI_HEAD_ATTENTION = """\
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        assert d_model % h == 0
        self.h, self.d_k = h, d_model // h
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_o = nn.Linear(d_model, d_model)

    def split(self, x):
        b, n, _ = x.shape
        x = x.view(b, n, self.h, self.d_k)
        return x.transpose(1, 2)      # (b, h, n, d_k)

    def forward(self, x, mask=None):  # mask: (b, n, n)
        query = self.split(self.w_q(x))
        key = self.split(self.w_k(x))
        value = self.split(self.w_v(x))
        scores = query @ key.transpose(-2, -1)
        scores = scores / sqrt(self.d_k)
        if mask is not None:          # one for all heads
            mask = mask.unsqueeze(1)  # (b, 1, n, n)
            scores = scores.masked_fill(~mask, -inf)
        weights = torch.softmax(scores, dim=-1)
        heads = weights @ value       # (b, h, n, d_k)
        joined = heads.transpose(1, 2).flatten(2)
        return self.w_o(joined)       # (b, n, d_model)
"""
