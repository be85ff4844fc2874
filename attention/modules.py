"""Attention as nn.Modules: multi_head_attention, and the parameters it is trained with.

The parameters are named and shaped as that function's arguments, X @ W: w_q w_k w_v w_o, b_q b_k b_v b_o, and
g_q g_k. A parameter that a module does not have is None.
"""

import math
from collections.abc import Mapping
from typing import Any, Self

import torch
from torch import Tensor, nn

from attention import checks
from attention.checking.modules import confirmed_reading
from attention.errors import AttentionError
from attention.layer_names import IN_ORDER, PER_HEAD, heads_of, matrices_in, parameters_of
from attention.multi_head import MultiHeadTrace, multi_head_attention
from attention.parameters import checked_copies, empty, opened, share, size
from attention.spelling import LAYER, NEW_HEAD, NEW_LAYER, ONE_INPUT, translates

NAMED = 3  # parameters in an error
PARAMETERS = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o", "g_q", "g_k")


class AttentionModule(nn.Module):
    """What both modules share: the parameters, and attention with them."""

    def __init__(
        self, num_heads: int, num_kv_heads: int, qk_norm: bool, dropout_p: float, **parameters: Tensor
    ):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.qk_norm = qk_norm
        self.dropout_p = checks.probability("dropout_p", dropout_p)
        self.hold(parameters)
        self.reset_parameters()

    def hold(self, matrices: Mapping[str, Tensor]) -> None:
        """Registers these matrices as the module's parameters, and None for every other parameter."""
        for name in PARAMETERS:
            matrix = matrices.get(name)
            self.register_parameter(name, None if matrix is None else nn.Parameter(matrix))

    def reset_parameters(self) -> None:
        """Weights are Xavier uniform (Glorot & Bengio 2010), so that a projection keeps the variance of its
        input and of its gradient about the same; biases are 0, for random weights already distinguish the
        columns; gains are 1.
        """
        for name, parameter in self.named_parameters(recurse=False):
            if name.startswith("w_"):
                nn.init.xavier_uniform_(parameter)
            else:
                nn.init.constant_(parameter, 1.0 if name.startswith("g_") else 0.0)

    @translates(LAYER)
    def attend(
        self,
        query_input: Tensor,  # (..., q_len, embed_dim)
        key_input: Tensor | None = None,  # (..., kv_len, key_input_dim), default query_input
        value_input: Tensor | None = None,  # (..., kv_len, value_input_dim), default key_input
        *,
        mask: Tensor | None = None,
        bias: Tensor | None = None,
        scale: float | None = None,
        softcap: float | None = None,
        masked_score: float = -math.inf,
        generator: torch.Generator | None = None,
    ) -> MultiHeadTrace:
        """multi_head_attention with the module's parameters, which says what shapes mask and bias can have:

        (batch…, q_len, kv_len) is for every head of its sequence. The options are those of
        scaled_dot_product_attention; weights are dropped in training mode only.
        """
        return multi_head_attention(
            query_input,
            key_input,
            value_input,
            **{name: getattr(self, name) for name in PARAMETERS},
            num_heads=self.num_heads,
            num_kv_heads=self.num_kv_heads,
            mask=mask,
            bias=bias,
            scale=scale,
            softcap=softcap,
            masked_score=masked_score,
            dropout_p=self.dropout_p if self.training else 0.0,
            generator=generator,
            qk_norm=self.qk_norm,
        )

    def extra_repr(self) -> str:
        held = {name: getattr(self, name) for name in PARAMETERS}
        shapes = [f"{name}={tuple(held[name].shape)}" for name in PARAMETERS if held[name] is not None]
        heads = f"num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads}"
        norm = ["qk_norm=True"] if self.qk_norm else []
        return ", ".join([heads, *shapes, *norm, f"dropout_p={self.dropout_p}"])


