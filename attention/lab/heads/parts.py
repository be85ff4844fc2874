"""What heads cost, each head's share in the output, and equal ways to write the same computation."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attention import MultiHeadAttention, MultiHeadTrace, scaled_dot_product_attention


@dataclass(frozen=True)
class Cost:
    """What a choice of key/value heads costs."""

    kv_heads: int
    parameters: int  # of W_Q, W_K, W_V, W_O and the biases
    cache: int  # numbers kept for each token: its keys and values


def cost(
    embed_dim: int,
    num_heads: int,
    num_kv_heads: int,
    head_dim: int,
    value_dim: int,
    *,
    w_o: bool = True,
    biases: bool = False,
) -> Cost:
    """Parameters, and numbers in the KV cache for each token; w_o: with an output projection to embed_dim."""
    queries, cache = num_heads * head_dim, num_kv_heads * (head_dim + value_dim)
    joined = num_heads * value_dim if w_o else 0
    parameters = embed_dim * (queries + cache + joined)
    if biases:
        parameters += queries + cache + (embed_dim if w_o else 0)
    return Cost(num_kv_heads, parameters, cache)


def costs(
    embed_dim: int, num_heads: int, head_dim: int, value_dim: int, *, biases: bool = False
) -> list[Cost]:
    """The cost of every number of key/value heads that divides num_heads, most of them first."""
    counts = [count for count in range(num_heads, 0, -1) if num_heads % count == 0]
    return [cost(embed_dim, num_heads, kv, head_dim, value_dim, biases=biases) for kv in counts]


def contributions(trace: MultiHeadTrace, w_o: Tensor | None) -> Tensor:
    """Each head's part of the output, (heads, n, ·): its own output times its own rows of W_O.

    Without W_O a head's part is its columns of the concatenation. The parts and b_O sum to the output.
    """
    outputs = trace.heads.output  # (heads, n, value_dim)
    heads, _, value_dim = outputs.shape
    if w_o is None:
        w_o = torch.eye(heads * value_dim, dtype=outputs.dtype)
    return outputs @ w_o.unflatten(0, (heads, value_dim))  # (heads, n, ·)


def without_heads(trace: MultiHeadTrace, w_o: Tensor | None, silenced: frozenset[int]) -> Tensor:
    """The output with these heads' outputs set to 0: (n, ·)."""
    parts = contributions(trace, w_o)
    return trace.output - (parts[sorted(silenced)].sum(dim=0) if silenced else 0.0)


def losses(trace: MultiHeadTrace, w_o: Tensor | None) -> list[float]:
    """For each head: the norm of what the output (n, ·) loses without it, relative to the output's own norm.

    0 where the output is 0.
    """
    whole = trace.output.norm()
    parts = contributions(trace, w_o).flatten(1).norm(dim=1)
    return (parts / whole).tolist() if whole > 0 else [0.0] * len(parts)


def one_projection_a_head(
    trace: MultiHeadTrace,
    weights: dict[str, Any],
    *,
    num_heads: int,
    num_kv_heads: int | None = None,
    masked_score: float = -math.inf,
) -> tuple[Tensor, Tensor]:
    """The same computation with a small projection for each head: queries (heads, n, head_dim) and output.

    weights holds w_q, w_k, w_v and, where there are any, w_o, b_q, b_k, b_v, b_o; they and the numbers of
    heads made the trace.
    """
    kv_heads = num_heads if num_kv_heads is None else num_kv_heads
    inputs = {"q": trace.query_input, "k": trace.key_input, "v": trace.value_input}

    def projected(name: str, count: int, index: int) -> Tensor:
        small = inputs[name] @ weights[f"w_{name}"].chunk(count, dim=-1)[index]
        bias = weights.get(f"b_{name}")
        return small if bias is None else small + bias.chunk(count)[index]

    queries, outputs = [], []
    for head in range(num_heads):
        shared = head * kv_heads // num_heads
        queries.append(projected("q", num_heads, head))
        head_trace = scaled_dot_product_attention(
            queries[-1],
            projected("k", kv_heads, shared),
            projected("v", kv_heads, shared),
            mask=trace.heads.mask,
            scale=trace.heads.scale,
            masked_score=masked_score,
        )
        outputs.append(head_trace.output)
    return torch.stack(queries), joined(outputs, weights.get("w_o"), weights.get("b_o"))


