"""A module X → Y as a case: its weights by the names that public code gives them, and the right output."""

import functools
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from attention.checking.cases import Case
from attention.checking.programs import FUNCTION, SEVERAL_HEADS, Lines, execute
from attention.masks import causal_mask
from attention.multi_head import multi_head_attention
from attention.spelling import RENAMED

ROLES = {
    "w_q": re.compile(r"q|query|queries|(q|query)_(proj|linear|lin)|(to|w|linear)_?(q|query)"),
    "w_k": re.compile(r"k|key|keys|(k|key)_(proj|linear|lin)|(to|w|linear)_?(k|key)"),
    "w_v": re.compile(r"v|value|values|(v|value)_(proj|linear|lin)|(to|w|linear)_?(v|value)"),
    "w_qkv": re.compile(r"in_proj|c_attn|(to_|w_?)?qkv(_proj)?"),
    "w_kv": re.compile(r"(to_|w_?)?kv(_proj)?"),
    "w_o": re.compile(r"(o|out|c|output)_proj|to_out|proj|(w|linear)_?o(ut)?|out(_linear|_lin)?|fc_out"),
}
HEADS = ("num_heads", "heads", "h", *(name for name, own in RENAMED.items() if own == "num_heads"))
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
    """The cases for each number of heads that the module may have; none where a weight has no known name."""
    weights = weights_of(module)
    if weights is None:
        return []
    width = weights["w_q"].shape[1]
    own = next(
        (getattr(module, name) for name in HEADS if isinstance(getattr(module, name, None), int)), None
    )
    counts = [own] if own else [count for count in range(1, width + 1) if width % count == 0]
    return [_cases(weights, count) for count in counts if count > 0 and width % count == 0]


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
        cases.append(LayerCase(name, x, x, x, weights=weights, num_heads=num_heads))
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


# ---- weights by their names


def weights_of(module: nn.Module) -> dict[str, Tensor] | None:
    """w_q, w_k, w_v, w_o and biases as multi_head_attention has them; None if a parameter is another."""
    weights: dict[str, Tensor] = {}
    for name, parameter in module.named_parameters():
        role, bias = _role(name)
        if role is None or not parameter.dtype.is_floating_point:
            return None
        tensor = parameter.detach().cpu()
        if not bias and _is_transposed(module, name):
            tensor = tensor.T
        letters = role[2:]
        parts = tensor.chunk(len(letters), dim=-1) if letters in ("qkv", "kv") else (tensor,)
        for letter, part in zip(letters, parts, strict=True):
            weights[f"{'b' if bias else 'w'}_{letter}"] = part
    matrices = {name for name in weights if name.startswith("w_")}
    if not {"w_q", "w_k", "w_v"} <= matrices or any(weights[name].ndim != 2 for name in matrices):
        return None
    if any(f"b_{letter}" in weights for letter in "qkv"):
        for letter in "qkv":
            weights.setdefault(
                f"b_{letter}", weights[f"w_{letter}"].new_zeros(weights[f"w_{letter}"].shape[1])
            )
    return weights


def _role(name: str) -> tuple[str | None, bool]:
    """What the parameter is, and whether it is a bias: "layer.q_proj.weight" is w_q."""
    *path, last = [part for part in name.split(".") if not part.isdecimal()]
    base, kind = (path[-1], last) if path and last in ("weight", "bias") else (last, "weight")
    for ending in ("_weight", "_bias"):
        if base.endswith(ending):
            base, kind = base[: -len(ending)], ending[1:]
    known = (role for role, pattern in ROLES.items() if pattern.fullmatch(base.lower()))
    return next(known, None), kind == "bias"


def _is_transposed(module: nn.Module, name: str) -> bool:
    """Whether the weight is (out, in), as nn.Linear and nn.MultiheadAttention keep it."""
    owner = module.get_submodule(name.rpartition(".")[0])
    return isinstance(owner, (nn.Linear, nn.MultiheadAttention))


def widths_of(module: nn.Module) -> Iterator[int]:
    """The widths of X that the module may take, the likeliest first."""
    named = ("embed_dim", "d_model", "hidden_size", "n_embd", "dim", "d_in", "width")
    sizes = [getattr(module, name, None) for name in named]
    sizes += [part.in_features for part in module.modules() if isinstance(part, nn.Linear)]
    sizes += [size for parameter in module.parameters() for size in reversed(parameter.shape)]
    yield from dict.fromkeys([size for size in sizes if isinstance(size, int) and size > 0][:20] or [12])
