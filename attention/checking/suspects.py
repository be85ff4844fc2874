"""What each mistake of the catalogue makes of a case: the output by which it is recognised.

A suspect is one way of writing a mistake, or two mistakes together; its lines run in place of the right ones
of programs.FUNCTION.
"""

import functools
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.checking.cases import Case, close
from attention.checking.layers import POSITIONS, LayerCase
from attention.checking.mistakes import MASKED_WEIGHTS, MISTAKES
from attention.checking.programs import FUNCTION, Lines, RightProgram

RAISES = "raises"  # in place of an output: the shapes do not match
NAMES = tuple(name for name, mistake in MISTAKES.items() if mistake.ways)
# made with X, a W, rotary positions or the joined heads
OF_LAYERS = ("view_split", "over_heads", "unprojected", "rotated_values", "view_join", "no_w_o")
_NEAR = "(torch.arange(query.shape[-2])[:, None] - torch.arange(n))"
_BIAS = "scores = scores + alibi_bias(query.shape[-3], query.shape[-2], n, alignment='upper_left')"
_SLOPES = (
    "torch.tensor([2 ** (-8 * (i + 1) / query.shape[-3]) for i in range(query.shape[-3])])[:, None, None]"
)
# What a function has besides attention, by its name in words.REMARKS → the lines that have it.
BESIDES: Mapping[str, tuple[Lines, ...]] = {
    "softcap": tuple(
        {"capped": f"scores = {cap} * torch.tanh(scores / {cap})"}
        for cap in (1, 2, 5, 10, 15, 20, 30, 50, 100)
    ),
    "alibi": (
        {"capped": _BIAS},
        {"capped": f"scores = scores - {_SLOPES} * {_NEAR}.abs()"},
        {"capped": f"scores = scores - {_SLOPES} * {_NEAR}"},
        {"capped": f"scores = scores + {_SLOPES} * {_NEAR}"},
    ),
    "window": tuple(
        {"arguments": f"mask = mask & {near}"}
        for left in range(5)
        for near in (
            f"({_NEAR}.abs() <= {left})",
            f"({_NEAR} <= {left}) & ({_NEAR} >= 0)",
            f"({_NEAR} <= {left})",
        )
    ),
    "rotary": tuple(
        {"arguments": f"query, key = (rotary_embedding(x, interleaved={pairs}) for x in (query, key))"}
        for pairs in (False, True)
    ),
    "fixed_scale": tuple(
        {"scaled_scores": f"scores = scores / sqrt({size})"}
        for size in (4, 6, 8, 12, 16, 24, 32, 48, 64, 80, 96, 128, 192, 256, 384, 512, 768, 1024)
    ),
    "residual": ({"result": "heads = heads + query"},),
}
# A wrong mask may leave a row nothing: these lines are tried with weights 0 in such rows, and with NaN.
OF_MASKS = {"arguments", "mask", "causal", "masked_scores"}


@dataclass(frozen=True, eq=False)
class Suspect:
    """Wrong lines, by step, and the mistakes that they make."""

    names: tuple[str, ...]
    lines: Mapping[str, str]
    zeros: bool = True  # weights of a row of −∞ are 0
    only_empty_rows: bool = False  # it shows in rows that may attend to nothing, and nowhere else


@functools.cache
def singles(*, layer: bool = False) -> tuple[Suspect, ...]:
    """Each way of writing each mistake; layer: of a module X → Y."""
    return tuple(
        Suspect((name,), lines, zeros, MISTAKES[name].only_empty_rows)
        for name in (*NAMES, *OF_LAYERS)
        if (name != "always_causal" if layer else name in NAMES)
        for lines in ((MISTAKES[name].wrong_lines(2),) if name in OF_LAYERS else MISTAKES[name].ways)
        for zeros in _zeros(name, lines)
    )


