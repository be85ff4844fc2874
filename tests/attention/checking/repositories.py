"""Attention in the manner of public repositories, right and with one realistic mistake; none is copied.

A repository's name says whose structure is followed: names, order of dimensions, fused projections, masks.
"""

import math
from functools import partial

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from .public import rotated, rotated_pairs, softmax

D, H, INF = 12, 3, math.inf


class Layer(nn.Module):
    """Projections by name, and `run(self, x)`."""

    def __init__(self, run, heads="num_heads", count=H, bias=True, **widths):
        super().__init__()
        torch.manual_seed(5)
        for name, (into, out) in widths.items():
            setattr(self, name, nn.Linear(into, out, bias=bias))
        if heads:
            setattr(self, heads, count)
        self.run = run

    def forward(self, x):
        return self.run(self, x)


def cut(x, heads=H):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join(x):
    return x.transpose(1, 2).flatten(2)


def causal(n):
    return torch.ones(n, n, dtype=torch.bool).tril()


# iCrewZero/Large-Language-Model-GPT-4: qkv, rotary positions, causal
def gpt4_like(self, x, transposed=True, diagonal=0):
    b, t, c = x.shape
    q, k, v = self.qkv(x).chunk(3, dim=-1)
    q, k, v = (p.view(b, t, self.n_heads, -1) for p in (q, k, v))
    if transposed:
        q, k, v = (p.transpose(1, 2) for p in (q, k, v))
    att = rotated(q) @ rotated(k).transpose(-2, -1) * (c // self.n_heads) ** -0.5
    if transposed:
        att = att.masked_fill(~torch.ones(t, t).tril(diagonal).bool(), -INF)
    out = att.softmax(-1) @ v
    return self.proj(out.transpose(1, 2).reshape(b, t, c) if transposed else out.reshape(b, t, c))


GPT4 = {"heads": "n_heads", "bias": False, "qkv": (D, 3 * D), "proj": (D, D)}


# Adstefnum/adesina-gpt: one head, mask before the scaling
def adesina(self, inputs, root=None, keep_diagonal=1):
    queries, keys, values = (layer(inputs) for layer in (self.W_query, self.W_key, self.W_value))
    scores = queries @ keys.transpose(-2, -1)
    n = scores.shape[1]
    scores = scores.masked_fill(torch.triu(torch.ones(n, n), diagonal=keep_diagonal).bool(), -torch.inf)
    size = torch.sqrt(torch.tensor(keys.shape[-1])) if root is None else root(keys)
    return torch.softmax(scores / size, dim=-1) @ values


ADESINA = {"heads": "", "bias": False, "W_query": (D, 5), "W_key": (D, 5), "W_value": (D, 5)}


# barkinadiguzel/Swin-Replication: reshape to 3 and permute, mask added
def swin(self, x, scale=None, back=True):
    b, n, c = x.shape
    q, k, v = self.qkv(x).reshape(b, n, 3, self.num_heads, c // self.num_heads).permute(2, 0, 3, 1, 4)
    attn = q @ k.transpose(-2, -1) * ((c // self.num_heads) ** -0.5 if scale is None else scale)
    out = attn.softmax(dim=-1) @ v
    return self.proj((out.transpose(1, 2) if back else out).reshape(b, n, c))


PACKED = {"qkv": (D, 3 * D), "proj": (D, D)}


# pypi Stackformer: one head over a packed projection, scaled by the width, a mask of True above the diagonal
def stackformer(self, x, dim=-1):
    q, k, v = torch.chunk(self.qkv_proj(x), 3, dim=-1)
    scores = q @ k.transpose(-2, -1) / math.sqrt(x.shape[-1])
    above = torch.triu(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool), diagonal=1)
    weights = F.softmax(scores.masked_fill(above, -INF), dim=dim)
    return self.out_proj((weights.nan_to_num() if dim != -1 else weights) @ v)


STACK = {"heads": "", "qkv_proj": (D, 3 * D), "out_proj": (D, D)}


# ming024/FastSpeech2, Amphion: a module of q, k and v with a temperature, (heads * batch, length, dim)
class Temperature(nn.Module):
    def __init__(self, temperature=8.0, dim=2, divide=True):
        super().__init__()
        self.temperature, self.softmax, self.divide = temperature, nn.Softmax(dim=dim), divide

    def forward(self, q, k, v, mask=None):
        attn = torch.bmm(q, k.transpose(1, 2))
        attn = attn / self.temperature if self.divide else attn
        if mask is not None:
            attn = attn.masked_fill(mask, -np.inf)
        attn = self.softmax(attn)
        return torch.bmm(attn, v), attn


# ise-uiuc/WhiteFox: the mask is added
def whitefox(query, key, value, attn_mask=None, axis=-1, drop=0.0):
    qk = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    qk = qk if attn_mask is None else qk + attn_mask
    return torch.dropout(torch.softmax(qk, dim=axis).nan_to_num(), drop, drop > 0) @ value


# CausalSelfAttention with RoPE of its own: qkv_proj and wo
def with_rope(self, x, turn=rotated_pairs, order=False):
    q, k, v = (cut(part) for part in self.qkv_proj(x).chunk(3, dim=-1))
    q, k = (turn(q), turn(k))
    out = F.scaled_dot_product_attention(*((k, q, v) if order else (q, k, v)), is_causal=True)
    return self.wo(join(out))


ROPE = {"bias": False, "heads": "n_heads", "qkv_proj": (D, 3 * D), "wo": (D, D)}


# augustwester/tiny-vit: W and out, (k h d), and a division by a scale that is a reciprocal
def tiny_vit(self, x, right=True):
    q, k, v = self.W(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
    scale = q.shape[-1] ** -0.5
    scores = q @ k.permute(0, 1, 3, 2)
    return self.out(join(softmax(scores * scale if right else scores / scale) @ v))


TINY = {"bias": False, "W": (D, 3 * D), "out": (D, D)}


# thubZ09/paper-implementations: to_qkv, and a scale of the whole width
def paper_vit(self, x, whole=False):
    q, k, v = (cut(part, self.heads) for part in self.to_qkv(x).chunk(3, dim=-1))
    scale = (x.shape[-1] if whole else q.shape[-1]) ** -0.5
    return self.to_out(join((q @ k.transpose(-1, -2) * scale).softmax(dim=-1) @ v))


VIT = {"heads": "heads", "bias": False, "to_qkv": (D, 3 * D), "to_out": (D, D)}


# taihim/timeseries-transformer: four clones of one projection in a list
class Clones(nn.Module):
    def __init__(self, heads=H, change=lambda scores: scores):
        super().__init__()
        torch.manual_seed(6)
        self.weight_matrices = nn.ModuleList(nn.Linear(D, D) for _ in range(4))
        self.h, self.change = heads, change

    def forward(self, query, key, value):
        inputs = zip(self.weight_matrices, (query, key, value), strict=False)
        q, k, v = (cut(layer(x), self.h) for layer, x in inputs)
        scores = self.change(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)))
        return self.weight_matrices[-1](join(softmax(scores) @ v))


# chunkformer, ESPnet: linear_q …, forward(query, key, value, mask), a mask of 1 and 0
class Espnet(nn.Module):
    def __init__(self, kv_heads=H, causal=False, repeat=None, root=None):
        super().__init__()
        torch.manual_seed(7)
        self.h, self.h_kv, self.d_k = H, kv_heads, D // H
        self.linear_q, self.linear_out = nn.Linear(D, D), nn.Linear(D, D)
        self.linear_k, self.linear_v = (nn.Linear(D, kv_heads * self.d_k) for _ in range(2))
        self.root = math.sqrt(self.d_k) if root is None else root

    def forward(self, query, key, value, mask=None):
        b = query.size(0)
        q = self.linear_q(query).view(b, -1, self.h, self.d_k).transpose(1, 2)
        k = self.linear_k(key).view(b, -1, self.h_kv, self.d_k).transpose(1, 2)
        v = self.linear_v(value).view(b, -1, self.h_kv, self.d_k).transpose(1, 2)
        if self.h_kv != self.h:
            k, v = (t.repeat_interleave(self.h // self.h_kv, dim=1) for t in (k, v))
        scores = torch.matmul(q, k.transpose(-2, -1)) / self.root
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1).eq(0), torch.finfo(scores.dtype).min)
        x = torch.matmul(torch.softmax(scores, dim=-1), v)
        return self.linear_out(x.transpose(1, 2).contiguous().view(b, -1, self.h * self.d_k))


# fairseq: (length, batch, width), heads in the batch
def fairseq(self, x, scaling=True, split=True):
    n, b, d = x.shape
    q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
    q = q * (d // H) ** -0.5 if scaling else q
    if split:
        q, k, v = (t.contiguous().view(n, b * H, d // H).transpose(0, 1) for t in (q, k, v))
    else:
        q, k, v = (t.contiguous().view(b * H, n, d // H) for t in (q, k, v))
    attn = torch.bmm(torch.bmm(q, k.transpose(1, 2)).softmax(-1), v)
    return self.out_proj(attn.transpose(0, 1).contiguous().view(n, b, d))


FAIRSEQ = {"k_proj": (D, D), "v_proj": (D, D), "q_proj": (D, D), "out_proj": (D, D)}


# Bloom's order in one matrix, without ALiBi; GPT-NeoX has the same
def neox(self, x, scale=True, value_first=False):
    b, n, _ = x.shape
    fused = self.query_key_value(x).view(b, n, H, 3, D // H)
    q, k, v = fused[..., 0, :], fused[..., 1, :], fused[..., 2, :]
    q, k, v = (t.transpose(1, 2) for t in ((q, v, k) if value_first else (q, k, v)))
    scores = q @ k.mT * ((D // H) ** -0.5 if scale else 1.0)
    return self.dense(join(softmax(scores.masked_fill(~causal(n), -INF)) @ v))


NEOX = {"heads": "num_attention_heads", "query_key_value": (D, 3 * D), "dense": (D, D)}


# GPT-J and GPT-NeoX: rotary positions on the first dimensions of a head
def turned_in_part(turn, dim):
    return lambda x: torch.cat((turn(x[..., :dim]), x[..., dim:]), -1)


class InPart(nn.Module):
    def __init__(self, turn, dim=4, said=None, turn_value=False, root=8**0.5):
        super().__init__()
        torch.manual_seed(8)
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(16, 16) for _ in range(4))
        self.num_attention_heads, self.turn, self.steps = 2, turned_in_part(turn, dim), (turn_value, root)
        if said:
            setattr(self, *said)

    def forward(self, x):
        q, k, v = (cut(layer(x), 2) for layer in (self.q_proj, self.k_proj, self.v_proj))
        turn_value, root = self.steps
        q, k, v = self.turn(q), self.turn(k), self.turn(v) if turn_value else v
        scores = (q @ k.mT / root).masked_fill(~causal(x.shape[1]), -INF)
        return self.out_proj(join(softmax(scores) @ v))


# the self-attention of BERT: query, key, value
def bert(self, hidden, root=None, axis=-1):
    q, k, v = (cut(layer(hidden)) for layer in (self.query, self.key, self.value))
    scores = q @ k.transpose(-1, -2) / (math.sqrt(D // H) if root is None else root)
    return (join(nn.functional.softmax(scores, dim=axis) @ v),)


BERT = {"heads": "num_attention_heads", "query": (D, D), "key": (D, D), "value": (D, D)}


# modded nanoGPT: c_q, c_k, c_v, c_proj
def modded(self, x, turn_value=False):
    q, k, v = (cut(layer(x)) for layer in (self.c_q, self.c_k, self.c_v))
    q, k, v = rotated(q), rotated(k), rotated(v) if turn_value else v
    return self.c_proj(join(F.scaled_dot_product_attention(q, k, v, is_causal=True)))


MODDED = {"bias": False, "c_q": (D, D), "c_k": (D, D), "c_v": (D, D), "c_proj": (D, D)}


# annotated attention, as courses have it: a function with a mask of 1 and 0
def annotated(query, key, value, mask=None, dropout=None, late=False):
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    if mask is not None and not late:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if mask is not None and late:
        p_attn = p_attn.masked_fill(mask == 0, 0)
    return torch.matmul(p_attn, value), p_attn


# an einsum in (batch, length, heads, dim), as x-transformers and JAX have it
def einsum(q, k, v, mask=None, wrong=""):
    if wrong == "heads":
        weights = torch.einsum("bihd,bigd->bihg", q, k[:, : q.shape[1]]) / q.shape[-1] ** 0.5
        return torch.einsum("bihg,bigd->bihd", softmax(weights), v[:, : q.shape[1]])
    scores = torch.einsum("bihd,bjhd->bhij", q, k) / (1 if wrong == "scale" else q.shape[-1] ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.finfo(scores.dtype).max)
    return torch.einsum("bhij,bjhd->bihd", softmax(scores), v)


CASES = {
    "gpt4": (Layer(gpt4_like, **GPT4), "right"),
    "gpt4, heads not transposed": (Layer(partial(gpt4_like, transposed=False), **GPT4), "over_heads"),
    "gpt4, the next token visible": (Layer(partial(gpt4_like, diagonal=1), **GPT4), "causal_off_by_one"),
    "adesina": (Layer(adesina, **ADESINA), "right"),
    "adesina, by the length": (
        Layer(partial(adesina, root=lambda keys: math.sqrt(keys.shape[-2])), **ADESINA),
        "by_sqrt_n",
    ),
    "adesina, divided by d": (
        Layer(partial(adesina, root=lambda keys: keys.shape[-1]), **ADESINA),
        "by_d_k",
    ),
    "Swin": (Layer(swin, **PACKED), "right"),
    "Swin, joined without a transpose": (Layer(partial(swin, back=False), **PACKED), "view_join"),
    "Swin, scaled by the width": (Layer(partial(swin, scale=D**-0.5), **PACKED), "by_sqrt_d_model"),
    "Stackformer": (Layer(stackformer, **STACK), "right"),
    "Stackformer, softmax over the queries": (
        Layer(partial(stackformer, dim=1), **STACK),
        "wrong_axis",
    ),
    "FastSpeech2": (Temperature(), "nan_rows, true_is_masked, fixed_scale"),
    "FastSpeech2, softmax over the queries": (Temperature(dim=1), "not compared|unnamed"),
    "FastSpeech2, no division": (
        Temperature(divide=False),
        "not_scaled, true_is_masked|not_scaled, nan_rows, true_is_masked",
    ),
    "WhiteFox": (whitefox, "masks_added"),
    "WhiteFox, softmax over the queries": (partial(whitefox, axis=-2), "wrong_axis, masks_added"),
    "WhiteFox, dropout": (partial(whitefox, drop=0.3), "dropout_on"),
    "RoPE": (Layer(with_rope, **ROPE), "right"),
    "RoPE, in halves": (Layer(partial(with_rope, turn=rotated), **ROPE), "right"),
    "RoPE, query and key exchanged": (Layer(partial(with_rope, order=True), **ROPE), "transposed_scores"),
    "tiny-vit": (Layer(tiny_vit, **TINY), "right"),
    "tiny-vit, divided by the reciprocal": (Layer(partial(tiny_vit, right=False), **TINY), "multiplied"),
    "paper-implementations": (Layer(paper_vit, **VIT), "right"),
    "paper-implementations, as it is": (Layer(partial(paper_vit, whole=True), **VIT), "by_sqrt_d_model"),
    "timeseries-transformer": (Clones(), "right"),
    "timeseries-transformer, softmax twice": (Clones(change=softmax), "softmax_twice"),
    "chunkformer": (Espnet(), "right"),
    "chunkformer, one key/value head": (Espnet(kv_heads=1), "right"),
    "chunkformer, not scaled": (Espnet(root=1.0), "not_scaled"),
    "fairseq": (Layer(fairseq, **FAIRSEQ), "right"),
    "fairseq, not scaled": (Layer(partial(fairseq, scaling=False), **FAIRSEQ), "not_scaled"),
    "fairseq, heads before the length": (Layer(partial(fairseq, split=False), **FAIRSEQ), "view_split"),
    "GPT-NeoX": (Layer(neox, **NEOX), "right"),
    "GPT-NeoX, not scaled": (Layer(partial(neox, scale=False), **NEOX), "not_scaled"),
    "GPT-NeoX, keys and values exchanged": (
        Layer(partial(neox, value_first=True), **NEOX),
        "keys_for_values",
    ),
    "GPT-J": (InPart(rotated_pairs), "right"),
    "GPT-J, another number": (InPart(rotated_pairs, 6, ("rotary_dim", 6)), "right"),
    "GPT-J, not scaled": (InPart(rotated_pairs, 6, ("rotary_dim", 6), root=1), "not_scaled"),
    "GPT-NeoX, in part": (InPart(rotated, 2), "right"),
    "GPT-NeoX, in part, a share": (InPart(rotated, 6, ("rotary_pct", 0.75)), "right"),
    "GPT-NeoX, in part, values rotated": (InPart(rotated, turn_value=True), "rotated_values"),
    "BERT": (Layer(bert, **BERT), "right"),
    "BERT, softmax over the heads": (Layer(partial(bert, axis=1), **BERT), "wrong_axis"),
    "BERT, by the width": (Layer(partial(bert, root=math.sqrt(D)), **BERT), "by_sqrt_d_model"),
    "modded nanoGPT": (Layer(modded, **MODDED), "right"),
    "modded nanoGPT, values rotated": (Layer(partial(modded, turn_value=True), **MODDED), "rotated_values"),
    "annotated": (annotated, "finite_mask"),
    "annotated, masked late": (partial(annotated, late=True), "after_softmax"),
    "einsum": (einsum, "right|finite_mask"),
    "einsum, over heads": (partial(einsum, wrong="heads"), "mask_forgotten"),
    "einsum, not scaled": (partial(einsum, wrong="scale"), "not_scaled|not_scaled, finite_mask"),
}
