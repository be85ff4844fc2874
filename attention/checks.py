"""What an argument must be. Each check returns nothing or the clean value, and raises AttentionError."""

import math
import operator

import torch
from torch import Tensor

from attention.errors import AttentionError

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def check_tensor(argument: str, value: object) -> None:
    if not isinstance(value, Tensor):
        kind = type(value).__name__
        fix = f"Write torch.tensor(...) around {argument}."
        raise AttentionError("not_a_tensor", argument, "a torch.Tensor", f"a {kind}", fix, {"type": kind})


def check_floating(argument: str, tensor: Tensor) -> None:
    if tensor.dtype not in FLOATS:
        expected = "float16, bfloat16, float32 or float64"
        fix = f"Convert {argument} to one of these, for example to torch.float64."
        dtype = str(tensor.dtype)
        raise AttentionError("not_floating", argument, expected, dtype, fix, {"dtype": dtype})


def check_alike(**tensors: object) -> None:
    """Floating point all of them, of the first one's dtype and on its device."""
    reference, first = next(iter(tensors.items()))
    for argument, tensor in tensors.items():
        check_tensor(argument, tensor)
        check_floating(argument, tensor)
        if tensor.dtype != first.dtype:
            expected, got = f"{first.dtype}, the dtype of {reference}", str(tensor.dtype)
            fix = f"Write {argument}.to({first.dtype})."
            facts = {"dtype": got, "reference": reference, "reference_dtype": str(first.dtype)}
            raise AttentionError("dtype_differs", argument, expected, got, fix, facts)
        check_device(argument, tensor, reference, first)


def check_device(argument: str, tensor: Tensor, reference: str, first: Tensor) -> None:
    if tensor.device != first.device:
        expected, got = f"device {first.device}, where {reference} is", str(tensor.device)
        fix = f"Write {argument}.to({reference}.device)."
        facts = {"device": got, "reference": reference, "reference_device": str(first.device)}
        raise AttentionError("device_differs", argument, expected, got, fix, facts)


def check_dimensions(argument: str, tensor: Tensor, allowed: str, fits: bool) -> None:
    """`fits` says whether the tensor's number of dimensions is right, `allowed` which shape is."""
    if not fits:
        got = f"shape {tuple(tensor.shape)}"
        fix = f"Reshape {argument}, or add the dimension that is missing with unsqueeze."
        facts = {"shape": tuple(tensor.shape), "allowed": allowed}
        raise AttentionError("wrong_dimensions", argument, f"shape {allowed}", got, fix, facts)


def check_size(
    argument: str, shape: tuple[int, ...], dimension: int, size: int, reference: str, fix: str
) -> None:
    """The size on `dimension` must be `size`, which is what `reference` says."""
    got = shape[dimension]
    if got != size:
        expected = f"{size} on dimension {dimension} ({reference})"
        facts = {"size": got, "dimension": dimension, "expected_size": size, "reference": reference}
        raise AttentionError("size_differs", argument, expected, f"{got} (shape {tuple(shape)})", fix, facts)


