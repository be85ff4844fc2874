"""The builders of computed matrices: name, title, a tensor, and the labels of its rows and columns."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from pages.picture import Matrix
from pages.picture.traced import Traced

from .numbers import counted
from .page import Page


def of(
    name: str, title: str, tensor: Tensor, rows: Sequence[str], cols: Sequence[str] | None = None, **look: Any
) -> Matrix:
    """A matrix of a tensor; booleans are a mask. cols: by default their numbers."""
    kind = "mask" if tensor.dtype == torch.bool else "signed"
    cols = counted(tensor.shape[-1]) if cols is None else cols
    return Matrix(name, title, rows, cols, tensor.tolist(), kind).having(**look)


def by_query(
    page: Page, name: str, title: str, tensor: Tensor, cols: Sequence[str] | None = None, **look: Any
) -> Matrix:
    """A matrix with a row for each query."""
    return of(name, title, tensor, page.tokens, cols, **{"query_rows": True} | look)


def square(
    page: Page, name: str, title: str, tensor: Tensor, keys: Sequence[str] | None = None, **look: Any
) -> Matrix:
    """A matrix with a row for each query and a column for each key, by default the tokens."""
    return by_query(page, name, title, tensor, page.tokens if keys is None else keys, **page.axes | look)


def number(page: Page, traced: Traced, window: tuple[int, int] | None = None, **look: Any) -> Matrix:
    """A traced number. Its axes are named where it has a cell for each query and key.

    window: the first column that is drawn, and the end.
    """
    rows, cols, value = traced.rows, traced.cols, traced.value
    by_query = rows.of == "query"
    axes = page.axes if by_query and cols.of == "key" else {}
    if window is not None:
        cols, value = cols[slice(*window)], value[:, slice(*window)]
        look["offset"] = window[0]
    shown = Matrix(
        traced.id, traced.heading, rows.names, cols.names, value.tolist(), traced.kind, traced.recipe
    )
    return shown.having(**{"query_rows": by_query} | axes | look)
