"""The matrices of attention layers of public code, by the names that their parameters have there.

nn.Linear.weight is (out, in), for X @ weight.T; so is nn.MultiheadAttention.in_proj_weight. A Conv1D of
GPT-2, and a matrix that is a parameter by itself, is (in, out), for X @ W. A state_dict has only the names:
there a packed c_attn is recognised by its shape, and c_proj is kept as c_attn is.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from attention.spelling import RENAMED, as_tensor

# the letters of Q, K and V, or of W_O → names of the parameter, without .weight and .bias
ROLES = {
    "q": re.compile(r"q|query|queries|(q|query)_(proj|linear|lin)|(to|w|c|linear)_?(q|query)"),
    "k": re.compile(r"k|key|keys|(k|key)_(proj|linear|lin)|(to|w|c|linear)_?(k|key)"),
    "v": re.compile(r"v|value|values|(v|value)_(proj|linear|lin)|(to|w|c|linear)_?(v|value)"),
    "qkv": re.compile(r"in_proj|c_attn|(to_|w_?)?qkv(_proj)?|query_key_value"),
    "kv": re.compile(r"(to_|w_?)?kv(_proj)?"),
    "o": re.compile(r"(o|out|c|output)_proj|to_out|proj|dense|(w|linear)_?o(ut)?|out(_linear|_lin)?|fc_out"),
}
OF_CONV1D = ("c_attn", "c_proj")
IN_ORDER_BY_NAME = ("in_proj", "c_attn")  # packed weights that all code has in the order q, k, v


class Parameters(NamedTuple):
    """What a layer's parameters are, and the names of those that have none of the known names."""

    matrices: Mapping[str, Tensor]  # letters of ROLES → the weight, (in, out)
    biases: Mapping[str, Tensor]
    unknown: tuple[str, ...]
    transposed: tuple[str, ...] = ()  # the names of weights that were (out, in)
    unordered: tuple[str, ...] = ()  # the names of packed weights whose order the name does not tell

    @property
    def complete(self) -> bool:
        """Whether all parameters are known, with matrices for Q, K and V."""
        known = (("q", "k", "v"), ("q", "kv"), ("qkv",))
        return not self.unknown and any(self.matrices.keys() >= {*letters} for letters in known)


def heads_of(module: object, argument: str = "num_heads") -> int | None:
    """The number of heads that the module keeps; argument: or of key/value heads."""
    names = (argument, *(name for name, own in RENAMED.items() if own == argument))
    names += ("heads", "h") if argument == "num_heads" else ()
    counts = (getattr(module, name, None) for name in names)
    return next((count for count in counts if isinstance(count, int)), None)


def parameters_of(layer: nn.Module | Mapping[str, Any], *, out_in: bool = False) -> Parameters:
    """The parameters of a module or of its state_dict, whose buffers, as masks are, do not count.

    out_in: a matrix of a module that is a parameter by itself is (out, in) too, as F.linear has it.
    """
    module = layer if isinstance(layer, nn.Module) else None
    named = layer.named_parameters() if isinstance(layer, nn.Module) else layer.items()
    tensors = {name: tensor.detach() for name, value in named if (tensor := as_tensor(value)) is not None}
    tensors = {
        name: tensor
        for name, tensor in tensors.items()
        if module or tensor.ndim in (1, 2) or role_of(name)[0]
    }
    conv1d = module is None and _has_conv1d(tensors)
    matrices: dict[str, Tensor] = {}
    biases: dict[str, Tensor] = {}
    unknown, turned = [], []
    for name, tensor in tensors.items():
        letters, base, kind = role_of(name)
        kept, dimensions = (biases, 1) if kind == "bias" else (matrices, 2)
        fits = tensor.ndim == dimensions and tensor.dtype.is_floating_point
        if letters in ("", *kept) or not fits or tensor.shape[0 if kind == "bias" else 1] == 0:
            unknown.append(name)
            continue
        if module is not None:
            owner = module.get_submodule(name.rpartition(".")[0])
            transposed = out_in or isinstance(owner, (nn.Linear, nn.MultiheadAttention))
        else:
            transposed = kind == "weight" and not (base in OF_CONV1D and conv1d)
        turned += [name] if transposed and dimensions == 2 else []
        kept[letters] = tensor.T if name in turned else tensor
    packed = [name for name in tensors if len(role_of(name)[0]) > 1 and role_of(name)[2] != "bias"]
    unordered = [name for name in packed if role_of(name)[1] not in IN_ORDER_BY_NAME]
    return Parameters(matrices, biases, tuple(unknown), tuple(turned), tuple(unordered))


