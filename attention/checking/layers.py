"""A module X → Y as a case: its weights by the names that public code gives them, and the right output."""

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attention.checking.cases import TOLERANCES, Case, close
from attention.checking.programs import FUNCTION, SEVERAL_HEADS, Lines, RightProgram
from attention.errors import AttentionError
from attention.layer_names import (
    IN_ORDER,
    INTERLEAVED,
    PER_HEAD,
    Parameters,
    heads_of,
    matrices_in,
    parameters_by_order,
    parameters_of,
)
from attention.masks import causal_mask
from attention.multi_head import MultiHeadTrace, multi_head_attention
from attention.positions import alibi_bias, rotary_embedding

POSITIONS: Mapping[str, Any] = {"alibi_bias": alibi_bias, "rotary_embedding": rotary_embedding}
SIZES = {"text": (1, 5), "texts": (3, 7)}  # case → number of texts and of tokens
STEPS = (
    *("query", "key", "value", "rotation", "arguments", "groups", "causal", "scores", "scaled_scores"),
    *("capped", "masked_scores", "weights", "head_output", "concatenated", "output"),
)
Rotation = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class LayerCase(Case):
    """One call: module(x). x is query, key and value; the weights multiply on the right."""

    weights: Mapping[str, Tensor] | None = None  # w_q, w_k, w_v, w_o, and b_q … where there are biases
    num_heads: int = 1
    num_kv_heads: int = 1
    rotate: Rotation | None = None  # of queries and keys

    @functools.cached_property
    def exact(self) -> tuple[Tensor, Tensor, Tensor]:
        """Query, key and value of the heads, in float64, each key/value head repeated for its group."""
        heads = self.trace.heads
        return heads.query, heads.key, heads.value

    @functools.cached_property
    def trace(self) -> MultiHeadTrace:
        n = self.query.shape[-2]
        weights: dict[str, Any] = {name: weight.double() for name, weight in (self.weights or {}).items()}
        query, key, value = (tensor.double() for tensor in (self.query, self.key, self.value))
        heads: dict[str, Any] = {"num_heads": self.num_heads, "num_kv_heads": self.num_kv_heads}
        mask = causal_mask(n) if self.always else None
        options = {"mask": mask, "rotate": self.rotate, **heads}
        return multi_head_attention(query, key, value, **weights, **options)

    @functools.cached_property
    def output(self) -> Tensor:
        return self.trace.output

    def is_coarse(self, got: Tensor) -> bool:
        size = max(float(self.output.abs().max()), 1.0)
        return close(got / size, self.output / size, TOLERANCES[torch.bfloat16] / 2)

    @functools.cached_property
    def program(self) -> RightProgram:
        """Biases are one more row of the weight matrices."""
        weights = self.weights or {}
        b, n, d_model = self.query.shape
        names: dict[str, Any] = {"b": b, "n": n, "d_model": d_model, "h": self.num_heads}
        biased = "b_q" in weights
        lines = FUNCTION | SEVERAL_HEADS | {"rotation": "query, key = rotate(query), rotate(key)"}
        inputs = {"q": self.query, "k": self.key, "v": self.value}
        for letter, x in inputs.items():
            name, weight = "x" if x is self.query else f"x_{letter}", weights[f"w_{letter}"]
            heads = self.num_heads if letter == "q" else self.num_kv_heads
            if heads != self.num_heads:  # repeated here, so that the lines need not know of it
                weight = _repeated(weight, heads, self.num_heads)
            if biased:
                bias = _repeated(weights[f"b_{letter}"], heads, self.num_heads)
                x, weight = torch.cat([x, x.new_ones(b, n, 1)], dim=-1), torch.cat([weight, bias[None]])
            names |= {name: x, f"w_{letter}": weight, f"d_{letter}": weight.shape[1] // self.num_heads}
        for step, letter in (("key", "k"), ("value", "v")):
            if inputs[letter] is not self.query:
                lines[step] = lines[step].replace("(x @", f"(x_{letter} @")
        names |= {
            "mask": torch.ones(n, n, dtype=torch.bool),
            "corner": 0,
            "groups": self.num_heads // self.num_kv_heads,
            "w_o": weights.get("w_o"),
            "rotate": self.rotate,
            "scale": names["d_k"] ** -0.5,
            **POSITIONS,
        }
        needed = {
            "rotation": self.rotate is not None,
            "groups": False,
            "causal": bool(self.always),
            "masked_scores": bool(self.always),
            "output": "w_o" in weights,
        }
        return RightProgram(lines, {step: needed.get(step, True) for step in STEPS}, names)

    def computed(self, wrong: Lines, added: Iterable[str], *, empty_rows: bool) -> Tensor | None:
        """The output of the program with these lines, see programs.RightProgram."""
        if "groups" in wrong and self.num_kv_heads < self.num_heads:
            lines = f"key, value = key[:, ::groups], value[:, ::groups]; {wrong['groups']}"
            wrong, added = {**wrong, "groups": lines}, (*added, "groups")
        output = self.program.output(wrong, added, empty_rows=empty_rows)
        bias = None if "output" in wrong else (self.weights or {}).get("b_o")
        return output if output is None or bias is None else output + bias


def _repeated(weight: Tensor, heads: int, query_heads: int) -> Tensor:
    """The columns of each key/value head once for each query head that shares it."""
    if heads == query_heads:
        return weight
    groups = weight.reshape(*weight.shape[:-1], heads, -1)
    return groups.repeat_interleave(query_heads // heads, dim=-2).flatten(-2)


class LayerReading(NamedTuple):
    """How a module may be meant, and the cases of it."""

    cases: list[LayerCase]
    parts: tuple[str, ...]
    search: int  # as in readings.Reading
    conventions: tuple[str, ...]
    parameters: Parameters
    num_heads: int
    order: str
    apart: bool  # the order of the joined heads is (d h), too


def layer_readings(module: nn.Module, num_heads: int | None = None) -> list[LayerReading]:
    """The readings of the module's weights; none where a weight has no known name.

    They differ in the number of heads where the module does not keep it, in the order of the columns of its
    projections, in rotary positions, and in whether a matrix that is a parameter by itself is (in, out) or
    (out, in).
    """
    orientations = [parameters_of(module, out_in=out_in) for out_in in (False, True)]
    if orientations[0].transposed == orientations[1].transposed:
        orientations.pop()
    if not orientations[0].complete and (by_order := parameters_by_order(module)):
        orientations = [by_order]
    return [
        reading
        for parameters in orientations
        if parameters.complete
        for reading in _of_heads(module, parameters, num_heads)
    ]


def _of_heads(module: nn.Module, parameters: Parameters, num_heads: int | None) -> list[LayerReading]:
    own, shared = num_heads or heads_of(module), heads_of(module, "num_kv_heads")
    packed = any(len(letters) > 1 for letters in parameters.matrices)
    columns = sum(
        parameters.matrices[letters].shape[1] for letters in ("qkv", "q") if letters in parameters.matrices
    )
    width = matrices_in(parameters, own or 1, shared)["w_q"].shape[1] if own or not packed else columns // 3
    counts = [own] if own else [count for count in range(1, width + 1) if width % count == 0]
    orders = (IN_ORDER, *((PER_HEAD,) if packed else ()), *(INTERLEAVED if packed else INTERLEAVED[:1]))
    readings = []
    for count, order in itertools.product((count for count in counts if count > 0), orders):
        apart = order in INTERLEAVED
        for joined in (False, True) if apart and count > 1 else (False,):
            with contextlib.suppress(
                AttentionError, RuntimeError, ZeroDivisionError
            ):  # sizes that do not match
                weights = matrices_in(parameters, count, shared, order, apart=joined)
                head_dim, rest = divmod(weights["w_q"].shape[1], count)
                if rest or not head_dim or (order != IN_ORDER and count == 1):
                    continue
                kv_heads = shared or max(weights["w_k"].shape[1] // head_dim, 1)
                for rotation, rotate, search in _rotations(module, head_dim):
                    cases = _cases(weights, count, kv_heads, rotate)
                    parts = (
                        f"{count} heads" if count > 1 else "1 head",
                        f"columns in the order ({order})",
                        rotation,
                    )
                    conventions = ("heads_apart",) if apart else ()
                    search = 2 if apart else search
                    readings.append(
                        LayerReading(cases, parts, search, conventions, parameters, count, order, joined)
                    )
    return sorted(readings, key=lambda reading: reading.search)


def _rotations(module: nn.Module, head_dim: int) -> Iterator[tuple[str, Rotation | None, int]]:
    """The words, the rotation and the `search` of each reading of the positions.

    A rotation is of all dimensions of a head, or of the first ones, as in GPT-J and GPT-NeoX: as many as the
    module or its config says.
    """
    yield "without rotary positions", None, 0
    base = _number(module, "rope_theta", "theta", "base", "rotary_emb_base") or 10000.0
    share = _number(module, "rotary_pct", "partial_rotary_factor") or 0
    said = int(_number(module, "rotary_dim", "rotary_ndims") or head_dim * share)
    for dim in dict.fromkeys((head_dim, said) if said else (head_dim, head_dim // 2, head_dim // 4)):
        if dim % 2 or not 0 < dim <= head_dim:
            continue
        for interleaved in (False, True):
            words = f"rotary positions in {'pairs' if interleaved else 'halves'}"
            words += "" if dim == head_dim else f" of {dim} dimensions"
            rotate = functools.partial(rotary_embedding, base=base, interleaved=interleaved, rotary_dim=dim)
            if dim > 2 or dim == head_dim or not interleaved:  # of two dimensions both are the same
                yield words, rotate, int(dim not in (head_dim, said))


def _number(module: nn.Module, *names: str) -> float | None:
    """The number that the module or its config keeps by one of the names."""
    owners = (module, getattr(module, "config", None))
    values = (getattr(owner, name, None) for owner in owners for name in names)
    return next((float(value) for value in values if isinstance(value, (int, float))), None)


def _cases(
    weights: Mapping[str, Tensor], num_heads: int, num_kv_heads: int, rotate: Rotation | None
) -> list[LayerCase]:
    weights = {name: weight.cpu() for name, weight in weights.items()}
    cases = []
    widths = {size for weight in weights.values() for size in weight.shape}
    for name, (b, n) in SIZES.items():
        n = next(n for n in itertools.count(n, 2) if n not in widths)  # weights and output differ in shape
        x, x_k, x_v = inputs_of(
            b, n, tuple(weights[f"w_{letter}"].shape[0] for letter in "qkv"), weights["w_q"].dtype
        )
        heads = num_heads, num_kv_heads
        case = LayerCase(
            name,
            x,
            x_k,
            x_v,
            weights=weights,
            num_heads=heads[0],
            num_kv_heads=heads[1],
            rotate=rotate,
        )
        _ = case.output  # raises where sizes do not match
        cases.append(case)
    return cases


@functools.cache
def inputs_of(b: int, n: int, widths: tuple[int, ...], dtype: torch.dtype) -> tuple[Tensor, ...]:
    """X, and where keys or values have another width, an input of theirs."""
    x = token_vectors(b, n, widths[0], dtype)
    return x, *(x if width == widths[0] else token_vectors(b, n, width, dtype) for width in widths[1:])


def token_vectors(b: int, n: int, width: int, dtype: torch.dtype) -> Tensor:
    """X of b texts with n tokens, the same in every call."""
    return torch.randn(b, n, width, generator=torch.Generator().manual_seed(n)).to(dtype) * 2


def widths_of(module: nn.Module) -> Iterator[int]:
    """The widths of X that the module may take, the likeliest first."""
    named = ("embed_dim", "d_model", "hidden_size", "n_embd", "dim", "d_in", "width")
    sizes = [getattr(module, name, None) for name in named]
    sizes += [part.in_features for part in module.modules() if isinstance(part, nn.Linear)]
    sizes += [size for parameter in module.parameters() for size in reversed(parameter.shape)]
    yield from dict.fromkeys([size for size in sizes if isinstance(size, int) and size > 0][:20] or [12])
