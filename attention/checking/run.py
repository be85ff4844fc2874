"""A function called over the cases. Whatever it does is a finding, never a crash."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attention.checking.calls import (
    ARRAYS,
    LAYOUTS,
    TENSORS,
    Called,
    Function,
    Layout,
    Unsupported,
    has_numbers,
    signature_of,
    to_tensor,
)
from attention.checking.cases import TOLERANCES, Case, all_cases, case_of, close
from attention.checking.report import CheckReport, FailedCase, SkippedCase
from attention.checking.verdict import Explanation, Observation, explain, kind_of
from attention.checks import check_choice
from attention.errors import AttentionError
from attention.scaled_dot_product import scaled_dot_product_attention

ALWAYS = ("", "upper_left", "lower_right")  # alignments of the causal mask of code that is always causal
CALLS = 4  # of the same case, to see whether a wrong result changes
OF_SHAPES = (
    RuntimeError,
    ValueError,
    IndexError,
    TypeError,
)  # what libraries raise where shapes do not match


class _Result(NamedTuple):
    """What came of one call, before it is known whether it is right."""

    got: Tensor | None
    error: str = ""
    raised: bool = False  # an exception as of shapes that do not match
    kind: str = ""  # "exception", "no_tensor", "changed", "dtype" or "random": a fault however right it is
    gradients: tuple[Tensor | None, ...] | str | None = None  # of query, key and value; or an error


class _Trial(NamedTuple):
    """The cases in one reading of the function: its layout, and whether it is always causal."""

    layout: Layout
    always: str
    cases: tuple[Case, ...]
    results: tuple[_Result, ...]
    kinds: tuple[str | None, ...]  # what is wrong with each
    skipped: tuple[SkippedCase, ...]

    @property
    def failures(self) -> int:
        return sum(kind is not None for kind in self.kinds)

    @property
    def random(self) -> bool:
        return "random" in self.kinds

    def explained(self, *, together: bool) -> Explanation:
        wrong = {"exception", "no_tensor", "shape", "not_finite", "numbers"}
        if self.random:
            of_numbers = wrong - {"exception", "no_tensor"} | {"random"}
            return Explanation(tuple(("dropout_on",) if k in of_numbers else () for k in self.kinds), 0)
        observations = [
            Observation(case, result.got, tolerance_of(case, result.got), result.raised)
            for case, result in zip(self.cases, self.results, strict=True)
        ]
        told = explain(observations, together=together)
        names = (names if kind in wrong else () for names, kind in zip(told.names, self.kinds, strict=True))
        return Explanation(tuple(names), told.unexplained)

    def report(self, explanation: Explanation) -> CheckReport:
        named = zip(self.cases, self.results, self.kinds, explanation.names, strict=True)
        return CheckReport(
            tuple(case for case, kind in zip(self.cases, self.kinds, strict=True) if kind is None),
            tuple(_failed(case, result, kind, names) for case, result, kind, names in named if kind),
            self.skipped,
            self.layout.name,
            self.always,
        )


def report_on(fn: Function, device: torch.device | str | None, arrays: str) -> CheckReport:
    """The report on the function, in the reading of it in which most is right or explained."""
    if not callable(fn):
        raise AttentionError("not_callable", "fn", type=type(fn).__name__)
    check_choice("arrays", arrays, ARRAYS)
    signature = signature_of(fn)
    never = signature.name("is_causal") is not None  # what has the argument is not causal in every call
    trials: list[_Trial] = []
    for layout in LAYOUTS:
        called = Called(fn, signature, layout, arrays, device)
        trials += [trial for trial in _trials(called, ALWAYS[:1] if never else ALWAYS) if trial is not None]
        if any(not trial.failures for trial in trials):
            break
    trials.sort(key=lambda trial: trial.failures)  # stable: the plain reading first
    for together in (False, True):
        for trial in trials:
            if together and trial.layout.name:
                continue
            explanation = trial.explained(together=together)
            if not explanation.unexplained:
                return trial.report(explanation)
    plain = next(trial for trial in trials if not trial.layout.name and not trial.always)
    return plain.report(plain.explained(together=False))


def _trials(called: Called, always: Sequence[str]) -> list[_Trial]:
    """The cases in this layout; none where the function does not take it."""
    square, rectangle = case_of("square"), case_of("rectangle")
    dimensions = next(
        (count for count in called.layout.dimensions if _takes(called, square.lifted(count))), 0
    )
    if not dimensions:
        if called.layout.name:
            return []
        dimensions = called.layout.dimensions[0]
    called = called.with_place(rectangle.lifted(dimensions))
    pairs: list[tuple[Case, _Result]] = []
    skipped: list[SkippedCase] = []
    for case in (case.lifted(dimensions) for case in all_cases()):
        missing = _missing(called, case)
        try:
            result = None if missing else _result(called, case)
        except Unsupported as error:
            missing = str(error)
            result = None
        if result is None:
            skipped.append(SkippedCase(case.name, missing))
        elif "enable_gqa" in case.options and called.signature.name("enable_gqa") is None:
            if _kind(case, result) is None:
                pairs.append((case, result))
            else:
                skipped.append(SkippedCase(case.name, "enable_gqa"))
        else:
            pairs.append((case, result))
    pairs, refused = _without_refused(pairs)
    skipped += refused
    return [_judged(called.layout, alignment, pairs, tuple(skipped)) for alignment in always]


def _judged(
    layout: Layout, always: str, pairs: list[tuple[Case, _Result]], skipped: tuple[SkippedCase, ...]
) -> _Trial:
    cases = tuple(case.lifted(case.query.ndim, always) for case, _ in pairs)
    results = tuple(result for _, result in pairs)
    kinds = tuple(_kind(case, result) for case, result in zip(cases, results, strict=True))
    return _Trial(layout, always, cases, results, kinds, skipped)


def _without_refused(
    pairs: list[tuple[Case, _Result]],
) -> tuple[list[tuple[Case, _Result]], list[SkippedCase]]:
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


def _result(called: Called, case: Case) -> _Result:
    """What comes of the call. A wrong result is asked for again: with dropout it is another one."""
    result = _call(called, case)
    if case.is_padding and called.signature.name("key_padding_mask") is not None and _kind(case, result):
        other = _call(replace(called, true_is_masked=False), case)
        result = other if _kind(case, other) is None else result
    if result.got is not None and _kind(case, result) is not None:
        for _ in range(CALLS - 1):
            again = _call(called, case).got
            if (
                again is None
                or again.shape != result.got.shape
                or not torch.equal(again.nan_to_num(), result.got.nan_to_num())
            ):
                return result._replace(kind="random")
    elif case.query.dtype is torch.float64 and called.arrays == "torch":
        return result._replace(gradients=_gradients(called, case))
    return result


def _call(called: Called, case: Case) -> _Result:
    inputs = called.inputs(case)
    try:
        got = called.result(inputs, case)
    except Exception as error:
        told = f"it raised {type(error).__name__}: {error}"
        return _Result(None, told, isinstance(error, OF_SHAPES), "exception")
    if not has_numbers(got):
        return _Result(
            None, f"it returned {_article(got)}, expected a tensor with its numbers", kind="no_tensor"
        )
    if called.arrays == "torch" and got.dtype != case.query.dtype:
        return _Result(got, kind="dtype")
    before = called.inputs(case)
    same = all(
        torch.equal(to_tensor(inputs[name], called.arrays), to_tensor(array, called.arrays))
        for name, array in before.items()
    )
    return _Result(got) if same else _Result(got, kind="changed")


def _article(got: object) -> str:
    return "nothing" if got is None else f"a {type(got).__name__}"


def tolerance_of(case: Case, got: Tensor | None) -> float:
    """How far a right result may be off: what comes back in half precision has no more digits."""
    return case.tolerance if got is None else max(case.tolerance, TOLERANCES.get(got.dtype, 0.0))


def _kind(case: Case, result: _Result) -> str | None:
    """What is wrong; None where nothing is."""
    if result.got is None or result.kind == "random":
        return result.kind
    kind = kind_of(case, result.got, tolerance_of(case, result.got)) or result.kind or None
    return kind or ("gradient" if _gradient_fault(case, result.gradients) else None)


# ---- the gradient


def _gradients(called: Called, case: Case) -> tuple[Tensor | None, ...] | str:
    """Of query, key and value, each None where none reaches it; an error where there is none at all."""
    leaves = [getattr(case, name).clone().requires_grad_() for name in TENSORS]
    inputs = called.inputs(replace(case, **dict(zip(TENSORS, leaves, strict=True))))
    try:
        output = called.layout.back(called.output(inputs, case))
        if not output.requires_grad:
            return "no gradient reaches query, key and value: the result does not require one"
        loss = (output * _loss_weights(output)).sum()
        return torch.autograd.grad(loss, leaves, allow_unused=True)
    except Exception as error:
        return f"with requires_grad=True it raised {type(error).__name__}: {error}"


def _loss_weights(output: Tensor) -> Tensor:
    return torch.arange(1, output.numel() + 1, dtype=output.dtype).reshape(output.shape) / output.numel()


def _gradient_fault(case: Case, gradients: tuple[Tensor | None, ...] | str | None) -> str:
    """What is wrong with the gradients; empty where nothing is."""
    if gradients is None or isinstance(gradients, str):
        return gradients or ""
    leaves = [getattr(case, name).clone().requires_grad_() for name in TENSORS]
    output = scaled_dot_product_attention(*leaves, mask=case.visible).output
    right = torch.autograd.grad((output * _loss_weights(output)).sum(), leaves)
    for name, gradient, expected in zip(TENSORS, gradients, right, strict=True):
        if gradient is None:
            return f"no gradient reaches {name}: it is detached on the way"
        if not close(gradient, expected, case.tolerance):
            return f"its output is right, but the gradient of {name} is not"
    return ""


def _failed(case: Case, result: _Result, kind: str, names: tuple[str, ...]) -> FailedCase:
    tensors: dict[str, Any] = {name: getattr(case, name) for name in (*TENSORS, "mask")}
    error = _gradient_fault(case, result.gradients) if kind == "gradient" else result.error
    return FailedCase(
        case.name,
        **tensors,
        options=case.options,
        expected=case.expected,
        got=result.got,
        kind=kind,
        mistakes=names,
        error=error,
    )
