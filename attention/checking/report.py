"""What a check found, and how it reads."""

import textwrap
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from torch import Tensor

from attention.checking import words
from attention.checking.cases import Case
from attention.checking.mistakes import MISTAKES

WIDTH = 88  # characters of a line
PRINTED = 40  # numbers of a tensor that is printed
RIGHT_NUMBERS = ("dtype", "gradient", "changed")  # kinds of faults of right numbers
NO_MISTAKE = "Wrong, and it looks like none of the known mistakes:"
SEQUENCE_FIRST = "(length, batch, dim)"  # the layout of a module


@dataclass(frozen=True, eq=False)
class FailedCase:
    """A case whose result is not right.

    kind  what is wrong: "exception", "no_tensor", "shape", "not_finite", "numbers", "dtype", "gradient",
          "random" where the same call gives other numbers, or "changed" where the function changed its own
          arguments
    """

    name: str
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor | None
    options: Mapping[str, Any]  # is_causal, scale or enable_gqa, where the function was called with them
    expected: Tensor
    got: Tensor | None  # None where the result is no tensor
    kind: str
    mistakes: tuple[str, ...] = ()  # that explain it, by their names in words.MISTAKES
    error: str = ""  # the exception, the result in place of a tensor, or what is wrong with the gradient

    @property
    def mistake(self) -> str | None:
        """The mistake that explains it; of several the first, None where none does."""
        return next(iter(self.mistakes), None)


class SkippedCase(NamedTuple):
    """A case that needs an argument that the function does not have, or dimensions that it does not take."""

    name: str
    keyword: str
    error: str = ""  # the exception that says so


@dataclass(frozen=True, eq=False, repr=False)
class CheckReport:
    """What attention.check found; printed, it is a text. The cases are in order, the smallest first."""

    passed: tuple[Case, ...]
    failed: tuple[FailedCase, ...]
    skipped: tuple[SkippedCase, ...]
    layout: str = ""  # in which the function takes its tensors, where it is another than PyTorch's
    always: str = ""  # the alignment of the causal mask that the function sets in every call
    facts: tuple[str, ...] = ()  # of a module that is compared with nothing
    arrays: str = "torch"  # that the function gets
    hint: str = ""  # how to call check instead, or what the function raised
    masks: str = ""  # the form of its masks, where it is another than PyTorch's
    remarks: tuple[str, ...] = ()  # what is no mistake, by its name in words.REMARKS
    compared: bool = True  # False where no reading of the function is confirmed
    tried: tuple[str, ...] = ()  # the readings, where none is confirmed

    @property
    def ok(self) -> bool | None:
        """False where a case is wrong, None where none is wrong and some were not tried or compared."""
        tried = self.compared and not (self.skipped or self.facts or self.remarks)
        return False if self.failed else True if tried else None

    @property
    def mistakes(self) -> tuple[str, ...]:
        """The mistakes that it looks like, each once: first what explains most of the failed cases.

        Last is what shows in rows that may attend to nothing alone.
        """
        counts = Counter(name for case in self.failed for name in case.mistakes)
        return tuple(sorted(counts, key=lambda name: (MISTAKES[name].only_empty_rows, -counts[name])))

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    __repr__ = __str__


def _lines(report: CheckReport) -> list[str]:
    lines = [_first_line(report), *report.facts, *textwrap.wrap(report.hint, WIDTH)]
    if report.tried:
        lines += [
            "It agrees neither with attention nor with attention with a known mistake, read with any of:",
            *textwrap.wrap("; ".join(report.tried), WIDTH, initial_indent="  ", subsequent_indent="  "),
            f'If one of these is meant, say so, check(fn, reading="{report.tried[0]}"), or several with',
            "; between them: then the numbers are compared. If it has other arguments or steps, pass a",
            "function or module around it that takes query, key and value, or X, alone.",
        ]
    for name in report.remarks:
        kind, what, advice = words.REMARKS[name]
        head = {"extra": "No mistake", "convention": "A convention", "precision": "A matter of precision"}[
            kind
        ]
        lines += ["", f"{head}: {what}.", *textwrap.wrap(advice, WIDTH)]
    if report.layout == SEQUENCE_FIRST:
        lines += [
            "The sequence comes first here, the default of nn.MultiheadAttention: with X as",
            "(batch, length, dim) it mixes the texts of the batch and raises no error. For such an X",
            "say batch_first=True.",
        ]
    named = [case for case in report.failed if case.mistakes]
    unnamed = [case for case in report.failed if not case.mistakes and case.kind not in RIGHT_NUMBERS]
    besides = [case for case in report.failed if not case.mistakes and case.kind in RIGHT_NUMBERS]
    alone = all(MISTAKES[name].only_empty_rows for name in report.mistakes)  # nothing else is due to these
    told: list[list[str]] = []
    for number, mistake in enumerate(report.mistakes):
        told.append(["", *_mistake(report, mistake)])
        if number == 0 and _causes(report, mistake):
            told[0].append("Correct this first: what follows may be due to it.")
    if unnamed:
        head = NO_MISTAKE if alone else "Wrong as well, perhaps for the same reason:"
        rest = ["", head, *_faults(unnamed)]
        if alone:
            rest += [f'The smallest of these cases, "{unnamed[0].name}":', *_case(unnamed[0])]
        told.insert(0 if alone and len(unnamed) > len(named) else len(told), rest)
    if besides:
        told.append(["", "The numbers are right, but:", *_faults(besides)])
    lines += [line for part in told for line in part]
    if report.skipped:
        lines += ["", "Not tried:"]
        for reason in dict.fromkeys(_reason(case) for case in report.skipped):
            cases = ", ".join(c.name or c.keyword for c in report.skipped if _reason(c) == reason)
            lines += textwrap.wrap(f"{reason}: {cases}", WIDTH, initial_indent="  ", subsequent_indent="    ")
    return lines


