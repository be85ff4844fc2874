"""Attention as nn.Modules: multi_head_attention, and the parameters it is trained with.

The parameters are named and shaped as that function's arguments, X @ W: w_q w_k w_v w_o, b_q b_k b_v b_o. One
that a module does without is None.
"""

import math
from typing import Self

import torch
from torch import Tensor, nn

from attention import checks
from attention.errors import AttentionError
from attention.multi_head import MultiHeadTrace, check_heads, multi_head_attention

PARAMETERS = ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o")


class AttentionModule(nn.Module):
    """What both modules share: the eight parameters, and attention with them."""

    def __init__(self, num_heads: int, num_kv_heads: int, dropout_p: float, **parameters: Tensor):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.dropout_p = checks.probability("dropout_p", dropout_p)
        self.hold(parameters)
        self.reset_parameters()

    def hold(self, matrices: dict[str, Tensor | None]) -> None:
        for name in PARAMETERS:
            matrix = matrices.get(name)
            self.register_parameter(name, None if matrix is None else nn.Parameter(matrix))

    def reset_parameters(self) -> None:
        """Weights Xavier uniform (Glorot & Bengio 2010), so that a projection neither swells nor shrinks what
        passes through it, forward or backward; biases 0, as the random weights already distinguish columns.
        """
        for name, parameter in self.named_parameters(recurse=False):
            if name.startswith("w_"):
                nn.init.xavier_uniform_(parameter)
            else:
                nn.init.zeros_(parameter)

    def attend(
        self,
        query_input: Tensor,
        key_input: Tensor | None,
        value_input: Tensor | None,
        *,
        mask: Tensor | None,
        bias: Tensor | None,
        scale: float | None,
        softcap: float | None,
        masked_score: float,
        generator: torch.Generator | None,
    ) -> MultiHeadTrace:
        """multi_head_attention with the module's parameters; dropout only in training mode."""
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
        )

    def extra_repr(self) -> str:
        held = {name: getattr(self, name) for name in PARAMETERS}
        shapes = [f"{name}={tuple(held[name].shape)}" for name in PARAMETERS if held[name] is not None]
        heads = f"num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads}"
        return ", ".join([heads, *shapes, f"dropout_p={self.dropout_p}"])


class SelfAttention(AttentionModule):
    """One head that attends to its own input: softmax(x·w_q·(x·w_k)ᵀ / √head_dim)·x·w_v, without w_o.

    w_q and w_k are (embed_dim, head_dim), w_v is (embed_dim, value_dim); head_dim defaults to embed_dim,
    value_dim to head_dim. With bias, b_q, b_k and b_v have one number a column. dropout_p drops weights, in
    training mode only.

    Raises AttentionError for a size that is no integer or below 1, a dropout_p that is not from 0 to 1, and a
    dtype that is not floating point.
    """

    def __init__(
        self,
        embed_dim: int,
        head_dim: int | None = None,
        value_dim: int | None = None,
        *,
        bias: bool = False,
        dropout_p: float = 0.0,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ):
        embed_dim = size("embed_dim", embed_dim)
        head_dim = size("head_dim", head_dim, embed_dim)
        value_dim = size("value_dim", value_dim, head_dim)
        shapes = {"w_q": (embed_dim, head_dim), "w_k": (embed_dim, head_dim), "w_v": (embed_dim, value_dim)}
        super().__init__(1, 1, dropout_p, **empty(shapes, bias, dtype, device))

    @classmethod
    def from_matrices(
        cls,
        *,
        w_q: Tensor,  # (embed_dim, head_dim)
        w_k: Tensor,  # (embed_dim, head_dim)
        w_v: Tensor,  # (embed_dim, value_dim)
        b_q: Tensor | None = None,  # (head_dim,)
        b_k: Tensor | None = None,  # (head_dim,)
        b_v: Tensor | None = None,  # (value_dim,)
        dropout_p: float = 0.0,
    ) -> Self:
        """A module with copies of these matrices, their dtype and device kept; missing biases are None.

        Raises AttentionError where multi_head_attention would with one input, and as the constructor does.
        """
        matrices = {"w_q": w_q, "w_k": w_k, "w_v": w_v, "b_q": b_q, "b_k": b_k, "b_v": b_v}
        copies = checked_copies(matrices, ("w_q",), 1, 1)
        sizes = (*w_q.shape, w_v.shape[-1])
        module = cls(*sizes, dropout_p=dropout_p, dtype=w_q.dtype, device="meta")
        module.hold(copies)
        return module

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
        """Every intermediate, as multi_head_attention returns it; heads has one head on dimension −3.

        mask and bias are (q_len, kv_len), or (batch…, q_len, kv_len) if x is batched. The options are those
        of scaled_dot_product_attention.
        """
        options = {"scale": scale, "softcap": softcap, "masked_score": masked_score, "generator": generator}
        return self.attend(x, None, None, mask=mask, bias=bias, **options)


