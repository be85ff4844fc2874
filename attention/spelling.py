"""A call in the spelling of another library raises an error that translates it.

The libraries are PyTorch, Transformers, Keras, JAX and flash-attn. A translation has only arguments of the
function that is called; where it lacks one, the error names the function that has it. A function keeps its
own signature; any other unknown argument stays Python's TypeError.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, ParamSpec, TypeGuard, TypeVar

import torch
from torch import Tensor

from attention.errors import AttentionError

P = ParamSpec("P")
R = TypeVar("R")

# Every function that has the argument on the right translates the names on the left to it.
RENAMED = {
    name: own
    for own, names in {
        "query": "q",
        "key": "k",
        "value": "v",
        "scale": "softmax_scale scaling sm_scale",
        "softcap": "logits_soft_cap logit_softcapping attn_logit_softcapping softcapping",
        "dropout_p": "dropout dropout_rate attention_dropout attn_dropout attn_pdrop",
        "qk_norm": "normalize_qk use_qk_norm",
        "query_input": "query hidden_states inputs_q",
        "key_input": "key key_value_states encoder_hidden_states inputs_k",
        "value_input": "value inputs_v",
        "embed_dim": "d_model hidden_size embedding_dim",
        "head_dim": "key_dim d_k",
        "num_heads": "n_heads nhead n_head num_attention_heads",
        "num_kv_heads": "num_key_value_heads n_kv_heads n_kv_head",
        "base": "theta rope_theta",
    }.items()
    for name in names.split()
}
CAUSAL = ("is_causal", "causal", "use_causal_mask")
WINDOWS = ("window", "window_size", "sliding_window", "local_window_size")
PADDING = ("key_padding_mask", "key_mask")  # (batch, kv_len)
BIASES = ("attn_bias", "attention_bias", "position_bias")
MASKS = ("attn_mask", "attention_mask", *PADDING, *BIASES, *CAUSAL, *WINDOWS)
AVERAGE = "average_attn_weights"
WEIGHTS = ("need_weights", AVERAGE, "output_attentions", "return_attention_scores", "return_attn_probs")


class Call(NamedTuple):
    """A call in another spelling: its arguments by name, and what the translation of masks depends on."""

    arguments: Mapping[str, Any]
    query: object
    key: object
    layer: bool  # as nn.MultiheadAttention, where True in a mask = may not attend
    num_heads: int


class Spelling(NamedTuple):
    """How other libraries call a function."""

    renamed: Mapping[str, str] = {}  # besides RENAMED; "" for no argument, or "name=expression"
    order: tuple[str, ...] = ()  # PyTorch's arguments by position after those that this function has
    masks: bool = False
    layer: bool = False
    weights: str = ""  # where the trace has them
    always: str = ""  # what there is in place of an argument that is not needed
    elsewhere: str = ""  # the function that has what is missing; "" for the module's own class
    shared: tuple[str, ...] = ()  # further arguments that both functions have
    missing: tuple[str, ...] = ()  # its arguments that this function does not have

    def foreign(self, parameters: Mapping[str, Any]) -> frozenset[str]:
        """The names that are translated, of a function with these parameters."""
        own = {*parameters, *self.missing}
        names = {*self.renamed, *self.order, *self.missing, *(n for n, to in RENAMED.items() if to in own)}
        names.update(MASKS if self.masks else (), WEIGHTS if self.weights else ())
        return frozenset(names - set(parameters))

    def own_name(self, name: str) -> str:
        return self.renamed.get(name, RENAMED.get(name, name) if name not in self.missing else name)


FOREIGN: dict[str, dict[str, str]] = {}  # of each function, the names that it translates, and this core's


def translates(spelling: Spelling) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: a call in another library's spelling raises AttentionError, which says what to write."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        places = [
            name
            for name, parameter in parameters.items()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        foreign = spelling.foreign(parameters)
        lacking = spelling._replace(missing=tuple(set(spelling.missing) - set(parameters)))
        FOREIGN[function.__qualname__] = {name: lacking.own_name(name) for name in foreign}

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if "w_q" in parameters and "w_q" not in kwargs and _matrices(args[len(places) :]):
                names = ", ".join(["x", "w_q", "w_k", "w_v", "w_o"][: len(args)])
                raise AttentionError("matrices_by_place", "w_q", call=f"({names})")
            if len(places) < len(args) <= len(places) + len(spelling.order) or not foreign.isdisjoint(kwargs):
                raise translated(lacking, foreign, places, args, kwargs)
            return function(*args, **kwargs)

        return call

    return decorate


def _matrices(values: tuple[object, ...]) -> bool:
    tensors = [value for value in values if isinstance(value, Tensor)]
    return bool(values) and all(tensor.ndim == 2 and tensor.is_floating_point() for tensor in tensors)


def translated(
    spelling: Spelling,
    foreign: frozenset[str],
    places: list[str],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> AttentionError:
    """The error of a call in another spelling."""
    arguments: dict[str, Any] = {**dict(zip(places, args, strict=False)), **kwargs}
    module = arguments.pop("self", None)
    places = [name for name in places if name != "self"]
    query = _first(arguments, (places[0], *(n for n in arguments if spelling.own_name(n) == places[0])))
    surplus = by_position(spelling.order, args[len(places) + (module is not None) :], query)
    other = [*surplus, *(name for name in kwargs if name in foreign)]
    arguments |= surplus
    key = _first(arguments, tuple(n for n in arguments if spelling.own_name(n) in ("key", "key_input")))
    num_heads = getattr(module, "num_heads", arguments.get("num_heads", 1))
    call = Call(arguments, query, query if key is None else key, spelling.layer, num_heads)
    names = [*places, *surplus] if surplus else ["..."]
    names += [f"{name}=..." for name in other if name not in surplus]
    facts = {"call": f"({', '.join(names)})"}

    effective = [name for name in other if not without_effect(spelling, name, call)]
    here = translations(spelling, effective, call)
    result = weights_of(spelling, call)
    if missing := [name for name in effective if lacks(spelling, name)]:
        both = [*places, *(f"{name}={name}" for name in spelling.shared if arguments.get(name) is not None)]
        there = elsewhere(spelling, missing, here, type(module).__name__, both)
        return AttentionError("argument_elsewhere", ", ".join(missing), here=there, **facts)
    if here:
        code = "mask_spelling" if any(part.startswith("mask=") for part in here) else "other_spelling"
        translation = ", ".join(here) + (f"; {result}" if result else "")
        return AttentionError(code, ", ".join(other), here=translation, **facts)
    if effective:
        return AttentionError("needless_argument", ", ".join(other), here=result or spelling.always, **facts)
    values = [f"{name}={_shown(arguments[name], query, places[0])}" for name in other]
    return AttentionError("argument_without_effect", ", ".join(other), here=", ".join(values), **facts)


def _shown(value: object, query: object, name: str) -> str:
    return name if value is query and query is not None else repr(value)


def without_effect(spelling: Spelling, name: str, call: Call) -> bool:
    """Whether the argument's value is what this core does without it."""
    value = call.arguments[name]
    own = spelling.own_name(name)
    if name == AVERAGE and value is not None:
        return call.arguments.get("need_weights") is False
    if name in ("key", "value") and name in spelling.order:  # a layer of one input
        return value is None or value is call.query
    if lacks(spelling, name) and not spelling.elsewhere:  # a module may have been made with another value
        return value is None
    if value is None or value is False:
        return own != ""
    if name in CAUSAL:
        return _is_false(value)
    if name in WINDOWS and spelling.masks:
        return isinstance(value, (tuple, list)) and list(value) == [-1, -1]
    return own in ("dropout_p", "softcap") and isinstance(value, (int, float)) and value == 0


