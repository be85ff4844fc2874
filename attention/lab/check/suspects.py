"""What each mistake makes of a case: the outputs by which it is recognised.

The mistakes are those of the catalogue that a function of query, key and value can make, and EXTRA: a few
more that such functions make, which are not in the lessons' exercises.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch import Tensor

from attention import causal_mask, scaled_dot_product_attention
from attention.lab.check.cases import Case, close
from attention.lab.mistakes.by_hand import COMPUTED, Worked, computed
from attention.lab.mistakes.catalogue import MISTAKES
from attention.lab.softmax.lines import naive
from attention.scaled_dot_product import fill_masked

# Mistakes of the catalogue that give the numbers of another one, in whose name they go.
SAME_AS = {"exchanged": "transposed_scores", "scaled_early": "by_d_k", "scaled_again": "by_d_k"}
# They are made with X, a W or the joined heads, of which the function knows nothing.
BEYOND = ("view_split", "unprojected", "view_join", "no_w_o")
# Beyond the catalogue.
EXTRA = ("overflow", "finite_mask", "tiled_heads", "lower_right", "scale_ignored")
# They show in rows that may attend to nothing, and nowhere else.
OF_EMPTY_ROWS = ("nan_rows", "finite_mask")


def _attend(case: Case, **changed: object) -> Tensor:
    """The core's output with other tensors, another mask, scale or masked score."""
    query, key, value = case.exact
    given = {"query": query, "key": key, "value": value, "mask": case.visible} | changed
    return scaled_dot_product_attention(**({"scale": case.options.get("scale")} | given)).output


def _plain(case: Case, mask: Tensor | None, dim: int = -1) -> Tensor:
    """The output of a softmax along that dimension, with NaN where all scores are −∞."""
    query, key, value = case.exact
    scaled = scaled_dot_product_attention(query, key, value, scale=case.options.get("scale")).scaled_scores
    return torch.softmax(fill_masked(scaled, mask, -math.inf), dim=dim) @ value


def _square(case: Case) -> bool:
    return case.query.shape[-2] == case.key.shape[-2]


# ---- mistakes that no slip of a hand represents


def _inverted(case: Case) -> Iterator[Tensor]:
    if case.visible is not None:
        yield _attend(case, mask=~case.visible)
        yield _plain(case, ~case.visible)


def _query_rows(case: Case) -> Iterator[Tensor]:
    """The mask transposed: what is meant for the keys lies on the queries."""
    if case.mask is not None and _square(case):
        yield _attend(case, mask=case.mask.mT)
        yield _plain(case, case.mask.mT)


def _mask_on_heads(case: Case) -> Iterator[Tensor]:
    """The mask without its dimension for the heads."""
    if case.mask is not None and case.mask.ndim == 4 and case.mask.shape[0] == case.query.shape[1]:
        yield _attend(case, mask=case.mask[:, 0])


def _wrong_axis(case: Case) -> Iterator[Tensor]:
    """Softmax along any dimension but the last, and with masked weights set to 0 again."""
    for dim in range(case.query.ndim - 1):
        yield _plain(case, case.visible, dim)


def _one_projection(case: Case) -> Iterator[Tensor]:
    """The queries in place of the keys, and of the values too."""
    query, _, value = case.exact
    if _square(case):
        yield _attend(case, key=query)
        if query.shape == value.shape:
            yield _attend(case, key=query, value=query)


def _by_sqrt_n(case: Case) -> Iterator[Tensor]:
    """The number of queries in place of that of the keys, which the slip has."""
    yield _attend(case, scale=1 / math.sqrt(case.query.shape[-2]))


def _not_scaled(case: Case) -> Iterator[Tensor]:
    """Nor by a scale of the case's own."""
    yield _attend(case, scale=1.0)


def _nan_rows(case: Case) -> Iterator[Tensor]:
    yield _plain(case, case.visible)


def _finite_mask(case: Case) -> Iterator[Tensor]:
    yield _attend(case, masked_score=-1e9)


def _overflow(case: Case) -> Iterator[Tensor]:
    """exp without subtracting the maximum, in the case's own dtype; rows of −∞ are another matter."""
    query, key, value = (tensor.to(case.query.dtype) for tensor in case.exact)
    scores = scaled_dot_product_attention(
        query, key, value, mask=case.visible, scale=case.options.get("scale")
    ).masked_scores
    weights = naive(scores).masked_fill((scores == -math.inf).all(-1, keepdim=True), 0.0)
    yield (weights @ value).double()


