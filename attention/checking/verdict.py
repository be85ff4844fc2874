"""Whether a result is right for a case, and which mistakes it looks like, however it was computed."""

from typing import NamedTuple

import torch
from torch import Tensor

from attention.checking.cases import Case, close
from attention.checking.suspects import NAMES, OF_EMPTY_ROWS, outputs


class Verdict(NamedTuple):
    """What is wrong with a result."""

    kind: str  # "shape", "not_finite" or "numbers"
    suspects: tuple[
        str, ...
    ] = ()  # the mistakes that give these numbers: as a rule one mistake, or no known mistake


def judge(case: Case, got: Tensor, tolerance: float | None = None) -> Verdict | None:
    """None where the result is right. tolerance: how far a right one may be off."""
    if got.shape != case.output.shape:
        return Verdict("shape")
    tolerance = case.tolerance if tolerance is None else tolerance
    got = got.double()
    if close(got, case.output, tolerance):
        return None
    kind = "numbers" if bool(got.isfinite().all()) else "not_finite"
    return Verdict(kind, _suspects(case, got, tolerance))


def _suspects(case: Case, got: Tensor, tolerance: float) -> tuple[str, ...]:
    """Rows that may attend to nothing have mistakes of their own, and tell nothing of any other."""
    rows, empty = torch.ones(case.output.shape[:-1], dtype=torch.bool, device=got.device), case.empty_rows
    names = tuple(name for name in NAMES if empty is None or name not in OF_EMPTY_ROWS)
    if empty is not None and close(got[~empty], case.output[~empty], tolerance):
        names = OF_EMPTY_ROWS
    elif empty is not None:
        rows = ~empty
    return tuple(
        name
        for name in names
        if any(close(got[rows], output[rows], tolerance) for output in outputs(name, case))
    )
