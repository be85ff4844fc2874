"""Every printed number of a worked example next to the exact one, and whose mistake a difference is.

Notes differ in how they get from scores to weights, and none of the conventions is a mistake: they divide
by √dₖ, by a number that the text names, or not at all, with or without a causal mask.
"""

import functools
import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from torch import Tensor

from attention import AttentionTrace, causal_mask, scaled_dot_product_attention
from attention.lab.worked_examples.document import (
    BLANK,
    BLOCKS,
    MASKED,
    SOURCES,
    Block,
    Document,
    half_unit,
    number,
)

# What a printed number is found to be:
RIGHT = "right"  # at most half a unit of its last digit from the exact value
WRONG = "wrong"  # off, and it does not follow from the document's own previous step either
CARRIED = "carried"  # off, but it follows from a previous step that has a mistake
ROUNDED = "rounded"  # off, but it follows from a previous step that is right and was rounded
UNKNOWN = "unknown"  # nothing is printed from which it could be recomputed

SLACK = 1e-9  # binary rounding, far below any printed digit
AFTER = ("scaled_scores", "exponentials", "sums", "weights", "output")  # what a convention changes
Tensors = dict[str, Tensor]


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


@dataclass(frozen=True)
class Line:
    """One printed number; `own` is recomputed from what the document itself prints before it."""

    step: str
    row: int
    col: int
    printed: str
    exact: float
    own: float
    verdict: str

    @property
    def difference(self) -> float:
        return number(self.printed) - self.exact

    @property
    def off(self) -> bool:
        """More than rounding: over half a unit of the last printed digit."""
        return self.verdict in (WRONG, CARRIED, ROUNDED)


@dataclass(frozen=True, eq=False)
class Audit:
    """The lines in the order of the document; `inputs` are the steps that the rest is computed from."""

    document: Document
    inputs: tuple[str, ...]
    exact: dict[str, Tensor]
    lines: tuple[Line, ...]
    convention: Convention = USUAL

    @property
    def follows(self) -> bool:
        """Whether the convention is the document's: no number after the scores is wrong in itself."""
        return not any(line.verdict == WRONG for line in self.lines if line.step in AFTER)

    @property
    def off_count(self) -> int:
        return sum(line.off for line in self.lines)

    def count(self, verdict: str) -> int:
        return sum(line.verdict == verdict for line in self.lines)

    @property
    def first(self) -> Line | None:
        """The first number that is off."""
        return next((line for line in self.lines if line.off), None)

    def of(self, step: str) -> tuple[Line, ...]:
        return tuple(line for line in self.lines if line.step == step)

    @property
    def order_kept(self) -> tuple[bool, ...] | None:
        """For each query, whether the printed weights put the keys in their exact order; None without both.

        Printed weights that are equal leave the order open, so they contradict nothing.
        """
        block = self.document.block("weights")
        if block is None or "weights" in self.inputs or BLANK in sum(block.rows, ()):
            return None
        exact = self.exact["weights"]
        return tuple(
            _same_order([number(entry) for entry in row], exact[i].tolist())
            for i, row in enumerate(block.rows)
        )

    @property
    def rows_sum_to_one(self) -> tuple[bool, ...] | None:
        """For each printed row of weights, whether its sum is 1 but for rounding."""
        block = self.document.block("weights")
        if block is None or BLANK in sum(block.rows, ()):
            return None
        return tuple(abs(sum(map(number, row)) - 1) <= sum(map(half_unit, row)) + SLACK for row in block.rows)

    @property
    def within_values(self) -> tuple[bool, ...] | None:
        """For each printed output, whether it lies between the least and the largest printed value.

        Weights are not negative and sum to 1, so each number of an output lies between the extremes of its
        column of V. It takes no recomputation to see where that fails.
        """
        output, value = self.document.block("output"), self.document.block("value")
        if output is None or value is None or BLANK in sum(value.rows, ()):
            return None
        columns = list(zip(*([number(entry) for entry in row] for row in value.rows), strict=True))
        slack = max(half_unit(entry) for row in value.rows for entry in row)
        return tuple(
            all(
                entry == BLANK
                or min(column) - slack - half_unit(entry)
                <= number(entry)
                <= max(column) + slack + half_unit(entry)
                for entry, column in zip(row, columns, strict=True)
            )
            for row in output.rows
        )


def _same_order(printed: list[float], exact: list[float]) -> bool:
    pairs = [(i, j) for i in range(len(printed)) for j in range(len(printed))]
    return all(exact[i] > exact[j] - SLACK for i, j in pairs if printed[i] > printed[j])


