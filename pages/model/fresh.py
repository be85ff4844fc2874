"""Numbers for new cells and for whole matrices: the same numbers for the same seed.

NumPy is imported inside of functions: without it a fresh server's first page is there sooner.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

from .matrices import TABLE

if TYPE_CHECKING:
    import numpy as np

Numbers = tuple[tuple[float, ...], ...]

FILLS = ("zeros", "identity", "normal")
SEEDS = {name: seed for seed, name in enumerate(TABLE)}
LARGEST = 128  # rows or columns


@functools.cache
def _block(name: str) -> np.ndarray:
    """Starting numbers for cells that are new: normal, seed 0, halved for the weights, one decimal."""
    import numpy as np

    numbers = np.random.default_rng([0, SEEDS[name]]).standard_normal((LARGEST, LARGEST))
    return np.round(numbers if TABLE[name].role == "input" else numbers / 2, 1) + 0.0


def fresh_value(name: str, row: int, col: int) -> float:
    """The starting number of a new cell, which depends on the cell alone, not on the sizes."""
    return 0.0 if TABLE[name].role == "bias" else float(_block(name)[row, col])


def fitted(name: str, matrix: Numbers, rows: int, cols: int) -> Numbers:
    """The matrix in a new shape: cells that fit stay, new cells get their starting numbers."""

    def value(i: int, j: int) -> float:
        known = i < len(matrix) and j < len(matrix[i])
        return matrix[i][j] if known else fresh_value(name, i, j)

    return tuple(tuple(value(i, j) for j in range(cols)) for i in range(rows))


def filled(name: str, rows: int, cols: int, how: str, seed: int) -> list[list[float]]:
    """A whole matrix; `how` is one of FILLS. The same seed gives each matrix its own numbers.

    The bias that changes nothing is 0.
    """
    import numpy as np

    if how == "zeros" or (how == "identity" and TABLE[name].role == "bias"):
        return np.zeros((rows, cols)).tolist()
    if how == "identity":
        return np.eye(rows, cols).tolist()
    numbers = np.random.default_rng([seed, SEEDS[name]]).standard_normal((rows, cols))
    spread = 1 if TABLE[name].role == "input" else math.sqrt(rows)
    return (np.round(numbers / spread, 2) + 0.0).tolist()
