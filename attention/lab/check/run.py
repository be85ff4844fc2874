"""A function called over the cases. Whatever it does is a finding, never a crash."""

import inspect
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from attention.errors import AttentionError
from attention.lab.check.cases import Case, all_cases, on_device
from attention.lab.check.report import CheckReport, FailedCase, SkippedCase
from attention.lab.check.verdict import judge

Function = Callable[..., Any]
LAYOUTS = (2, 3, 4)  # dimensions of the query: (q_len, head_dim), with a batch, with heads


def checked(fn: Function, device: torch.device | str | None = None) -> CheckReport:
    """The report on the function."""
    if not callable(fn):
        kind = type(fn).__name__
        mend = "Pass the function itself, without calling it: check(my_attention)."
        raise AttentionError("not_callable", "fn", "a function", f"a {kind}", mend, {"type": kind})
    called = _Called(fn, _mask_keyword(fn), _keywords(fn))
    cases = [on_device(case, device) for case in all_cases()]
    dimensions = next((count for count in LAYOUTS if called.takes(cases[0].lifted(count))), LAYOUTS[0])
    passed, found, skipped = [], [], []
    for case in (case.lifted(dimensions) for case in cases):
        missing = called.missing(case)
        if missing:
            skipped.append(SkippedCase(case.name, missing))
            continue
        outcome = called.examined(case)
        (passed if outcome is None else found).append(case if outcome is None else (case, outcome))
    return CheckReport(tuple(passed), _failed(found), tuple(skipped))


class _Outcome(NamedTuple):
    """What came of a case that is not right."""

    kind: str
    got: Tensor | None
    suspects: tuple[str, ...] = ()
    error: str = ""


def _failed(found: list[tuple[Case, _Outcome]]) -> tuple[FailedCase, ...]:
    """Where several mistakes give the same numbers, it is the one that explains most of the other cases."""
    counts = Counter(name for _, outcome in found for name in outcome.suspects)
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
        for case, outcome in found
    )


# ---- one call


class _Called(NamedTuple):
    fn: Function
    mask_keyword: str | None
    keywords: frozenset[str] | None  # None: any

    def missing(self, case: Case) -> str | None:
        """The argument that the case needs and the function does not have."""
        if case.mask is not None and self.mask_keyword is None:
            return "attn_mask"
        return next(
            (one for one in case.options if self.keywords is not None and one not in self.keywords), None
        )

    def result(self, tensors: list[Tensor], mask: Tensor | None, options: dict) -> object:
        masked = {} if mask is None else {self.mask_keyword: mask}
        with torch.no_grad():
            return _output_of(self.fn(*tensors, **masked, **options))

    def takes(self, case: Case) -> bool:
        """Whether it takes so many dimensions: it raises nothing."""
        try:
            self.result([case.query.clone(), case.key.clone(), case.value.clone()], None, {})
        except Exception:
            return False
        return True

    def examined(self, case: Case) -> _Outcome | None:
        """What is wrong with the function's result; None where it is right."""
        given = [case.query, case.key, case.value]
        tensors, mask = [tensor.clone() for tensor in given], None if case.mask is None else case.mask.clone()
        try:
            got = self.result(tensors, mask, dict(case.options))
        except Exception as error:
            return _Outcome("exception", None, error=f"it raised {type(error).__name__}: {error}")
        if not isinstance(got, Tensor):
            return _Outcome("no_tensor", None, error=f"it returned {_article(got)}, expected a tensor")
        verdict = judge(case, got)
        if verdict is not None:
            return _Outcome(verdict.kind, got, verdict.suspects)
        if got.dtype != case.query.dtype:
            return _Outcome("dtype", got)
        after = [*tensors, *([] if mask is None else [mask])]
        same = map(torch.equal, after, [*given, *([] if mask is None else [case.mask])])
        return None if all(same) else _Outcome("changed", got)


def _output_of(returned: object) -> object:
    """A tensor as it is; of a tuple such as (output, weights) the first; of a trace its output."""
    if isinstance(returned, (tuple, list)) and returned:
        returned = returned[0]
    returned = getattr(returned, "output", returned)
    return returned.detach() if isinstance(returned, Tensor) else returned


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
    if parameters is None or any(one.kind is one.VAR_KEYWORD for one in parameters):
        return None
    return frozenset(one.name for one in parameters if one.kind is not one.POSITIONAL_ONLY)


def _mask_keyword(fn: Function) -> str | None:
    """attn_mask, as PyTorch has it, or mask."""
    named = {one.name for one in _parameters(fn) or ()}
    if "attn_mask" not in named and "mask" in named:
        return "mask"
    keywords = _keywords(fn)
    return "attn_mask" if keywords is None or "attn_mask" in keywords else None