def joined(outputs: list[Tensor], w_o: Tensor | None, b_o: Tensor | None) -> Tensor:
    """Each head's output (n, value_dim) times its own rows of W_O, summed: (n, ·).

    Nothing is concatenated, unless W_O is missing.
    """
    if w_o is None:
        total = torch.cat(outputs, dim=-1)
    else:
        parts = zip(outputs, w_o.chunk(len(outputs)), strict=True)
        total = torch.stack([o @ rows for o, rows in parts]).sum(0)
    return total if b_o is None else total + b_o


def torch_module(weights: dict[str, Any], num_heads: int) -> nn.MultiheadAttention | None:
    """nn.MultiheadAttention with these weights, in eval(); None where it cannot hold them.

    It needs W_O; W_Q, W_K, W_V and W_O all (d_model, d_model), so that d_k = d_v = d_model / heads; and all
    biases or no biases. It divides the scores by √d_k.
    """
    biases: list[Any] = [weights.get(f"b_{name}") for name in "qkvo"]
    w_o = weights.get("w_o")
    d_model = weights["w_q"].shape[0]
    square = all(weights[f"w_{name}"].shape == (d_model, d_model) for name in "qkv")
    some = any(bias is not None for bias in biases)
    if w_o is None or w_o.shape != (d_model, d_model) or not square or (some and None in biases):
        return None
    module = nn.MultiheadAttention(d_model, num_heads, bias=some, batch_first=True, dtype=w_o.dtype)
    state = {
        "in_proj_weight": torch.cat([weights[f"w_{name}"].T for name in "qkv"]),
        "out_proj.weight": w_o.T,
    }
    if some:
        state |= {"in_proj_bias": torch.cat(biases[:3]), "out_proj.bias": biases[3]}
    module.load_state_dict(state)
    return module.eval()


@dataclass(frozen=True)
class Differences:
    """The largest differences of two computations' outputs and gradients."""

    output: float
    gradient: float  # of Σ output², with respect to X
    largest: float  # entry of the output


def beside_torch(
    x: Tensor, weights: dict[str, Any], num_heads: int, *, mask: Tensor | None = None
) -> Differences | None:
    """Our module and nn.MultiheadAttention with the same weights on X (n, d_model).

    None where PyTorch's layer cannot hold the weights. A fully masked row is NaN there in some modes, 0 in
    others; see attention.lab.masks.libraries.
    """
    theirs = torch_module(weights, num_heads)
    if theirs is None:
        return None
    ours = MultiHeadAttention.from_matrices(**weights, num_heads=num_heads)
    turned = None if mask is None else ~mask
    results = []
    for run in (
        lambda x: ours(x, mask=mask).output,
        lambda x: theirs(x, x, x, attn_mask=turned, need_weights=False)[0],
    ):
        leaf = x.detach().clone().requires_grad_()
        output = run(leaf)
        (gradient,) = torch.autograd.grad(output.square().sum(), leaf)
        results.append((output.detach(), gradient))
    (output, gradient), (their_output, their_gradient) = results
    return Differences(
        (output - their_output).abs().max().item(),
        (gradient - their_gradient).abs().max().item(),
        output.abs().max().item(),
    )


def first_that_does_not_divide(d_model: int, top: int) -> int | None:
    """The smallest number of heads, from 2 to top, that does not divide d_model."""
    return next((heads for heads in range(2, top + 1) if d_model % heads), None)
