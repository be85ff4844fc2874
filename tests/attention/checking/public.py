"""Attention as public code writes it, right and with one mistake, and what check is to say of it.

A verdict is "right", "not compared", "unnamed", the name of a mistake, or the name of a remark.
"""

import functools
import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

INF = math.inf
D, H = 12, 3


def softmax(scores):
    return torch.softmax(scores, dim=-1)


def sdpa(query, key, value, attn_mask=None, is_causal=False, scale=None, *, weigh=None, mask_value=-INF):
    """The usual function, whose weights are made by `weigh`."""
    scores = query @ key.transpose(-2, -1) * (query.shape[-1] ** -0.5 if scale is None else scale)
    visible = torch.ones(scores.shape[-2:], dtype=torch.bool)
    visible = visible.tril() if is_causal else visible if attn_mask is None else attn_mask
    weights = (weigh or softmax)(scores.masked_fill(~visible, mask_value))
    return weights.masked_fill(~visible.any(-1, keepdim=True), 0) @ value


# ---- what a function passed, or was not named


def clamped(query, key, value, attn_mask=None):
    return sdpa(query, key, value, attn_mask).clamp(-2, 2)


def flipped_batch(query, key, value, attn_mask=None):
    output = sdpa(query, key, value, attn_mask)
    return torch.cat([output[:2], output[2:].flip(0)]) if output.ndim > 2 else output


def stable_plus_one(scores):
    top = scores.amax(-1, keepdim=True).clamp(min=0)
    return torch.exp(scores - top) / (torch.exp(-top) + torch.exp(scores - top).sum(-1, keepdim=True))


def joined_by_view(q, k, v):
    """(h, b, n, d) → (b, n, h * d)."""
    _, b, n, _ = q.shape
    return (softmax(q @ k.mT / math.sqrt(q.shape[-1])) @ v).reshape(b, n, -1)


def repeated_masks(query, key, value, attn_mask=None):
    """Texts and heads are one dimension; the masks are repeated 0 1 0 1 where the heads are 0 0 1 1."""
    if attn_mask is None or query.ndim < 4 or attn_mask.ndim < 4 or attn_mask.shape[1] != 1:
        return sdpa(query, key, value, attn_mask)
    heads = query.shape[1]
    mask = attn_mask[:, 0].repeat(heads, 1, 1)
    return sdpa(*(t.flatten(0, 1) for t in (query, key, value)), mask).unflatten(0, (-1, heads))


def repeated_masks_right(query, key, value, attn_mask=None):
    if attn_mask is None or query.ndim < 4 or attn_mask.ndim < 4 or attn_mask.shape[1] != 1:
        return sdpa(query, key, value, attn_mask)
    heads = query.shape[1]
    mask = attn_mask[:, 0].repeat_interleave(heads, 0)
    return sdpa(*(t.flatten(0, 1) for t in (query, key, value)), mask).unflatten(0, (-1, heads))


def residual(query, key, value, attn_mask=None):
    return sdpa(query, key, value, attn_mask) + (query if query.shape == value.shape else 0)


def all_cells(scores):
    return torch.softmax(scores.flatten(), 0).reshape(scores.shape)


def base_two(scores):
    exps = torch.pow(2, scores - scores.amax(-1, keepdim=True))
    return exps / exps.sum(-1, keepdim=True)


def no_keepdim(scores):
    exps = torch.exp(scores - scores.amax(-1, keepdim=True))
    return exps / exps.sum(-1)


def exchanged_kv(query, key, value, attn_mask=None, is_causal=False, scale=None):
    return sdpa(query, value, key, attn_mask, is_causal, scale)


def output_scaled(query, key, value, attn_mask=None, is_causal=False, scale=None):
    return sdpa(query, key, value, attn_mask, is_causal, scale) / math.sqrt(query.shape[-1])


def in_place(query, key, value, attn_mask=None, is_causal=False):
    query *= query.shape[-1] ** -0.5
    return sdpa(query, key, value, attn_mask, is_causal, scale=1.0)


# ---- conventions of functions


def heads_third(q, k, v, softmax_scale=None, causal=False, *, heed=True):
    """(batch, length, heads, dim), as flash-attn has it."""
    scale = q.shape[-1] ** -0.5 if softmax_scale is None or not heed else softmax_scale
    scores = torch.einsum("bthd,bshd->bhts", q, k) * scale
    if causal:
        n, m = scores.shape[-2:]
        scores = scores.masked_fill(torch.ones(n, m, dtype=torch.bool).triu(1 + m - n), -INF)
    return torch.einsum("bhts,bshd->bthd", softmax(scores).nan_to_num(), v)


