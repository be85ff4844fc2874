"""A module X → Y as a case: its weights by the names that public code gives them, and the right output."""

import contextlib
import functools
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attention.checking.cases import Case
from attention.checking.programs import FUNCTION, SEVERAL_HEADS, Lines, execute
from attention.errors import AttentionError
from attention.layer_names import Parameters, heads_of, matrices_in, parameters_of
from attention.masks import causal_mask
from attention.multi_head import multi_head_attention

SIZES = {"text": (1, 5), "texts": (3, 7)}  # case → number of texts and of tokens
STEPS = (
    *("query", "key", "value", "arguments", "causal", "scores", "scaled_scores", "masked_scores", "weights"),
    *("head_output", "concatenated", "output"),
)


@dataclass(frozen=True, eq=False)
class LayerCase(Case):
    """One call: module(x). x is query, key and value; the weights multiply on the right."""

    weights: Mapping[str, Tensor] | None = None  # w_q, w_k, w_v, w_o, and b_q … where there are biases
    num_heads: int = 1

    @functools.cached_property
    def output(self) -> Tensor:
        n = self.query.shape[-2]
        mask = causal_mask(n) if self.always else None
        weights = {name: weight.double() for name, weight in (self.weights or {}).items()}
        arguments: dict[str, Any] = {**weights, "mask": mask, "num_heads": self.num_heads}
        return multi_head_attention(self.query.double(), **arguments).output

    def computed(self, wrong: Lines, *, empty_rows: bool) -> Tensor:
        """The output of the program with these lines. Biases are one more row of the weight matrices."""
        weights, x = self.weights or {}, self.query
        b, n, d_model = x.shape
        names: dict[str, Any] = {"x": x, "b": b, "n": n, "d_model": d_model, "h": self.num_heads}
        biased = "b_q" in weights
        if biased:
            names["x"] = torch.cat([x, x.new_ones(b, n, 1)], dim=-1)
        for letter in "qkv":
            weight = weights[f"w_{letter}"]
            names[f"w_{letter}"] = torch.cat([weight, weights[f"b_{letter}"][None]]) if biased else weight
        names |= {f"d_{letter}": weights[f"w_{letter}"].shape[1] // self.num_heads for letter in "kv"}
        names |= {
            "mask": torch.ones(n, n, dtype=torch.bool),
            "corner": 0,
            "groups": 1,
            "w_o": weights.get("w_o"),
        }
        names["scale"] = names["d_k"] ** -0.5
        masked = bool(self.always) or "arguments" in wrong
        needed = {"causal": bool(self.always), "masked_scores": masked, "output": "w_o" in weights}
        steps = [step for step in STEPS if needed.get(step, True)]
        lines = FUNCTION | SEVERAL_HEADS | dict(wrong)
        values = execute(lines, steps, names, empty_rows=empty_rows)
        output = values[steps[-1]]
        return output + weights["b_o"] if "b_o" in weights and "output" not in wrong else output


def layer_cases(module: nn.Module) -> list[list[LayerCase]]:
    """The cases for each number of heads that the module may have; none where a weight has no known name.

    A matrix that is a parameter by itself may be (in, out) or (out, in): there are cases for both.
    """
    readings = [parameters_of(module, out_in=out_in) for out_in in (False, True)]
    if readings[0].transposed == readings[1].transposed:
        readings.pop()
    return [
        cases for parameters in readings if parameters.complete for cases in _of_heads(module, parameters)
    ]


def _of_heads(module: nn.Module, parameters: Parameters) -> list[list[LayerCase]]:
    own, shared = heads_of(module), heads_of(module, "num_kv_heads")
    width = matrices_in(parameters)["w_q"].shape[1]
    counts = [own] if own else [count for count in range(1, width + 1) if width % count == 0]
    cases = []
    for count in (count for count in counts if count > 0):
        weights = matrices_in(parameters, count, shared)
        if weights["w_q"].shape[1] % count == 0:
            with contextlib.suppress(AttentionError, RuntimeError):  # sizes that do not match
                cases.append(_cases({name: weight.cpu() for name, weight in weights.items()}, count))
    return cases


def _cases(weights: Mapping[str, Tensor], num_heads: int) -> list[LayerCase]:
    head_dim = weights["w_q"].shape[1] // num_heads
    weights = {
        name: _shared(weight, num_heads, head_dim) if name[-1] in "kv" else weight
        for name, weight in weights.items()
    }
    cases = []
    widths = {weight.shape[-1] for weight in weights.values()}
    for name, (b, n) in SIZES.items():
        n = next(n for n in itertools.count(n, 2) if n not in widths)  # weights and output differ in shape
        x = token_vectors(b, n, weights["w_q"].shape[0], weights["w_q"].dtype)
        case = LayerCase(name, x, x, x, weights=weights, num_heads=num_heads)
        _ = case.output  # raises where sizes do not match
        cases.append(case)
    return cases


def _shared(weight: Tensor, num_heads: int, head_dim: int) -> Tensor:
    """The columns of each key/value head once for each query head that shares it."""
    count = weight.shape[-1] // head_dim
    if count in (0, num_heads) or num_heads % count:
        return weight
    groups = weight.reshape(*weight.shape[:-1], count, head_dim)
    return groups.repeat_interleave(num_heads // count, dim=-2).flatten(-2)


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