# ---- the audit


@functools.lru_cache(maxsize=64)
def judged(document: Document) -> Audit:
    """The audit by the first convention without a mistake, or at least without one after the scores.

    Where scores are printed as masked, every convention has the mask. What is printed as scores may be the
    scaled scores: the audit's document then has them as such.
    """
    of_text = document.d_k or 0  # √3 is printed as 1.73
    divisors = (None, *(math.sqrt(d_k) for d_k in (of_text, round(of_text)) if d_k), 1.0)
    square = len({*audit(document).exact.get("weights", torch.empty(0, 1)).shape}) == 1
    masks = (True,) if document.masked else (False, True) if square else (False,)
    conventions = [Convention(divisor, causal) for causal in masks for divisor in divisors]
    documents = filter(None, (document, _with_scaled(document)))
    audits = (audit(each, convention) for each in documents for convention in conventions)
    following = (audit(document, convention) for convention in conventions)
    return (
        next((outcome for outcome in audits if not outcome.count(WRONG)), None)
        or next((outcome for outcome in following if outcome.follows), None)
        or audit(document, Convention(causal=document.masked))
    )


def _with_scaled(document: Document) -> Document | None:
    """The document with its scores as scaled scores, where it prints no other and they can be recomputed."""
    if document.block("scores") is None or document.block("scaled_scores") or "scores" in document.inputs:
        return None
    blocks = (
        replace(block, step="scaled_scores") if block.step == "scores" else block for block in document.blocks
    )
    return replace(document, blocks=tuple(blocks))


@functools.lru_cache(maxsize=64)
def audit(document: Document, convention: Convention = USUAL) -> Audit:
    """Recomputes every printed number twice: from what is given, and from the document's previous step.

    Given is what is printed and does not follow from anything else that is: X and the W's, or Q, K and V, or
    scores. Its numbers are not judged. Where nothing else is printed, all lines are UNKNOWN.
    """
    printed = {block.step: _tensor(block) for block in document.blocks}
    inputs = document.inputs
    if len(inputs) == len(printed):
        return Audit(document, inputs, printed, _unknown(document), convention)
    exact = _exact({step: printed[step] for step in inputs}, document, convention)
    says = {step: printed[step] for step in inputs}  # the document's own numbers, printed or following
    bad = {step: torch.zeros_like(printed[step], dtype=torch.bool) for step in inputs}
    lines = []
    for step in BLOCKS:
        if step in inputs or step not in exact or not _ready(step, says, printed):
            continue
        own, tainted = _own(step, document, convention, says, bad, printed)
        says[step], bad[step] = own.clone(), tainted.clone()
        for row, col, entry in _entries(document.block(step)):
            here = own[row, col].item()
            line = Line(step, row, col, entry, exact[step][row, col].item(), here, RIGHT)
            line = replace(line, verdict=_verdict(line, bool(tainted[row, col])))
            says[step][row, col] = number(entry)
            bad[step][row, col] = line.verdict in (WRONG, CARRIED)
            lines.append(line)
    return Audit(document, inputs, exact, tuple(lines), convention)


def _tensor(block: Block) -> Tensor:
    """The printed numbers, NaN where one is not printed. What is masked may be any number: it is 0."""
    marks = {BLANK: math.nan, MASKED: 0.0}
    rows = [[marks[entry] if entry in marks else number(entry) for entry in row] for row in block.rows]
    return torch.tensor(rows, dtype=torch.float64)


def _entries(block: Block | None) -> list[tuple[int, int, str]]:
    """Row, column and text of every printed number."""
    rows = () if block is None else block.rows
    entries = ((r, c, entry) for r, row in enumerate(rows) for c, entry in enumerate(row))
    return [entry for entry in entries if entry[2] not in (BLANK, MASKED)]


def _unknown(document: Document) -> tuple[Line, ...]:
    return tuple(
        Line(block.step, row, col, entry, math.nan, math.nan, UNKNOWN)
        for block in document.blocks
        for row, col, entry in _entries(block)
    )