def copied_from(
    module: nn.Module | Mapping[str, Tensor],
    num_heads: int | None,
    num_kv_heads: int | None,
    order: str | None,
) -> tuple[dict[str, Any], dict[str, int], float]:
    """The matrices of a layer or its state_dict, its numbers of heads, and its dropout."""
    for argument, on, key, value in (
        ("add_bias_kv", getattr(module, "bias_k", None) is not None, "bias_k", "bias_v"),
        ("add_zero_attn", getattr(module, "add_zero_attn", False), "zeros", "zeros"),
    ):
        if on:
            raise AttentionError("key_of_no_input", argument, key=key, value=value)
    if not isinstance(module, (nn.Module, Mapping)):
        raise AttentionError("not_a_layer", "module", names=type(module).__name__)
    parameters = parameters_of(module)
    if not parameters.complete:
        others = parameters.unknown or (type(module).__name__,)
        names = others[:NAMED] + ("…",) * (len(others) > NAMED)
        raise AttentionError("not_a_layer", "module", names=", ".join(names))
    num_heads = heads_of(module) if num_heads is None else num_heads
    num_kv_heads = heads_of(module, "num_kv_heads") if num_kv_heads is None else num_kv_heads
    reading = confirmed_reading(module, num_heads) if isinstance(module, nn.Module) else None
    if num_heads is None and reading is not None:
        num_heads = reading.num_heads
    if num_heads is None:
        raise AttentionError("heads_unknown", "num_heads", type=type(module).__name__)
    num_heads = checks.integer("num_heads", num_heads, 1)
    if order is not None:
        checks.check_choice("order", order, (IN_ORDER, PER_HEAD))
    elif reading is not None:
        parameters, order = reading.parameters, reading.order
    elif num_heads > 1 and parameters.unordered:
        packed = ", ".join(parameters.unordered)
        raise AttentionError("order_unknown", "order", choices=(IN_ORDER, PER_HEAD), names=packed)
    apart = reading is not None and reading.apart
    matrices: dict[str, Any] = matrices_in(
        parameters, num_heads, num_kv_heads, order or IN_ORDER, apart=apart
    )
    if num_kv_heads is None:
        head_dim = matrices["w_q"].shape[1] // num_heads
        num_kv_heads = matrices["w_k"].shape[1] // max(head_dim, 1) or num_heads
    dropout = getattr(module, "dropout", 0.0)
    heads = {"num_heads": num_heads, "num_kv_heads": num_kv_heads}
    return matrices, heads, dropout if isinstance(dropout, float) else 0.0


