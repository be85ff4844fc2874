"""What each mistake makes of a case: the outputs by which it is recognised.

NAMES has the mistakes of the catalogue that a function of query, key and value can make, and a few more that
only such a function makes: they are in WAYS, and not in the lessons' exercises.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from attention.checking.cases import Case, close
from attention.checking.mistakes import MISTAKES, Mistake
from attention.checking.programs import OF_QUERY_KEY_VALUE, ONE_HEAD, Lines, execute
from attention.masks import causal_mask

# They show in rows that may attend to nothing, and nowhere else.
OF_EMPTY_ROWS = ("nan_rows", "finite_mask")


def in_function(mistake: Mistake) -> bool:
    """Whether its wrong lines are among the lines of a function of query, key and value."""
    return set(mistake.wrong) <= set(OF_QUERY_KEY_VALUE)


def _variables(case: Case) -> dict[str, object]:
    """What the lines start from."""
    query, key, value = case.exact
    sizes = query.shape[-2], key.shape[-2]
    every = torch.ones(sizes, dtype=torch.bool, device=query.device)
    return {
        "query": query,
        "key": key,
        "value": value,
        "mask": every if case.visible is None else case.visible.expand(*case.visible.shape[:-2], *sizes),
        "n": sizes[1],
        "d_k": query.shape[-1],
        "d_model": query.shape[-1] * (query.shape[-3] if query.ndim > 2 else 1),
        "scale": case.options.get("scale"),
    }


def _attend(
    case: Case, lines: Lines | None = None, *, empty_rows: bool = True, **changed: object
) -> Iterator[Tensor]:
    """The output with these lines and variables in place of the right ones; none where shapes refuse it.

    empty_rows as in programs.execute.
    """
    scaled = {"scaled_scores": "scores = scores * scale"} if "scale" in case.options else {}
    program, names = ONE_HEAD | scaled | dict(lines or {}), _variables(case) | changed
    with contextlib.suppress(RuntimeError):
        yield execute(program, OF_QUERY_KEY_VALUE, names, empty_rows=empty_rows)["head_output"].double()


def _square(case: Case) -> bool:
    return case.query.shape[-2] == case.key.shape[-2]


# ---- mistakes that are more than wrong lines, or that people make in several ways


def _inverted(case: Case) -> Iterator[Tensor]:
    """A row without masked keys may attend to nothing: NaN in place of 0."""
    yield from _attend(case, MISTAKES["inverted"].wrong, empty_rows=False)


def _query_rows(case: Case) -> Iterator[Tensor]:
    """The mask transposed: what is meant for the keys lies on the queries."""
    if case.mask is not None and _square(case):
        mask = case.mask.mT.expand(*case.mask.shape[:-2], *case.output.shape[-2:-1], case.key.shape[-2])
        for empty_rows in (True, False):
            yield from _attend(case, mask=mask, empty_rows=empty_rows)


def _mask_on_heads(case: Case) -> Iterator[Tensor]:
    """The mask without its dimension for the heads."""
    if case.mask is not None and case.mask.ndim == 4 and case.mask.shape[0] == case.query.shape[1]:
        yield from _attend(case, mask=case.mask[:, 0])


def _wrong_axis(case: Case) -> Iterator[Tensor]:
    """Softmax along any dimension but the last, and with masked weights set to 0 again."""
    line = MISTAKES["wrong_axis"].wrong["weights"]
    yield from _attend(case, {"weights": f"{line}.masked_fill(~mask, 0)"})
    for dim in range(-case.query.ndim, -2):
        yield from _attend(case, {"weights": line.replace("dim=-2", f"dim={dim}")}, empty_rows=False)


def _one_projection(case: Case) -> Iterator[Tensor]:
    """The queries in place of the keys, and of the values too."""
    query, _, value = case.exact
    if _square(case):
        yield from _attend(case, key=query)
        if query.shape == value.shape:
            yield from _attend(case, key=query, value=query)


def _by_sqrt_n(case: Case) -> Iterator[Tensor]:
    """The number of queries in place of the number of keys."""
    yield from _attend(case, MISTAKES["by_sqrt_n"].wrong, n=case.query.shape[-2])


def _overflow(case: Case) -> Iterator[Tensor]:
    """In the case's own dtype; rows of −∞ are another matter."""
    query, key, value = (tensor.to(case.query.dtype) for tensor in case.exact)
    line = "weights = torch.exp(scores) / torch.exp(scores).sum(-1, keepdim=True)"
    yield from _attend(case, {"weights": line}, query=query, key=key, value=value)


def _finite_mask(case: Case) -> Iterator[Tensor]:
    yield from _attend(case, {"masked_scores": "scores = scores.masked_fill(~mask, -1e9)"})


def _tiled_heads(case: Case) -> Iterator[Tensor]:
    if case.options.get("enable_gqa"):
        groups = case.query.shape[-3] // case.key.shape[-3]
        times = (1,) * (case.key.ndim - 3) + (groups, 1, 1)
        key, value = (tensor.double().repeat(times) for tensor in (case.key, case.value))
        yield from _attend(case, key=key, value=value)


def _lower_right(case: Case) -> Iterator[Tensor]:
    if case.options.get("is_causal"):
        sizes = case.query.shape[-2], case.key.shape[-2]
        mask = causal_mask(*sizes, alignment="lower_right", device=case.query.device)
        yield from _attend(case, mask=mask)


def _scale_ignored(case: Case) -> Iterator[Tensor]:
    yield from _attend(case, {"scaled_scores": ONE_HEAD["scaled_scores"]})


WAYS: dict[str, Callable[[Case], Iterator[Tensor]]] = {
    "inverted": _inverted,
    "query_rows": _query_rows,
    "mask_on_heads": _mask_on_heads,
    "wrong_axis": _wrong_axis,
    "one_projection": _one_projection,
    "by_sqrt_n": _by_sqrt_n,
    "overflow": _overflow,
    "finite_mask": _finite_mask,
    "tiled_heads": _tiled_heads,
    "lower_right": _lower_right,
    "scale_ignored": _scale_ignored,
}
# The other mistakes are made with X, a W or the joined heads, of which the function knows nothing, or give
# the numbers of another mistake.
NAMES = (
    *(
        name
        for name, mistake in MISTAKES.items()
        if not mistake.same_as and (name in WAYS or in_function(mistake))
    ),
    *(name for name in WAYS if name not in MISTAKES),
)


@functools.lru_cache(maxsize=512)
def outputs(name: str, case: Case) -> tuple[Tensor, ...]:
    """What the mistake makes of the case, in float64: a result for each of its ways that changes the case."""
    names = list(WAYS[name](case)) if name in WAYS else []
    if name in MISTAKES and in_function(MISTAKES[name]):
        wrong = MISTAKES[name].wrong
        # where there is a scale, no other number divides the scores
        if not (wrong.get("scaled_scores") and "scale" in case.options):
            names += _attend(case, wrong, empty_rows="weights" not in wrong)
    if case.visible is None and name in MISTAKES and MISTAKES[name].step == "masked_scores":
        return ()  # there is no mask
    return tuple(
        output
        for output in names
        if output.shape == case.output.shape
        and bool(output.isfinite().any())  # NaN throughout can come of anything
        and not close(output, case.output, case.tolerance)
    )
