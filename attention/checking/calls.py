"""How a function is called: by which names, in which layout, with which arrays; and what it returns."""

import importlib
import inspect
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeGuard

import torch
from torch import Tensor

from attention.checking.cases import Case
from attention.spelling import CAUSAL, PADDING, RENAMED

Function = Callable[..., Any]
ARRAYS = ("torch", "numpy", "jax")
TENSORS = ("query", "key", "value")
# An argument of a case → the names that functions have for it. The first is PyTorch's.
NAMES = {
    "attn_mask": ("attn_mask", "mask", "attention_mask"),
    "key_padding_mask": PADDING,
    "is_causal": CAUSAL,
    "scale": ("scale", *(name for name, own in RENAMED.items() if own == "scale")),
    "enable_gqa": ("enable_gqa",),
}
WITHOUT = {"is_causal": False, "enable_gqa": False, "dropout_p": 0.0, "dropout": 0.0, "training": False}
WIDTHS = ("d_k", "dk", "head_dim", "dim_k", "key_dim")  # arguments for head_dim
OF_TENSOR = re.compile(
    r"(?:x|in|input)?_?(q|quer(?:y|ies)|k|keys?|v|val(?:ue)?s?)(?:s|_?(?!mask|len|dim|bias)[a-z]*)"
)
OUTPUTS = (
    *("output", "attn_output", "attention_output", "out", "context", "context_layer", "last_hidden_state"),
    *("hidden_states", "result", "values", "y", "o"),
)


class DimensionOrder(NamedTuple):
    """The order of dimensions in which a function takes tensors: one of them is in another place."""

    name: str
    dimensions: tuple[int, ...]  # that the query may have
    source: int = 0  # of the dimension in PyTorch's order
    place: int = 0

    def there(self, tensor: Tensor) -> Tensor:
        return tensor.movedim(self.source, self.place)

    def back(self, tensor: Tensor) -> Tensor:
        return tensor.movedim(self.place, self.source)


class MaskForm(NamedTuple):
    """How a function takes a mask: what its numbers mean, and its dimensions."""

    meaning: str = "True = may attend"
    dimensions: str = "(..., q_len, kv_len)"

    @property
    def parts(self) -> tuple[str, ...]:
        """What is not as in PyTorch's function."""
        return tuple(part for part, usual in zip(self, MaskForm(), strict=True) if part != usual)

    def of(self, mask: Tensor, dtype: torch.dtype) -> Tensor | None:
        """The mask, True = may attend, in this form; None where it has none."""
        if self.dimensions == OF_TEXTS:
            if mask.ndim != 4 or mask.shape[1] != 1:
                return None
            mask = mask[:, 0]
        elif self.dimensions == OF_KEYS:
            if mask.ndim < 3 or mask[0].numel() != mask.shape[-1]:
                return None
            mask = mask.reshape(mask.shape[0], mask.shape[-1])
        return MEANINGS[self.meaning](mask, dtype)


ADDED = "added to the scores"
USUAL_MASK = MaskForm()
OF_TEXTS, OF_KEYS = "(batch, q_len, kv_len)", "(batch, kv_len)"
MEANINGS: Mapping[str, Callable[[Tensor, torch.dtype], Tensor]] = {
    "True = may attend": lambda mask, dtype: mask,
    "True = masked": lambda mask, dtype: ~mask,
    ADDED: lambda mask, dtype: mask.new_zeros(mask.shape, dtype=dtype).masked_fill(~mask, -math.inf),
    "1 = may attend": lambda mask, dtype: mask.long(),
}
MASK_FORMS = tuple(
    MaskForm(meaning, dimensions)
    for dimensions in (MaskForm().dimensions, OF_TEXTS, OF_KEYS)
    for meaning in MEANINGS
)
PADDING_FORMS = tuple(
    MaskForm(meaning, OF_KEYS) for meaning in ("True = masked", "True = may attend", "1 = may attend", ADDED)
)
PLAIN = DimensionOrder("", (2, 3, 4))
LAYOUTS = (
    PLAIN,
    DimensionOrder("(batch, length, heads, dim)", (4,), 1, 2),
    DimensionOrder("(length, batch, ..., dim)", (3, 4), -2, 0),
)


