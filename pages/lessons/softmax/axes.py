"""The learner's own scores through softmax over keys, over queries, over all cells: which sums are 1."""

import functools
from dataclasses import replace
from typing import Any

import streamlit as st
import torch

from attention.lab.softmax import scores as softmax
from pages import picture
from pages.ask import questions
from pages.draw import choices, live, matrix, placing, say, steps
from pages.draw.page import Page
from pages.model.fields import specs
from pages.picture import Flow, Grid, GridRows, Matrix, Passage

from . import learner
from .settings import SoftmaxNumbers

AXES = specs(SoftmaxNumbers)["axis"].options
QUESTION_AXIS = "queries"  # over which the question's program normalises
OVER = {"keys": "row", "queries": "column", "all": "all"}
LINES = {
    "keys": "weights = torch.softmax(scores, dim=-1)",
    "queries": "weights = torch.softmax(scores, dim=-2)",
    "all": "weights = torch.softmax(scores.flatten(-2), dim=-1).view_as(scores)",
}
CHECK = """\
sums = weights.sum(dim=-1)
tolerance = 2 * torch.finfo(weights.dtype).eps + weights.shape[-1] * torch.finfo(torch.float32).eps
assert torch.allclose(sums, torch.ones_like(sums), rtol=0, atol=tolerance)
"""


@live.places
def draw(page: Page) -> None:
    t, computation = page.t, steps.of(page)
    say.markdown(page.t("axes.intro"))
    several = len(page.settings.tokens) > 1
    before, sources = [_scores(page, computation)], [computation.find]
    if several and not questions.ask(page, "soft_axis", matrices=before, sources=sources):
        return
    if several and page.own.axis != QUESTION_AXIS:
        live.picture(page, _after_the_answer)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        page.choose("axis", AXES, lambda name: t(f"axes.{name}"))
        st.code(LINES[page.own.axis], language="python", width="content")
    live.picture(page, _picture)
    if any(_weights(computation, axis).isnan().any() for axis in ("keys", "queries")):  # by the mask
        say.markdown(t("axes.nan"))
    say.markdown(f"##### {t('axes.title_check')}\n\n{t('axes.why_check', **false_alarms())}")
    st.code(CHECK, language="python")
    live.draw(page, lambda page: say.sentence(_check(page)), when="released")


def _after_the_answer(page: Page) -> None:
    computation = steps.of(page)
    placing.draw(page, "axes_answer", *_answer(page, computation), sources=[computation.find])


def _picture(page: Page) -> None:
    """The weights along the chosen axis, and their sums."""
    computation = steps.of(page)
    placing.draw(
        page,
        "axes",
        axes(page, computation),
        layout(page, computation),
        on_pick=choices.choose_head,
        sources=[computation.find],
        passages=[Passage("", [page.t(f"axes.sums_{page.own.axis}")])],
    )


@functools.cache
def false_alarms() -> dict[str, str]:
    """How many right rows of four keys the check rejects with allclose's own tolerances, measured."""
    return {
        name: f"{softmax.false_alarms(getattr(torch, name), keys=4):.1%}" for name in ("bfloat16", "float16")
    }


def _weights(computation: steps.Steps, axis: str) -> torch.Tensor:
    return softmax.over(computation.head.masked_scores, axis)


def _scores(page: Page, computation: steps.Steps) -> Matrix:
    tensor = computation.head.masked_scores
    finite = tensor.where(tensor.isfinite(), 0.0)
    return matrix.square(
        page,
        "masked_scores",
        computation.symbol("S"),
        tensor,
        masked=steps.hidden(computation.head.mask),
        bound=picture.nice_bound(finite.tolist()),
        recipe=computation["masked_scores"].recipe,
    )


def axes(page: Page, computation: steps.Steps) -> list[Matrix]:
    """X, the scores, their weights along the chosen axis, and the sums; sums that are 1 are ringed."""
    t, axis = page.t, page.own.axis
    weights = _weights(computation, axis)
    shown = matrix.square(
        page,
        "weights",
        t("panel.weights"),
        weights,
        kind="weights",
        recipe=picture.softmax("masked_scores", OVER[axis]),
        masked=steps.hidden(computation.head.mask),
    )
    return [*learner.source(page, computation), _scores(page, computation), shown, *_all_sums(page, weights)]


def _answer(page: Page, computation: steps.Steps) -> tuple[list[Matrix], list[Grid]]:
    """What the program of the question computes: each column is normalised; sums that are 1 are ringed."""
    weights = _weights(computation, QUESTION_AXIS)
    recipe = picture.softmax("asked_scores", OVER[QUESTION_AXIS])
    look: dict[str, Any] = {
        "kind": "weights",
        "masked": steps.hidden(computation.head.mask),
        "recipe": recipe,
    }
    matrices = [
        replace(_scores(page, computation), id="asked_scores"),
        matrix.square(page, "asked_weights", page.t("panel.weights"), weights, **look),
        *_all_sums(page, weights, "asked_")[:2],
    ]
    scores, pieces, rows, columns = (table.id for table in matrices)
    return matrices, [Grid([[scores, pieces, rows], [None, columns, None]])]


def _all_sums(page: Page, weights: torch.Tensor, prefix: str = "") -> list[Matrix]:
    names = {"row": "row_sums", "column": "column_sums", "all": "whole_sum"}
    results = []
    for over, name in names.items():
        table = learner.sums(page, prefix + name, page.t(f"panel.{name}"), f"{prefix}weights", weights, over)
        off = softmax.row_sum_tolerance(torch.float64, weights.numel())
        cells = [(r, c, value) for r, row in enumerate(table.known) for c, value in enumerate(row)]
        ringed = [(r, c) for r, c, value in cells if abs(value - 1) <= off]
        results.append(table.looking(ringed=ringed))
    return results


def layout(page: Page, computation: steps.Steps) -> list[Flow | Grid]:
    rows: GridRows = [
        ["x", "masked_scores", "weights", "row_sums"],
        [None, None, "column_sums", "whole_sum"],
    ]
    return [*learner.heads(page, computation), Grid(rows)]


def _check(page: Page) -> str:
    """The check on all three: which passes."""
    computation = steps.of(page)
    sentences = [
        page.t(
            "axes.passes" if softmax.rows_sum_to_one(_weights(computation, axis)) else "axes.fails",
            axis=page.t(f"axes.{axis}"),
        )
        for axis in AXES
    ]
    return page.t.joined(sentences)
