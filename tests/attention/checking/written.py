"""Attention functions as people write them, each with one mistake, and how they differ from the right one."""

import functools
import math

import torch
from torch.nn import functional as F

from . import public

INF = math.inf


def attend(
    query,
    key,
    value,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    scale=None,
    enable_gqa=False,
    *,
    scores_of=lambda query, key: query @ key.transpose(-2, -1),
    scaled=lambda scores, root, query, key: scores / root,
    allowed=lambda mask: mask,
    weights_of=None,
    output_of=lambda weights, value, mask: weights @ value,
    shared=lambda key, value, groups: (repeated(key, groups), repeated(value, groups)),
    corner=lambda q_len, kv_len: 0,
    scale_of=lambda scores, scale, root: scores * scale,
    result_of=lambda output: output,
):
    """scaled_dot_product_attention with every argument, step by step; what follows the * replaces a step."""
    if enable_gqa:
        groups = query.shape[-3] // key.shape[-3]
        key, value = shared(key, value, groups)
    q_len, kv_len = query.shape[-2], key.shape[-2]
    if is_causal:
        attn_mask = torch.ones(q_len, kv_len, dtype=torch.bool).tril(corner(q_len, kv_len))
    scores = scores_of(query, key)
    root = math.sqrt(query.shape[-1])
    scores = scaled(scores, root, query, key) if scale is None else scale_of(scores, scale, root)
    every = torch.ones(scores.shape[-2:], dtype=torch.bool)
    mask = every if attn_mask is None else allowed(attn_mask)
    weights = (weights_of or masked_softmax)(scores, mask)
    return result_of(output_of(weights, value, mask))


def repeated(tensor, groups):
    return tensor.repeat_interleave(groups, dim=-3)


def tiled(tensor, groups):
    return tensor.repeat(1, groups, 1, 1)


def fill(scores, mask, number=-INF):
    return scores.masked_fill(~mask, number)


def plain_softmax(scores, mask):
    return torch.softmax(fill(scores, mask), dim=-1)


def masked_softmax(scores, mask):
    return plain_softmax(scores, mask).masked_fill(~mask, 0)


def naive_softmax(scores, mask):
    exps = torch.exp(fill(scores, mask))
    return exps / exps.sum(-1, keepdim=True)


def exps_below(scores, mask):
    scores = fill(scores, mask)
    return torch.exp(scores - scores.amax(-1, keepdim=True)).masked_fill(~mask, 0)


def no_exps(scores, mask):
    scores = scores.masked_fill(~mask, 0)
    return scores / scores.sum(-1, keepdim=True)


def mean_of(weights, value, mask):
    mask = mask.expand(weights.shape).to(value.dtype)
    return (mask @ value / mask.sum(-1, keepdim=True)).nan_to_num()


def largest_of(weights, value, mask):
    chosen = weights == weights.amax(-1, keepdim=True)
    return torch.where(mask & chosen, 1.0, 0.0).to(value.dtype) @ value


def on_heads(mask):
    return mask[:, 0] if mask.ndim == 4 else mask


def plus_one(scores):
    exps = torch.exp(scores)
    return exps / (1 + exps.sum(-1, keepdim=True))


def half(scores, mask):
    return masked_softmax(scores.half(), mask).to(scores.dtype)


def width(query):
    return query.shape[-1] * (query.shape[-3] if query.ndim > 2 else 1)


