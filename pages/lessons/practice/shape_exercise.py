"""The exercises on shapes, without a screen: sizes, the right shapes, and the slip that gives a wrong one.

The right shapes come from a run of the core on tensors of these sizes; torch decides what multiplies.
No two sizes of an exercise are equal, so that a number that is entered can be only one of them.
"""

import functools
from dataclasses import dataclass
from typing import Any

import torch

from attention import multi_head_attention
from pages.ask.exercise.chance import Chance

Shape = tuple[int, ...]

PRIMES = (2, 3, 5, 7, 11, 13, 17)
LENGTHS = ("n", "m")
WIDTHS = ("d_k", "d_v", "h_d_k", "h_d_v", "kv_d_k", "kv_d_v")

# What is asked at each level: one of each line.
SHAPE_CHOICES = {
    "1": (
        ("x", "w_q", "w_k", "w_v"),
        ("query", "key", "value"),
        ("scores", "weights"),
        ("output",),
    ),
    "2": (
        ("w_q", "w_k", "w_v"),
        ("query", "value", "head_key", "head_value"),
        ("head_query", "head_weights", "head_output"),
        ("concatenated", "w_o", "output"),
    ),
    "3": (
        ("w_q", "w_k", "w_v", "w_o"),
        ("key", "concatenated", "output"),
        ("key_cache", "value_cache"),
        ("all_queries", "all_weights", "all_outputs"),
    ),
}


@dataclass(frozen=True)
class ShapeSizes:
    """Everything that the shapes follow from. At levels 1 and 2 without a batch, and with one length."""

    n: int  # queries
    m: int  # keys
    d_model: int
    d_k: int
    d_v: int
    h: int = 1  # query heads
    h_kv: int = 1  # key/value heads
    batch: int = 0  # none

    @property
    def named(self) -> dict[int, str]:
        """Each number that can be a side of a matrix, and what it is."""
        results = {"n": self.n, "m": self.m, "d_model": self.d_model, "d_k": self.d_k, "d_v": self.d_v}
        if self.h > 1:
            results |= {"h": self.h, "h_d_k": self.h * self.d_k, "h_d_v": self.h * self.d_v}
        if self.h_kv != self.h:
            results |= {"h_kv": self.h_kv, "kv_d_k": self.h_kv * self.d_k, "kv_d_v": self.h_kv * self.d_v}
        if self.batch:
            results["batch"] = self.batch
        if self.m == self.n:
            del results["m"]
        return {number: name for name, number in results.items()}


def sizes_of(level: str, chance: Chance) -> ShapeSizes:
    """Different primes, drawn until their products differ from them and from one another as well."""
    while True:
        n, d_model, d_k, d_v, *more = chance.some(PRIMES, 7)
        if level == "1":
            return ShapeSizes(n, n, d_model, d_k, d_v)
        if level == "2":
            sizes, count = ShapeSizes(n, n, d_model, d_k, d_v, h := chance.pick((2, 3, 5)), h), 7
        else:
            m, batch, h_kv = more
            sizes, count = ShapeSizes(n, m, d_model, d_k, d_v, h_kv * chance.pick((2, 3)), h_kv, batch), 12
        if len(sizes.named) == count and sizes.h <= 15:
            return sizes


