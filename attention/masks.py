"""Boolean masks: True = the query (row) may attend to the key (column). Combine them with &, | and ~.

causal_mask(n) & padding_mask([3], n) is causal and masks the padding. A causal window of k tokens back needs
no combination: it is sliding_window_mask(n, left=k, right=0).

Every mask is made on `device`. The default is the device of the lengths where they are a tensor, else torch's
default device.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention.checks import check_choice, check_dimensions, check_size, integer
from attention.errors import AttentionError
from attention.spelling import BLOCKS, CAUSAL_MASK, PADDING_MASK, PREFIX_MASK, WINDOW_MASK, translates

ALIGNMENTS = ("upper_left", "lower_right")
Device = torch.device | str | None


def query_and_key_positions(
    q_len: int, kv_len: int | None, alignment: str, device: Device
) -> tuple[Tensor, Tensor]:
    """Positions (q_len, 1) of the queries and (kv_len,) of the keys.

    "upper_left" counts both from the first token. "lower_right" puts the last query at the last key, as with
    a cache of earlier keys.
    """
    for argument, length in (("q_len", q_len), ("kv_len", kv_len)):
        if shape := tuple(getattr(length, "shape", ())):
            raise AttentionError("tensor_for_length", argument, shape=shape)
    q_len = integer("q_len", q_len, 0)
    kv_len = q_len if kv_len is None else integer("kv_len", kv_len, 0)
    check_choice("alignment", alignment, ALIGNMENTS)
    first = kv_len - q_len if alignment == "lower_right" else 0
    i = torch.arange(first, first + q_len, device=device)[:, None]
    return i, torch.arange(kv_len, device=device)


@translates(CAUSAL_MASK)
def causal_mask(
    q_len: int, kv_len: int | None = None, *, alignment: str = "upper_left", device: Device = None
) -> Tensor:
    """No query may attend to a key after it (Vaswani et al. 2017, section 3.2.3). Shape (q_len, kv_len).

    kv_len defaults to q_len. On a rectangle the alignment matters; q_len 2, kv_len 4, 1 = may attend:

        "upper_left"     "lower_right"
        1 0 0 0          1 1 1 0
        1 1 0 0          1 1 1 1

    Raises AttentionError for a length that is no integer or below 0, and for an unknown alignment.
    """
    i, j = query_and_key_positions(q_len, kv_len, alignment, device)
    return j <= i


@translates(PREFIX_MASK)
def prefix_mask(q_len: int, kv_len: int | None = None, *, prefix: int, device: Device = None) -> Tensor:
    """Causal, but every query may attend to the first `prefix` keys (prefix LM, Raffel et al. 2020, fig. 3).

    Shape (q_len, kv_len); kv_len defaults to q_len. The prefix is read in both directions, the tokens after
    it are causal. q_len 5, prefix 3:

        1 1 1 0 0
        1 1 1 0 0
        1 1 1 0 0
        1 1 1 1 0
        1 1 1 1 1

    Raises AttentionError for a length that is no integer or below 0, and for a prefix that is no integer from
    0 to kv_len.
    """
    i, j = query_and_key_positions(q_len, kv_len, "upper_left", device)
    prefix = integer("prefix", prefix, 0, len(j))
    return (j <= i) | (j < prefix)


@translates(WINDOW_MASK)
def sliding_window_mask(
    q_len: int,
    kv_len: int | None = None,
    *,
    left: int | None,
    right: int | None,
    alignment: str = "upper_left",
    device: Device = None,
) -> Tensor:
    """Query i may attend to the keys i − left … i + right (Beltagy et al. 2020). Shape (q_len, kv_len).

    kv_len defaults to q_len. None for left or right means no limit on that side: left=None, right=0 is the
    causal mask. q_len 5, left 1, right 0:

        1 0 0 0 0
        1 1 0 0 0
        0 1 1 0 0
        0 0 1 1 0
        0 0 0 1 1

    On a rectangle the alignment matters, as for causal_mask; q_len 2, kv_len 4, left 1, right 0:

        "upper_left"     "lower_right"
        1 0 0 0          0 1 1 0
        1 1 0 0          0 0 1 1

    Raises AttentionError for a length, left or right that is no integer or below 0, and for an unknown
    alignment.
    """
    i, j = query_and_key_positions(q_len, kv_len, alignment, device)
    mask = torch.ones(len(i), len(j), dtype=torch.bool, device=device)
    if left is not None:
        mask = mask & (j >= i - integer("left", left, 0))
    if right is not None:
        mask = mask & (j <= i + integer("right", right, 0))
    return mask


@translates(PADDING_MASK)
def padding_mask(lengths: Sequence[int] | Tensor, kv_len: int, *, device: Device = None) -> Tensor:
    """Of sequence b of a batch only the first lengths[b] keys are real. Shape (len(lengths), kv_len).

    lengths [2, 4, 0], kv_len 4:

        1 1 0 0
        1 1 1 1
        0 0 0 0

    It masks keys (columns), never query rows. It has one row for each sequence: insert the dimension of
    the queries before use: mask[:, None, :] for scores (batch, q_len, kv_len), mask[:, None, None, :] with
    heads.

    Raises AttentionError where lengths is not one-dimensional, or a length is no integer from 0 to kv_len.
    """
    kv_len = integer("kv_len", kv_len, 0)
    device = device_of(lengths, device)
    lengths = torch.tensor(clean_lengths("lengths", lengths, kv_len), dtype=torch.int64, device=device)
    return torch.arange(kv_len, device=device) < lengths[:, None]


@translates(BLOCKS)
def block_diagonal_mask(
    lengths: Sequence[int] | Tensor,
    kv_lengths: Sequence[int] | Tensor | None = None,
    *,
    device: Device = None,
) -> Tensor:
    """Packed sequences: a query may attend only to the keys of its own sequence (Krell et al. 2021).

    Block b has lengths[b] queries and kv_lengths[b] keys; kv_lengths defaults to lengths. Shape
    (sum(lengths), sum(kv_lengths)).

        lengths [2, 3]     lengths [2, 1], kv_lengths [1, 3]
        1 1 0 0 0          1 0 0 0
        1 1 0 0 0          1 0 0 0
        0 0 1 1 1          0 1 1 1
        0 0 1 1 1
        0 0 1 1 1

    With & causal_mask(sum(lengths)), each sequence is causal.

    Raises AttentionError where lengths or kv_lengths is not one-dimensional, a length is no integer or below
    0, or kv_lengths and lengths differ in their number of entries.
    """
    device = device_of(lengths, device)
    lengths = clean_lengths("lengths", lengths)
    kv_lengths = lengths if kv_lengths is None else clean_lengths("kv_lengths", kv_lengths)
    check_size("kv_lengths", (len(kv_lengths),), 0, len(lengths), "len(lengths)")
    block_of_query, block_of_key = block_numbers(lengths, device), block_numbers(kv_lengths, device)
    return block_of_query[:, None] == block_of_key  # (q_len, kv_len)


def block_numbers(lengths: list[int], device: Device) -> Tensor:
    """Each block's number, as often as the block is long: 0 0 1 1 1 for lengths 2 and 3."""
    repeats = torch.tensor(lengths, dtype=torch.int64, device=device)
    return torch.arange(len(lengths), device=device).repeat_interleave(repeats, output_size=sum(lengths))


def device_of(lengths: object, device: Device) -> Device:
    return lengths.device if device is None and isinstance(lengths, Tensor) else device


def clean_lengths(argument: str, lengths: object, maximum: int | None = None) -> list[int]:
    """The lengths, each an integer from 0 to maximum."""
    if isinstance(lengths, Tensor):
        check_dimensions(argument, lengths, "(count,)", lengths.ndim == 1)
        lengths = lengths.tolist()
    if not isinstance(lengths, Sequence):
        raise AttentionError("not_a_sequence", argument, type=type(lengths).__name__)
    return [integer(f"{argument}[{b}]", length, 0, maximum) for b, length in enumerate(lengths)]