def _is_false(value: Any) -> bool:
    try:
        return not bool(value)
    except (TypeError, ValueError, RuntimeError):  # an array of several elements
        return False


def lacks(spelling: Spelling, name: str) -> bool:
    """Whether the function has nothing that the argument could be translated to."""
    of_other_input = name in ("key", "value") and name in spelling.order
    return of_other_input or spelling.own_name(name).partition("=")[0] in spelling.missing


def elsewhere(spelling: Spelling, missing: list[str], here: list[str], module: str, both: list[str]) -> str:
    """The call that has what is missing, with everything translated; a module gets it when it is made."""
    if "key" in missing or "value" in missing:
        inputs = ["x", "key" if "key" in missing else "x", *(["value"] if "value" in missing else [])]
        return f"MultiHeadAttention(...)({', '.join([*inputs, *here])})"
    weights = ".weights" if any(name in WEIGHTS for name in missing) else ""
    extra = [written(spelling.own_name(name), name) for name in missing if name not in WEIGHTS]
    if not spelling.elsewhere:
        return f"{module}(..., {', '.join(extra)})"
    here = here + extra
    names = {part.partition("=")[0] for part in here}
    both = [part for part in both if part.partition("=")[0] not in names]
    return f"{spelling.elsewhere}({', '.join([*both, *here])}){weights}"


