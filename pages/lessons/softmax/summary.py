"""The lesson's end: what was seen, with the learner's own numbers, and a question that needs all of it."""

import math
from typing import Any

import torch

from attention.lab.softmax import lines as softmax_lines
from attention.lab.softmax import precision
from attention.lab.softmax import scores as softmax
from pages.ask import questions
from pages.draw import placing, say, steps
from pages.draw.numbers import counted, short
from pages.draw.page import Page, small
from pages.draw.texts import Texts
from pages.picture import Matrix

from .dropout import steps_of
from .scores import entry

# The scores of the last question: one query's row, and another one.
SCORES = ((1000.0, 999.0, 998.0), (1.0, 2.0, 3.0))
# Each as it is written in a program, for a float32 tensor S of scores.
CODE = {
    "naive": "torch.exp(S) / torch.exp(S).sum(-1, keepdim=True)",
    "cooled": "torch.softmax(S / 1000, dim=-1)",
    "shifted": "torch.exp(S - torch.logsumexp(S, -1, keepdim=True))",
    "over_queries": "torch.softmax(S, dim=-2)",
    "dropped": "F.dropout(torch.softmax(S, dim=-1), p=0.1)",
}


def lines(page: Page) -> list[str]:
    t, own = page.t, page.own
    weights = softmax.softmax(page.scores.logits, own.temperature)
    opening = t(
        "summary.one",
        scores=_entries(t, page.scores.logits),
        weights=_list(t, weights),
        temperature=f"{own.temperature:g}",
        bits=short(softmax.spread(weights).entropy),
        most=short(math.log2(len(weights))),
    )
    start = precision.fixed_gaps(own.top_score, own.precision)
    forms = {
        name: _list(t, getattr(precision, name)(start).weights.tolist()) for name in ("naive", "shifted")
    }
    two = t("summary.two", given=_entries(t, start.tolist()), precision=own.precision, **forms)
    head = steps.of(page).head
    largest = softmax.jacobian(torch.softmax(softmax.tensor(page.scores.logits), dim=-1)).max().item()
    kept = [sum(row) for row in steps_of(page)["dropped_weights"].known]
    sums = {"sums": _list(t, head.weights.sum(-1).tolist()), "dropped": _list(t, kept)}
    three = t("summary.three", largest=short(largest, 4), dropout=f"{own.dropout:g}", **sums)
    return [opening, two, three]


def _list(t: Texts, values) -> str:
    return t.listed(map(short, values))


def _entries(t: Texts, values) -> str:
    return t.listed(map(entry, values))


def question(page: Page) -> None:
    t, scores = page.t, torch.tensor(SCORES)
    results = {name: _list(t, line(scores)[0].tolist()) for name, line in softmax_lines.LINES.items()}
    reasons = {name: t(f"because.softmax_end_{name}", weights=results[name]) for name in CODE}
    options = {name: f"`{code}`" for name, code in CODE.items()}
    facts: dict[str, Any] = {"words": options, "reasons": reasons, "rows": _entries(t, SCORES[0])}
    logits = scores_of(page)
    if questions.ask(page, "softmax_end", lambda: placing.draw(page, "end", [logits]), **facts):
        placing.draw(page, "end", [logits])
        rows = [_result(page, name, line(scores)[0].tolist()) for name, line in softmax_lines.LINES.items()]
        say.table([t("summary.line"), t("summary.results", query=logits.rows[0])], rows)


def scores_of(page: Page) -> Matrix:
    """The scores of the last question: a row per query."""
    names = [f"q{small(i)}" for i in range(1, len(SCORES) + 1)]
    return Matrix("end_scores", "S", names, counted(len(SCORES[0])), SCORES).looking(**page.axes)


def _result(page: Page, name: str, weights: list[float]) -> tuple[str, str]:
    """A line of code and what it gives; the line that is right is in bold."""
    text = _list(page.t, weights)
    right = page.lesson.by_name["softmax_end"].right
    return f"`{CODE[name]}`", f"**{text}**" if name == right else text
