"""The results of a function or a module over the cases, and the report on them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attention.checking.calls import TENSORS, has_numbers
from attention.checking.cases import TOLERANCES, Case, close
from attention.checking.report import CheckReport, FailedCase, SkippedCase
from attention.checking.verdict import Explanation, Observation, explain, kind_of
from attention.scaled_dot_product import scaled_dot_product_attention

CALLS = 4  # of the same case, to see whether a wrong result changes
# what libraries raise where shapes do not match
OF_SHAPES = (RuntimeError, ValueError, IndexError, TypeError)
HALF_OVERFLOW = "Half without"  # what PyTorch raises where −1e9 fills float16
OF_NUMBERS = ("shape", "not_finite", "numbers", "random")  # kinds of faults that are in the output


class Result(NamedTuple):
    """The result of one call, before it is known whether it is right."""

    got: Tensor | None
    error: str = ""
    raised: bool = False  # an exception as of shapes that do not match
    kind: str = ""  # "exception", "no_tensor", "changed", "dtype" or "random": a fault however right it is
    gradients: tuple[Tensor | None, ...] | str | None = None  # of query, key and value; or an error


class Reading(NamedTuple):
    """The cases in one reading of the function: its layout, and whether it is always causal."""

    layout: str
    always: str
    cases: tuple[Case, ...]
    results: tuple[Result, ...]
    kinds: tuple[str | None, ...]  # what is wrong with each
    skipped: tuple[SkippedCase, ...]

    @property
    def failures(self) -> int:
        return sum(kind is not None for kind in self.kinds)

    def explained(self, *, together: bool) -> Explanation:
        if "random" in self.kinds:
            return Explanation(tuple(("dropout_on",) if k in OF_NUMBERS else () for k in self.kinds), 0)
        observations = [
            Observation(case, result.got, tolerance_of(case, result.got), result.raised)
            for case, result in zip(self.cases, self.results, strict=True)
        ]
        told = explain(observations, together=together)
        named = ("exception", *OF_NUMBERS)
        names = [names if kind in named else () for names, kind in zip(told.names, self.kinds, strict=True)]
        if any("finite_mask" in of_case for of_case in names):
            for at, result in enumerate(self.results):
                if not names[at] and HALF_OVERFLOW in result.error:
                    names[at] = ("finite_mask",)
        return Explanation(tuple(names), told.unexplained)

    def report(self, explanation: Explanation) -> CheckReport:
        named = zip(self.cases, self.results, self.kinds, explanation.names, strict=True)
        return CheckReport(
            tuple(case for case, kind in zip(self.cases, self.kinds, strict=True) if kind is None),
            tuple(_failed(case, result, kind, names) for case, result, kind, names in named if kind),
            self.skipped,
            self.layout,
            self.always,
        )


def judged(
    layout: str, always: str, pairs: Sequence[tuple[Case, Result]], skipped: tuple[SkippedCase, ...]
) -> Reading:
    cases = tuple(case.aligned(always) for case, _ in pairs)
    results = tuple(result for _, result in pairs)
    kinds = tuple(fault_of(case, result) for case, result in zip(cases, results, strict=True))
    return Reading(layout, always, cases, results, kinds, skipped)


def best(readings: Iterable[Reading]) -> CheckReport:
    """The report on the reading with the fewest failures of all whose failures are explained.

    If no reading has an explanation for each failure, the report is on the first reading. With dropout
    nothing is explained, and the report is on the reading with the fewest exceptions.
    """
    first, *others = readings
    random = [reading for reading in (first, *others) if "random" in reading.kinds]
    if random:
        reading = min(random, key=lambda reading: sum(result.raised for result in reading.results))
        return reading.report(reading.explained(together=False))
    told: list[tuple[int, int, CheckReport]] = []
    for together in (False, True):
        for reading in sorted((first, *others), key=lambda reading: reading.failures):  # stable
            if together and reading is not first:
                continue  # two mistakes in another reading are too many
            if told and reading.failures > told[0][0]:
                break
            explanation = reading.explained(together=together)
            report = reading.report(explanation)
            if explanation.unexplained or not (reading is first or report.passed or report.mistakes):
                continue
            exceptions = sum(case.got is None and not case.mistakes for case in report.failed)
            told.append((reading.failures, exceptions, report))
        if told:
            return min(told, key=lambda entry: entry[:2])[2]
    return first.report(first.explained(together=False))


# ---- one call


def call_result(call: Callable[[], Any], case: Case, *, any_dtype: bool = False) -> Result:
    """The result of a call. An exception is a result too."""
    try:
        got = call()
    except Exception as error:
        first = str(error).partition("\n")[0]
        told = f"it raised {type(error).__name__}: {first}"
        return Result(None, told, isinstance(error, OF_SHAPES), "exception")
    if not has_numbers(got):
        told = f"it returned {_article(got)}, expected a tensor with its numbers"
        return Result(None, told, kind="no_tensor")
    return Result(got, kind="" if any_dtype or got.dtype == case.query.dtype else "dtype")


def _article(got: object) -> str:
    return "nothing" if got is None else f"a {type(got).__name__}"


def repeated(call: Callable[[], Result], case: Case) -> Result:
    """The result of a call. A wrong result is computed again: with dropout it changes."""
    result = call()
    if result.got is None or fault_of(case, result) is None:
        return result
    for _ in range(CALLS - 1):
        again = call().got
        if again is None or not torch.equal(again.nan_to_num(), result.got.nan_to_num()):
            return result._replace(kind="random")
    return result


def tolerance_of(case: Case, got: Tensor | None) -> float:
    """How far a right result may be off: what comes back in half precision has no more digits."""
    return case.tolerance if got is None else max(case.tolerance, TOLERANCES.get(got.dtype, 0.0))


def fault_of(case: Case, result: Result) -> str | None:
    """The kind of the fault; None for a right result."""
    if result.got is None or result.kind == "random":
        return result.kind
    kind = kind_of(case, result.got, tolerance_of(case, result.got)) or result.kind or None
    return kind or ("gradient" if gradient_fault(case, result.gradients) else None)


# ---- the gradient


def loss_weights(output: Tensor) -> Tensor:
    return torch.arange(1, output.numel() + 1, dtype=output.dtype).reshape(output.shape) / output.numel()


def gradient_fault(case: Case, gradients: tuple[Tensor | None, ...] | str | None) -> str:
    """What is wrong with the gradients; empty where nothing is."""
    if gradients is None or isinstance(gradients, str):
        return gradients or ""
    leaves = [getattr(case, name).clone().requires_grad_() for name in TENSORS]
    output = scaled_dot_product_attention(*leaves, mask=case.visible).output
    right = torch.autograd.grad((output * loss_weights(output)).sum(), leaves)
    for name, gradient, expected in zip(TENSORS, gradients, right, strict=True):
        if gradient is None:
            return f"no gradient reaches {name}: it is detached on the way"
        if not close(gradient, expected, case.tolerance):
            return f"its output is right, but the gradient of {name} is not"
    return ""


def _failed(case: Case, result: Result, kind: str, names: tuple[str, ...]) -> FailedCase:
    tensors: dict[str, Any] = {name: getattr(case, name) for name in (*TENSORS, "mask")}
    error = gradient_fault(case, result.gradients) if kind == "gradient" else result.error
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