@dataclass(frozen=True)
class Signature:
    """The names of a function's arguments."""

    tensors: tuple[str, ...] = ()  # of query, key and value; empty: by place
    names: Mapping[str, str] | None = None  # an argument of a case → its name; None: any, as PyTorch has it
    fixed: Mapping[str, Any] | None = None  # arguments that it needs in each call
    widths: tuple[str, ...] = ()  # arguments that it needs in each call for head_dim

    def name(self, argument: str) -> str | None:
        """What the function calls the argument; None where it does not have it."""
        if self.names is None:
            return None if argument == "key_padding_mask" else argument
        return self.names.get(argument)


def parameters_of(fn: Function) -> tuple[inspect.Parameter, ...] | None:
    """None where Python does not know them, as of PyTorch's own function."""
    try:
        signature = inspect.signature(fn.forward if isinstance(fn, torch.nn.Module) else fn)
    except (TypeError, ValueError):
        return None
    return tuple(signature.parameters.values())


def required(parameters: tuple[inspect.Parameter, ...]) -> list[str]:
    """The names of arguments that a call must have."""
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind not in variable]


def signature_of(fn: Function) -> Signature:
    parameters = parameters_of(fn)
    if parameters is None:
        return Signature()
    by_name = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    names = {
        argument: next(name for name in known if name in by_name)
        for argument, known in NAMES.items()
        if set(known) & set(by_name)
    }
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        rest = {name: name for name in NAMES if name != "key_padding_mask"}
        names = rest | names
    tensors = tensors_in([name for name in by_name if name not in names.values()])
    places = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    others = {*required(parameters)} - {*(tensors or places[:3])}
    own = {name: argument for argument, name in names.items()}
    fixed = {name: WITHOUT.get(own.get(name, name)) for name in others if name in own or name in WITHOUT}
    return Signature(tensors, names, fixed, tuple(name for name in WIDTHS if name in others))


def tensors_in(names: list[str]) -> tuple[str, ...]:
    """The names of query, key and value, whatever their order is; none where they are not clear."""
    letters = {name: match[1][0] for name in names if (match := OF_TENSOR.fullmatch(name.lower()))}
    tensors = tuple(next((n for n in letters if letters[n] == letter), "") for letter in "qkv")
    return tensors if all(tensors) else ()


# ---- arrays


class Unsupported(Exception):
    """The library has no such dtype."""


def to_array(tensor: Tensor, arrays: str) -> Any:
    """A copy of the tensor as an array of the library."""
    if arrays == "torch":
        return tensor.clone(memory_format=torch.contiguous_format)
    if tensor.dtype is torch.bfloat16:
        if arrays == "numpy":
            raise Unsupported("bfloat16")
        return importlib.import_module("jax.numpy").asarray(tensor.float().numpy(), dtype="bfloat16")
    array = tensor.numpy().copy(order="C")
    return array if arrays == "numpy" else importlib.import_module("jax.numpy").asarray(array)


def to_tensor(value: Any, arrays: str) -> Any:
    """An array of the library as a tensor on the CPU; anything else as it is."""
    if arrays != "torch" and hasattr(value, "__array__") and not isinstance(value, Tensor):
        dtype = getattr(torch, str(value.dtype), None)
        array = importlib.import_module("numpy").asarray(value)
        if dtype is None or (array.dtype.kind not in "fiub" and dtype is not torch.bfloat16):
            return value
        return (
            torch.tensor(array.astype("float64").tolist(), dtype=torch.float64).reshape(array.shape).to(dtype)
        )
    return value.detach().cpu() if has_numbers(value) else value


def has_numbers(value: object) -> TypeGuard[Tensor]:
    """A tensor that is neither sparse nor on the device meta."""
    return isinstance(value, Tensor) and value.layout is torch.strided and not value.is_meta


