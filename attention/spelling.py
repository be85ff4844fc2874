"""A call in the spelling of another library raises an error that translates it.

The libraries are PyTorch, Transformers, Keras and flash-attn. A function keeps its own signature; any other
unknown argument stays Python's TypeError.
"""

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, ParamSpec, TypeGuard, TypeVar

from torch import Tensor
from torch import bool as torch_bool

from attention.errors import AttentionError

P = ParamSpec("P")
R = TypeVar("R")
CAUSAL = ("is_causal", "causal", "use_causal_mask")
MASKS = ("attn_mask", "attention_mask", "key_padding_mask", *CAUSAL)
WEIGHTS = ("need_weights", "average_attn_weights", "output_attentions")


class Call(NamedTuple):
    """A call in another spelling: its arguments by name, and what the translation of masks depends on."""

    arguments: Mapping[str, Any]
    query: object
    key: object
    layer: bool  # as nn.MultiheadAttention, where True in a mask = may not attend
    num_heads: int


class Spelling(NamedTuple):
    """How other libraries call a function."""

    renamed: Mapping[str, str] = {}  # their name: this core's, "" for no argument, or "name=expression"
    order: tuple[str, ...] = ()  # PyTorch's arguments by position after those that this function has
    masks: bool = False
    layer: bool = False
    weights: str = ""  # where the trace has them
    always: str = "trace.output"  # what there is in place of an argument that is not needed

    @property
    def names(self) -> frozenset[str]:
        masks = MASKS if self.masks else ()
        return frozenset((*self.renamed, *self.order, *masks, *(WEIGHTS if self.weights else ())))


def translates(spelling: Spelling) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: a call in another library's spelling raises AttentionError, which says what to write."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        places = [
            name
            for name, parameter in parameters.items()
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        ]
        foreign = spelling.names - set(parameters)

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if len(places) < len(args) <= len(places) + len(spelling.order) or not foreign.isdisjoint(kwargs):
                raise translated(spelling, foreign, places, args, kwargs)
            return function(*args, **kwargs)

        return call

    return decorate


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
    query = _first(arguments, (places[0], "query", "q", "hidden_states"))
    surplus = by_position(spelling.order, args[len(places) + (module is not None) :], query)
    other = [*surplus, *(name for name in kwargs if name in foreign)]
    arguments |= surplus
    key = _first(arguments, ("key_input", "key", "k"))
    num_heads = getattr(module, "num_heads", arguments.get("num_heads", 1))
    call = Call(arguments, query, query if key is None else key, spelling.layer, num_heads)
    here = ", ".join(translations(spelling, other, call))
    result = weights_of(spelling, call)
    names = [*places, *surplus] if surplus else ["..."]
    names += [f"{name}=..." for name in other if name not in surplus]
    facts = {"call": f"({', '.join(names)})"}
    if here:
        here = f"{here}; {result}" if result else here
        return AttentionError("other_spelling", ", ".join(other), here=here, **facts)
    return AttentionError("needless_argument", ", ".join(other), here=result or spelling.always, **facts)


def _first(arguments: Mapping[str, Any], names: tuple[str, ...]) -> object:
    return next((arguments[name] for name in names if arguments.get(name) is not None), None)


def by_position(order: tuple[str, ...], values: tuple[Any, ...], query: object) -> dict[str, Any]:
    """Arguments by position in PyTorch's order. A single one that can only be a mask is a mask."""
    named = dict(zip(order, values, strict=False))
    for name, value in named.items():
        if len(named) == 1 and isinstance(value, Tensor) and isinstance(query, Tensor):
            key = name == "key" and value.dtype == torch_bool
            if key or (name == "key_padding_mask" and value.shape[:-1] != query.shape[:-2]):
                return {"mask": value}
    return named


def translations(spelling: Spelling, other: list[str], call: Call) -> list[str]:
    """What to write for the arguments in another spelling: "mask=attn_mask & causal_mask(5, 7)"."""
    plain: list[str] = []
    masks: dict[str, list[str]] = {}
    for name in other:
        value = call.arguments[name]
        if value is None or value is False or name in WEIGHTS:
            continue
        if name in MASKS:
            argument, expression = mask_or_bias(name, value, call)
            own = [argument] if call.arguments.get(argument) is not None else []
            masks.setdefault(argument, own).append(expression)
        elif name in WINDOWS:
            plain.append(window(name, value))
        elif name in ("key", "value") and name in spelling.order:  # a layer of one input
            plain += [] if value is call.query else ["MultiHeadAttention(...)(x, key, value)"]
        else:
            argument = spelling.renamed.get(name, name)
            plain += [argument if "=" in argument else f"{argument}={name}"] if argument else []
    return plain + [f"{argument}={SIGNS[argument].join(parts)}" for argument, parts in masks.items()]


SIGNS = {"mask": " & ", "bias": " + "}


