"""From the settings to the core's trace.

A trace is cached by its settings, so a page that needs it in ten places computes it once.
"""

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

import torch

import attention
from attention import (
    MultiHeadTrace,
    alibi_bias,
    causal_mask,
    multi_head_attention,
    padding_mask,
    rotary_embedding,
    sinusoidal_encoding,
)
from attention.lab.scaling.divisors import divisors
from attention.positions import frequencies

from .mask_kinds import KINDS
from .settings import OPTIONS, POSITION_NUMBERS, Settings

Of = TypeVar("Of")
MOST_TRACES = 64  # traces; the largest, 12 tokens and 8 heads of width 16, takes 0.2 MB


def one_mask(settings: Settings, kind: str) -> torch.Tensor | None:
    """The mask (n, n) of that kind with the settings' numbers, True = may attend; None for no mask."""
    make = KINDS[kind].make
    return None if make is None else make(attention, settings, len(settings.tokens))


def mask_of(settings: Settings) -> torch.Tensor | None:
    """The mask (n, n) of the settings, of one kind or of two combined; None for no mask."""
    first, second = one_mask(settings, settings.mask), one_mask(settings, settings.mask_2)
    if first is None or second is None:
        return first
    return first & second if settings.combine == "and" else first | second


def _tensor(values: Sequence) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def tensors_of(settings: Settings) -> dict[str, Any]:
    """The weight matrices as multi_head_attention takes them. W_O is used with several heads only."""
    names = ["w_q", "w_k", "w_v", "b_q", "b_k", "b_v"]
    names += ["w_o", "b_o"] if settings.num_heads > 1 else []
    values = {name: getattr(settings, name) for name in names}
    return {name: None if value is None else _tensor(value) for name, value in values.items()}


def positions_of(settings: Settings) -> torch.Tensor | None:
    """P (n, d_model), a row for each place, which is added to X; None without added positions."""
    s, n = settings, len(settings.tokens)
    if s.position == "learned":
        return _tensor(s.p)
    if s.position == "sinusoidal":
        length, base = s.first_position + n, s.position_base
        return sinusoidal_encoding(length, s.d_model, base=base, dtype=torch.float64)[s.first_position :]
    return None


def inputs_of(settings: Settings) -> torch.Tensor:
    """The factor of the weight matrices: X, with positions X + P."""
    x, p = _tensor(settings.x), positions_of(settings)
    return x if p is None else x + p


def bias_of(settings: Settings) -> torch.Tensor | None:
    """ALiBi's bias (heads, n, n), its slopes times the settings' factor; None without ALiBi."""
    if settings.position != "alibi":
        return None
    n = len(settings.tokens)
    return settings.slope_factor * alibi_bias(settings.num_heads, n, n, dtype=torch.float64)


def rotation_of(settings: Settings) -> Callable[[torch.Tensor], torch.Tensor] | None:
    """The rotation of each head's queries and keys (…, n, d_k); the last number of an odd d_k stays."""
    s, n = settings, len(settings.tokens)
    if s.position != "rotary":
        return None
    places = torch.arange(s.first_position, s.first_position + n)
    even = s.head_dim - s.head_dim % 2
    return functools.partial(rotary_embedding, positions=places, base=s.position_base, rotary_dim=even)


def needed(tensor: Of | None) -> Of:
    """The tensor or the function of a step, not None. Raises ValueError if the step does not take place."""
    if tensor is None:
        raise ValueError("the step does not take place")
    return tensor


def angles_of(settings: Settings) -> torch.Tensor:
    """The angles of rotary positions for each pair of a head's numbers: (n, d_k // 2), in radians."""
    s, n = settings, len(settings.tokens)
    even = s.head_dim - s.head_dim % 2
    places = torch.arange(s.first_position, s.first_position + n, dtype=torch.float64)
    return places[:, None] * frequencies(even, s.position_base, None)


def divisor_of(settings: Settings) -> float:
    """The divisor of the scores."""
    return divisors(settings.head_dim).get(settings.scaling, settings.own_divisor)


def options_of(settings: Settings) -> dict:
    """The other arguments of multi_head_attention, without the mask."""
    return _options(settings) | {"bias": bias_of(settings), "rotate": rotation_of(settings)}


def _options(settings: Settings) -> dict:
    return {
        "num_heads": settings.num_heads,
        "num_kv_heads": settings.kv_heads,
        **{name: getattr(settings, name) for name in OPTIONS},
        "scale": 1 / divisor_of(settings),
        "masked_score": -math.inf if settings.masked_score == "-inf" else -1e9,
    }


# The defaults of the numbers of all kinds of positions.
AT_START = {name: getattr(Settings(), name) for name in chain(*POSITION_NUMBERS.values())}


def trace_of(settings: Settings, softcap: float | None = None, sink: float | None = None) -> MultiHeadTrace:
    """Self-attention on the learner's numbers, in float64; with its scores capped, and with a sink, if given.

    An edit of a number that the kind of position does not read makes no new trace.
    """
    read = POSITION_NUMBERS[settings.position]
    unread: dict[str, Any] = {name: value for name, value in AT_START.items() if name not in read}
    return _trace_of(replace(settings, **unread), softcap, sink)


@functools.lru_cache(maxsize=MOST_TRACES)
def _trace_of(settings: Settings, softcap: float | None, sink: float | None) -> MultiHeadTrace:
    added: dict[str, Any] = {"mask": mask_of(settings), "softcap": softcap}
    added["sinks"] = None if sink is None else _tensor([sink] * settings.num_heads)
    return multi_head_attention(inputs_of(settings), **tensors_of(settings), **added, **options_of(settings))


def cross_mask_of(settings: Settings) -> torch.Tensor | None:
    """The mask (tokens, source tokens) of the cross-attention; None for no mask."""
    n, m = len(settings.tokens), len(settings.source)
    if settings.cross_mask == "padding":
        return padding_mask([settings.source_padding], m).expand(n, m)
    if settings.cross_mask == "causal":
        return causal_mask(n, m, alignment=settings.alignment)
    return None


@functools.lru_cache(maxsize=MOST_TRACES)
def cross_trace_of(settings: Settings) -> MultiHeadTrace:
    """Queries from the tokens, keys and values from the source, in float64.

    Without positions: the two sequences have no common one, and in the original Transformer X and Y come from
    layers that have been given theirs.
    """
    x, y = _tensor(settings.x), _tensor(settings.y)
    mask = cross_mask_of(settings)
    return multi_head_attention(x, y, **tensors_of(settings), mask=mask, **_options(settings))