def _tiled_heads(case: Case) -> Iterator[Tensor]:
    if case.options.get("enable_gqa"):
        groups = case.query.shape[-3] // case.key.shape[-3]
        times = (1,) * (case.key.ndim - 3) + (groups, 1, 1)
        key, value = (tensor.double().repeat(times) for tensor in (case.key, case.value))
        yield _attend(case, key=key, value=value)


def _lower_right(case: Case) -> Iterator[Tensor]:
    if case.options.get("is_causal"):
        sizes = case.query.shape[-2], case.key.shape[-2]
        yield _attend(case, mask=causal_mask(*sizes, alignment="lower_right", device=case.query.device))


def _scale_ignored(case: Case) -> Iterator[Tensor]:
    yield _attend(case, scale=None)


WAYS: dict[str, Callable[[Case], Iterator[Tensor]]] = {
    "inverted": _inverted,
    "query_rows": _query_rows,
    "mask_on_heads": _mask_on_heads,
    "wrong_axis": _wrong_axis,
    "one_projection": _one_projection,
    "by_sqrt_n": _by_sqrt_n,
    "not_scaled": _not_scaled,
    "nan_rows": _nan_rows,
    "finite_mask": _finite_mask,
    "overflow": _overflow,
    "tiled_heads": _tiled_heads,
    "lower_right": _lower_right,
    "scale_ignored": _scale_ignored,
}
NAMES = (*(name for name in MISTAKES if name not in SAME_AS and name not in BEYOND), *EXTRA)


# ---- slips of the catalogue, head by head


def _worked(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, d_model: int) -> Worked:
    trace = scaled_dot_product_attention(query, key, value, mask=mask)
    steps = trace.scores, trace.scaled_scores, trace.weights
    return Worked(query, key, value, *steps, mask=mask, d_model=d_model)


def _heads(case: Case) -> list[Worked]:
    """Every head of every batch entry by itself.

    The steps by hand divide by √d_k, so that the query carries a scale of the case's own.
    """
    query, key, value = case.exact
    if "scale" in case.options:
        query = query * case.options["scale"] * math.sqrt(query.shape[-1])
    leading, sizes = query.shape[:-2], (query.shape[-2], key.shape[-2])
    mask = None if case.visible is None else case.visible.expand(*leading, *sizes)
    d_model = query.shape[-1] * (leading[-1] if leading else 1)
    return [
        _worked(query[at], key[at], value[at], None if mask is None else mask[at], d_model)
        for at in itertools.product(*map(range, leading))
    ]


def _slipped(name: str, worked: Worked) -> Tensor:
    """The output of one head with the slip; where the slip cannot be made, the step is the right one."""
    mistake, steps = MISTAKES[name], tuple(COMPUTED)
    for step in steps[steps.index(mistake.by_hand) :]:
        right = computed(step, worked)
        if step == mistake.by_hand:
            wrong = mistake.slip(worked)
            right = right if wrong.isnan().all() else torch.where(wrong.isnan(), right, wrong)
        if step == "output":
            return right
        worked = replace(worked, **{step: right})
    raise ValueError(name)


def _by_slip(name: str, case: Case) -> Iterator[Tensor]:
    """The slip in every head."""
    scaled = "scale" in case.options and MISTAKES[name].step == "scaled_scores"  # by another number anyway
    if not scaled and (_square(case) or name not in ("transposed_scores", "transposed_weights")):
        outputs = torch.stack([_slipped(name, worked) for worked in _heads(case)])
        yield outputs.reshape(case.output.shape)


# ---- all of them


@functools.lru_cache(maxsize=512)
def outputs(name: str, case: Case) -> tuple[Tensor, ...]:
    """What the mistake makes of the case, in float64, in each of its ways; those that show, or none."""
    found = list(WAYS[name](case)) if name in WAYS else []
    if name in MISTAKES and MISTAKES[name].slip is not None:
        found += _by_slip(name, case)
    return tuple(
        output
        for output in found
        if output.shape == case.output.shape
        and bool(output.isfinite().any())  # NaN throughout can come of anything
        and not close(output, case.output, case.tolerance)
    )
