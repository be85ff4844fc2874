"""What a transformer has around attention: LayerNorm, the feed-forward layer, and a block of both."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from attention import checks
from attention.multi_head import MultiHeadTrace, multi_head_attention, project
from attention.scaled_dot_product import Step, latest

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"gelu": F.gelu, "relu": F.relu}
NORMS = ("before", "after", "none")
BEFORE = ("norm_1", "attention", "attention_stream", "norm_2", "feed_forward", "feed_forward_stream")
AFTER = ("attention", "attention_stream", "norm_1", "feed_forward", "feed_forward_stream", "norm_2")


@dataclass(frozen=True, eq=False)
class LayerNormTrace:
    """Every intermediate of layer_norm, in the order it is computed; in float16 these are float32."""

    x: Tensor  # (..., embed_dim)
    mean: Tensor  # (..., 1)
    centred: Tensor  # (..., embed_dim)
    variance: Tensor  # (..., 1)
    normalized: Tensor  # (..., embed_dim): each row has the mean 0, and the variance 1 but for eps
    scaled: Tensor | None  # (..., embed_dim); None without gain
    output: Tensor  # (..., embed_dim)

    def steps(self) -> Iterator[Step]:
        """The steps that took place, in order."""
        return _steps(self, "mean", "centred", "variance", "normalized", "scaled", "output")


@dataclass(frozen=True, eq=False)
class FeedForwardTrace:
    """Every intermediate of feed_forward, in the order it is computed."""

    x: Tensor  # (..., embed_dim)
    hidden: Tensor  # (..., hidden_dim), before the activation
    activated: Tensor  # (..., hidden_dim)
    output: Tensor  # (..., ·)

    def steps(self) -> Iterator[Step]:
        """The steps, in order."""
        return _steps(self, "hidden", "activated", "output")


@dataclass(frozen=True, eq=False)
class BlockTrace:
    """Every intermediate of transformer_block. A field is None where its step did not take place.

    With norm="before", norm_1 is of x and norm_2 of attention_stream; with "after", norm_1 is of
    attention_stream and norm_2 of feed_forward_stream.
    """

    x: Tensor  # (..., length, embed_dim)
    norm_1: LayerNormTrace | None
    attention: MultiHeadTrace
    attention_stream: Tensor  # (..., length, embed_dim): x + attention, or attention alone
    norm_2: LayerNormTrace | None
    feed_forward: FeedForwardTrace | None
    feed_forward_stream: Tensor | None  # (..., length, embed_dim): with the feed-forward layer added
    output: Tensor  # (..., length, embed_dim)

    def steps(self) -> Iterator[Step]:
        """The steps that took place, in order: the steps of a part are in its own trace."""
        first = self.norm_1 is not None and self.norm_1.x is self.x
        for name in BEFORE if first else AFTER:
            part = getattr(self, name)
            if part is not None:
                yield Step(name, part if isinstance(part, Tensor) else part.output)
        yield Step("output", self.output)


def _steps(trace: LayerNormTrace | FeedForwardTrace, *names: str) -> Iterator[Step]:
    return (Step(name, getattr(trace, name)) for name in names if getattr(trace, name) is not None)


def layer_norm(
    x: Tensor,  # (..., embed_dim)
    *,
    gain: Tensor | None = None,  # (embed_dim,), default ones
    bias: Tensor | None = None,  # (embed_dim,), default zeros
    eps: float = 1e-5,
) -> LayerNormTrace:
    """(x − mean) / √(variance + eps) · gain + bias over the last dimension (Ba et al. 2016).

    The variance is the mean of the squares, as in F.layer_norm. At least float32 on the way.

    Raises AttentionError where x is no floating point tensor with a dimension, gain or bias does not have its
    last dimension's size, its dtype and its device, or eps is not above 0.
    """
    present = {name: tensor for name, tensor in (("gain", gain), ("bias", bias)) if tensor is not None}
    checks.check_alike(x=x, **present)
    checks.check_dimensions("x", x, "(..., embed_dim)", x.ndim >= 1)
    for argument, tensor in present.items():
        checks.check_vector(argument, tensor, x.shape[-1], "x.shape[-1]")
    eps = checks.positive("eps", eps)
    wide = x.to(torch.promote_types(x.dtype, torch.float32))

    mean = wide.mean(dim=-1, keepdim=True)  # (..., 1)
    centred = wide - mean  # (..., embed_dim)
    variance = centred.square().mean(dim=-1, keepdim=True)  # (..., 1)
    normalized = centred / (variance + eps).sqrt()  # (..., embed_dim)
    scaled = None if gain is None else normalized * gain  # same shape
    output = latest(normalized, scaled) + (0.0 if bias is None else bias)  # same shape

    return LayerNormTrace(x, mean, centred, variance, normalized, scaled, output.to(x.dtype))


def feed_forward(
    x: Tensor,  # (..., embed_dim)
    *,
    w_1: Tensor,  # (embed_dim, hidden_dim)
    w_2: Tensor,  # (hidden_dim, ·)
    b_1: Tensor | None = None,  # (hidden_dim,)
    b_2: Tensor | None = None,  # (·,)
    activation: str = "gelu",  # or "relu"
) -> FeedForwardTrace:
    """activation(x @ w_1 + b_1) @ w_2 + b_2 in each row by itself (Vaswani et al. 2017, section 3.3).

    ReLU is max(0, x); GELU is x·Φ(x) with the normal distribution's Φ (Hendrycks & Gimpel 2016), not its
    approximation by tanh. A weight is (in, out); nn.Linear.weight is (out, in), so pass its .T.

    Raises AttentionError where shapes, dtypes or devices do not fit together, or for another activation.
    """
    present = {name: tensor for name, tensor in (("b_1", b_1), ("b_2", b_2)) if tensor is not None}
    checks.check_alike(x=x, w_1=w_1, w_2=w_2, **present)
    checks.check_dimensions("x", x, "(..., embed_dim)", x.ndim >= 1)
    checks.check_layers(x.shape[-1], w_1, w_2)
    checks.check_vector("b_1", b_1, w_1.shape[-1], "w_1.shape[-1]")
    checks.check_vector("b_2", b_2, w_2.shape[-1], "w_2.shape[-1]")
    checks.check_choice("activation", activation, tuple(ACTIVATIONS))

    hidden = project(x, w_1, b_1)  # (..., hidden_dim)
    activated = ACTIVATIONS[activation](hidden)  # same shape
    output = project(activated, w_2, b_2)  # (..., ·)

    return FeedForwardTrace(x, hidden, activated, output)


def transformer_block(
    x: Tensor,  # (..., length, embed_dim)
    *,
    w_q: Tensor,  # (embed_dim, num_heads * head_dim)
    w_k: Tensor,  # (embed_dim, num_heads * head_dim)
    w_v: Tensor,  # (embed_dim, num_heads * value_dim)
    w_o: Tensor | None = None,  # (num_heads * value_dim, embed_dim)
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
    b_o: Tensor | None = None,
    num_heads: int = 1,
    mask: Tensor | None = None,
    bias: Tensor | None = None,
    scale: float | None = None,
    rotate: Callable[[Tensor], Tensor] | None = None,
    w_1: Tensor | None = None,  # (embed_dim, hidden_dim); without w_1 and w_2 no feed-forward layer
    w_2: Tensor | None = None,  # (hidden_dim, embed_dim)
    b_1: Tensor | None = None,
    b_2: Tensor | None = None,
    activation: str = "gelu",
    norm: str = "before",  # or "after", "none"
    gain_1: Tensor | None = None,  # of the first LayerNorm, as bias_1
    bias_1: Tensor | None = None,
    gain_2: Tensor | None = None,
    bias_2: Tensor | None = None,
    eps: float = 1e-5,
    residual: bool = True,
) -> BlockTrace:
    """Attention, then a feed-forward layer, each added to the residual stream; every intermediate kept.

    With norm="before", x + sublayer(layer_norm(x)) (Xiong et al. 2020; GPT-2); with "after",
    layer_norm(x + sublayer(x)) (Vaswani et al. 2017, section 3.1); with "none", x + sublayer(x). Without
    `residual` the "x +" is left out. The arguments of attention are those of multi_head_attention, gain and
    bias of the norms those of layer_norm, the others those of feed_forward.

    Raises AttentionError where these functions raise it, where what is added to x has another shape, only one
    of w_1 and w_2 is there, or for another norm.
    """
    checks.check_choice("norm", norm, NORMS)
    checks.check_tensor("x", x)
    checks.check_dimensions("x", x, "(..., length, embed_dim)", x.ndim >= 2)

    def normalize(stream: Tensor, gain: Tensor | None, offset: Tensor | None) -> LayerNormTrace:
        return layer_norm(stream, gain=gain, bias=offset, eps=eps)

    def add(stream: Tensor, output: Tensor, argument: str) -> Tensor:
        if residual:
            checks.check_size(argument, output.shape, -1, stream.shape[-1], "x.shape[-1]")
        return stream + output if residual else output.clone()

    norm_1 = normalize(x, gain_1, bias_1) if norm == "before" else None
    attention = multi_head_attention(
        x if norm_1 is None else norm_1.output,
        w_q=w_q,
        w_k=w_k,
        w_v=w_v,
        w_o=w_o,
        b_q=b_q,
        b_k=b_k,
        b_v=b_v,
        b_o=b_o,
        num_heads=num_heads,
        mask=mask,
        bias=bias,
        scale=scale,
        rotate=rotate,
    )
    attention_stream = add(x, attention.output, "w_v" if w_o is None else "w_o")  # (..., length, embed_dim)
    norm_1 = normalize(attention_stream, gain_1, bias_1) if norm == "after" else norm_1
    stream = norm_1.output if norm == "after" and norm_1 is not None else attention_stream
    if w_1 is None and w_2 is None:
        return BlockTrace(x, norm_1, attention, attention_stream, None, None, None, stream)

    norm_2 = normalize(stream, gain_2, bias_2) if norm == "before" else None
    forward = feed_forward(
        stream if norm_2 is None else norm_2.output,
        w_1=w_1,  # type: ignore[arg-type]  # a missing tensor is an error that feed_forward names
        w_2=w_2,  # type: ignore[arg-type]
        b_1=b_1,
        b_2=b_2,
        activation=activation,
    )
    feed_forward_stream = add(stream, forward.output, "w_2")  # (..., length, embed_dim)
    norm_2 = normalize(feed_forward_stream, gain_2, bias_2) if norm == "after" else norm_2
    output = norm_2.output if norm == "after" and norm_2 is not None else feed_forward_stream
    return BlockTrace(x, norm_1, attention, attention_stream, norm_2, forward, feed_forward_stream, output)