class SelfAttention(AttentionModule):
    """One head that attends to its own input: softmax(x·w_q·(x·w_k)ᵀ / √head_dim)·x·w_v, without w_o.

    w_q and w_k are (embed_dim, head_dim), w_v is (embed_dim, value_dim); head_dim defaults to embed_dim,
    value_dim to head_dim. With bias, b_q, b_k and b_v have one number for each column. With qk_norm, queries
    and keys are normalized, with the gains g_q and g_k (head_dim,). dropout_p drops weights, in training mode
    only.

    Raises AttentionError for a size that is no integer or below 1, a dropout_p that is not from 0 to 1, and a
    dtype that is not floating point.
    """

    @translates(NEW_HEAD)
    def __init__(
        self,
        embed_dim: int,
        head_dim: int | None = None,
        value_dim: int | None = None,
        *,
        bias: bool = False,
        qk_norm: bool = False,
        dropout_p: float = 0.0,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ):
        embed_dim = checks.integer("embed_dim", embed_dim, 1)
        head_dim = size("head_dim", head_dim, embed_dim)
        value_dim = size("value_dim", value_dim, head_dim)
        shapes = {"w_q": (embed_dim, head_dim), "w_k": (embed_dim, head_dim), "w_v": (embed_dim, value_dim)}
        gains = {"g_q": head_dim, "g_k": head_dim} if qk_norm else {}
        super().__init__(1, 1, qk_norm, dropout_p, **empty(shapes, bias, gains, dtype, device))

    @classmethod
    def from_matrices(
        cls,
        *,
        w_q: Tensor | nn.Linear,  # (embed_dim, head_dim)
        w_k: Tensor | nn.Linear,  # (embed_dim, head_dim)
        w_v: Tensor | nn.Linear,  # (embed_dim, value_dim)
        b_q: Tensor | None = None,  # (head_dim,)
        b_k: Tensor | None = None,  # (head_dim,)
        b_v: Tensor | None = None,  # (value_dim,)
        qk_norm: bool = False,
        g_q: Tensor | None = None,  # (head_dim,)
        g_k: Tensor | None = None,  # (head_dim,)
        dropout_p: float = 0.0,
    ) -> Self:
        """A module with copies of these matrices, their dtype and device kept.

        A matrix is (in, out), for X @ W. nn.Linear.weight is (out, in): pass its .T, or the nn.Linear itself,
        which brings its bias. A square weight that is not transposed cannot be recognised.

        Missing biases and gains are None. Raises AttentionError where multi_head_attention with one input or
        the constructor raises it.
        """
        weights = {"w_q": w_q, "w_k": w_k, "w_v": w_v}
        vectors = {"b_q": b_q, "b_k": b_k, "b_v": b_v, "g_q": g_q, "g_k": g_k}
        copies = checked_copies(*opened(weights, vectors), {"query_input": "w_q"}, 1, 1, qk_norm)
        embed_dim, head_dim = copies["w_q"].shape
        module = cls(
            embed_dim,
            head_dim,
            copies["w_v"].shape[-1],
            qk_norm=qk_norm,
            dropout_p=dropout_p,
            dtype=copies["w_q"].dtype,
            device="meta",
        )
        module.hold(copies)
        return module

    @classmethod
    def from_torch(cls, module: nn.Module | Mapping[str, Tensor]) -> Self:
        """A copy of the matrices of a layer with one head, or of its state_dict; see MultiHeadAttention.

        Raises AttentionError where MultiHeadAttention.from_torch raises it, and for a layer that keeps more
        heads, or has an output projection, which this module has not.
        """
        matrices, heads, dropout_p = copied_from(module, heads_of(module) or 1, None, None)
        if heads["num_heads"] > 1 or "w_o" in matrices:
            raise AttentionError("several_heads", "module", num_heads=heads["num_heads"])
        copy = cls.from_matrices(**matrices, dropout_p=dropout_p)
        return copy.train(getattr(module, "training", True))

    @translates(ONE_INPUT)
    def forward(
        self,
        x: Tensor,  # (..., q_len, embed_dim)
        *,
        mask: Tensor | None = None,
        bias: Tensor | None = None,
        scale: float | None = None,
        softcap: float | None = None,
        masked_score: float = -math.inf,
        generator: torch.Generator | None = None,
    ) -> MultiHeadTrace:
        """The trace of multi_head_attention; its `heads` has one head on dimension −3.

        mask and bias are (q_len, kv_len), or (batch…, q_len, kv_len) if x is batched. The options are those
        of scaled_dot_product_attention.
        """
        return self.attend(
            x,
            mask=mask,
            bias=bias,
            scale=scale,
            softcap=softcap,
            masked_score=masked_score,
            generator=generator,
        )


