"""What the lesson on many heads measures: costs, each head's share in the output, and equal ways to write it.

Plain functions on a trace and its weights. PyTorch only.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attention import MultiHeadTrace, scaled_dot_product_attention

from .settings import Settings


@dataclass(frozen=True)
class Cost:
    """What a choice of key/value heads costs."""

    kv_heads: int
    parameters: int  # of W_Q, W_K, W_V, W_O and the biases
    cache: int  # numbers kept for each token: its keys and values


def costs(s: Settings) -> list[Cost]:
    """The cost of every number of key/value heads that divides the heads, most heads first."""
    return [cost(s, count) for count in range(s.num_heads, 0, -1) if s.num_heads % count == 0]


def cost(s: Settings, kv_heads: int) -> Cost:
    queries, cache = s.num_heads * s.head_dim, kv_heads * (s.head_dim + s.value_dim)
    joined = s.num_heads * s.value_dim if s.num_heads > 1 else 0  # W_O is used with several heads only
    parameters = s.d_model * (queries + cache + joined)
    if s.b_q is not None:
        parameters += queries + cache + (s.d_model if joined else 0)
    return Cost(kv_heads, parameters, cache)


def contributions(trace: MultiHeadTrace, w_o: Tensor | None) -> Tensor:
    """Each head's part of the output, (heads, n, ·): its own output times its own rows of W_O.

    Without W_O a head's part is its columns of the concatenation. The parts and b_O sum to the output.
    """
    outputs = trace.heads.output  # (heads, n, value_dim)
    heads, _, value_dim = outputs.shape
    if w_o is None:
        w_o = torch.eye(heads * value_dim, dtype=outputs.dtype)
    return outputs @ w_o.unflatten(0, (heads, value_dim))  # (heads, n, ·)


def without_heads(trace: MultiHeadTrace, w_o: Tensor | None, off: frozenset[int]) -> Tensor:
    """The output with these heads' outputs set to 0: (n, ·)."""
    parts = contributions(trace, w_o)
    silent = parts[sorted(off)].sum(dim=0) if off else 0.0
    return trace.output - silent


def losses(trace: MultiHeadTrace, w_o: Tensor | None) -> list[float]:
    """For each head: the length of what the output loses without it, as a share of the output's own length.

    0 where the output is 0.
    """
    whole = trace.output.norm()
    parts = contributions(trace, w_o).flatten(1).norm(dim=1)
    return (parts / whole).tolist() if whole > 0 else [0.0] * len(parts)


def one_projection_a_head(trace: MultiHeadTrace, weights: dict, options: dict) -> tuple[Tensor, Tensor]:
    """The same computation with a small projection for each head: its queries (heads, n, head_dim), output.

    weights and options are those that made the trace.
    """
    heads, kv_heads = options["num_heads"], options["num_kv_heads"]
    x = trace.query_input

    def projected(name: str, count: int, index: int) -> Tensor:
        bias = weights[f"b_{name}"]
        small = weights[f"w_{name}"].chunk(count, dim=-1)[index]
        return x @ small + (0.0 if bias is None else bias.chunk(count)[index])

    queries, outputs = [], []
    for head in range(heads):
        shared = head * kv_heads // heads
        query = projected("q", heads, head)
        one = scaled_dot_product_attention(
            query,
            projected("k", kv_heads, shared),
            projected("v", kv_heads, shared),
            mask=trace.heads.mask,
            scale=options["scale"],
            masked_score=options["masked_score"],
        )
        queries.append(query)
        outputs.append(one.output)
    return torch.stack(queries), _joined(outputs, weights)


def _joined(outputs: list[Tensor], weights: dict) -> Tensor:
    """Each head's output times its own rows of W_O, summed: no concatenation."""
    w_o, b_o = weights.get("w_o"), weights.get("b_o")
    if w_o is None:
        return torch.cat(outputs, dim=-1)
    rows = w_o.chunk(len(outputs))
    total = sum(output @ block for output, block in zip(outputs, rows, strict=True))
    return total if b_o is None else total + b_o


def torch_module(s: Settings, weights: dict) -> nn.MultiheadAttention | None:
    """nn.MultiheadAttention with the learner's weights; None where it cannot hold them.

    It needs d_k = d_v = d_model / heads, as many key/value heads as heads, W_O, and the scale 1/√d_k.
    """
    same = s.head_dim == s.value_dim and s.head_dim * s.num_heads == s.d_model
    if not same or s.kv_heads != s.num_heads or s.num_heads == 1 or s.scaling != "sqrt_d_k":
        return None
    biased = s.b_q is not None
    module = nn.MultiheadAttention(s.d_model, s.num_heads, bias=biased, batch_first=True, dtype=torch.float64)
    state = {
        "in_proj_weight": torch.cat([weights[f"w_{name}"].T for name in "qkv"]),
        "out_proj.weight": weights["w_o"].T,
    }
    if biased:
        state["in_proj_bias"] = torch.cat([weights[f"b_{name}"] for name in "qkv"])
        state["out_proj.bias"] = weights["b_o"]
    module.load_state_dict(state)
    return module.eval()


def first_that_does_not_divide(d_model: int, top: int) -> int | None:
    """The smallest number of heads, from 2 to top, that does not divide d_model."""
    return next((heads for heads in range(2, top + 1) if d_model % heads), None)
