"""Two tables: the matrices and the sizes of a setup.

A row determines its part of links and files, its new numbers, and its name and labels on the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

MAX_TOKENS = 12
MAX_WIDTH = 16
MAX_HEADS = 8

Count = Callable[[Any], int]  # of the settings, which are made of these matrices


@dataclass(frozen=True)
class Entries:
    """A matrix that can be edited. A bias is a matrix of one row, or None if biases are off.

    key   in the link
    role  an input's new numbers are normal, a weight's are smaller, a bias is 0
    """

    key: str
    symbol: str
    rows: Count
    cols: Count
    role: Literal["input", "weight", "bias"] = "weight"

    def shape(self, s: Any) -> tuple[int, int]:
        """The required rows and columns."""
        return self.rows(s), self.cols(s)


def one_row(s: Any) -> int:
    return 1


def token_count(s: Any) -> int:
    return len(s.tokens)


def source_count(s: Any) -> int:
    return len(s.source)


def width(s: Any) -> int:
    return s.d_model


def _queries(s: Any) -> int:
    return s.num_heads * s.head_dim


def _keys(s: Any) -> int:
    return s.kv_heads * s.head_dim


def _values(s: Any) -> int:
    return s.kv_heads * s.value_dim


def _concatenated(s: Any) -> int:
    return s.num_heads * s.value_dim


# The place of a row is its seed: add new matrices at the end, so that the others keep their numbers.
TABLE = {
    "x": Entries("x", "X", token_count, width, "input"),
    "w_q": Entries("wq", "W_Q", width, _queries),
    "w_k": Entries("wk", "W_K", width, _keys),
    "w_v": Entries("wv", "W_V", width, _values),
    "w_o": Entries("wo", "W_O", _concatenated, width),
    "b_q": Entries("bq", "b_Q", one_row, _queries, "bias"),
    "b_k": Entries("bk", "b_K", one_row, _keys, "bias"),
    "b_v": Entries("bv", "b_V", one_row, _values, "bias"),
    "b_o": Entries("bo", "b_O", one_row, width, "bias"),
    "y": Entries("y", "Y", source_count, width, "input"),
    "p": Entries("p", "P", token_count, width),
}
BIASES = tuple(name for name, row in TABLE.items() if row.role == "bias")
MATRICES = tuple(name for name in TABLE if name not in BIASES)


# Sequences whose tokens can be typed → the least number of tokens.
TOKENS = {"tokens": 1, "source": 2}


@dataclass(frozen=True)
class Size:
    """A size that can be chosen, from 1 on. follows: if None, it follows from the other sizes."""

    key: str
    most: int
    follows: bool = False


SIZES = {
    "d_model": Size("dmodel", MAX_WIDTH),
    "num_heads": Size("heads", MAX_HEADS),
    "num_kv_heads": Size("kv", MAX_HEADS, follows=True),
    "d_k": Size("dk", MAX_WIDTH, follows=True),
    "d_v": Size("dv", MAX_WIDTH, follows=True),
}