def mask_or_bias(name: str, value: object, call: Call) -> tuple[str, str]:
    """This core's argument, and its value as an expression of `name`. A mask of numbers is a bias there."""
    if name in CAUSAL:
        return "mask", causal(name, call)
    if not isinstance(value, Tensor):
        return "mask", name
    dimensions = call.query.ndim if isinstance(call.query, Tensor) else 0
    padding = name == "key_padding_mask" or (name == "attention_mask" and value.ndim <= 2)
    bias = value.is_floating_point() and not (name == "attention_mask" and padding)  # there 1 = a token
    expression = name if bias or value.dtype == torch_bool else f"{name}.bool()"
    if padding and value.ndim == 2 and dimensions > 2:
        expression += f"[:, {'None, ' * (dimensions - 2)}:]"
    elif name == "attention_mask" and value.ndim == 3 and dimensions == 4:
        expression += "[:, None, :, :]"
    elif call.layer and name == "attn_mask" and value.ndim == dimensions == 3 and call.num_heads != 1:
        expression += f".unflatten(0, (-1, {call.num_heads}))"  # (batch * num_heads, q_len, kv_len)
    reverse = name == "key_padding_mask" or (call.layer and name == "attn_mask")
    return ("bias", expression) if bias else ("mask", f"~{expression}" if reverse else expression)


def causal(name: str, call: Call) -> str:
    """flash-attn's `causal` puts the last query at the last key, the others the first at the first."""
    lengths = [tensor.shape[-2] for tensor in (call.query, call.key) if _has_rows(tensor)]
    if len(lengths) < 2:
        return "causal_mask(q_len, kv_len)"
    options = ', alignment="lower_right"' if name == "causal" and lengths[0] != lengths[1] else ""
    if isinstance(call.query, Tensor) and call.query.device.type != "cpu":
        options += f', device="{call.query.device}"'
    return f"causal_mask({lengths[0]}, {lengths[1]}{options})"


def _has_rows(tensor: object) -> TypeGuard[Tensor]:
    return isinstance(tensor, Tensor) and tensor.ndim >= 2


def window(name: str, value: object) -> str:
    """flash-attn's (left, right), −1 for no limit, or Mistral's number of keys, the query's own included."""
    if (
        isinstance(value, (tuple, list))
        and len(value) == 2
        and all(isinstance(limit, int) for limit in value)
    ):
        left, right = (None if limit < 0 else limit for limit in value)
        return f"left={left}, right={right}"
    return f"left={name} - 1, right=0"


def weights_of(spelling: Spelling, call: Call) -> str:
    """Where the trace has the weights, if the call asks for them; PyTorch's layer returns the heads' mean."""
    requests = {name: call.arguments[name] for name in WEIGHTS if name in call.arguments}
    if not requests or any(requests.get(name) is False for name in ("need_weights", "output_attentions")):
        return ""
    mean = (
        spelling.layer
        and "output_attentions" not in requests
        and requests.get("average_attn_weights") is not False
    )
    return spelling.weights + (".mean(-3)" if mean else "")


# ---- each function

SHORT = {"q": "query", "k": "key", "v": "value", "softmax_scale": "scale"}
OF_SDPA = ("attn_mask", "dropout_p", "is_causal")
SDPA = Spelling(SHORT, OF_SDPA, masks=True, weights="trace.weights")
FLASH = Spelling(SHORT, OF_SDPA, masks=True)
INPUTS = {"query": "query_input", "key": "key_input", "value": "value_input", "hidden_states": "query_input"}
OF_LAYER = ("key_padding_mask", "need_weights", "attn_mask", "average_attn_weights", "is_causal")
LAYER = Spelling(INPUTS, OF_LAYER, masks=True, layer=True, weights="trace.heads.weights")
ONE_INPUT = LAYER._replace(renamed={"query": "x", "hidden_states": "x"}, order=("key", "value", *OF_LAYER))
NEW_LAYER = Spelling(
    {"dropout": "dropout_p", "kdim": "key_input_dim", "vdim": "value_input_dim", "batch_first": ""},
    ("dropout", "bias"),
    always="x: (batch, q_len, embed_dim)",
)
WINDOWS = ("window", "window_size", "sliding_window")
CAUSAL_MASK = Spelling({"sz": "q_len", "size": "q_len", "seq_len": "q_len"})
PREFIX_MASK = Spelling({**CAUSAL_MASK.renamed, "prefix_len": "prefix", "prefix_length": "prefix"})
WINDOW_MASK = Spelling({**CAUSAL_MASK.renamed, **dict.fromkeys(WINDOWS, "")})
PADDING_MASK = Spelling({"max_len": "kv_len", "maxlen": "kv_len", "seq_len": "kv_len", "seqlens": "lengths"})
BLOCKS = Spelling(
    {"seqlens": "lengths", "q_seqlen": "lengths", "kv_seqlen": "kv_lengths"}
    | {"cu_seqlens": "lengths=cu_seqlens.diff()"}
)
WAVES = Spelling({"d_model": "dim", "max_len": "length", "seq_len": "length"})
ROTARY = Spelling({"position_ids": "positions", "theta": "base", "rope_theta": "base"})
ALIBI = Spelling({"n_heads": "num_heads", "num_attention_heads": "num_heads"})