def _first(arguments: Mapping[str, Any], names: tuple[str, ...]) -> object:
    return next((arguments[name] for name in names if arguments.get(name) is not None), None)


def by_position(order: tuple[str, ...], values: tuple[Any, ...], query: object) -> dict[str, Any]:
    """Arguments by position in PyTorch's order. A single one that can only be a mask is a mask."""
    named = dict(zip(order, values, strict=False))
    for name, value in named.items():
        tensor = as_tensor(value)
        if len(named) == 1 and tensor is not None and isinstance(query, Tensor):
            key = name == "key" and tensor.dtype == torch.bool
            if key or (name == "key_padding_mask" and tensor.shape[:-1] != query.shape[:-2]):
                return {"mask": value}
    return named


def as_tensor(value: object) -> Tensor | None:
    """The value as a tensor, None where it is none: an array of another library or a list can be one."""
    try:
        return value if isinstance(value, Tensor) else torch.as_tensor(value)
    except Exception:  # whatever the array's own library raises
        return None


def translations(spelling: Spelling, other: list[str], call: Call) -> list[str]:
    """What to write for the arguments in another spelling: ["mask=attn_mask & causal_mask(5, 7)"]."""
    plain: list[str] = []
    masks: dict[str, list[str]] = {}
    for name in other:
        own = spelling.own_name(name)
        if lacks(spelling, name) or name in WEIGHTS or own == "":
            continue
        if spelling.masks and name in (*MASKS, "mask"):
            argument, expression = mask_or_bias(name, call.arguments[name], call)
            both = [argument] if argument != name and call.arguments.get(argument) is not None else []
            masks.setdefault(argument, both).append(expression)
        elif name in WINDOWS:
            plain.append(window(name, call.arguments[name]))
        else:
            plain.append(written(own, name))
    return plain + [f"{argument}={SIGNS[argument].join(parts)}" for argument, parts in masks.items()]


def written(own: str, name: str) -> str:
    """Their argument as this core writes it."""
    return own if "=" in own else f"{own}={name}"


SIGNS = {"mask": " & ", "bias": " + "}


def mask_or_bias(name: str, value: object, call: Call) -> tuple[str, str]:
    """This core's argument, and its value as an expression of `name`. A mask of numbers is a bias there."""
    if name in CAUSAL:
        return "mask", f"causal_mask({lengths(call, aligned=name == 'causal')})"
    if name in WINDOWS:
        sides = window(name, value)
        return "mask", f"sliding_window_mask({lengths(call, sides, aligned=name != 'local_window_size')})"
    tensor = as_tensor(value)
    if tensor is None:
        return "mask", name
    dimensions = call.query.ndim if isinstance(call.query, Tensor) else 0
    padding = name in PADDING or (name == "attention_mask" and tensor.ndim <= 2)
    numbers = tensor.is_floating_point() or name in BIASES
    tokens = name == "key_mask" or (name == "attention_mask" and padding)  # 1 = a token
    bias = tensor.dtype != torch.bool and numbers and not tokens
    expression = name if isinstance(value, Tensor) else f"torch.tensor({name})"
    if bias and isinstance(call.query, Tensor) and tensor.dtype != call.query.dtype:
        expression += f".to({call.query.dtype})"
    elif not bias and tensor.dtype != torch.bool:
        expression += ".bool()"
    if isinstance(call.query, Tensor) and tensor.device != call.query.device:
        expression += f'.to("{call.query.device}")'
    if padding and tensor.ndim == 2 and dimensions > 2:
        expression += f"[:, {'None, ' * (dimensions - 2)}:]"
    elif name == "attention_mask" and tensor.ndim == 3 and dimensions == 4:
        expression += "[:, None, :, :]"
    elif call.layer and name == "attn_mask" and tensor.ndim == dimensions == 3 and call.num_heads != 1:
        expression += f".unflatten(0, (-1, {call.num_heads}))"  # (batch * num_heads, q_len, kv_len)
    reverse = name == "key_padding_mask" or (call.layer and name == "attn_mask")
    return ("bias", expression) if bias else ("mask", f"~{expression}" if reverse else expression)