def broadcast_shape(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape these broadcast to, None where they do not.

    Views of one number, because torch.broadcast_shapes imports sympy at its first call: 0.3 s. Most often all
    shapes are equal, and then there is nothing to ask.
    """
    if len({tuple(shape) for shape in shapes}) == 1:
        return tuple(shapes[0])
    try:
        return tuple(torch.broadcast_tensors(*(torch.empty(()).expand(shape) for shape in shapes))[0].shape)
    except RuntimeError:
        return None


def check_leading(reference: str, leading: tuple, argument: str, shape: tuple) -> tuple[int, ...]:
    """The leading dimensions (all but the last two) that both broadcast to."""
    joined = broadcast_shape(leading, shape[:-2])
    if joined is None:
        expected = f"leading dimensions that broadcast with {tuple(leading)}, those of {reference}"
        fix = "They must be equal, or 1, or missing, counted from the right."
        facts = {"shape": tuple(shape), "reference": reference, "reference_leading": tuple(leading)}
        raise AttentionError("leading_differs", argument, expected, f"shape {tuple(shape)}", fix, facts)
    return joined


def check_broadcasts(argument: str, tensor: Tensor, target: tuple[int, ...]) -> None:
    """The tensor must broadcast to the target's shape without making it larger."""
    shape, target = tuple(tensor.shape), tuple(target)
    if broadcast_shape(shape, target) != target:
        expected = f"a shape that broadcasts to {target}"
        fix = f"Counted from the right, each size must be equal or 1; {argument}[:, None, :] inserts a 1."
        facts = {"shape": shape, "target": target}
        raise AttentionError("not_broadcastable", argument, expected, f"shape {shape}", fix, facts)


def check_mask(mask: object, reference: str, first: Tensor) -> None:
    check_tensor("mask", mask)
    if mask.dtype != torch.bool:
        got = str(mask.dtype)
        if mask.dtype.is_floating_point:
            fix = "A number to be added to the scores is a bias: pass it as bias=..., not as mask."
        else:
            fix = "Write mask.bool(), if 1 means that the query may attend to the key."
        expected = "torch.bool, True = may attend"
        raise AttentionError("mask_not_boolean", "mask", expected, got, fix, {"dtype": got})
    check_device("mask", mask, reference, first)


def check_bias(bias: object, reference: str, first: Tensor) -> None:
    check_tensor("bias", bias)
    if bias.dtype == torch.bool:
        fix = "True and False say who may attend: pass them as mask=..., not as bias."
        expected, got = "numbers to add to the scores", "torch.bool"
        raise AttentionError("bias_is_boolean", "bias", expected, got, fix, {"dtype": got})
    check_alike(**{reference: first, "bias": bias})


def number(argument: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        kind = type(value).__name__
        fix = f"Write {argument} as a plain Python number."
        raise AttentionError("not_a_number", argument, "a number", f"a {kind}", fix, {"type": kind})
    return float(value)


def probability(argument: str, value: object) -> float:
    clean = number(argument, value)
    if not 0 <= clean <= 1:
        fix = f"Write {argument} as a share: 0 for none, 1 for all."
        facts = {"value": clean, "minimum": 0, "maximum": 1}
        raise AttentionError("out_of_range", argument, "a number from 0 to 1", str(clean), fix, facts)
    return clean


def finite(argument: str, value: object) -> float:
    clean = number(argument, value)
    if not math.isfinite(clean):
        fix = f"Leave {argument} out for its default, or write a finite number."
        raise AttentionError("not_finite", argument, "a finite number", str(clean), fix, {"value": clean})
    return clean


def positive(argument: str, value: object) -> float:
    clean = number(argument, value)
    if not 0 < clean < math.inf:
        fix = f"Leave {argument} out for its default, or write a finite number above 0."
        expected = "a finite number above 0"
        raise AttentionError("not_positive", argument, expected, str(clean), fix, {"value": clean})
    return clean


def masked_score_for(dtype: torch.dtype, value: object) -> float:
    """−inf, or a finite number that the dtype can hold."""
    clean = number("masked_score", value)
    if math.isnan(clean) or clean == math.inf:
        expected, facts = "-inf or a finite number", {"value": clean}
        fix = 'Write float("-inf"), the value that masks exactly.'
        raise AttentionError("masked_score_invalid", "masked_score", expected, str(clean), fix, facts)
    limits = torch.finfo(dtype)
    if clean != -math.inf and not limits.min <= clean <= limits.max:
        expected = f"-inf or a number from {limits.min:g} to {limits.max:g}, all that {dtype} can hold"
        fix = f'Write float("-inf"), or torch.finfo({dtype}).min.'
        facts = {"value": clean, "dtype": str(dtype), "minimum": limits.min, "maximum": limits.max}
        raise AttentionError("masked_score_too_large", "masked_score", expected, f"{clean:g}", fix, facts)
    return clean


def integer(argument: str, value: object, minimum: int, maximum: int | None = None) -> int:
    try:
        clean = operator.index(value)
    except TypeError:
        clean = None
    if clean is None or isinstance(value, bool):
        kind = type(value).__name__
        fix = f"Write {argument} as a whole number."
        raise AttentionError("not_an_integer", argument, "an integer", f"a {kind}", fix, {"type": kind})
    if clean < minimum or (maximum is not None and clean > maximum):
        expected = f"{minimum} or more" if maximum is None else f"{minimum} to {maximum}"
        fix = f"Choose {argument} from that range."
        facts = {"value": clean, "minimum": minimum, "maximum": maximum}
        raise AttentionError("out_of_range", argument, expected, str(clean), fix, facts)
    return clean


def check_choice(argument: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        expected = " or ".join(f'"{choice}"' for choice in choices)
        fix = f"Choose {argument} from these names."
        facts = {"value": str(value), "choices": choices}
        raise AttentionError("unknown_choice", argument, expected, repr(value), fix, facts)
