"""Dropout on the weights: one draw, whose rows no longer sum to 1, and the mean over many, whose rows do."""

import functools
from typing import Any

import streamlit as st
from torch import Tensor

from attention.lab.softmax import scores as softmax
from pages import picture
from pages.ask import blocks, questions
from pages.draw import choices, inputs, matrix, placing, say
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.draw.steps import Steps
from pages.model.compute import trace_of
from pages.model.fields import specs
from pages.model.settings import Settings
from pages.picture import Arrow, Flow, Matrix, Passage
from pages.picture.traced import Scalar, Traced, as_input, by_name

from . import learner
from .settings import SoftmaxNumbers

DRAWS = 1000
MANY_ERRORS = 5.0  # standard errors: the full colour
CODE = """\
weights = torch.softmax(scores, dim=-1)
weights = F.dropout(weights, p, training=self.training)
output = weights @ value
"""


def draw(page: Page) -> blocks.Blocks:
    yield blocks.asking("soft_drop", _ask)
    yield blocks.text("dropout.intro")
    yield blocks.control(_redraw)
    yield blocks.picture(_picture)
    yield blocks.text("dropout.eval")


def _ask(page: Page) -> bool:
    result = steps_of(page)
    return questions.ask(page, "soft_drop", matrices=[result["weights"]], sources=[result.find])


def _redraw(page: Page) -> None:
    t = page.t
    with st.container(horizontal=True, vertical_alignment="center"):
        page.set_button(t("dropout.again"), "redraw", redrawn(page.own), help=t("dropout.again_help"))
        say.markdown(t("dropout.seed", seed=page.own.dropout_seed), width="content")
        st.code(CODE, language="python", width="content")


def _picture(page: Page) -> None:
    """The weights, one draw and the mean of many, and what they say."""
    t, result = page.t, steps_of(page)
    sums = t.listed(short(sum(row)) for row in result["dropped_weights"].known)
    placing.draw(
        page,
        "dropout",
        matrices(page, result),
        layout(page, result),
        on_pick=choices.choose_head,
        fit=True,
        sources=[result.find],
        passages=[Passage("", [_reading(page, result), t("dropout.sums", sums=sums)])],
    )


@functools.lru_cache(maxsize=32)
def _draws(settings: Settings, head: int, dropout: float, seed: int) -> softmax.Draws:
    return softmax.many_draws(trace_of(settings).head(head), dropout, seed, DRAWS)


def draws(page: Page) -> softmax.Draws:
    """Many draws, kept for their settings."""
    return _draws(page.settings, page.head, page.own.dropout, page.own.dropout_seed)


def steps_of(page: Page) -> Steps:
    """The steps, with the draw of the present seed."""
    trace, own = trace_of(page.settings), page.own
    head = softmax.drop_weights(trace.head(page.head), own.dropout, own.dropout_seed)
    return Steps(page, trace, head=head, dropout=own.dropout)


def numbers_of(page: Page, computation: Steps) -> dict[str, Traced]:
    """One draw from the weights and what it keeps, and its row sums."""
    traced, p = computation.numbers, page.own.dropout
    before, after = traced["weights"], traced["dropped_weights"]
    axes, kept_cells = (before.rows, before.cols), (after.value != 0) | (before.value == 0)
    weights = as_input("weights", before.symbol, before.value, *axes, kind="weights")
    kept = as_input("kept", "D", kept_cells, *axes, title=page.t("program.kept"))
    dropped = (weights * kept) / Scalar(1 - p, f"(1 - {p!r})", "(1 − p)")
    dropped = dropped.called("dropped_weights", after.symbol, known=after.value, kind="weights")
    return by_name(dropped, learner.total(page, dropped))


def redrawn(own: SoftmaxNumbers) -> dict[str, int]:
    """The next seed; the first one after the last."""
    low, high = specs(SoftmaxNumbers)["dropout_seed"].range(own)
    return {"dropout_seed": own.dropout_seed + 1 if own.dropout_seed < high else low}


# ---- the picture


def matrices(page: Page, computation: Steps) -> list[Matrix]:
    """One draw with its row sums; below, the mean of many with its row sums and its distance from A."""
    t, many, numbers = page.t, draws(page), computation.numbers
    weights, after = numbers["weights"], numbers["dropped_weights"]
    look: dict[str, Any] = {"masked": computation.masked}
    look["recipe"] = picture.written(_means(page, computation, many), ["weights"])
    mean = as_input("mean", "", many.mean, weights.rows, weights.cols, kind="weights")
    errors = softmax.in_errors(computation.head.weights, many)
    return [
        *learner.source(page, computation),
        inputs.number(page, "dropout"),
        computation["weights"],
        computation["dropped_weights"],
        learner.sums(page, learner.total(page, after)),
        matrix.number(page, mean, title=t("panel.mean", count=DRAWS), **look),
        learner.sums(page, learner.total(page, mean, id="mean_sums")),
        matrix.square(page, "off", t("panel.off"), errors, bound=MANY_ERRORS, **look),
    ]


def layout(page: Page, computation: Steps) -> list[Flow]:
    to_weights, dropping = Arrow(page.t("dropout.weights_arrow")), Arrow("dropout")
    chain = Flow(["x", to_weights, "weights", "dropout", dropping, "dropped_weights", "row_sums"])
    return [*learner.heads(page, computation), chain, Flow(["mean", "mean_sums", "off"])]


def _means(page: Page, computation: Steps, many: softmax.Draws) -> list[list[str]]:
    """Each mean with its weight and its standard error."""

    def text(mean: float, weight: float, expected: float, measured: float) -> str:
        names = ("mean", "weight", "expected", "measured")
        values = (short(value, 4) for value in (mean, weight, expected, measured))
        return page.t("dropout.arithmetic", **dict(zip(names, values, strict=True)))

    return _cells(text, many.mean, computation.head.weights, many.expected_error, many.measured_error)


def _cells(text, *tensors: Tensor) -> list[list[str]]:
    """text of the numbers that are in the same cell."""
    lines = zip(*(tensor.tolist() for tensor in tensors), strict=True)
    return [[text(*cell) for cell in zip(*line, strict=True)] for line in lines]


def _reading(page: Page, computation: Steps) -> str:
    """How far the mean is from the weights, in standard errors."""
    many = draws(page)
    random = many.expected_error > 0
    if not bool(random.any()):
        return page.t("dropout.none")
    off = softmax.in_errors(computation.head.weights, many)[random]
    return page.t(
        "dropout.reading",
        count=DRAWS,
        largest=short(off.abs().max().item()),
        inside=int((off.abs() <= 2).sum()),
        share=f"{(off.abs() <= 2).double().mean().item():.0%}",
        cells=int(random.sum()),
    )