# mistake → the steps that are written otherwise
STEPS = {
    "key_not_transposed": {"scores_of": lambda query, key: query @ key},
    "transposed_scores": {"scores_of": lambda query, key: key @ query.transpose(-2, -1)},
    "score_signs": {"scores_of": lambda query, key: query.abs() @ key.abs().transpose(-2, -1)},
    "score_term": {"scores_of": lambda query, key: query[..., :-1] @ key[..., :-1].transpose(-2, -1)},
    "by_sqrt_d_model": {"scaled": lambda scores, root, query, key: scores / math.sqrt(width(query))},
    "by_d_k": {"scaled": lambda scores, root, query, key: scores / query.shape[-1]},
    "by_sqrt_n": {"scaled": lambda scores, root, query, key: scores / math.sqrt(key.shape[-2])},
    "not_scaled": {"scaled": lambda scores, root, query, key: scores},
    "multiplied": {"scaled": lambda scores, root, query, key: scores * root},
    "scaled_sign": {"scaled": lambda scores, root, query, key: scores.abs() / root},
    "mask_forgotten": {"weights_of": lambda scores, mask: torch.softmax(scores, -1)},
    "after_softmax": {"weights_of": lambda scores, mask: torch.softmax(scores, -1).masked_fill(~mask, 0)},
    "times_zero": {"weights_of": lambda scores, mask: torch.softmax(scores * mask, -1)},
    "inverted": {"allowed": lambda mask: ~mask, "weights_of": plain_softmax},
    "query_rows": {"allowed": lambda mask: mask.transpose(-2, -1)},
    "mask_on_heads": {"allowed": on_heads},
    "exp_only": {"weights_of": lambda scores, mask: torch.exp(fill(scores, mask))},
    "exp_below": {"weights_of": exps_below},
    "no_exp": {"weights_of": no_exps},
    "wrong_axis": {"weights_of": lambda scores, mask: torch.softmax(fill(scores, mask), dim=-2)},
    "nan_rows": {"weights_of": plain_softmax},
    "transposed_weights": {"output_of": lambda weights, value, mask: weights.transpose(-2, -1) @ value},
    "value_row": {"output_of": lambda weights, value, mask: weights @ value.transpose(-2, -1)},
    "mean": {"output_of": mean_of},
    "sum": {"output_of": lambda weights, value, mask: mask.expand(weights.shape).to(value.dtype) @ value},
    "largest": {"output_of": largest_of},
    "output_signs": {"output_of": lambda weights, value, mask: weights @ value.abs()},
    "output_term": {"output_of": lambda weights, value, mask: weights[..., :-1] @ value[..., :-1, :]},
    "one_projection": {"scores_of": lambda query, key: query @ query.transpose(-2, -1)},
    "overflow": {"weights_of": lambda scores, mask: naive_softmax(scores, mask).masked_fill(~mask, 0)},
    "finite_mask": {"weights_of": lambda scores, mask: torch.softmax(fill(scores, mask, -1e4), -1)},
    "tiled_heads": {"shared": lambda key, value, groups: (tiled(key, groups), tiled(value, groups))},
    "not_repeated": {"shared": lambda key, value, groups: (repeated(key, groups), value)},
    "lower_right": {"corner": lambda q_len, kv_len: kv_len - q_len},
    "causal_off_by_one": {"corner": lambda q_len, kv_len: 1},
    "causal_ignored": {"corner": lambda q_len, kv_len: kv_len},
    "scale_ignored": {"scale_of": lambda scores, scale, root: scores / root},
    "scale_divides": {"scale_of": lambda scores, scale, root: scores / scale},
    "scale_zero": {"scale_of": lambda scores, scale, root: scores * (scale or 1 / root)},
    "mask_added": {"weights_of": lambda scores, mask: torch.softmax(scores + mask, -1)},
    "mask_of_one_head": {"allowed": lambda mask: mask[:, :1] if mask.ndim == 4 else mask},
    "mask_of_one_text": {"allowed": lambda mask: mask[:1] if mask.ndim > 2 else mask},
    "softmax_twice": {"weights_of": lambda scores, mask: torch.softmax(masked_softmax(scores, mask), -1)},
    "plus_one": {"weights_of": lambda scores, mask: plus_one(fill(scores, mask))},
    "half_softmax": {"weights_of": lambda scores, mask: half(scores, mask)},
    "dropout_on": {"output_of": lambda weights, value, mask: F.dropout(weights, 0.1) @ value},
}


def scaled_twice(scores, root, query, key):
    return scores / root / root


def written(**steps):
    """The function with these steps in place of the right ones."""

    def function(query, key, value, attn_mask=None, is_causal=False, scale=None, enable_gqa=False):
        options = {"is_causal": is_causal, "scale": scale, "enable_gqa": enable_gqa}
        return attend(query, key, value, attn_mask, **options, **steps)

    return function


def simple(query, key, value, *, back=lambda output: output, columns=None):
    """A function without options."""
    weights = torch.softmax(query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1]), dim=-1)
    return back(weights @ (value if columns is None else columns(query, key, value)))


def by_value_dim(query, key, value, attn_mask=None, scale=None):
    return attend(
        query,
        key,
        value,
        attn_mask,
        scale=scale,
        scaled=lambda scores, root, query, key: scores / math.sqrt(value.shape[-1]),
    )


def scaled_late(query, key, value, attn_mask=None, scale=None):
    root = math.sqrt(query.shape[-1])
    factor = 1 / root if scale is None else scale
    return attend(
        query,
        key,
        value,
        attn_mask,
        scale=1.0,
        output_of=lambda weights, value, mask: weights * factor @ value,
    )


def weights_by_key(query, key, value, attn_mask=None):
    return attend(query, key, value, attn_mask, output_of=lambda weights, value, mask: weights @ key)


