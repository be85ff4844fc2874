"""What the lecture notes' code examples print and say, and what happens when the code is run."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from attention import MultiHeadAttention, SelfAttention, scaled_dot_product_attention
from attention.lab.mistakes import forms

Shape = tuple[int, ...]
TOLERANCE = 1e-9


class ShapeClaim(NamedTuple):
    """A shape that a comment or a print states, and the shape that comes out."""

    name: str
    printed: Shape
    comes: Shape

    @property
    def off_count(self) -> int:
        """How many of the printed sizes are wrong, lined up from the right as broadcasting does."""
        return sum(a != b for a, b in zip(reversed(self.printed), reversed(self.comes), strict=False)) + max(
            0, len(self.printed) - len(self.comes)
        )


class Split(NamedTuple):
    """The loop over two heads, with four tokens and d_model = 8."""

    shapes: tuple[ShapeClaim, ...]
    rounds: float  # largest difference between the two rounds of the loop
    output: float  # largest difference of the first head's output from multi-head attention's


class Dropout(NamedTuple):
    """The class that returns its weights after dropout."""

    shapes: tuple[ShapeClaim, ...]
    returned_sums: tuple[float, float]  # least and largest sum of a row that is returned in training


class MaskOutcome(NamedTuple):
    """The class with a mask that has no dimension for the heads: "right", "wrong", "larger" or "error"."""

    kind: str
    comes: Shape | None  # the output's shape, where there is an output
    meant: Shape | None


def _normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def split(seed: int = 0) -> Split:
    """Heads split by a view without transpose, in a loop that never uses its index."""
    n, d_model, heads = 4, 8, 2
    d_k = d_model // heads
    x = _normal(n, d_model, seed=seed)
    w_q, w_k, w_v, w_o = (_normal(d_model, d_model, seed=seed + i) / math.sqrt(d_model) for i in range(1, 5))
    result = forms.note_multi_head(x, w_q, w_k, w_v, w_o, heads)
    shapes = (
        ShapeClaim("query", (heads, 1, n, d_k), tuple(result.query.shape)),
        ShapeClaim("head", (heads, 1, n, d_k), tuple(result.heads[0].shape)),
        ShapeClaim("concatenated", (heads, 1, n, heads * d_k), tuple(result.concatenated.shape)),
        ShapeClaim("output", (1, n, d_model), tuple(result.output.shape)),
    )
    query, key, value = (forms.split(x @ w, heads) for w in (w_q, w_k, w_v))
    right = scaled_dot_product_attention(query, key, value).output
    rounds = (result.heads[0] - result.heads[1]).abs().max().item()
    return Split(shapes, rounds, (result.heads[0][:, 0] - right).abs().max().item())


def dropout(p: float = 0.1, seed: int = 0) -> Dropout:
    """Two heads of four tokens, d_model = 8: the weights before dropout, and as they are returned."""
    n, d_model, heads = 4, 8, 2
    torch_generator = torch.Generator().manual_seed(seed)
    query, key, value = (forms.split(_normal(n, d_model, seed=seed + i), heads)[None] for i in range(3))
    trace = scaled_dot_product_attention(query, key, value, dropout_p=p, generator=torch_generator)
    dropped = trace.weights if trace.dropped_weights is None else trace.dropped_weights
    joined = trace.output.transpose(1, 2).reshape(1, n, d_model)
    shapes = (
        ShapeClaim("output", (1, n, d_model), tuple(joined.shape)),
        ShapeClaim("weights", (1, heads, n, n), tuple(dropped.shape)),
    )
    sums = dropped.sum(-1)
    return Dropout(shapes, (sums.min().item(), sums.max().item()))


def masked_outputs(batch: int, heads: int) -> tuple[Tensor, Tensor]:
    """The note's class under a mask (batch, n, n), and what it means; both before W_O.

    The class fills scores (batch, heads, n, n) with −10⁹ where the mask is 0, without a dimension for the
    heads; torch raises a RuntimeError where the shapes do not broadcast. The first sentence's mask is causal
    and every other one masks one key more, so that no two are alike.
    """
    n, d_model = 3, 6
    query, key, value = (_normal(batch, heads, n, d_model // heads, seed=i) for i in range(3))
    mask = torch.ones(batch, n, n).tril()
    for entry in range(batch):
        mask[entry, -1, : entry % n] = 0
    scores = query @ key.mT / math.sqrt(query.size(-1))

    def attend(mask: Tensor) -> Tensor:
        output = torch.softmax(scores.masked_fill(mask == 0, -1e9), dim=-1) @ value
        return output.transpose(1, 2).contiguous().view(batch, -1, d_model)

    return attend(mask[:, None]), attend(mask)


def mask_outcome(batch: int, heads: int) -> MaskOutcome:
    """What the note's mask (batch, n, n) does to scores (batch, heads, n, n)."""
    try:
        meant, result = masked_outputs(batch, heads)
    except RuntimeError:
        return MaskOutcome("error", None, None)
    shapes = tuple(result.shape), tuple(meant.shape)
    if result.shape != meant.shape:
        return MaskOutcome("larger", *shapes)
    return MaskOutcome("right" if (result - meant).abs().max().item() < TOLERANCE else "wrong", *shapes)


def shapes() -> tuple[ShapeClaim, ...]:
    """The shapes that the other code examples print, each from this project's own modules and functions."""
    single = SelfAttention(512, 64, 64)(torch.zeros(2, 10, 512))
    x, w = torch.zeros(1, 4, 8), torch.zeros(8, 4)
    trace = scaled_dot_product_attention(x @ w, x @ w, x @ w)
    multi = MultiHeadAttention(8, 2)(torch.zeros(1, 4, 8))
    shape = (1, 4, 4)
    return (
        ShapeClaim("self_attention", (2, 10, 64), tuple(single.output.shape)),
        *(ShapeClaim(name, shape, tuple(getattr(trace, name).shape)) for name in ("query", "key", "value")),
        *(
            ShapeClaim(name, shape, tuple(getattr(trace, name).shape))
            for name in ("scores", "weights", "output")
        ),
        ShapeClaim("multi_head", (1, 4, 8), tuple(multi.output.shape)),
    )