@functools.lru_cache(maxsize=256)
def shapes_of(sizes: ShapeSizes) -> dict[str, Shape]:
    """The shape of each matrix, as the core takes or makes it."""
    s, lead = sizes, (sizes.batch,) if sizes.batch else ()
    x = torch.zeros(*lead, s.n, s.d_model)
    y = x if s.m == s.n else torch.zeros(*lead, s.m, s.d_model)
    weights: dict[str, Any] = {
        "w_q": torch.zeros(s.d_model, s.h * s.d_k),
        "w_k": torch.zeros(s.d_model, s.h_kv * s.d_k),
        "w_v": torch.zeros(s.d_model, s.h_kv * s.d_v),
        "w_o": torch.zeros(s.h * s.d_v, s.d_model) if s.h > 1 else None,
    }
    trace = multi_head_attention(x, y, **weights, num_heads=s.h, num_kv_heads=s.h_kv)
    heads, single = trace.heads, trace.head(0)
    lines = {
        "x": x,
        "y": y,
        **{name: weight for name, weight in weights.items() if weight is not None},
        "query": trace.query,
        "key": trace.key,
        "value": trace.value,
        "scores": single.scores,
        "weights": single.weights,
        "head_query": single.query,
        "head_key": single.key,
        "head_value": single.value,
        "head_weights": single.weights,
        "head_output": single.output,
        "key_cache": _split(trace.key, s.h_kv),
        "value_cache": _split(trace.value, s.h_kv),
        "all_queries": heads.query,
        "all_keys": heads.key,
        "all_weights": heads.weights,
        "all_outputs": heads.output,
        "concatenated": trace.concatenated,
        "output": trace.output,
    }
    return {name: tuple(tensor.shape) for name, tensor in lines.items()}


def _split(projected: torch.Tensor, heads: int) -> torch.Tensor:
    """(..., length, heads · width) -> (..., heads, length, width)"""
    return projected.unflatten(-1, (heads, -1)).transpose(-3, -2)


# ---- two shapes: do they multiply?


@dataclass(frozen=True)
class Product:
    """Two shapes, what torch makes of them, and what one can choose from. None represents an error.

    The order of the shapes is drawn, because in a sorted list the right shape is mostly in the middle. The
    error ends the list.
    """

    name: str
    left: Shape
    right: Shape
    result: Shape | None
    options: tuple[Shape | None, ...]

    @property
    def masks(self) -> bool:
        """The right one is a mask for the left one, not a factor."""
        return self.name.startswith("mask_")

    def reason(self, shape: Shape | None) -> str:
        """Why what was said of it is wrong: the name of the reason's text."""
        if self.masks:
            return "mask_axes" if self.result is None else "mask_fits"
        if self.result is not None:
            return "fits" if shape is None else "outer"
        return "inner" if self.left[-1] != self.right[-2] else "leading"


def _transposed(shape: Shape) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2])


def _factors(level: str, s: ShapeSizes) -> dict[str, tuple[Shape, Shape]]:
    """The products that are asked for at a level: left and right shape."""
    of = shapes_of(s)
    if level == "1":
        return {
            "project": (of["x"], of["w_q"]),
            "weight_first": (of["w_q"], of["x"]),
            "no_transpose": (of["query"], of["key"]),
            "scores": (of["query"], _transposed(of["key"])),
            "wrong_transpose": (_transposed(of["query"]), of["key"]),
            "output": (of["weights"], of["value"]),
            "value_first": (of["value"], of["weights"]),
            "transposed_weights": (_transposed(of["weights"]), of["value"]),
        }
    if level == "2":
        return {
            "project": (of["x"], of["w_q"]),
            "project_back": (of["concatenated"], of["w_o"]),
            "one_head_back": (of["head_output"], of["w_o"]),
            "weight_first": (of["w_o"], of["concatenated"]),
            "all_values": (of["head_weights"], of["value"]),
            "one_with_all": (of["head_query"], _transposed(of["key"])),
            "all_with_all": (of["query"], _transposed(of["key"])),
            "queries_back": (of["query"], of["w_o"]),
        }
    scores = of["all_weights"]
    return {
        "batch_project": (of["x"], of["w_q"]),
        "repeated_scores": (of["all_queries"], _transposed(of["all_keys"])),
        "shared_scores": (of["all_queries"], _transposed(of["key_cache"])),
        "shared_values": (of["all_weights"], of["value_cache"]),
        "cross_project": (of["y"], of["w_k"]),
        "mask_one_head": (scores, (s.batch, 1, s.n, s.m)),
        "mask_no_head": (scores, (s.batch, s.n, s.m)),
        "mask_plain": (scores, (s.n, s.m)),
        "mask_padding": (scores, (s.batch, 1, 1, s.m)),
        "mask_lengths": (scores, (s.batch, s.m)),
    }