def not_back(query, key, value):
    """It splits heads and leaves them where they are."""
    b, h, n, _ = query.shape
    return simple(query, key, value).reshape(b, h, n, -1).transpose(1, 2)


def always_causal(query, key, value, corner=0, divided=True, columns=None):
    """As in GPT: every call is causal."""
    scores = query @ key.transpose(-2, -1) / (math.sqrt(query.shape[-1]) if divided else 1)
    visible = torch.ones(query.shape[-2], columns or key.shape[-2]).tril(corner)
    return torch.softmax(scores.masked_fill(visible == 0, -INF), dim=-1) @ value


def exchanged(query, key, value, attn_mask=None):
    """Query and key in each other's place."""
    return attend(key, query, value, attn_mask)


def heedless(query, key, value, attn_mask=None, is_causal=False):
    """Causal whether is_causal says so or not."""
    visible = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    return attend(query, key, value, visible if attn_mask is None else visible & attn_mask)


def causal_reversed(query, key, value, attn_mask=None, is_causal=False):
    """mask == 1 is masked in place of mask == 0."""
    if is_causal:
        attn_mask = torch.ones(query.shape[-2], key.shape[-2]).tril() != 1
    return attend(query, key, value, attn_mask)


def off_by_one_and_filled(query, key, value, is_causal=False):
    """The own key is masked too, with a large negative number: the first query has nothing left."""
    masked = torch.ones(query.shape[-2], key.shape[-2]).triu(0) == is_causal
    weights_of = lambda scores, mask: torch.softmax(scores.masked_fill(masked, -1e9), -1)  # noqa: E731
    return attend(query, key, value, weights_of=weights_of if is_causal else None)


def without_dim(scores, mask):
    """As F.softmax without dim: the first dimension of three, the second of two and of four."""
    return torch.softmax(fill(scores, mask), dim=0 if scores.ndim == 3 else 1)


def by_whole_sum(scores, mask):
    exps = torch.exp(fill(scores, mask) - scores.max())
    return exps / exps.sum()


def added(mask):
    return lambda scores, attn_mask: torch.softmax(scores + mask(attn_mask), -1)


# the function, and the mistakes that are named
WRITTEN = {
    **{name: (function, name) for name, function in public.OF_FUNCTIONS.items()},
    **{name: (written(**steps), name) for name, steps in STEPS.items()},
    "exchanged": (exchanged, "transposed_scores"),
    "causal in each call": (heedless, "always_causal"),
    "causal_reversed": (causal_reversed, "causal_reversed"),
    "causal alone, and reversed": (
        lambda query, key, value, is_causal=False: causal_reversed(query, key, value, None, is_causal),
        "causal_reversed",
    ),
    "the inverted mask added": (written(weights_of=added(lambda mask: ~mask)), "mask_added"),
    "by √d_v": (by_value_dim, "by_sqrt_d_v"),
    "scaled late": (scaled_late, "scaled_late"),
    "the keys weighted": (weights_by_key, "weights_key"),
    "not transposed back": (not_back, "not_transposed_back"),
    "always causal, not scaled": (functools.partial(always_causal, divided=False), "not_scaled"),
    "always causal, as many queries as keys, not scaled": (
        lambda q, k, v: always_causal(q, k, v, divided=False, columns=q.shape[-2]),
        "not_scaled",
    ),
    "the future of GPT": (functools.partial(always_causal, corner=1), "causal_off_by_one"),
    "the keys tiled": (
        written(shared=lambda key, value, groups: (tiled(key, groups), repeated(value, groups))),
        "tiled_heads",
    ),
    "not scaled, masked late": (
        written(
            scaled=lambda scores, root, query, key: scores,
            weights_of=lambda scores, mask: torch.softmax(scores, -1).masked_fill(~mask, 0),
        ),
        *("not_scaled", "after_softmax"),
    ),
    "scaled twice": (written(scaled=scaled_twice), "by_d_k"),
    "off by one, and filled with −1e9": (off_by_one_and_filled, "causal_off_by_one", "finite_mask"),
    "by √(size(1) · head_dim)": (
        written(
            scaled=lambda scores, root, query, key: scores / math.sqrt(query.size(1) * query.size(-1)),
            weights_of=plain_softmax,
        ),
        *("by_sqrt_d_model", "nan_rows"),
    ),
    "softmax without dim": (written(weights_of=without_dim), "wrong_axis", "nan_rows"),
    "divided by the sum of all": (written(weights_of=by_whole_sum), "wrong_axis"),
    "overflow and NaN rows": (written(weights_of=naive_softmax), "nan_rows", "overflow"),
}
