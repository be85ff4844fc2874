"""A function called over the cases. Whatever it does is a finding, never a crash."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from attention.checking.calls import (
    ARRAYS,
    LAYOUTS,
    TENSORS,
    Called,
    Function,
    Unsupported,
    signature_of,
    to_tensor,
)
from attention.checking.cases import Case, all_cases, case_of
from attention.checking.modules import is_layer, report_on_layer
from attention.checking.readings import (
    Reading,
    Result,
    best,
    call_result,
    fault_of,
    judged,
    loss_weights,
    repeated,
)
from attention.checking.report import CheckReport, SkippedCase
from attention.checks import check_choice
from attention.errors import AttentionError

ALWAYS = ("", "upper_left", "lower_right")  # alignments of the causal mask of code that is always causal


def report_on(fn: Function, device: torch.device | str | None, arrays: str) -> CheckReport:
    """The report on the function, in the reading of it in which most is right or explained."""
    if not callable(fn):
        raise AttentionError("not_callable", "fn", type=type(fn).__name__)
    check_choice("arrays", arrays, ARRAYS)
    if isinstance(fn, torch.nn.Module) and is_layer(fn):
        return report_on_layer(fn, device)
    signature = signature_of(fn)
    never = signature.name("is_causal") is not None  # what has the argument is not causal in every call
    readings: list[Reading] = []
    for layout in LAYOUTS:
        called = Called(fn, signature, layout, arrays, device)
        readings += _readings(called, ALWAYS[:1] if never else ALWAYS)
        if any(not reading.failures for reading in readings):
            break
    return best(readings)


def _readings(called: Called, always: Sequence[str]) -> list[Reading]:
    """The cases in this layout; none where the function does not take it."""
    square, rectangle = case_of("square"), case_of("rectangle")
    dimensions = next(
        (count for count in called.layout.dimensions if _takes(called, square.lifted(count))), 0
    )
    if not dimensions:
        if called.layout.name:
            return []
        dimensions = called.layout.dimensions[0]
    rectangle = rectangle.lifted(dimensions)
    called = called.with_place(rectangle)
    pairs: list[tuple[Case, Result]] = []
    skipped: list[SkippedCase] = []
    even = not _takes(called, rectangle) and _takes(called, rectangle.even())
    if even:
        error = _call(called, rectangle).error
        skipped.append(SkippedCase("rectangle", "value_dim other than head_dim", error))
    for case in (case.lifted(dimensions) for case in all_cases()):
        case = case.even() if even else case
        missing = _missing(called, case)
        try:
            result = None if missing else _result(called, case)
        except Unsupported as error:
            missing = str(error)
            result = None
        if result is None:
            skipped.append(SkippedCase(case.name, missing))
        elif "enable_gqa" in case.options and called.signature.name("enable_gqa") is None:
            if fault_of(case, result) is None:
                pairs.append((case, result))
            else:
                skipped.append(SkippedCase(case.name, "enable_gqa"))
        else:
            pairs.append((case, result))
    pairs, refused = _without_refused(pairs)
    skipped += refused
    return [judged(called.layout.name, alignment, pairs, tuple(skipped)) for alignment in always]


def _without_refused(
    pairs: list[tuple[Case, Result]],
) -> tuple[list[tuple[Case, Result]], list[SkippedCase]]:
    """Without a number of dimensions that the function never takes, if it takes fewer."""
    counts = sorted({case.query.ndim for case, _ in pairs})
    refused: list[SkippedCase] = []
    for count in counts[1:]:
        of_count = [result for case, result in pairs if case.query.ndim == count]
        if all(result.raised for result in of_count):
            refused += [
                SkippedCase(case.name, f"{count} dimensions", result.error)
                for case, result in pairs
                if case.query.ndim == count
            ]
            pairs = [(case, result) for case, result in pairs if case.query.ndim != count]
    return pairs, refused


# ---- one call


def _missing(called: Called, case: Case) -> str:
    """The argument that the case needs and the function does not have."""
    padding = case.is_padding and called.signature.name("key_padding_mask") is not None
    if case.mask is not None and not padding and called.signature.name("attn_mask") is None:
        return "attn_mask"
    needed = (option for option in case.options if option != "enable_gqa")
    return next((option for option in needed if called.signature.name(option) is None), "")


def _takes(called: Called, case: Case) -> bool:
    """Whether it takes so many dimensions: it raises nothing."""
    try:
        called.result(called.inputs(case), case)
    except Exception:
        return False
    return True


def _result(called: Called, case: Case) -> Result:
    """The result of the call; in float64 with the gradient, if it is right."""
    result = repeated(lambda: _call(called, case), case)
    if case.is_padding and called.signature.name("key_padding_mask") is not None and fault_of(case, result):
        other = _call(replace(called, true_is_masked=False), case)
        result = other if fault_of(case, other) is None else result
    of_float64 = case.query.dtype is torch.float64 and called.arrays == "torch"
    if of_float64 and result.got is not None and result.kind != "random":
        return result._replace(gradients=_gradients(called, case))
    return result


def _call(called: Called, case: Case) -> Result:
    inputs = called.inputs(case)
    result = call_result(lambda: called.result(inputs, case), case, any_dtype=called.arrays != "torch")
    if result.got is None:
        return result
    before = called.inputs(case)
    same = all(
        torch.equal(to_tensor(inputs[name], called.arrays), to_tensor(array, called.arrays))
        for name, array in before.items()
    )
    return result if same else result._replace(kind="changed")


# ---- the gradient


def _gradients(called: Called, case: Case) -> tuple[Tensor | None, ...] | str:
    """Of query, key and value, each None where none reaches it; an error where there is none at all."""
    leaves = [getattr(case, name).clone().requires_grad_() for name in TENSORS]
    inputs = called.inputs(replace(case, **dict(zip(TENSORS, leaves, strict=True))))
    try:
        output = called.layout.back(called.output(inputs, case))
        if not output.requires_grad:
            return "no gradient reaches query, key and value: the result does not require one"
        loss = (output * loss_weights(output)).sum()
        return torch.autograd.grad(loss, leaves, allow_unused=True)
    except Exception as error:
        return f"with requires_grad=True it raised {type(error).__name__}: {error}"
