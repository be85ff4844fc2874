"""Attention as a program, a line or a few for each step, and the values that the lines compute.

The text that learners read is the text that runs. Tensors may have leading dimensions: (…, n, d).
"""

import functools
import itertools
import math
from collections.abc import Iterable, Mapping
from types import CodeType
from typing import Any

import torch
from torch import Tensor

Lines = Mapping[str, str]

# The program for one head; several heads write some of the lines otherwise.
# x is (b, n, d_model), mask (n, n) or (b, n, n), True = may attend; the first `real` tokens are no padding.
ONE_HEAD = {
    "query": "query = x @ w_q",
    "key": "key = x @ w_k",
    "value": "value = x @ w_v",
    "scores": "scores = query @ key.transpose(-2, -1)",
    "scaled_scores": "scores = scores / sqrt(d_k)",
    "padding": "mask = mask & (torch.arange(n) < real)[None, :]",
    "masked_scores": "scores = scores.masked_fill(~mask, -inf)",
    "weights": "weights = torch.softmax(scores, dim=-1)",
    "head_output": "heads = weights @ value",
    "concatenated": "",
    "output": "",
}
SEVERAL_HEADS = ONE_HEAD | {
    "query": "query = (x @ w_q).view(b, n, h, d_k).transpose(1, 2)",
    "key": "key = (x @ w_k).view(b, n, h, d_k).transpose(1, 2)",
    "value": "value = (x @ w_v).view(b, n, h, d_v).transpose(1, 2)",
    "concatenated": "joined = heads.transpose(1, 2).flatten(2)",
    "output": "output = joined @ w_o",
}
# A function of query, key and value: what it may do before the scores, and after the output.
FUNCTION = {
    "arguments": "",
    "groups": "key, value = key.repeat_interleave(groups, dim=-3), value.repeat_interleave(groups, dim=-3)",
    "mask": "",
    "causal": "mask = mask & torch.ones(query.shape[-2], n, dtype=torch.bool).tril(corner)",
    **{step: ONE_HEAD[step] for step in ("scores", "scaled_scores")},
    "scale": "scores = scores * scale",
    "capped": "",
    **{step: ONE_HEAD[step] for step in ("masked_scores", "weights", "head_output")},
    "result": "",
}
VARIABLES = {
    "arguments": "key",
    "groups": "key",
    "causal": "mask",
    "scaled_scores": "scores",
    "scale": "scores",
    "capped": "scores",
    "rotation": "query",
    "padding": "mask",
    "masked_scores": "scores",
    "head_output": "heads",
    "result": "heads",
    "concatenated": "joined",
}
NAMES = {"torch": torch, "sqrt": math.sqrt, "inf": math.inf}


def execute(
    lines: Lines, steps: Iterable[str], names: Mapping[str, object], *, empty_rows: bool = True
) -> dict[str, Tensor]:
    """The value of each step after its line; names are the variables that the lines start from.

    A row of scores that is −∞ throughout has weights 0 with empty_rows, as in the core, and otherwise the
    weights that the line gives. Only lines of this package are executed, never the text of a visitor.
    """
    scope: dict[str, Any] = {**NAMES, **names}
    return {step: _executed(step, lines[step], scope, empty_rows) for step in steps}


def _executed(step: str, line: str, scope: dict[str, Any], empty_rows: bool) -> Tensor:
    exec(_compiled(line), scope)
    if step == "weights" and empty_rows:
        empty = scope["scores"].isneginf().all(-1, keepdim=True)
        scope["weights"] = scope["weights"].masked_fill(empty, 0.0)
    value: Tensor = scope[VARIABLES.get(step, step)]
    return value


class RightProgram:
    """A right program. What comes before the first wrong line is the same in all wrong ones: it runs once."""

    def __init__(self, lines: Lines, needed: Mapping[str, bool], names: Mapping[str, object]) -> None:
        """needed: every step, in order, and whether the right program has it."""
        self._lines, self._needed = lines, needed
        self._before: dict[str, dict[str, Any]] = {}  # the variables before each step
        scope: dict[str, Any] = {**NAMES, **names}
        for step, has in needed.items():
            self._before[step] = dict(scope)
            if has:
                _executed(step, lines[step], scope, True)

    def output(self, wrong: Lines, added: Iterable[str] = (), *, empty_rows: bool = True) -> Tensor | None:
        """The output with these lines and added steps, see execute; None where it runs none of the lines."""
        steps = [step for step, has in self._needed.items() if has or step in added]
        other = {*wrong} if empty_rows else {*wrong, "weights"}
        later = list(itertools.dropwhile(lambda step: step not in other, steps))
        if not later:
            return None
        lines, empty_rows = {**self._lines, **wrong}, empty_rows and "masked_scores" in steps
        return execute(lines, later, self._before[later[0]], empty_rows=empty_rows)[later[-1]]


def evaluate(expression: str, names: Mapping[str, object]) -> Any:
    """The value of an expression of this package."""
    return eval(_compiled(expression, "eval"), {**NAMES, **names})


@functools.cache
def _compiled(line: str, mode: str = "exec") -> CodeType:
    return compile(line, f"<{line}>", mode)