@functools.cache
def further(*, layer: bool = False) -> tuple[Suspect, ...]:
    """Ways that are tried over several cases alone: in a single one they may be like another mistake.

    A row that a wrong mask leaves nothing gets equal weights where masked scores are a large negative number.
    """
    filled = MISTAKES["finite_mask"].wrong
    suspects = [
        Suspect((suspect.names[0], "finite_mask"), {**suspect.lines, **filled}, False)
        for suspect in singles(layer=layer)
        if not suspect.zeros
        and OF_MASKS & set(suspect.lines)
        and "masked_scores" not in suspect.lines
        and any("mask" in line for line in suspect.lines.values())
    ]
    size = "scores = scores / sqrt(query.shape[1] * d_k)"  # the length in three dimensions
    suspects.append(Suspect(("by_sqrt_d_model",), {"scaled_scores": size}))
    whole = "weights = {0} / {0}.sum()"
    for exps in ("torch.exp(scores - scores.max())", "torch.exp(scores)"):
        suspects.append(Suspect(("wrong_axis",), {"weights": whole.format(exps)}, False))
    for filled in MISTAKES["finite_mask"].ways:  # scores that are visible may be lower
        suspects.append(Suspect(("finite_mask",), filled))
        suspects.append(Suspect(("finite_mask",), {**filled, "weights": MASKED_WEIGHTS}))
    merged = "heads.reshape(heads.shape[0], heads.shape[2], heads.shape[1], -1).transpose(1, 2)"
    suspects += [] if layer else [Suspect(("view_join",), {"result": f"heads = {merged}"})]
    if layer:  # of a memory in which the length is before the batch
        split = "{0} = (x @ w_{1}).transpose(0, 1).reshape(b, h, n, d_{1})"
        lines = {name: split.format(name, name[0]) for name in ("query", "key", "value")}
        suspects.append(Suspect(("view_split",), lines))
        joined = "joined = heads.reshape(n, b, h * d_v).transpose(0, 1)"
        suspects.append(Suspect(("view_join",), {"concatenated": joined}))
    suspects += [
        Suspect((name,), lines, zeros)
        for name, ways in BESIDES.items()
        for lines in ways
        for zeros in ((True, False) if "arguments" in lines else (True,))
    ]
    return tuple(suspects)


def _zeros(name: str, lines: Lines) -> tuple[bool, ...]:
    if "weights" in lines or MISTAKES[name].only_empty_rows:
        return (False,)
    return (True, False) if OF_MASKS & set(lines) else (True,)


@functools.cache
def pairs() -> tuple[Suspect, ...]:
    """Each two mistakes of a function in different steps."""
    both = (pair(first, second) for first, second in itertools.combinations(singles(), 2))
    return tuple(suspect for suspect in both if suspect is not None)


@functools.cache
def pair(first: Suspect, second: Suspect) -> Suspect | None:
    """Both mistakes in one program; None where they are in the same step."""
    apart = first.names != second.names and not set(first.lines) & set(second.lines)
    if not apart or first.only_empty_rows or second.only_empty_rows:
        return None
    lines = {**first.lines, **second.lines}
    return Suspect(first.names + second.names, lines, first.zeros and second.zeros)


def rows_of(case: Case, *, empty: bool) -> Tensor | slice:
    """The rows that may attend to nothing, or the others."""
    if case.empty_rows is None:
        return slice(None)
    return case.empty_rows if empty else ~case.empty_rows


@functools.lru_cache(maxsize=1 << 15)
def shown(suspect: Suspect, case: Case) -> Tensor | str | None:
    """The output with the mistake in float64, or RAISES; None where it does not show."""
    if suspect.only_empty_rows and case.empty_rows is None:
        return None
    try:
        output = computed(case, suspect.lines, empty_rows=suspect.zeros)
    except (RuntimeError, IndexError, ValueError):
        return RAISES
    if output is None:
        return None
    rows = rows_of(case, empty=suspect.only_empty_rows)
    same = output.shape == case.output.shape and close(output[rows], case.output[rows], case.tolerance)
    return None if same else output


def computed(case: Case, wrong: Lines, *, empty_rows: bool) -> Tensor | None:
    """The output of the program with these lines, in float64; None where they are none of its lines."""
    added = ("masked_scores",) if "arguments" in wrong else ()  # which may make a mask
    if isinstance(case, LayerCase):
        output = case.computed(wrong, added, empty_rows=empty_rows)
    else:
        output = _program(case).output(wrong, added, empty_rows=empty_rows)
    return None if output is None else output.double()


@functools.lru_cache(maxsize=1 << 8)
def _program(case: Case) -> RightProgram:
    """The program of a function for the case."""
    dtype = torch.promote_types(case.query.dtype, torch.float32)  # exp overflows where it does in a function
    query, key, value = (tensor.to(dtype) for tensor in (case.query, case.key, case.value))
    q_len, kv_len = query.shape[-2], key.shape[-2]
    every = torch.ones(q_len, kv_len, dtype=torch.bool)
    scale = case.options.get("scale")
    names = {
        "query": query,
        "key": key,
        "value": value,
        "mask": every if case.mask is None else case.mask.expand(*case.mask.shape[:-2], q_len, kv_len),
        "n": kv_len,
        "d_k": query.shape[-1],
        "d_model": query.shape[-1] * (query.shape[-3] if query.ndim > 2 else 1),
        "groups": query.shape[-3] // key.shape[-3] if "enable_gqa" in case.options else 1,
        "corner": kv_len - q_len if (case.always or case.corner) == "lower_right" else 0,
        "scale": 1 / math.sqrt(query.shape[-1]) if scale is None else scale,
        **POSITIONS,
    }
    needed = {
        "groups": "enable_gqa" in case.options,
        "mask": case.mask is not None,
        "causal": case.causal,
        "scaled_scores": scale is None,
        "scale": scale is not None,
        "masked_scores": case.mask is not None or case.causal,
    }
    return RightProgram(FUNCTION, {step: needed.get(step, True) for step in FUNCTION}, names)
