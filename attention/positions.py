"""The position of a token: waves added to X, query and key rotated, or a bias that falls with distance."""

import torch
from torch import Tensor

from attention.checks import (
    check_alike,
    check_broadcasts,
    check_choice,
    check_dimensions,
    check_floating,
    check_tensor,
    integer,
    positive,
)
from attention.errors import AttentionError
from attention.masks import ALIGNMENTS, Device, query_and_key_positions
from attention.spelling import ALIBI, ROTARY, WAVES, translates


@translates(WAVES)
def sinusoidal_encoding(
    length: int,
    dim: int,
    *,
    base: float = 10000.0,
    dtype: torch.dtype | None = None,
    device: Device = None,
) -> Tensor:
    """Sine and cosine waves to add to X (Vaswani et al. 2017, section 3.5). Shape (length, dim).

        PE[pos, 2k]     = sin(pos / base^(2k / dim))
        PE[pos, 2k + 1] = cos(pos / base^(2k / dim))

    Computed in float64, returned in `dtype` on `device`, which default to torch's own. An odd dim ends in a
    sine.

    Raises AttentionError for a length below 0, a dim below 1, a base that is not above 0 and a dtype that is
    not floating point.
    """
    length, dim = integer("length", length, 0), integer("dim", dim, 1)
    result = torch.empty(0, dtype=dtype)
    check_floating("dtype", result)
    positions = torch.arange(length, device=device)[:, None]
    angles = positions * frequencies(dim, positive("base", base), device)  # (length, dim / 2 rounded up)
    waves = torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)  # (length, dim or dim + 1)
    return waves[:, :dim].to(result.dtype)


def frequencies(dim: int, base: float, device: Device) -> Tensor:
    """base^(−2k / dim) for k = 0, 1, …, in float64: the angle of each pair of dimensions at position 1."""
    return base ** (-torch.arange(0, dim, 2, dtype=torch.float64, device=device) / dim)


@translates(ROTARY)
def rotary_embedding(
    x: Tensor,  # (..., seq, dim)
    *,
    positions: Tensor | None = None,  # (seq,) or (..., seq)
    base: float = 10000.0,
    interleaved: bool = False,
    rotary_dim: int | None = None,
) -> Tensor:
    """Rotate query or key by its position (Su et al. 2021, RoFormer, equation 34). Shape of x.

        a' = a·cos θ − b·sin θ      θ = position · base^(−2k / rotary_dim)
        b' = b·cos θ + a·sin θ

    The k-th pair (a, b) is dimensions k and k + rotary_dim/2 (halves), or 2k and 2k + 1 when `interleaved`.
    positions defaults to 0, 1, …; rotary_dim to dim. The dimensions from rotary_dim on stay as they are.
    Angles are computed in float64; the result has x's dtype.

    Raises AttentionError where x is not floating point or has under 2 dimensions, positions are not real
    numbers or do not broadcast to (..., seq), base is not above 0, or rotary_dim is odd or above dim.
    """
    check_alike(x=x)
    check_dimensions("x", x, "(..., seq, dim)", x.ndim >= 2)
    seq, dim = x.shape[-2:]
    rotary_dim = even_up_to(dim, dim if rotary_dim is None else rotary_dim)
    positions = torch.arange(seq, device=x.device) if positions is None else positions
    check_positions(positions, x)

    turn = frequencies(rotary_dim, positive("base", base), x.device)
    angles = positions.to(torch.float64)[..., None] * turn  # (..., seq, rotary_dim / 2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = pairs(x[..., :rotary_dim], interleaved)  # each (..., seq, rotary_dim / 2)
    turned = (a * cos - b * sin, b * cos + a * sin)
    joined = torch.stack(turned, dim=-1).flatten(-2) if interleaved else torch.cat(turned, dim=-1)
    return torch.cat((joined, x[..., rotary_dim:]), dim=-1)  # (..., seq, dim)


def pairs(x: Tensor, interleaved: bool) -> tuple[Tensor, Tensor]:
    if interleaved:
        return x[..., 0::2], x[..., 1::2]
    half = x.shape[-1] // 2
    return x[..., :half], x[..., half:]


def even_up_to(dim: int, rotary_dim: int) -> int:
    rotary_dim = integer("rotary_dim", rotary_dim, 0, dim)
    if rotary_dim % 2:
        raise AttentionError("odd_dimension", "rotary_dim", value=rotary_dim)
    return rotary_dim


def check_positions(positions: Tensor, x: Tensor) -> None:
    check_tensor("positions", positions)
    if positions.dtype == torch.bool or positions.is_complex():
        raise AttentionError("not_real", "positions", dtype=str(positions.dtype))
    check_broadcasts("positions", positions, tuple(x.shape[:-1]), ("seq",))


@translates(ALIBI)
def alibi_bias(
    num_heads: int,
    q_len: int,
    kv_len: int,
    *,
    alignment: str | None = None,
    dtype: torch.dtype | None = None,
    device: Device = None,
) -> Tensor:
    """A bias for the scores that falls with distance (Press et al. 2022). Shape (num_heads, q_len, kv_len).

        bias[h, i, j] = −slope[h] · |i − j|

    The paper defines i ≥ j only: its attention is causal. Here the bias falls with distance above the
    diagonal too, so that it can be used without a causal mask.

    For n heads, n a power of two, the slopes are 2^(−8/n), 2^(−16/n), …, 2^(−8). For another n, as in the
    paper's code: the slopes for the power of two below n, then every other slope for the power of two above
    n.

    Where q_len and kv_len differ, `alignment` says which token a query is and must be named: "upper_left"
    counts both from the first token, "lower_right" puts the last query at the last key, as with a cache of
    earlier keys, where "upper_left" would penalise the newest key most. dtype and device default to torch's
    own.

    Raises AttentionError for num_heads below 1, a length below 0, an unknown alignment, a missing alignment
    where the lengths differ, and a dtype that is not floating point.
    """
    num_heads = integer("num_heads", num_heads, 1)
    q_len, kv_len = integer("q_len", q_len, 0), integer("kv_len", kv_len, 0)
    i, j = query_and_key_positions(q_len, kv_len, named_alignment(alignment, q_len, kv_len), device)
    result = torch.empty(0, dtype=dtype)
    check_floating("dtype", result)
    slopes = torch.tensor(alibi_slopes(num_heads), dtype=torch.float64, device=device)[:, None, None]
    return (-slopes * (i - j).abs()).to(result.dtype)  # (num_heads, q_len, kv_len)


def named_alignment(alignment: str | None, q_len: int, kv_len: int) -> str:
    """The alignment; on a square, where both are the same, it need not be named."""
    if alignment is None and q_len != kv_len:
        raise AttentionError("alignment_missing", "alignment", q_len=q_len, kv_len=kv_len, choices=ALIGNMENTS)
    alignment = ALIGNMENTS[0] if alignment is None else alignment
    check_choice("alignment", alignment, ALIGNMENTS)
    return alignment


def alibi_slopes(num_heads: int) -> list[float]:
    power = 2 ** (num_heads.bit_length() - 1)  # the largest power of two that is not above num_heads
    slopes = [2 ** (-8 * k / power) for k in range(1, power + 1)]
    between = [2 ** (-8 * k / (2 * power)) for k in range(1, 2 * power + 1, 2)]
    return slopes + between[: num_heads - power]