def _causes(report: CheckReport, mistake: str) -> bool:
    """Whether others may be due to it: of the same step, in cases in which it does not show."""
    step, rows = MISTAKES[mistake].step, MISTAKES[mistake].only_empty_rows
    return any(
        all(mistake not in case.mistakes for case in report.failed if name in case.mistakes)
        for name in report.mistakes
        if MISTAKES[name].step == step and MISTAKES[name].only_empty_rows == rows
    )


def _first_line(report: CheckReport) -> str:
    passed, tried = len(report.passed), len(report.passed) + len(report.failed)
    line = f"{passed} of {tried} cases are right"
    if not report.compared:
        line = "Not compared: how it is meant is not known"
    elif report.facts:
        line = "The parameters have no known names: the numbers are compared with nothing"
    if report.layout:
        line += f"; X is {report.layout}" if report.facts else f" in the layout {report.layout}"
    if report.always:
        corner = report.always.replace("_", " ")
        told = (
            "equals causal attention in every case"
            if passed == tried
            else "is compared with causal attention"
        )
        line += f"; it {told}, aligned with the {corner} corner"
    line += f"; masks: {report.masks}" if report.masks else ""
    missing = ", ".join(dict.fromkeys(case.keyword for case in report.skipped))
    return f"{line}. Not tried: {missing}." if missing else f"{line}."


def _reason(case: SkippedCase) -> str:
    if case.error:
        return case.error
    if not case.name:
        return "arguments of modules are not tried"
    return (
        "NumPy has no bfloat16"
        if case.keyword == "bfloat16"
        else f"the function has no argument {case.keyword}"
    )


def _mistake(report: CheckReport, mistake: str) -> list[str]:
    """The mistake, how to correct it, and the smallest case that shows it."""
    cases = [case for case in report.failed if mistake in case.mistakes]
    what, fix = words.MISTAKES[mistake]
    fix = words.in_numpy(fix) if report.arrays == "numpy" else fix
    lines = [f"It looks like this: {what}.", *textwrap.wrap(fix, WIDTH)]
    lines += [f'The smallest case that shows it, "{cases[0].name}" ({_told(cases[0])}):']
    lines += _case(cases[0])
    if cases[1:]:
        others = ", ".join(case.name for case in cases[1:])
        lines += textwrap.wrap(f"It shows in these cases too: {others}.", WIDTH)
    return lines


def _told(case: FailedCase) -> str:
    return (words.CASES | words.LAYERS)[case.name]


def _faults(cases: list[FailedCase]) -> list[str]:
    """The cases with each kind of fault: the smallest with its own words, and the others by name."""
    lines = []
    for kind in dict.fromkeys(case.kind for case in cases):
        of_kind = [case for case in cases if case.kind == kind]
        first, *others = of_kind
        lines.append(f"  {first.name} ({_told(first)}): {_fault(first)}")
        if others:
            named = f"likewise {', '.join(case.name for case in others)}"
            lines += textwrap.wrap(named, WIDTH, initial_indent="    ", subsequent_indent="    ")
    return lines


def _case(case: FailedCase) -> list[str]:
    """The arguments, the expected result and the actual one."""
    arrays = {name: getattr(case, name) for name in ("query", "key", "value", "mask")}
    if case.query is case.key:
        arrays = {"x": case.query}
    arrays |= {**case.options, "expected": case.expected}
    arrays["got"] = _fault(case) if case.got is None else case.got
    lines = []
    for name, value in arrays.items():
        if isinstance(value, Tensor) and value.numel() > PRINTED:
            first = ", ".join(f"{number:.4g}" for number in value.flatten()[:4].tolist())
            lines.append(f"  {name:8} = a tensor of the shape {tuple(value.shape)}: {first}, ...")
        elif value is not None:
            head = f"  {name:8} = "
            whole = (head + str(value)).replace("\n", "\n" + " " * len(head))
            lines += [line.rstrip() for line in whole.split("\n")]
    return lines


def _fault(case: FailedCase) -> str:
    """What is wrong with the result."""
    if case.error or case.got is None:
        return case.error
    shapes = tuple(case.got.shape), tuple(case.expected.shape)
    return {
        "shape": f"its result has the shape {shapes[0]}, expected {shapes[1]}",
        "dtype": f"its result is {case.got.dtype}, expected {case.expected.dtype}, the dtype of the query",
        "changed": "the function changed query, key, value or mask, which belong to its caller",
        "not_finite": "its result has NaN or ∞ in it",
        "numbers": "its numbers are others",
        "random": "the same call gives other numbers each time",
    }[case.kind]
