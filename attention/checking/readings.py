"""The results of a function or a module over the cases, and the report on them."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attention.checking import words
from attention.checking.calls import TENSORS, has_numbers
from attention.checking.cases import TOLERANCES, Case, close
from attention.checking.report import RIGHT_NUMBERS, CheckReport, FailedCase, SkippedCase
from attention.checking.verdict import Explanation, Observation, explain, kind_of
from attention.errors import AttentionError
from attention.scaled_dot_product import scaled_dot_product_attention

CALLS = 4  # of the same case, to see whether a wrong result changes
# what libraries raise where shapes do not match
OF_SHAPES = (RuntimeError, ValueError, IndexError, TypeError)
HALF_OVERFLOW = "Half without"  # what PyTorch raises where −1e9 fills float16
OF_NUMBERS = ("shape", "not_finite", "numbers", "random")  # kinds of faults that are in the output
CERTAIN = ("no_tensor", "not_finite", "changed")  # kinds of faults however the function is read
# cases in which one key has all the weight, or all keys have the same: many mistakes leave them right
SATURATED = ("large_scores", "far_below", "scale_zero", "many_keys")


class Result(NamedTuple):
    """The result of one call, before it is known whether it is right."""

    got: Tensor | None
    error: str = ""
    raised: bool = False  # an exception as of shapes that do not match
    kind: str = ""  # "exception", "no_tensor", "changed", "dtype" or "random": a fault however right it is
    gradients: tuple[Tensor | None, ...] | str | None = None  # of query, key and value; or an error
    merged: bool = False  # the heads were merged, (batch, length, heads * dim)


class Reading(NamedTuple):
    """The cases in one reading of the function: how it takes its arguments, and what it does by design."""

    parts: tuple[str, ...]  # the names of what this reading says, also of what is as usual
    cases: tuple[Case, ...]
    results: tuple[Result, ...]
    kinds: tuple[str | None, ...]  # what is wrong with each
    skipped: tuple[SkippedCase, ...] = ()
    layout: str = ""
    always: str = ""
    masks: str = ""  # their form, where it is another than PyTorch's
    conventions: tuple[str, ...] = ()  # names of words.REMARKS
    search: int = 0  # mistakes are looked for in readings with 0; if there are none with 1; with 2 never

    @property
    def failures(self) -> int:
        return sum(kind is not None for kind in self.kinds)

    @property
    def confirmed(self) -> bool:
        """Whether most cases without masks and options have the right numbers."""
        plain = [
            kind in (None, *RIGHT_NUMBERS)
            for case, kind in zip(self.cases, self.kinds, strict=True)
            if case.mask is None and not case.options and case.name not in SATURATED
        ]
        return 2 * sum(plain) > len(plain)

    @property
    def _telling(self) -> list[str | None]:
        pairs = zip(self.cases, self.kinds, strict=True)
        return [kind for case, kind in pairs if case.name not in SATURATED]

    @property
    def coarse(self) -> bool:
        """Whether most numbers lack the digits that half precision lacks, and nothing else is wrong."""
        wrong = [at for at, kind in enumerate(self.kinds) if kind and self.cases[at].name != "far_below"]
        return 2 * self._telling.count("numbers") > len(self._telling) and all(
            self.kinds[at] == "numbers" and self.cases[at].is_coarse(self.results[at].got.double())  # type: ignore[union-attr]
            for at in wrong
        )

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

    def report(self, names: Sequence[tuple[str, ...]] | None = None) -> CheckReport:
        """names: of each case, the mistakes that explain it; None: only the digits are missing."""
        remarks = [*self.conventions]
        failed, passed = [], []
        for at, (case, result, kind) in enumerate(zip(self.cases, self.results, self.kinds, strict=True)):
            of_case = () if names is None else names[at]
            of_case = tuple("precision" if name == "half_softmax" else name for name in of_case)
            besides = [name for name in of_case if name in words.REMARKS]
            remarks += besides
            if kind and names is not None and (len(besides) < len(of_case) or not besides):
                mistakes = tuple(name for name in of_case if name not in besides)
                failed.append(_failed(case, result, kind, mistakes))
            else:
                passed.append(case)
            if kind is None and result.got is not None and _wider(result.got.dtype, case.query.dtype):
                remarks.append("wider_dtype")
            if result.merged:
                remarks.append("merged_heads")
        remarks += ["precision"] if names is None and self.failures else []
        return CheckReport(
            tuple(passed),
            tuple(failed),
            self.skipped,
            self.layout,
            self.always,
            masks=self.masks,
            remarks=tuple(dict.fromkeys(remarks)),
        )


def judged(
    parts: tuple[str, ...],
    pairs: Sequence[tuple[Case, Result]],
    skipped: tuple[SkippedCase, ...] = (),
    *,
    layout: str = "",
    always: str = "",
    corner: str = "upper_left",
    masks: str = "",
    conventions: tuple[str, ...] = (),
) -> Reading:
    cases = tuple(case.aligned(always, corner) for case, _ in pairs)
    results = tuple(result for _, result in pairs)
    kinds = tuple(fault_of(case, result) for case, result in zip(cases, results, strict=True))
    return Reading(parts, cases, results, kinds, skipped, layout, always, masks, conventions)


def best(readings: Sequence[Reading], others: Sequence[Reading] = (), *, stated: bool = False) -> CheckReport:
    """The report on the reading that is confirmed.

    That is one in which all cases are right, or one in which mistakes give the numbers of every wrong case
    while in no other reading other mistakes do so as well, or one in which some cases are right. If there is
    none, nothing is compared, and what fails in any reading is all that is reported. others: where mistakes
    are looked for if readings tell none. stated: the reading is the caller's, and needs no confirmation.
    """
    random = [reading for reading in readings if "random" in reading.kinds]
    if random:
        reading = min(random, key=lambda reading: sum(result.raised for result in reading.results))
        return reading.report(reading.explained(together=False).names)
    ordered = sorted(readings, key=lambda reading: reading.failures)  # stable
    if not ordered[0].failures:
        return ordered[0].report()
    base = max(readings, key=lambda reading: (reading.confirmed, reading.kinds.count(None)))
    kind = base.layout, base.confirmed
    alike = [reading for reading in ordered if (reading.layout, reading.confirmed) == kind]
    told = _told(alike if base.confirmed else ordered)
    if len(told) != 1 and not base.confirmed:
        told = _told(others) or told
    if not told:  # two mistakes in one program are looked for last, since it takes long
        coarse = next((reading for reading in ordered if reading.coarse), None)
        told = [coarse.report()] if coarse else _told([base], together=True)
    if len(told) == 1:
        return told[0]
    if base.confirmed or stated:
        return base.report(base.explained(together=False).names)
    return not_compared(readings)


def _told(readings: Sequence[Reading], *, together: bool = False) -> list[CheckReport]:
    """The likeliest reports on readings in which mistakes explain all, of which each names others."""
    told: list[tuple[tuple[int, ...], CheckReport]] = []
    for reading in readings:
        explanation = reading.explained(together=together)
        report = reading.report(explanation.names)
        named = bool(report.mistakes or report.remarks != reading.conventions)
        if not explanation.unexplained and (named or reading.confirmed):
            exceptions = sum(case.got is None and not case.mistakes for case in report.failed)
            names = len(report.mistakes) + len(report.remarks)
            told.append(((exceptions, names, len(report.failed)), report))
    fewest = min((rank for rank, _ in told), default=())
    likely = {(report.mistakes, report.remarks): report for rank, report in reversed(told) if rank == fewest}
    return list(likely.values())


def stated(readings: Sequence[Reading], parts: str | None) -> Sequence[Reading]:
    """The readings that the caller allows: those that have all of the parts, which ; separates."""
    names = {part.strip() for part in (parts or "").split(";")} - {""}
    known = tuple(dict.fromkeys(part for reading in readings for part in reading.parts))
    chosen = [reading for reading in readings if names <= set(reading.parts)]
    if not chosen:
        wrong = next((name for name in sorted(names) if name not in known), parts or "")
        raise AttentionError("unknown_choice", "reading", value=wrong, choices=known)
    return chosen


def not_compared(readings: Sequence[Reading]) -> CheckReport:
    """What fails in any reading is a fault all the same."""
    first = readings[0]
    pairs = zip(first.cases, first.results, first.kinds, strict=True)
    failed = tuple(_failed(case, result, kind, ()) for case, result, kind in pairs if kind in CERTAIN)
    error = next((result.error for result in first.results if result.error), "")
    tried = tuple(dict.fromkeys(part for reading in readings for part in reading.parts))
    return CheckReport((), failed, (), compared=False, tried=tried, hint="" if failed else error)


def _wider(dtype: torch.dtype, other: torch.dtype) -> bool:
    return dtype.is_floating_point and torch.finfo(dtype).bits > torch.finfo(other).bits


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