def result_of(left: Shape, right: Shape, masks: bool) -> Shape | None:
    """What torch makes of the two: their matrix product, or scores with a mask; None where it raises."""
    try:
        if masks:
            return tuple(torch.zeros(left).masked_fill(torch.zeros(right, dtype=torch.bool), 0).shape)
        return tuple((torch.zeros(left) @ torch.zeros(right)).shape)
    except RuntimeError:
        return None


def _product(name: str, left: Shape, right: Shape, chance: Chance) -> Product:
    masks = name.startswith("mask_")
    result = result_of(left, right, masks)
    if masks:
        shapes = {left, right}
    else:
        lead = max(left[:-2], right[:-2], key=len)
        pairs = ((left[-2], right[-1]), (right[-1], left[-2]), (left[-1], right[-2]))
        shapes = {lead + pair for pair in pairs}
    known = sorted(shapes if result is None else shapes | {result})
    return Product(name, left, right, result, (*chance.some(known, len(known)), None))


@dataclass(frozen=True)
class ShapeExercise:
    """Four matrices whose shapes are asked for, and two products of other sizes."""

    sizes: ShapeSizes
    asked: tuple[str, ...]
    products: tuple[Product, ...]

    @property
    def right(self) -> dict[str, Shape]:
        return {name: shapes_of(self.sizes)[name] for name in self.asked}


@functools.lru_cache(maxsize=256)
def exercise(level: str, number: int) -> ShapeExercise:
    """The exercise of that level and number: the same one everywhere."""
    chance = Chance("shapes", level, number)
    sizes = sizes_of(level, chance)
    asked = tuple(chance.pick(options) for options in SHAPE_CHOICES[level])
    factors = _factors(level, sizes_of(level, chance))
    if level == "3":
        masks = [name for name in factors if name.startswith("mask_")]
        names = [chance.pick([name for name in factors if name not in masks]), chance.pick(masks)]
    else:
        names = chance.some(tuple(factors), 2)
    return ShapeExercise(sizes, asked, tuple(_product(name, *factors[name], chance) for name in names))


# ---- slips


@dataclass(frozen=True)
class Slip:
    """What went wrong with a shape: the slip, where, the number there, what it is, and what the side counts.

    `size` is None where no size has this number.
    """

    name: str
    counts: str
    axis: int
    got: float
    size: str | None


def slip(sizes: ShapeSizes, right: Shape, entered: tuple[float, ...]) -> Slip | None:
    """The slip that gives this shape; None where it is right."""
    named = sizes.named
    if tuple(entered) == right:
        return None
    axis = next(i for i, (side, other) in enumerate(zip(right, entered, strict=True)) if side != other)
    counts, got = named[right[axis]], entered[axis]
    if got != int(got) or got < 1:
        name = "not_whole"
    elif sorted(entered) == sorted(right):
        name = "swapped" if len(right) == 2 else "order"
    else:
        name = _between(counts, named.get(int(got)))
    return Slip(name, counts, axis, got, named.get(int(got)))


def _between(right: str, got: str | None) -> str:
    """The slip that puts the size `got` where `right` belongs."""
    if got is None:
        return "no_size"
    if right in LENGTHS and got in LENGTHS:
        return "key_length" if got == "m" else "query_length"
    if right in LENGTHS and got in (*WIDTHS, "d_model"):
        return "width_for_length"
    if right == "d_model":
        return "not_model"
    if right in WIDTHS and got == "d_model":
        return "model_width"
    if right in WIDTHS and got in LENGTHS:
        return "length_for_width"
    if right in WIDTHS and got in WIDTHS:
        return _between_widths(right, got)
    if {right, got} == {"h", "h_kv"}:
        return "query_heads" if got == "h" else "kv_heads"
    return "other_size"


def _between_widths(right: str, got: str) -> str:
    if right[-1] != got[-1]:
        return "key_width" if got.endswith("k") else "value_width"
    if right in ("d_k", "d_v"):
        return "all_heads"
    if got in ("d_k", "d_v"):
        return "one_head"
    return "query_heads" if got.startswith("h_") else "kv_heads"
