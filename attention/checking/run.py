"""A function called over the cases. Whatever it does is a finding, never a crash."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from attention.checking.calls import (
    ARRAYS,
    LAYOUTS,
    PLAIN,
    TENSORS,
    Called,
    Function,
    Unsupported,
    has_numbers,
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

NUMPY_CALL = 'call check(fn, arrays="numpy").'
EVEN, SQUARE = ("value_dim other than head_dim",), ("kv_len other than q_len",)  # sizes that are not tried
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
    report = replace(best(readings), arrays=arrays)
    if arrays == "torch" and not report.passed and any(case.kind == "exception" for case in report.failed):
        report = replace(report, hint=_of_numpy(Called(fn, signature, arrays="numpy")))
    if isinstance(fn, torch.nn.Module) and all(case.kind == "exception" for case in report.failed):
        of_layer = report_on_layer(fn, device) if report.failed and not report.passed else report
        return report if of_layer.failed else of_layer
    return report


def _of_numpy(called: Called) -> str:
    """A hint where the function raises on tensors and takes arrays."""
    square = case_of("square")
    takes = any(_takes(called, square.lifted(dimensions)) for dimensions in PLAIN.dimensions)
    return f"With arrays of NumPy it raises nothing: {NUMPY_CALL}" if takes else ""


def _readings(called: Called, always: Sequence[str]) -> list[Reading]:
    """The cases in this layout; none where the function does not take it."""
    square, rectangle = case_of("square"), case_of("rectangle")
    counts = called.layout.dimensions
    dimensions = next((n for n in counts if _takes(called, square.lifted(n), as_many=True)), 0)
    dimensions = dimensions or next((n for n in counts if _takes(called, square.lifted(n))), 0)
    if not dimensions:
        if called.layout.name:
            return []
        dimensions = counts[0]
    rectangle = rectangle.lifted(dimensions)
    called = called.with_place(rectangle)
    readings = []
    for limits in _limits(called, rectangle):
        skipped = []
        if limits:
            error = _call(called, rectangle).error
            skipped = [SkippedCase("rectangle", " and ".join(limits), error)]
        pairs: list[tuple[Case, Result]] = []
        for case in (within(case.lifted(dimensions), limits) for case in all_cases()):
            result = _tried(called, case)
            if isinstance(result, SkippedCase):
                skipped.append(result)
            else:
                pairs.append((case, result))
        pairs, refused = _without_refused(pairs)
        readings += [judged(called.layout.name, corner, pairs, (*skipped, *refused)) for corner in always]
    return readings


def _limits(called: Called, rectangle: Case) -> list[tuple[str, ...]]:
    """What the function takes: any sizes, or value_dim = head_dim; if neither, perhaps q_len = kv_len."""
    if _takes(called, rectangle):
        return [()]
    if _takes(called, within(rectangle, EVEN)):
        return [EVEN]
    square = (limits for limits in (SQUARE, EVEN + SQUARE) if _takes(called, within(rectangle, limits)))
    return [(), *itertools.islice(square, 1)]


def within(case: Case, limits: tuple[str, ...]) -> Case:
    """The case in the sizes that the function takes."""
    for limit in limits:
        case = case.even() if limit in EVEN else case.squared()
    return case


def _tried(called: Called, case: Case) -> Result | SkippedCase:
    """The result, or why the case was not tried."""
    missing = _missing(called, case)
    if missing:
        return SkippedCase(case.name, missing)
    try:
        result = _result(called, case)
    except Unsupported as error:
        return SkippedCase(case.name, str(error))
    of_groups = "enable_gqa" in case.options and called.signature.name("enable_gqa") is None
    return SkippedCase(case.name, "enable_gqa") if of_groups and fault_of(case, result) else result


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


def _takes(called: Called, case: Case, *, as_many: bool = False) -> bool:
    """Whether it takes such sizes: it raises nothing; as_many: and returns as many dimensions."""
    try:
        got = called.result(called.inputs(case), case)
    except Exception:
        return False
    return not as_many or (has_numbers(got) and got.ndim == case.query.ndim)


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
