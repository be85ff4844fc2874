"""How to index a tensor so that its shape fits: the advice of an error, in the notation of the code."""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

Shape = tuple[int, ...]
MOST_DIMENSIONS, MOST_WAYS = 8, 6  # of a target that is looked through, and in a sentence


class Form(NamedTuple):
    """Dimensions of the target that a tensor may have; not exact, those in front may be missing."""

    axes: tuple[int, ...]
    exact: bool


def pattern(names: Sequence[str]) -> str:
    """A shape as Python writes it: ("seq",) is (seq,)."""
    return f"({', '.join(names)}{',' if len(names) == 1 else ''})"


def names_of_leading(leading: Shape) -> tuple[str, ...]:
    """Two leading dimensions are batch and heads; of another number only the sizes are known."""
    return ("batch", "num_heads") if len(leading) == 2 else tuple(map(str, leading))


def ways_to_fit(
    argument: str,
    shape: Shape,
    target: Shape,
    names: Sequence[str],  # of the target's dimensions
    forms: Sequence[Form] = (),  # default: all dimensions, from the right
    tail: Sequence[str] = (),  # sizes of further dimensions, which stay last
) -> str:
    """Every way in which the shape, without its 1s, lies on dimensions of the target in their order.

    Such as "mask[:, None, None, :] → (batch, 1, 1, kv_len) | …"; "" where there is none. Keys first.
    """
    forms = forms or (Form(tuple(range(len(target))), exact=False),)
    sizes = [size for size in shape if size != 1]
    if len(target) > MOST_DIMENSIONS or len(sizes) > len(target):
        return ""
    fitting = [
        axes
        for axes in combinations(range(len(target)), len(sizes))
        if all(size == target[axis] for size, axis in zip(sizes, axes, strict=True))
    ]
    fitting.sort(key=lambda axes: (len(target) - 1 not in axes, axes))
    ways = [_way(argument, shape, axes, names, forms, tail) for axes in fitting]
    return " | ".join(ways[:MOST_WAYS] + ["…"] * (len(ways) > MOST_WAYS))


def _way(
    argument: str,
    shape: Shape,
    axes: tuple[int, ...],
    names: Sequence[str],
    forms: Sequence[Form],
    tail: Sequence[str],
) -> str:
    form = next(form for form in forms if set(axes) <= set(form.axes))
    index = _index(shape, [form.axes.index(axis) for axis in axes], len(form.axes), form.exact)
    count = len(index) - index.count("0")
    dimensions = [names[axis] if axis in axes else "1" for axis in form.axes[len(form.axes) - count :]]
    index += [":"] * len(tail)
    last = max((place for place, item in enumerate(index) if item != ":"), default=-1)
    if ":" not in index[:last]:
        index = index[: last + 1]  # mask[None] in place of mask[None, :, :]
    indexed = f"{argument}[{', '.join(index)}]" if index else argument
    return f"{indexed} → {pattern([*dimensions, *tail])}"


def _index(shape: Shape, places: list[int], length: int, exact: bool) -> list[str]:
    """ ":" keeps a dimension, "None" adds a 1, "0" leaves a 1 out."""
    sources = [dim for dim, size in enumerate(shape) if size != 1]
    index: list[str] = []
    ends = zip([-1, *sources], [*sources, len(shape)], [-1, *places], [*places, length], strict=True)
    for number, (source, next_source, place, next_place) in enumerate(ends):
        ones, room = next_source - source - 1, next_place - place - 1
        keep = min(ones, room)
        add = 0 if number == 0 and not exact else room - keep
        index += ["0"] * (ones - keep) + ["None"] * add + [":"] * keep + [":"] * (next_source < len(shape))
    return index


def with_dimensions(argument: str, shape: Shape, allowed: str) -> str:
    """The tensor with 1s add or left out in front, where this gives `allowed` its number of dimensions."""
    surplus = len(shape) - len([name for name in allowed.strip("(),").split(", ") if name.strip(".")])
    if surplus < 0:
        return f"{argument}[{', '.join(['None'] * -surplus)}]"
    if surplus > 0 and "..." not in allowed and set(shape[:surplus]) == {1}:
        return f"{argument}[{', '.join(['0'] * surplus)}]"
    return allowed
