"""What several parts share: a few scores as rows of a picture, and what changes them."""

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from attention.lab.softmax.scores import NOTE_SCORES, tensor
from pages import picture
from pages.draw import inputs, numbers, say
from pages.draw.numbers import confirmed, counted, minus, short
from pages.draw.page import Page, small
from pages.draw.texts import quoted
from pages.model.compute import trace_of
from pages.model.scores import MAX_LOGITS
from pages.picture import Matrix
from pages.picture.traced import AxisNames, Operation, Traced, as_input

LARGEST = Operation(
    lambda scores: scores.amax(-1, keepdim=True),
    "{}.amax(dim=-1, keepdim=True)",
    "max({})",
    "{}.max(axis=-1, keepdims=True)",
)


def number(page: Page, **more: Any) -> Traced:
    """The scores, which the steps of a part begin with."""
    rows, cols = AxisNames([""]), AxisNames(names(page))
    return as_input("scores", "s", tensor([page.scores.logits]), rows, cols, **{"id": "logits"} | more)


def largest(of: Traced) -> Traced:
    """The largest score, in a matrix of its own."""
    return Traced(LARGEST, (of,), of.rows, AxisNames(["m"])).called("largest", "m")


def raised(scores: Sequence[float], exps: Sequence[float], of: str) -> dict:
    """How each exponential is computed. of: the matrix of the scores."""
    texts = [f"exp({entry(s)}) = {short(e, 4)}" for s, e in zip(scores, exps, strict=True)]
    return picture.written([texts], [of])


def divided(
    exps: Sequence[float], total: float, weights: Sequence[float], of: Sequence[str], lit: str = "cell"
) -> dict:
    """How each weight is computed. of: the matrices of the exponentials and of their sum."""
    texts = [
        f"p{small(i)} = {above} / {below} = {short(weight, 4)}"
        for i, (value, weight) in enumerate(zip(exps, weights, strict=True), 1)
        for above, below in [confirmed(operator.truediv, (value, total), weight, least=4)]
    ]
    return picture.written([texts], of, lit)


def names(page: Page) -> list[str]:
    """The keys: tokens as long as a score of the query that is followed is among the scores, else numbers."""
    own, logits = own_row(page, query_of(page)), page.scores.logits
    begun = len(own) == len(logits) and any(map(operator.eq, own, logits))
    return list(_visible(page, query_of(page), page.tokens)) if begun else counted(len(logits))


def origin(page: Page) -> None:
    """Says where the scores come from, where their keys are tokens."""
    if names(page) != counted(len(page.scores.logits)):
        say.caption(page.t("scores.origin", query=page.tokens[query_of(page)]))


def row(name: str, title: str, values: Sequence[float], **more) -> Matrix:
    """Numbers side by side, one per score."""
    return Matrix(name, title, [""], counted(len(values)), [list(values)]).having(**more)


def weights(
    name: str, title: str, values: Sequence[float], of: str | None = "logits", over: str = "row", **more
) -> Matrix:
    """Attention weights side by side, made by a softmax of the row `of`."""
    recipe = None if of is None else picture.softmax(of, over)
    return row(name, title, values, kind="weights", recipe=recipe, **more)


def to_read(page: Page) -> Matrix:
    """The scores where a question shows them: not to be changed."""
    return row("logits", page.t("setting.logits"), page.scores.logits, cols=names(page))


def to_edit(page: Page) -> Matrix:
    """The scores, to change."""
    return replace(inputs.number(page, "logits"), cols=names(page))


def buttons(page: Page) -> None:
    """One score more or less, a tie, the learner's own row of scores, and the scores of the lecture note."""
    logits, query = page.scores.logits, query_of(page)
    own = own_row(page, query)
    tied = (*logits[:-1], max(logits[:-1], default=logits[-1]))
    choices = {
        "add": ((*logits, 0.0), len(logits) == MAX_LOGITS),
        "remove": (logits[:-1], len(logits) == 1),
        "tie": (tied, tied == logits),
        "own": (own, own in ((), logits)),
        "note": (NOTE_SCORES, logits == NOTE_SCORES),
    }
    with st.container(horizontal=True, gap="small"):
        for name, (changed, useless) in choices.items():
            page.set_button(
                page.t(f"scores.{name}", query=page.tokens[query]),
                f"scores-{name}",
                {"logits": changed},
                disabled=useless,
                help=page.t(f"scores.{name}_help", keys=page.t.listed(quoted(page.tokens))),
            )


def query_of(page: Page) -> int:
    """The query whose scores can be loaded: the one that is followed, or the one in the middle."""
    return len(page.tokens) // 2 if page.row is None else page.row


def own_row(page: Page, query: int) -> tuple[float, ...]:
    """The scaled scores of one query in the learner's numbers, without masked ones, with two decimals.

    Nothing where no key is visible, or more than fit here.
    """
    head = trace_of(page.settings).head(page.head)
    visible = _visible(page, query, head.unmasked_scores[query].tolist())
    return tuple(round(score, 2) for score in visible) if len(visible) <= MAX_LOGITS else ()


def _visible(page: Page, query: int, values: Sequence) -> tuple:
    """Those of the keys that the query may attend to."""
    mask = trace_of(page.settings).head(page.head).mask
    return tuple(value for i, value in enumerate(values) if mask is None or mask[query, i])


def choose(page: Page) -> None:
    """Which score is changed."""
    count = len(page.scores.logits)
    if count > 1:
        page.choose("score", range(count), lambda i: str(i + 1), value=score_index(page))


def score_index(page: Page) -> int:
    """The score that is changed."""
    return min(page.own.score, len(page.scores.logits) - 1)


def entry(value: float) -> str:
    """A number as it was entered, with a proper minus."""
    return minus(f"{value:g}")


def bracketed(value: float) -> str:
    """A number behind a sign: a negative one in parentheses."""
    return numbers.bracketed(entry(value))