def four_dimensions(query, key, value, key_padding_mask=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if key_padding_mask is not None:
        scores = scores.masked_fill(key_padding_mask[:, None, None, :], -INF)
    return softmax(scores) @ value


def transformers_mask(query, key, value, attention_mask=None):
    """1 for keep and 0 for padding, (batch, keys)."""
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        extended = (1.0 - attention_mask[:, None, None, :].to(scores.dtype)) * torch.finfo(scores.dtype).min
        scores = scores + extended
    return softmax(scores) @ value


def additive(query, key, value, attention_mask=None):
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.size(-1))
    if attention_mask is not None:
        scores = scores + attention_mask
    return softmax(scores.float()).to(query.dtype).nan_to_num() @ value


def zero_is_masked(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    return softmax(scores) @ v


def true_is_masked(Q, K, V, attn_mask):
    scores = torch.matmul(Q, K.transpose(-1, -2)) / np.sqrt(Q.shape[-1])
    if attn_mask is not None:
        scores.masked_fill_(attn_mask, -1e9)
    return softmax(scores) @ V


def in_bfloat16(query, key, value, attn_mask=None, is_causal=False, scale=None):
    q, k, v = (tensor.bfloat16() for tensor in (query, key, value))
    return sdpa(q, k, v, attn_mask, is_causal, scale).to(query.dtype)


def lower_right(query, key, value, is_causal=False):
    n, m = query.shape[-2], key.shape[-2]
    mask = torch.ones(n, m, dtype=torch.bool).tril(m - n) if is_causal else None
    return sdpa(query, key, value, mask)


def viewed(query, key, value):
    """(batch, length, heads, dim) by a view."""
    b, _, h, d = query.shape
    q, k, v = (t.reshape(b, h, t.shape[1], t.shape[-1]) for t in (query, key, value))
    return (softmax(q @ k.mT / math.sqrt(d)) @ v).transpose(1, 2)


def alibi(query, key, value):
    h, n, m = query.shape[-3], query.shape[-2], key.shape[-2]
    slopes = torch.tensor([2 ** (-8 * (i + 1) / h) for i in range(h)], dtype=query.dtype)
    distance = (torch.arange(n)[:, None] - torch.arange(m)[None]).abs()
    scores = query @ key.mT / math.sqrt(query.shape[-1]) - slopes[:, None, None] * distance
    return softmax(scores) @ value


def soft_cap(query, key, value, attn_mask=None, cap=50.0):
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    scores = cap * torch.tanh(scores / cap)
    return softmax(scores if attn_mask is None else scores.masked_fill(~attn_mask, -INF)).nan_to_num() @ value


def windowed(query, key, value, window=2):
    n, m = query.shape[-2], key.shape[-2]
    near = (torch.arange(n)[:, None] - torch.arange(m)[None]).abs() <= window
    return sdpa(query, key, value, near)


def of_numpy(query, key, value):
    """np.sqrt of an integer is float64, which NumPy 2 does not weaken."""
    scores = query @ np.swapaxes(key, -1, -2) / np.sqrt(query.shape[-1])
    exps = np.exp(scores - scores.max(-1, keepdims=True))
    return exps / exps.sum(-1, keepdims=True) @ value


# ---- modules


def half_turn(x):
    first, second = x.chunk(2, -1)
    return torch.cat((-second, first), -1)


def rotated(x):
    """Rotary positions in halves, as Llama in transformers."""
    n, d = x.shape[-2:]
    angles = torch.arange(n)[:, None] * 10000.0 ** (-torch.arange(0, d, 2) / d)
    angles = torch.cat((angles, angles), -1).to(x)
    return x * angles.cos() + half_turn(x) * angles.sin()


def rotated_pairs(x):
    """As complex numbers, as Meta's Llama."""
    n, d = x.shape[-2:]
    angles = torch.outer(torch.arange(n), 10000.0 ** (-torch.arange(0, d, 2)[: d // 2] / d))
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turns).flatten(-2).to(x)


class Llama(nn.Module):
    def __init__(self, turn=rotated, shared=True, turn_value=False, causal=True, scale=True):
        super().__init__()
        torch.manual_seed(1)
        self.num_heads, self.num_key_value_heads, self.head_dim = 4, 2, 4
        self.q_proj, self.o_proj = nn.Linear(16, 16, bias=False), nn.Linear(16, 16, bias=False)
        self.k_proj, self.v_proj = nn.Linear(16, 8, bias=False), nn.Linear(16, 8, bias=False)
        self.steps = turn, shared, turn_value, causal, scale

    def forward(self, hidden_states, attention_mask=None):
        turn, shared, turn_value, causal, scale = self.steps
        b, n, _ = hidden_states.shape
        q = self.q_proj(hidden_states).view(b, n, self.num_heads, -1).transpose(1, 2)
        k = self.k_proj(hidden_states).view(b, n, self.num_key_value_heads, -1).transpose(1, 2)
        v = self.v_proj(hidden_states).view(b, n, self.num_key_value_heads, -1).transpose(1, 2)
        q, k, v = turn(q), turn(k), turn(v) if turn_value else v
        if shared:
            k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
        else:
            k, v = k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1)
        scores = q @ k.transpose(2, 3) / (math.sqrt(self.head_dim) if scale else 1)
        if causal:
            scores = scores + torch.full((n, n), -INF).triu(1)
        return self.o_proj((softmax(scores) @ v).transpose(1, 2).reshape(b, n, -1))


def split_in_order(qkv, h):
    return (part.unflatten(-1, (h, -1)).transpose(1, 2) for part in qkv.chunk(3, -1))


def split_per_head(qkv, h):
    b, n, _ = qkv.shape
    return qkv.view(b, n, h, -1).transpose(1, 2).chunk(3, -1)


def split_within(qkv, h):
    """(d h): neighbouring columns belong to different heads."""
    return (part.unflatten(-1, (-1, h)).permute(0, 3, 1, 2) for part in qkv.chunk(3, -1))


class Fused(nn.Module):
    def __init__(self, name="qkv", split=split_per_head, causal=False, attend=None, bias=True, out="proj"):
        super().__init__()
        torch.manual_seed(2)
        self.name, self.out, self.split, self.num_heads, self.causal = name, out, split, H, causal
        setattr(self, name, nn.Linear(D, 3 * D, bias=bias))
        setattr(self, out, nn.Linear(D, D))
        self.attend = attend or functools.partial(F.scaled_dot_product_attention, is_causal=causal)

    def forward(self, x):
        q, k, v = self.split(getattr(self, self.name)(x), self.num_heads)
        return getattr(self, self.out)(self.attend(q, k, v).transpose(1, 2).flatten(2))


class Gpt2(nn.Module):
    """c_attn and c_proj are (in, out), the scores are divided by the root of the value's size."""

    def __init__(self, change=lambda scores: scores):
        super().__init__()
        torch.manual_seed(3)
        self.c_attn = nn.ParameterDict({"weight": torch.randn(D, 3 * D) / 3, "bias": torch.randn(3 * D)})
        self.c_proj = nn.ParameterDict({"weight": torch.randn(D, D) / 3, "bias": torch.randn(D)})
        self.n_head, self.change = H, change

    def forward(self, x):
        qkv = torch.addmm(self.c_attn["bias"], x.flatten(0, 1), self.c_attn["weight"])
        q, k, v = split_in_order(qkv.unflatten(0, x.shape[:2]), H)
        scores = q @ k.mT / v.size(-1) ** 0.5
        n = x.shape[1]
        scores = self.change(scores.masked_fill(torch.ones(n, n).tril() == 0, -1e4))
        y = (softmax(scores) @ v).transpose(1, 2).flatten(2)
        return y @ self.c_proj["weight"] + self.c_proj["bias"]


class Separate(nn.Module):
    """A module with a number of heads, projections of each kind and one mistake."""

    def __init__(self, split=None, attend=None, join=None, dtype=None):
        super().__init__()
        torch.manual_seed(4)
        self.n_heads = H
        self.w_q, self.w_k, self.w_v, self.w_o = (nn.Linear(D, D) for _ in range(4))
        self.steps = split, attend, join, dtype

    def forward(self, x):
        split, attend, join, dtype = self.steps
        cut = split or (lambda t: t.unflatten(-1, (H, -1)).transpose(1, 2))
        q, k, v = (cut(layer(x)) for layer in (self.w_q, self.w_k, self.w_v))
        if dtype is not None:
            q, k, v = q.to(dtype), k.to(dtype), v.to(dtype)
        heads = (attend or F.scaled_dot_product_attention)(q, k, v).to(x.dtype)
        return self.w_o((join or (lambda t: t.transpose(1, 2).flatten(2)))(heads))


def within_heads(t):
    return t.unflatten(-1, (-1, H)).permute(0, 3, 1, 2)


OF_FUNCTIONS = {
    "keys_for_values": exchanged_kv,
    "base_two": functools.partial(sdpa, weigh=base_two),
    "no_keepdim": functools.partial(sdpa, weigh=no_keepdim),
    "scaled_output": output_scaled,
}
# name → the function or module, what check is to say of it, and how it is called
CASES = {
    # a finding that was missed
    "−10⁴ in place of −∞, empty rows 0": (functools.partial(sdpa, mask_value=-1e4), "finite_mask"),
    "−3·10⁴ in place of −∞, empty rows 0": (functools.partial(sdpa, mask_value=-3e4), "finite_mask"),
    "an output clamped to ±2": (clamped, "unnamed"),
    "a batch that is flipped beyond the second": (flipped_batch, "unnamed"),
    # a mistake without its name, or with another's
    "softmax + 1 in its stable form": (functools.partial(sdpa, weigh=stable_plus_one), "plus_one"),
    "heads first, joined by a view": (joined_by_view, "merged_heads, unnamed"),
    "masks repeated in another order than the heads": (repeated_masks, "unnamed|masks_tiled"),
    "masks repeated in the order of the heads": (repeated_masks_right, "right"),
    "a residual": (residual, "unnamed|residual"),
    "a softmax over all cells": (functools.partial(sdpa, weigh=all_cells), "wrong_axis"),
    "base 2": (functools.partial(sdpa, weigh=base_two), "base_two"),
    "keys and values exchanged": (exchanged_kv, "keys_for_values"),
    "a sum without keepdim": (functools.partial(sdpa, weigh=no_keepdim), "no_keepdim"),
    "an output that is scaled too": (output_scaled, "scaled_output"),
    "arguments changed in place": (in_place, "changed"),
    # conventions
    "flash-attn's layout": (heads_third, "lower_right"),
    "flash-attn's layout, the scale ignored": (
        functools.partial(heads_third, heed=False),
        "scale_ignored, lower_right",
    ),
    "a key padding mask in 4-D": (four_dimensions, "right"),
    "an attention mask of 1 and 0 over keys": (transformers_mask, "right"),
    "an additive mask": (additive, "masks_added"),
    "0 is masked": (zero_is_masked, "finite_mask"),
    "True is masked": (true_is_masked, "finite_mask, true_is_masked"),
    "bfloat16 inside": (in_bfloat16, "precision"),
    "causal in the lower right": (lower_right, "lower_right"),
    "heads split by a view": (viewed, "unnamed|view_split"),
    # more than attention
    "ALiBi": (alibi, "alibi"),
    "a soft cap": (soft_cap, "softcap"),
    "a window": (windowed, "window"),
    "NumPy, which returns float64": (of_numpy, "wider_dtype", {"arrays": "numpy"}),
    # modules
    "Llama": (Llama(), "right"),
    "Llama in pairs": (Llama(rotated_pairs), "right"),
    "Llama, not scaled": (Llama(scale=False), "not_scaled"),
    "Llama, rotary on V": (Llama(turn_value=True), "rotated_values"),
    "Llama, a wrong repeat": (Llama(shared=False), "tiled_heads"),
    "qkv per head": (Fused(), "right"),
    "qkv per head, named otherwise": (Fused("query_key_value", out="dense"), "right"),
    "qkv per head, not scaled": (
        Fused(attend=lambda q, k, v: softmax(q @ k.mT) @ v),
        "not_scaled",
    ),
    "qkv in order": (Fused(split=split_in_order), "right"),
    "kdim and vdim": (nn.MultiheadAttention(D, H, kdim=8, vdim=6, batch_first=True).eval(), "right"),
    "GPT-2": (Gpt2(), "right"),
    "GPT-2, no causal mask": (Gpt2(lambda scores: scores), "right"),
    "heads split as (d h)": (Separate(split=within_heads), "heads_apart"),
    "bfloat16 in a module": (Separate(dtype=torch.bfloat16), "precision"),
    "a module without scaling": (
        Separate(attend=lambda q, k, v: softmax(q @ k.mT) @ v),
        "not_scaled",
    ),
}
