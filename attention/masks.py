"""Boolean masks: True = the query (row) may attend to the key (column). Combine them with &, | and ~."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention.checks import check_choice, check_dimensions, integer
from attention.errors import AttentionError

ALIGNMENTS = ("upper_left", "lower_right")


def query_and_key_positions(q_len: int, kv_len: int | None, alignment: str) -> tuple[Tensor, Tensor]:
    """Positions (q_len, 1) of the queries and (kv_len,) of the keys.

    "upper_left" counts both from the first token. "lower_right" puts the last query at the last key, as with
    a cache of earlier keys.
    """
    q_len = integer("q_len", q_len, 0)
    kv_len = q_len if kv_len is None else integer("kv_len", kv_len, 0)
    check_choice("alignment", alignment, ALIGNMENTS)
    first = kv_len - q_len if alignment == "lower_right" else 0
    return torch.arange(first, first + q_len)[:, None], torch.arange(kv_len)


def causal_mask(q_len: int, kv_len: int | None = None, *, alignment: str = "upper_left") -> Tensor:
    """No query sees a key that comes after it (Vaswani et al. 2017, section 3.2.3). Shape (q_len, kv_len).

    kv_len defaults to q_len. On a rectangle the alignment matters; q_len 2, kv_len 4, 1 = may attend:

        "upper_left"     "lower_right"
        1 0 0 0          1 1 1 0
        1 1 0 0          1 1 1 1

    Raises AttentionError for a length that is no integer or below 0, and for an unknown alignment.
    """
    i, j = query_and_key_positions(q_len, kv_len, alignment)
    return j <= i


def sliding_window_mask(
    q_len: int, kv_len: int | None = None, *, left: int | None, right: int | None
) -> Tensor:
    """Query i sees the keys i − left … i + right (Beltagy et al. 2020). Shape (q_len, kv_len).

    kv_len defaults to q_len. None for left or right means no limit on that side: left=None, right=0 is the
    causal mask. q_len 5, left 1, right 0:

        1 0 0 0 0
        1 1 0 0 0
        0 1 1 0 0
        0 0 1 1 0
        0 0 0 1 1

    Raises AttentionError for a length, left or right that is no integer or below 0.
    """
    i, j = query_and_key_positions(q_len, kv_len, "upper_left")
    mask = torch.ones(len(i), len(j), dtype=torch.bool)
    if left is not None:
        mask = mask & (j >= i - integer("left", left, 0))
    if right is not None:
        mask = mask & (j <= i + integer("right", right, 0))
    return mask


def padding_mask(lengths: Sequence[int] | Tensor, kv_len: int) -> Tensor:
    """Of batch entry b only the first lengths[b] keys are real. Shape (len(lengths), kv_len).

    lengths [2, 4, 0], kv_len 4:

        1 1 0 0
        1 1 1 1
        0 0 0 0

    It masks keys (columns), never query rows. It has one row a batch entry, so give it the query's dimension
    before use: mask[:, None, :] for scores (batch, q_len, kv_len), mask[:, None, None, :] with heads.

    Raises AttentionError where lengths is not one-dimensional, or a length is no integer from 0 to kv_len.
    """
    kv_len = integer("kv_len", kv_len, 0)
    rows = list_of_lengths(lengths)
    clean = [integer(f"lengths[{b}]", length, 0, kv_len) for b, length in enumerate(rows)]
    return torch.arange(kv_len) < torch.tensor(clean, dtype=torch.int64)[:, None]


def list_of_lengths(lengths: object) -> list:
    if isinstance(lengths, Tensor):
        check_dimensions("lengths", lengths, "(batch,)", lengths.ndim == 1)
        return lengths.tolist()
    if isinstance(lengths, Sequence):
        return list(lengths)
    kind = type(lengths).__name__
    mend = "Write one length a batch entry, for example [2, 4]."
    raise AttentionError("not_an_integer", "lengths", "a list of integers", f"a {kind}", mend, {"type": kind})