# ---- a call


@dataclass(frozen=True)
class Called:
    """A function with all that is known of how it is called."""

    fn: Function
    signature: Signature
    layout: DimensionOrder = PLAIN
    arrays: str = "torch"
    device: torch.device | str | None = None
    place: int = 0  # of the output in a tuple
    form: MaskForm = USUAL_MASK

    def inputs(self, case: Case) -> dict[str, Any]:
        """Copies of the case's tensors, as the function is to get them."""
        tensors = {name: self.layout.there(getattr(case, name)) for name in TENSORS}
        mask = None if case.mask is None else self.form.of(case.mask, case.query.dtype)
        if mask is not None:
            tensors["mask"] = mask
        return {name: to_array(tensor.to(self.device), self.arrays) for name, tensor in tensors.items()}

    def mask_argument(self, case: Case) -> str:
        """The argument by which the function takes the case's mask; empty where it has none."""
        padding, mask = map(self.signature.name, ("key_padding_mask", "attn_mask"))
        return padding if padding is not None and case.is_padding else mask or ""

    def keywords(self, case: Case) -> dict[str, Any]:
        """The options of the case, by the function's names; enable_gqa only where it has it."""
        names = {option: self.signature.name(option) for option in case.options}
        return {name: case.options[option] for option, name in names.items() if name is not None}

    def output(self, inputs: Mapping[str, Any], case: Case) -> Any:
        """What the function returns for the case, in its own layout and kind of array."""
        keywords = {**(self.signature.fixed or {}), **self.keywords(case)}
        if "mask" in inputs:
            keywords[self.mask_argument(case)] = inputs["mask"]
        keywords |= dict.fromkeys(self.signature.widths, case.query.shape[-1])
        tensors = [inputs[name] for name in TENSORS]
        with torch.set_grad_enabled(any(isinstance(t, Tensor) and t.requires_grad for t in tensors)):
            if self.signature.tensors:
                named = dict(zip(self.signature.tensors, tensors, strict=True))
                return output_of(self.fn(**named, **keywords), self.place)
            return output_of(self.fn(*tensors, **keywords), self.place)

    def with_place(self, case: Case) -> "Called":
        """The same with the place of the output, if the function returns several tensors."""
        returned: list[Any] = []
        keep = replace(self, fn=_kept(self.fn, returned))
        try:
            keep.result(self.inputs(case), case)
        except Exception:
            return self
        shape = tuple(self.layout.there(case.output).shape)
        return replace(self, place=place_in(returned[0], shape))

    def result(self, inputs: Mapping[str, Any], case: Case) -> Any:
        """The output in the layout of the case, as a tensor where it is one."""
        got = to_tensor(self.output(inputs, case), self.arrays)
        return self.layout.back(got) if has_numbers(got) and got.ndim == case.query.ndim else got


def _kept(fn: Function, returned: list[Any]) -> Function:
    """The function, whose results go to the list too."""

    def keeping(*args: Any, **kwargs: Any) -> Any:
        returned.append(fn(*args, **kwargs))
        return returned[-1]

    return keeping


def output_of(returned: Any, place: int = 0) -> Any:
    """A tensor as it is; of a tuple the result in that place; of a dict or a record what is named so."""
    if isinstance(returned, Tensor):
        return returned
    if isinstance(returned, Mapping):
        return next((returned[name] for name in OUTPUTS if name in returned), returned)
    name = next(
        (name for name in OUTPUTS if hasattr(returned, name) and not callable(getattr(returned, name))), None
    )
    if name is not None:
        return getattr(returned, name)
    if isinstance(returned, (tuple, list)) and returned:
        return returned[place if place < len(returned) else 0]
    return returned


def place_in(returned: Any, shape: tuple[int, ...]) -> int:
    """The place of the first tensor of that shape in a tuple."""
    if not isinstance(returned, (tuple, list)):
        return 0
    shapes = [tuple(getattr(result, "shape", ())) for result in returned]
    return shapes.index(shape) if shape in shapes else 0