def parameters_by_order(module: nn.Module) -> Parameters | None:
    """Linear layers of any names: q, k, v and perhaps the output's, or qkv and perhaps the output's, as they
    are declared; None where there are other parameters.
    """
    layers = [part for part in module.modules() if isinstance(part, nn.Linear)]
    if {*map(id, module.parameters())} != {id(p) for layer in layers for p in layer.parameters()}:
        return None
    packed = bool(layers) and layers[0].out_features % 3 == 0 and len(layers) <= 2
    letters = (("qkv", "o") if packed else ("q", "k", "v", "o"))[: len(layers)]
    if len(layers) not in ((1, 2) if packed else (3, 4)):
        return None
    named = list(zip(letters, layers, strict=True))
    weights = {letter: layer.weight.detach().T for letter, layer in named}
    biases = {letter: layer.bias.detach() for letter, layer in named if layer.bias is not None}
    return Parameters(weights, biases, ())


def _has_conv1d(tensors: Mapping[str, Tensor]) -> bool:
    """Whether a packed c_attn is (in, out): its columns are three times as many as its rows."""
    packed = (tensor for name, tensor in tensors.items() if role_of(name)[1:] == ("c_attn", "weight"))
    return any(tensor.ndim == 2 and tensor.shape[1] == 3 * tensor.shape[0] for tensor in packed)


def role_of(name: str) -> tuple[str, str, str]:
    """Its letters in ROLES, its name without the path, and "weight", "bias" or "" for a matrix by itself.

    "layer.q_proj.weight" is ("q", "q_proj", "weight").
    """
    *path, last = [part for part in name.split(".") if not part.isdecimal()] or [name]
    base, kind = (path[-1], last) if path and last in ("weight", "bias") else (last, "")
    for ending in ("_weight", "_bias"):
        if base.endswith(ending):
            base, kind = base[: -len(ending)], ending[1:]
    known = (letters for letters, pattern in ROLES.items() if pattern.fullmatch(base.lower()))
    return next(known, ""), base, kind


# How the columns of a projection are ordered, the slowest first: q, k and v; the head; the column of a head.
IN_ORDER, PER_HEAD = "qkv h d", "h qkv d"
# A head's columns are apart: another order of the same columns, which a trained layer is free to have.
INTERLEAVED = ("qkv d h", "d qkv h", "h d qkv", "d h qkv")


def matrices_in(
    parameters: Parameters,
    num_heads: int = 1,
    num_kv_heads: int | None = None,
    order: str = IN_ORDER,
    *,
    apart: bool = False,
) -> dict[str, Tensor]:
    """w_q, w_k, w_v, w_o and b_q … as multi_head_attention has them, the packed ones in their parts.

    order: of the columns of a packed matrix, and of the others where a head's columns are apart, (d h). With
    "h qkv d" and fewer key/value heads, each of these follows its query heads. apart: the joined heads are
    in the order (d h), too. Raises RuntimeError where the columns are not a multiple of what order needs.
    """
    shares = {"q": num_heads} | dict.fromkeys("kvo", num_kv_heads or num_heads)
    result: dict[str, Tensor] = {}
    for kind, kept in (("w", parameters.matrices), ("b", parameters.biases)):
        for letters, tensor in kept.items():
            counts = [shares[letter] for letter in letters]
            if letters == "o":
                turned = apart and kind == "w"
                parts: tuple[Tensor, ...] = (
                    (tensor.reshape(-1, num_heads, tensor.shape[-1]).transpose(0, 1).flatten(0, 1),)
                    if turned
                    else (tensor,)
                )
            else:
                parts = _split(tensor, counts, order)
            result |= {f"{kind}_{letter}": part for letter, part in zip(letters, parts, strict=True)}
    if any(f"b_{letter}" in result for letter in "qkv"):
        for letter in "qkv":
            weight = result.get(f"w_{letter}")
            if weight is not None:
                result.setdefault(f"b_{letter}", weight.new_zeros(weight.shape[1]))
    return result


def _split(tensor: Tensor, counts: list[int], order: str) -> tuple[Tensor, ...]:
    """The parts of a matrix of packed columns, each with its heads one after the other."""
    total, columns = sum(counts), tensor.shape[-1]
    if order == IN_ORDER or (order == PER_HEAD and len(counts) == 1):
        sizes = [columns * count // total for count in counts]
        sizes[-1] = columns - sum(sizes[:-1])
        return torch.split(tensor, sizes, dim=-1)
    if order == PER_HEAD:
        groups = counts[-1]
        heads = tensor.reshape(*tensor.shape[:-1], groups, total // groups, -1)
        parts = torch.split(heads, [count // groups for count in counts], dim=-2)
        return tuple(part.flatten(-3) for part in parts)
    sizes_of = {"qkv": len(counts), "h": counts[0], "d": columns // (len(counts) * counts[0])}
    axes = order.split()
    cut = tensor.reshape(*tensor.shape[:-1], *(sizes_of[axis] for axis in axes))
    places = [axes.index(axis) - 3 for axis in ("qkv", "h", "d")]
    leading = range(tensor.ndim - 1)
    whole = cut.permute(*leading, *(place + cut.ndim for place in places)).flatten(-2)
    return tuple(whole.select(-2, at) for at in range(len(counts)))