class MultiHeadAttention(AttentionModule):
    """Attention in num_heads subspaces at once (Vaswani et al. 2017, section 3.2.2).

    w_q (embed_dim, num_heads * head_dim)              head_dim defaults to embed_dim // num_heads
    w_k (key_input_dim, num_kv_heads * head_dim)       key_input_dim to embed_dim
    w_v (value_input_dim, num_kv_heads * value_dim)    value_input_dim to key_input_dim, value_dim to head_dim
    w_o (num_heads * value_dim, output_dim)            output_dim to embed_dim

    With num_kv_heads below num_heads, several query heads share one key/value head (Ainslie et al. 2023).
    With bias there are b_q, b_k, b_v and b_o, one number for each column. With qk_norm, each head's queries
    and keys are normalized, with the gains g_q and g_k (head_dim,). dropout_p drops weights, in training mode
    only.

    Raises AttentionError where head_dim is missing and num_heads does not divide embed_dim, where
    num_kv_heads does not divide num_heads, for a size that is no integer or below 1, a dropout_p that is not
    from 0 to 1, and a dtype that is not floating point.
    """

    @translates(NEW_LAYER)
    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        head_dim: int | None = None,
        value_dim: int | None = None,
        key_input_dim: int | None = None,
        value_input_dim: int | None = None,
        output_dim: int | None = None,
        bias: bool = False,
        qk_norm: bool = False,
        dropout_p: float = 0.0,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ):
        embed_dim = checks.integer("embed_dim", embed_dim, 1)
        num_heads, num_kv_heads = checks.check_heads(num_heads, num_kv_heads)
        head_dim = (
            share(embed_dim, num_heads) if head_dim is None else checks.integer("head_dim", head_dim, 1)
        )
        value_dim = size("value_dim", value_dim, head_dim)
        key_input_dim = size("key_input_dim", key_input_dim, embed_dim)
        value_input_dim = size("value_input_dim", value_input_dim, key_input_dim)
        shapes = {
            "w_q": (embed_dim, num_heads * head_dim),
            "w_k": (key_input_dim, num_kv_heads * head_dim),
            "w_v": (value_input_dim, num_kv_heads * value_dim),
            "w_o": (num_heads * value_dim, size("output_dim", output_dim, embed_dim)),
        }
        gains = {"g_q": head_dim, "g_k": head_dim} if qk_norm else {}
        parameters = empty(shapes, bias, gains, dtype, device)
        super().__init__(num_heads, num_kv_heads, qk_norm, dropout_p, **parameters)

    @classmethod
    def from_matrices(
        cls,
        *,
        w_q: Tensor | nn.Linear,
        w_k: Tensor | nn.Linear,
        w_v: Tensor | nn.Linear,
        w_o: Tensor | nn.Linear | None = None,
        b_q: Tensor | None = None,
        b_k: Tensor | None = None,
        b_v: Tensor | None = None,
        b_o: Tensor | None = None,
        qk_norm: bool = False,
        g_q: Tensor | None = None,
        g_k: Tensor | None = None,
        num_heads: int = 1,
        num_kv_heads: int | None = None,
        dropout_p: float = 0.0,
    ) -> Self:
        """A module with copies of these matrices, shaped as in multi_head_attention, dtype and device kept.

        A matrix is (in, out), for X @ W. nn.Linear.weight is (out, in): pass its .T, or the nn.Linear itself,
        which brings its bias. A square weight that is not transposed cannot be recognised.

        Missing biases and gains are None; without w_o the output is the concatenation. Raises AttentionError
        where multi_head_attention or the constructor raises it.
        """
        weights = {"w_q": w_q, "w_k": w_k, "w_v": w_v}
        optional = {"w_o": w_o, "b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": b_o, "g_q": g_q, "g_k": g_k}
        num_heads, num_kv_heads = checks.check_heads(num_heads, num_kv_heads)
        inputs = {"query_input": "w_q", "key_input": "w_k", "value_input": "w_v"}
        copies = checked_copies(*opened(weights, optional), inputs, num_heads, num_kv_heads, qk_norm)
        sizes = {name: copies[name].shape for name in weights}
        module = cls(
            sizes["w_q"][0],
            num_heads,
            num_kv_heads=num_kv_heads,
            head_dim=sizes["w_q"][1] // num_heads,
            value_dim=sizes["w_v"][1] // num_kv_heads,
            key_input_dim=sizes["w_k"][0],
            value_input_dim=sizes["w_v"][0],
            qk_norm=qk_norm,
            dropout_p=dropout_p,
            dtype=copies["w_q"].dtype,
            device="meta",
        )
        module.hold(copies)
        return module

    @classmethod
    def from_torch(
        cls,
        module: nn.Module | Mapping[str, Tensor],
        *,
        num_heads: int | None = None,
        num_kv_heads: int | None = None,
        order: str | None = None,
    ) -> Self:
        """A copy of the matrices of PyTorch's layer, or of any attention layer or its state_dict.

        The parameters have names that are known, such as in_proj_weight and out_proj, q_proj, k_proj, v_proj
        and o_proj, c_attn and c_proj, W_query, to_qkv. nn.Linear.weight is (out, in) and is transposed; the
        c_attn of GPT-2 is (in, out) and stays so. Of masks, positions and normalisation nothing is copied.
        num_heads is the layer's own where it keeps one; a state_dict does not.

        order is that of the columns of a matrix that holds several projections, such as qkv: "qkv h d" where
        they follow each other, "h qkv d" where each head has its own next to each other. It is known of
        in_proj and c_attn, and of a layer that gives with one order what attention gives; else it is needed.

        Inputs are batch first here, always: for a layer with batch_first=False, write x.transpose(0, 1).

        Raises AttentionError for add_bias_kv and add_zero_attn, which add a key that no input has, where
        a parameter has another name, and where num_heads or order is needed.
        """
        matrices, heads, dropout_p = copied_from(module, num_heads, num_kv_heads, order)
        copy = cls.from_matrices(**matrices, **dict[str, Any](heads), dropout_p=dropout_p)
        return copy.train(getattr(module, "training", True))

    forward = AttentionModule.attend