def lengths(call: Call, sides: str = "", *, aligned: bool) -> str:
    """The arguments of a mask for this call.

    aligned: the last query is at the last key, as in flash-attn; elsewhere the first is at the first.
    """
    tensors = [tensor for tensor in (call.query, call.key) if _has_rows(tensor)]
    if len(tensors) < 2:
        return ", ".join(["q_len", "kv_len", *([sides] if sides else [])])
    q_len, kv_len = (tensor.shape[-2] for tensor in tensors)
    options = [str(q_len), str(kv_len), *([sides] if sides else [])]
    options += ['alignment="lower_right"'] if aligned and q_len != kv_len else []
    device = tensors[0].device
    return ", ".join(options if device.type == "cpu" else [*options, f'device="{device}"'])


def _has_rows(tensor: object) -> TypeGuard[Tensor]:
    return isinstance(tensor, Tensor) and tensor.ndim >= 2


def window(name: str, value: object) -> str:
    """flash-attn's (left, right), −1 for no limit; else a number of keys: of each side in JAX, and in
    Mistral of all, the query's own included.
    """
    if (
        isinstance(value, (tuple, list))
        and len(value) == 2
        and all(isinstance(limit, int) for limit in value)
    ):
        left, right = (None if limit < 0 else limit for limit in value)
        return f"left={left}, right={right}"
    if name == "local_window_size":
        return f"left={name}, right={name}"
    return f"left={name} - 1, right=0"


def weights_of(spelling: Spelling, call: Call) -> str:
    """Where the trace has the weights, if the call asks for them; PyTorch's layer returns the heads' mean."""
    asked = {name for name in WEIGHTS if name in call.arguments and not without_effect(spelling, name, call)}
    if not asked:
        return ""
    of_pytorch = asked <= {"need_weights", AVERAGE}
    mean = spelling.layer and of_pytorch and call.arguments.get(AVERAGE) is not False
    return spelling.weights + (".mean(-3)" if mean else "")


# ---- each function

OF_SDPA = ("attn_mask", "dropout_p", "is_causal")
SHARED_HEADS = dict.fromkeys(
    ("num_kv_heads", "num_key_value_heads", "num_key_value_groups"), "enable_gqa=True"
)
SDPA = Spelling(SHARED_HEADS, OF_SDPA, masks=True, weights="trace.weights")
FLASH = Spelling(
    SHARED_HEADS,
    OF_SDPA,
    masks=True,
    elsewhere="scaled_dot_product_attention",
    shared=("mask", "bias", "scale"),
    missing=("dropout_p", "softcap", "enable_gqa", "masked_score", "generator", *WEIGHTS),
)
OF_LAYER = ("key_padding_mask", "need_weights", "attn_mask", AVERAGE, "is_causal")
OF_MODULE = ("dropout_p", "qk_norm")
LAYER = Spelling(order=OF_LAYER, masks=True, layer=True, weights="trace.heads.weights", missing=OF_MODULE)
ONE_INPUT = LAYER._replace(
    renamed=dict.fromkeys(("query", "hidden_states", "inputs_q"), "x"), order=("key", "value", *OF_LAYER)
)
NEW_HEAD = Spelling(
    dict.fromkeys(("use_bias", "qkv_bias", "attention_bias"), "bias") | {"batch_first": ""},
    always="x: (batch, q_len, embed_dim)",
)
NEW_LAYER = NEW_HEAD._replace(
    renamed={**NEW_HEAD.renamed, "kdim": "key_input_dim", "vdim": "value_input_dim"},
    order=("dropout", "bias"),
)
CAUSAL_MASK = Spelling(dict.fromkeys(("sz", "size", "seq_len"), "q_len"))
PREFIX_MASK = Spelling({**CAUSAL_MASK.renamed, **dict.fromkeys(("prefix_len", "prefix_length"), "prefix")})
WINDOW_MASK = Spelling({**CAUSAL_MASK.renamed, **dict.fromkeys(WINDOWS, "left, right")})
PADDING_MASK = Spelling({**dict.fromkeys(("max_len", "maxlen", "seq_len"), "kv_len"), "seqlens": "lengths"})
BLOCKS = Spelling(
    {"seqlens": "lengths", "q_seqlen": "lengths", "kv_seqlen": "kv_lengths"}
    | {"cu_seqlens": "lengths=cu_seqlens.diff()"}
)
WAVES = Spelling({"d_model": "dim", "embed_dim": "dim", "max_len": "length", "seq_len": "length"})
ROTARY = Spelling({"position_ids": "positions"})
ALIBI = Spelling()
