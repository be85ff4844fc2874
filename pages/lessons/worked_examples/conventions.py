"""Numbers that follow in another way than by √dₖ and without a mask: they are right, and how is said.

A document that has no mistake of its own in the usual way is judged in that way. Others may follow, with all
their numbers after the scores, by the divisor that the text names, without scaling, or with a causal mask.
"""

import functools
import math
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from attention import causal_mask, scaled_dot_product_attention
from attention.lab.worked_examples import audit as lab
from attention.lab.worked_examples.audit import Audit, Line, audit
from attention.lab.worked_examples.document import BLANK, Document, half_unit, number

AFTER = ("scaled_scores", "exponentials", "sums", "weights", "output")


class Convention(NamedTuple):
    """How a document gets from scores to weights. divisor: None for the usual one, √dₖ of its Q."""

    divisor: float | None = None
    causal: bool = False

    @property
    def name(self) -> str:
        """The key of its sentence; "" for the usual convention."""
        scaling = {None: "", 1.0: "unscaled"}.get(self.divisor, "divisor")
        return "_".join(filter(None, (scaling, "causal" if self.causal else "")))


USUAL = Convention()


@functools.lru_cache(maxsize=64)
def judged(document: Document) -> tuple[Audit, Convention]:
    """The audit by the convention that the document follows; by the usual one if it follows none."""
    usual, named = audit(document), document.d_k and math.sqrt(document.d_k)
    if not any(line.verdict == lab.WRONG and line.step in AFTER for line in usual.lines):
        return usual, USUAL
    for causal in (False, True):
        for divisor in (named, None, 1.0):
            convention = Convention(divisor, causal)
            if divisor != 0 and (lines := _lines(document, usual, convention)) is not None:
                return lines, convention
    return usual, USUAL


def _lines(document: Document, usual: Audit, convention: Convention) -> Audit | None:
    """The audit by that convention, if all numbers after the scores follow."""
    printed = {block.step: _tensor(block.rows) for block in document.blocks}
    scored = next((step for step in ("scores", "scaled_scores") if step in usual.exact), None)
    if scored is None or (convention.causal and len(set(usual.exact[scored].shape)) > 1):
        return None
    width = usual.exact["query"].shape[-1] if "query" in usual.exact else document.d_k or 1
    divisor = convention.divisor or math.sqrt(width)
    if "scores" in usual.exact:
        exact = _after(usual.exact["scores"] / divisor, usual.exact.get("value"), convention)
    else:
        exact = _after(usual.exact["scaled_scores"], usual.exact.get("value"), convention)
    exact = usual.exact | exact
    says = {step: _filled(printed.get(step), tensor) for step, tensor in exact.items()}
    own = says | {"scaled_scores": says["scores"] / divisor} if "scores" in says else dict(says)
    own |= _own(says, printed, convention)
    lines = []
    for line in usual.lines:
        if line.step in AFTER:
            line = replace(
                line,
                exact=exact[line.step][line.row, line.col].item(),
                own=own[line.step][line.row, line.col].item(),
            )
            near, follows = _agrees(line, line.exact), _agrees(line, line.own)
            if not (near or follows):
                return None
            verdict = lab.RIGHT if near else lab.CARRIED if _is_wrong_before(usual) else lab.ROUNDED
            line = replace(line, verdict=verdict)
        lines.append(line)
    return replace(usual, exact=exact, lines=tuple(lines))


def _after(scaled: Tensor, value: Tensor | None, convention: Convention) -> dict[str, Tensor]:
    """The steps after scaled scores, by the core: scores are their own products with unit vectors."""
    mask = causal_mask(len(scaled)) if convention.causal else None
    identity = torch.eye(scaled.shape[-1], dtype=scaled.dtype)
    trace = scaled_dot_product_attention(
        scaled, identity, identity if value is None else value, mask=mask, scale=1.0
    )
    exponentials = trace.masked_scores.exp()
    steps = {"scaled_scores": scaled, "exponentials": exponentials, "weights": trace.weights}
    steps["sums"] = exponentials.sum(-1, keepdim=True)
    return steps if value is None else steps | {"output": trace.output}


def _own(says: dict[str, Tensor], printed: dict[str, Tensor], convention: Convention) -> dict[str, Tensor]:
    """The steps after scaled scores, each from the printed step before it."""
    own = _after(says["scaled_scores"], None, convention)
    own.pop("scaled_scores")
    own["sums"] = says["exponentials"].sum(-1, keepdim=True)
    if "exponentials" in printed or "sums" in printed:
        own["weights"] = says["exponentials"] / says["sums"]
    return own | ({"output": says["weights"] @ says["value"]} if "value" in says else {})


def _is_wrong_before(usual: Audit) -> bool:
    """Whether a number before the scaled scores is wrong."""
    return any(line.verdict == lab.WRONG and line.step not in AFTER for line in usual.lines)


def _agrees(line: Line, value: float) -> bool:
    """Whether the printed number is at most half a unit of its last digit away."""
    bound = half_unit(line.printed) + lab.SLACK * max(1.0, abs(value) if math.isfinite(value) else 0.0)
    return abs(number(line.printed) - value) <= bound


def _tensor(rows: tuple[tuple[str, ...], ...]) -> Tensor:
    numbers = [[math.nan if entry == BLANK else number(entry) for entry in row] for row in rows]
    return torch.tensor(numbers, dtype=torch.float64)


def _filled(printed: Tensor | None, exact: Tensor) -> Tensor:
    """The printed numbers, and the exact ones where none is printed."""
    return exact if printed is None else torch.where(printed.isnan(), exact, printed)