def _exact(inputs: Tensors, document: Document, convention: Convention) -> Tensors:
    """Every step that follows from what is given, from the core's attention."""
    exact = dict(inputs)
    for step, w in (("query", "w_q"), ("key", "w_k"), ("value", "w_v")):
        if step not in exact and "x" in exact and w in exact:
            exact[step] = exact["x"] @ exact[w]
    trace = _trace(exact, document, convention)
    if trace is not None:
        steps = {"scores": trace.scores, "scaled_scores": trace.scaled_scores, "weights": trace.weights}
        steps |= {"exponentials": trace.masked_scores.exp(), "sums": trace.logsumexp.exp()[:, None]}
        steps |= {"output": trace.output} if "value" in exact else {}
        exact = steps | exact
    elif "weights" in exact and "value" in exact:
        exact["output"] = exact["weights"] @ exact["value"]
    if "weights" in exact:
        exact.setdefault("quoted_weights", exact["weights"])
    parts = document.block("parts")
    if parts is not None and "weights" in exact and "value" in exact:
        exact["parts"] = exact["weights"][parts.query][:, None] * exact["value"]
    return exact


def _trace(exact: Tensors, document: Document, convention: Convention) -> AttentionTrace | None:
    """The core's attention on Q and K, or else on scores; None where there are neither.

    Scores are their own dot products with the unit vectors: they serve as queries, these as keys.
    """
    if "query" in exact and "key" in exact:
        query, key, scale = exact["query"], exact["key"], 1 / _divisor(exact, document, convention)
    elif "scores" in exact:
        query, key, scale = exact["scores"], None, 1 / _divisor(exact, document, convention)
    elif "scaled_scores" in exact:
        query, key, scale = exact["scaled_scores"], None, 1.0
    elif "exponentials" in exact:
        query, key, scale = exact["exponentials"].log(), None, 1.0
    else:
        return None
    identity = torch.eye(query.shape[-1] if key is None else len(key), dtype=torch.float64)
    mask = causal_mask(len(query), len(identity)) if convention.causal else None
    return scaled_dot_product_attention(
        query, identity if key is None else key, exact.get("value", identity), mask=mask, scale=scale
    )


def _divisor(says: Tensors, document: Document, convention: Convention) -> float:
    """What the scores are divided by; without Q and a named dₖ they are taken as they are."""
    usual = math.sqrt(says["query"].shape[-1] if "query" in says else document.d_k or 1)
    return usual if convention.divisor is None else convention.divisor


def _sources(step: str, printed: Tensors) -> tuple[str, ...]:
    """The document's previous step: for weights the exponentials, where they or their sums are printed."""
    if step == "weights" and ("exponentials" in printed or "sums" in printed):
        return ("exponentials", "sums")
    return SOURCES.get(step, ())


def _ready(step: str, says: Tensors, printed: Tensors) -> bool:
    sources = _sources(step, printed)
    return bool(sources) and all(source in says for source in sources)


def _own(
    step: str, document: Document, convention: Convention, says: Tensors, bad: Tensors, printed: Tensors
) -> tuple[Tensor, Tensor]:
    """The step recomputed from the document's previous one, and which cells rest on a mistake in it."""
    sources = _sources(step, printed)
    first, *rest = (says[source] for source in sources)
    taint, *more = (bad[source] for source in sources)
    rows, parts = taint.any(-1, keepdim=True), document.block("parts")
    if step in ("query", "key", "value"):
        return first @ rest[0], rows.expand(-1, rest[0].shape[-1])
    if step == "scores":
        return first @ rest[0].T, rows | more[0].any(-1)
    if step == "scaled_scores":
        return first / _divisor(says, document, convention), taint
    if step in ("exponentials", "weights") and not rest and convention.causal:
        first = first.masked_fill(~causal_mask(*first.shape), -math.inf)
    if step == "exponentials":
        return first.exp(), taint
    if step == "sums":
        return first.sum(-1, keepdim=True), rows
    if step == "weights":
        return (first / rest[0], taint | more[0]) if rest else (first.softmax(-1), rows.expand_as(taint))
    if step == "quoted_weights":
        return first, taint
    if parts is not None and step == "parts":
        return first[parts.query][:, None] * rest[0], taint[parts.query][:, None] | more[0]
    own, tainted = first @ rest[0], rows | more[0].any(0)
    if parts is not None:
        own[parts.query], tainted[parts.query] = says["parts"].sum(0), bad["parts"].any(0)
    return own, tainted


def _verdict(line: Line, tainted: bool) -> str:
    """Right within half a unit of its last digit, or whose mistake it is."""
    size = abs(line.exact) if math.isfinite(line.exact) else 0.0
    bound = half_unit(line.printed) + SLACK * max(1.0, size)
    value = number(line.printed)
    if abs(value - line.exact) <= bound:
        return RIGHT
    if not abs(value - line.own) <= bound:
        return WRONG
    return CARRIED if tainted else ROUNDED
