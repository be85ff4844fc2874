"""How a matrix was made. Sources are matrix ids; one that is not in the picture is left out."""

from collections.abc import Sequence
from dataclasses import replace

from .data import Matrix


def sources_of(recipe: dict | None) -> set[str]:
    """The ids of the matrices that it was made from."""
    recipe = recipe or {}
    of = recipe.get("of", ())
    names = [*([of] if isinstance(of, str) else of), *(block["of"] for block in recipe.get("blocks", ()))]
    return {*names, *(recipe[side] for side in ("left", "right", "bias") if recipe.get(side))}


def renamed(matrix: Matrix, end: str) -> Matrix:
    """The matrix of another computation in the same picture: its id and its sources' ids get this end."""
    recipe = dict(matrix.recipe or {})
    for side in ("left", "right", "bias"):
        if recipe.get(side):
            recipe[side] += end
    if "of" in recipe:
        of = recipe["of"]
        recipe["of"] = of + end if isinstance(of, str) else [name + end for name in of]
    if "blocks" in recipe:
        recipe["blocks"] = [block | {"of": block["of"] + end} for block in recipe["blocks"]]
    return replace(matrix, id=matrix.id + end, recipe=recipe or None)


def product(
    left: str,
    right: str,
    length: int,
    *,
    left_start: int = 0,
    right_start: int = 0,
    right_transposed: bool = False,
    col_start: int = 0,
    bias: str | None = None,
) -> dict:
    """cell[r, c] = Σₖ left[r, left_start + k] · right[right_start + k, c'] + bias[0, c'], c' = c + col_start.

    Where `right_transposed`, the right factor is right[c', right_start + k].
    """
    return {
        "op": "product",
        "left": left,
        "left_start": left_start,
        "right": right,
        "right_start": right_start,
        "right_transposed": right_transposed,
        "length": length,
        "col_start": col_start,
        "bias": bias,
    }


def divide(of: str, by: float, by_text: str = "") -> dict:
    """cell = of[r, c] / by; the arithmetic writes `by_text` ("√4") if given."""
    return {"op": "divide", "of": of, "by": by, "by_text": by_text}


def softcap(of: str, cap: float) -> dict:
    """cell = cap · tanh(of[r, c] / cap)"""
    return {"op": "softcap", "of": of, "cap": cap}


def masked_from(of: str) -> dict:
    """The same number, or masked."""
    return {"op": "mask", "of": of}


def softmax(of: str, over: str = "row", by: float = 1.0) -> dict:
    """cell = exp((s − max) / by) / Σ exp, over "row", "column" or "all"."""
    return {"op": "softmax", "of": of, "over": over, "by": by}


def softmax_of(scores: Sequence[Sequence[float]], by: float = 1.0, *, near: bool = False) -> dict:
    """The softmax of each row of scores that are in no picture. near: the cell is a rounded one."""
    return {"op": "softmax", "of": [], "over": "row", "by": by, "scores": scores, "near": near}


def copy(*blocks: tuple[str, int, int]) -> dict:
    """Blocks of columns (of, start, length) side by side: cell[r, c] = of[r, c − start]."""
    return {"op": "copy", "blocks": [{"of": of, "start": start, "length": n} for of, start, n in blocks]}


def difference(first: str, second: str) -> dict:
    """cell = first[r, c] − second[r, c]"""
    return {"op": "difference", "of": [first, second]}


def add(first: str, second: str) -> dict:
    """cell = first[r, c] + second[r, c]"""
    return {"op": "add", "of": [first, second]}


def rotate(of: str, angles: Sequence[Sequence[float]], start: int = 0) -> dict:
    """Pairs of columns turned: c and c + half, from column `start` on, by angles[r][c − start].

    cell[r, c] = of[r, c]·cos − of[r, c + half]·sin, and of[r, c]·cos + of[r, c − half]·sin for the second of
    the pair; half is the number of angles of a row. Columns past all pairs stay as they are.
    """
    half = len(angles[0])
    return {"op": "rotate", "of": of, "start": start, "half": half, "angles": angles}


def normalize(of: str, start: int, length: int, epsilon: float) -> dict:
    """cell = of[r, c] / √(mean of the squares of of[r, start … start + length) + epsilon)"""
    return {"op": "normalize", "of": of, "start": start, "length": length, "epsilon": epsilon}


def total(of: str, over: str = "row") -> dict:
    """The sum over "row", "column" or "all" of another matrix: over a row it is one column wide."""
    return {"op": "sum", "of": of, "over": over}


def same(*of: str) -> dict:
    """Lights the same cell of other matrices; no arithmetic."""
    return {"op": "same", "of": list(of)}


def written(texts: Sequence[Sequence[str]], of: Sequence[str] = (), lit: str = "cell") -> dict:
    """Arithmetic given cell by cell; lights "row", "column", "cell" or "all" of the other matrices."""
    return {"op": "written", "of": list(of), "over": lit, "texts": texts}