class MultiHeadAttention(AttentionModule):
    """Attention in num_heads subspaces at once (Vaswani et al. 2017, section 3.2.2).

    w_q (embed_dim, num_heads * head_dim)              head_dim defaults to embed_dim // num_heads
    w_k (key_input_dim, num_kv_heads * head_dim)       key_input_dim to embed_dim
    w_v (value_input_dim, num_kv_heads * value_dim)    value_input_dim to key_input_dim, value_dim to head_dim
    w_o (num_heads * value_dim, output_dim)            output_dim to embed_dim

    With num_kv_heads below num_heads, several query heads share one key/value head (Ainslie et al. 2023).
    With bias there are b_q, b_k, b_v and b_o, one number a column. dropout_p drops weights, in training mode
    only.

    Raises AttentionError where head_dim is missing and num_heads does not divide embed_dim, where
    num_kv_heads does not divide num_heads, for a size that is no integer or below 1, a dropout_p that is not
    from 0 to 1, and a dtype that is not floating point.
    """

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
        dropout_p: float = 0.0,
        dtype: torch.dtype | None = None,
        device: torch.device | str | None = None,
    ):
        embed_dim = size("embed_dim", embed_dim)
        num_heads, num_kv_heads = check_heads(num_heads, num_kv_heads)
        head_dim = share(embed_dim, num_heads) if head_dim is None else size("head_dim", head_dim)
        value_dim = size("value_dim", value_dim, head_dim)
        key_input_dim = size("key_input_dim", key_input_dim, embed_dim)
        value_input_dim = size("value_input_dim", value_input_dim, key_input_dim)
        shapes = {
            "w_q": (embed_dim, num_heads * head_dim),
            "w_k": (key_input_dim, num_kv_heads * head_dim),
            "w_v": (value_input_dim, num_kv_heads * value_dim),
            "w_o": (num_heads * value_dim, size("output_dim", output_dim, embed_dim)),
        }
        super().__init__(num_heads, num_kv_heads, dropout_p, **empty(shapes, bias, dtype, device))

    @classmethod
    def from_matrices(
        cls,
        *,
        w_q: Tensor,
        w_k: Tensor,
        w_v: Tensor,
        w_o: Tensor | None = None,
        b_q: Tensor | None = None,
        b_k: Tensor | None = None,
        b_v: Tensor | None = None,
        b_o: Tensor | None = None,
        num_heads: int = 1,
        num_kv_heads: int | None = None,
        dropout_p: float = 0.0,
    ) -> Self:
        """A module with copies of these matrices, shaped as in multi_head_attention, dtype and device kept.

        Missing biases are None; without w_o the output is the concatenation. Raises AttentionError where
        multi_head_attention would, and as the constructor does.
        """
        matrices = {"w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
        matrices |= {"b_q": b_q, "b_k": b_k, "b_v": b_v, "b_o": b_o}
        num_heads, num_kv_heads = check_heads(num_heads, num_kv_heads)
        copies = checked_copies(matrices, ("w_q", "w_k", "w_v"), num_heads, num_kv_heads)
        module = cls(
            w_q.shape[0],
            num_heads,
            num_kv_heads=num_kv_heads,
            head_dim=w_q.shape[-1] // num_heads,
            value_dim=w_v.shape[-1] // num_kv_heads,
            key_input_dim=w_k.shape[0],
            value_input_dim=w_v.shape[0],
            dropout_p=dropout_p,
            dtype=w_q.dtype,
            device="meta",
        )
        module.hold(copies)
        return module

    @classmethod
    def from_torch(cls, module: nn.MultiheadAttention) -> Self:
        """A copy of PyTorch's layer, in the same mode (training or not). Inputs are batch first here, always.

        Raises AttentionError for add_bias_kv and add_zero_attn, which add a key that no input has.
        """
        for argument, on in (
            ("add_bias_kv", module.bias_k is not None),
            ("add_zero_attn", module.add_zero_attn),
        ):
            if on:
                fix = (
                    "It adds a key that no input has, which attention here does not: copy a layer without it."
                )
                facts = {"value": "True", "choices": ("False",)}
                raise AttentionError("unknown_choice", argument, "False", "True", fix, facts)
        packed, biases = module.in_proj_weight, module.in_proj_bias
        separate = (module.q_proj_weight, module.k_proj_weight, module.v_proj_weight)
        rows = separate if packed is None else packed.chunk(3)
        weights = [
            weight.mT for weight in (*rows, module.out_proj.weight)
        ]  # PyTorch multiplies by the transposed
        biases = () if biases is None else (*biases.chunk(3), module.out_proj.bias)
        matrices = dict(zip(PARAMETERS, (*weights, *biases), strict=False))
        copy = cls.from_matrices(**matrices, num_heads=module.num_heads, dropout_p=module.dropout)
        return copy.train(module.training)

    def forward(
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
        """Every intermediate, as multi_head_attention returns it, which also says how a mask is read:

        (batch…, q_len, kv_len) is for every head of its batch entry. The options are those of
        scaled_dot_product_attention.
        """
        options = {"scale": scale, "softcap": softcap, "masked_score": masked_score, "generator": generator}
        return self.attend(query_input, key_input, value_input, mask=mask, bias=bias, **options)


def size(argument: str, value: int | None, default: int | None = None) -> int:
    return default if value is None and default is not None else checks.integer(argument, value, 1)


def share(embed_dim: int, num_heads: int) -> int:
    """A head's share of embed_dim."""
    if embed_dim % num_heads:
        expected, got = f"a number that divides embed_dim {embed_dim}", str(num_heads)
        fix = "Choose another num_heads, or give the heads a head_dim of your own."
        facts = {"size": embed_dim, "num_heads": num_heads}
        raise AttentionError("not_divisible", "num_heads", expected, got, fix, facts)
    return embed_dim // num_heads


def empty(
    weights: dict[str, tuple[int, int]],
    bias: bool,
    dtype: torch.dtype | None,
    device: torch.device | str | None,
) -> dict[str, Tensor]:
    """Room for weights of these shapes, and with bias, for a number to each of their columns."""
    checks.check_floating("dtype", torch.empty(0, dtype=dtype))
    biases = {name.replace("w", "b"): shape[1:] for name, shape in weights.items()} if bias else {}
    shapes = weights | biases
    return {name: torch.empty(shape, dtype=dtype, device=device) for name, shape in shapes.items()}


def checked_copies(
    matrices: dict[str, Tensor | None], inputs: tuple[str, ...], num_heads: int, num_kv_heads: int
) -> dict[str, Tensor]:
    """Copies of the matrices that are there, once multi_head_attention has taken them.

    `inputs` names the weight that each of its inputs goes through.
    """
    given = {name: m for name, m in matrices.items() if m is not None or name in ("w_q", "w_k", "w_v")}
    checks.check_alike(**given)
    for name in inputs:
        checks.check_dimensions(name, given[name], "(rows, columns)", given[name].ndim == 2)
    tokens = [given[name].new_zeros(0, given[name].shape[0]) for name in inputs]
    multi_head_attention(*tokens, **given, num_heads=num_heads, num_kv_heads=num_kv_heads)
    return {name: m.detach().clone(memory_format=torch.contiguous_format) for name, m in given.items()}
