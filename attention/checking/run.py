"""A function called over the cases. Whatever it does is a finding, never a crash."""

import inspect
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple, TypeGuard

import torch
from torch import Tensor

from attention.checking.cases import Case, all_cases
from attention.checking.report import CheckReport, FailedCase, SkippedCase
from attention.checking.verdict import judge
from attention.errors import AttentionError

Function = Callable[..., Any]
LAYOUTS = (2, 3, 4)  # dimensions of the query: (q_len, head_dim), with a batch, with heads


def report_on(fn: Function, device: torch.device | str | None = None) -> CheckReport:
    """The report on the function."""
    if not callable(fn):
        raise AttentionError("not_callable", "fn", type=type(fn).__name__)
    called, cases = _Called(fn, _mask_keyword(fn), _keywords(fn), device), all_cases()
    dimensions = next((count for count in LAYOUTS if called.takes(cases[0].lifted(count))), LAYOUTS[0])
    passed: list[Case] = []
    wrong: list[tuple[Case, _Outcome]] = []
    skipped: list[SkippedCase] = []
    for case in (case.lifted(dimensions) for case in cases):
        missing = called.missing(case)
        if missing:
            skipped.append(SkippedCase(case.name, missing))
            continue
        outcome = called.examined(case)
        if outcome is None:
            passed.append(case)
        else:
            wrong.append((case, outcome))
    return CheckReport(tuple(passed), _failed_cases(wrong), tuple(skipped))


class _Outcome(NamedTuple):
    """The result of a case that is not right."""

    kind: str
    got: Tensor | None
    suspects: tuple[str, ...] = ()
    error: str = ""


def _failed_cases(wrong: list[tuple[Case, _Outcome]]) -> tuple[FailedCase, ...]:
    """Where several mistakes give the same numbers: the mistake that explains most other cases."""
    counts = Counter(name for _, outcome in wrong for name in outcome.suspects)
    return tuple(
        FailedCase(
            case.name,
            case.query,
            case.key,
            case.value,
            case.mask,
            case.options,
            case.expected,
            outcome.got,
            outcome.kind,
            max(outcome.suspects, key=counts.__getitem__, default=None),
            outcome.error,
        )
        for case, outcome in wrong
    )


# ---- one call


class _Called(NamedTuple):
    fn: Function
    mask_keyword: str | None
    keywords: frozenset[str] | None  # None: any
    device: torch.device | str | None

    def missing(self, case: Case) -> str | None:
        """The argument that the case needs and the function does not have."""
        if case.mask is not None and self.mask_keyword is None:
            return "attn_mask"
        known = case.options if self.keywords is None else self.keywords
        return next((option for option in case.options if option not in known), None)

    def given(self, case: Case) -> dict[str, Tensor]:
        """Copies of the tensors, where the function is to work."""
        names = [name for name in ("query", "key", "value", "mask") if getattr(case, name) is not None]
        return {name: getattr(case, name).to(self.device, copy=True) for name in names}

    def result(self, inputs: dict[str, Tensor], case: Case) -> object:
        masked = {self.mask_keyword: inputs["mask"]} if self.mask_keyword and "mask" in inputs else {}
        with torch.no_grad():
            returned = self.fn(inputs["query"], inputs["key"], inputs["value"], **masked, **case.options)
        return _output_of(returned)

    def takes(self, case: Case) -> bool:
        """Whether it takes so many dimensions: it raises nothing."""
        try:
            self.result(self.given(case), case)
        except Exception:
            return False
        return True

    def examined(self, case: Case) -> _Outcome | None:
        """What is wrong with the function's result; None where it is right."""
        inputs = self.given(case)
        try:
            got = self.result(inputs, case)
        except Exception as error:
            return _Outcome("exception", None, error=f"it raised {type(error).__name__}: {error}")
        if not _has_numbers(got):
            told = f"it returned {_article(got)}, expected a tensor with its numbers"
            return _Outcome("no_tensor", None, error=told)
        verdict = judge(case, got)
        if verdict is not None:
            return _Outcome(verdict.kind, got, verdict.suspects)
        if got.dtype != case.query.dtype:
            return _Outcome("dtype", got)
        same = all(torch.equal(inputs[name], before) for name, before in self.given(case).items())
        return None if same else _Outcome("changed", got)


def _output_of(returned: object) -> object:
    """A tensor as it is; of a tuple such as (output, weights) the first; of a trace its output."""
    if isinstance(returned, (tuple, list)) and returned:
        returned = returned[0]
    returned = getattr(returned, "output", returned)
    return returned.detach().cpu() if _has_numbers(returned) else returned


def _has_numbers(got: object) -> TypeGuard[Tensor]:
    """A tensor that is neither sparse nor on the device meta."""
    return isinstance(got, Tensor) and got.layout is torch.strided and not got.is_meta


def _article(got: object) -> str:
    return "nothing" if got is None else f"a {type(got).__name__}"


# ---- what the function takes


def _parameters(fn: Function) -> tuple[inspect.Parameter, ...] | None:
    """None where Python does not know them, as of PyTorch's own function."""
    try:
        signature = inspect.signature(fn.forward if isinstance(fn, torch.nn.Module) else fn)
    except (TypeError, ValueError):
        return None
    return tuple(signature.parameters.values())


def _keywords(fn: Function) -> frozenset[str] | None:
    parameters = _parameters(fn)
    if parameters is None or any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return frozenset(
        parameter.name for parameter in parameters if parameter.kind is not parameter.POSITIONAL_ONLY
    )


def _mask_keyword(fn: Function) -> str | None:
    """attn_mask, as PyTorch has it, or mask."""
    named = {parameter.name for parameter in _parameters(fn) or ()}
    if "attn_mask" not in named and "mask" in named:
        return "mask"
    keywords = _keywords(fn)
    return "attn_mask" if keywords is None or "attn_mask" in keywords else None
