"""The learner's own scores through softmax over keys, over queries, over all cells: which sums are 1."""

import functools
from dataclasses import replace

import streamlit as st
import torch

from attention.lab.softmax import scores as softmax
from pages import picture
from pages.ask import blocks, questions
from pages.draw import choices, matrix, placing, say, steps
from pages.draw.page import Page
from pages.model.fields import specs
from pages.picture import Flow, Grid, GridRows, Matrix, Passage
from pages.picture.traced import Operation, Traced, by_name

from . import learner
from .settings import SoftmaxNumbers

AXES = specs(SoftmaxNumbers)["axis"].options
QUESTION_AXIS = "queries"  # over which the question's program normalises
OVER = {"keys": "row", "queries": "column", "all": "all"}
LINES = {
    "keys": ("torch.softmax({}, dim=-1)", "softmax({})"),
    "queries": ("torch.softmax({}, dim=-2)", "softmax({}^T)^T"),
    "all": ("torch.softmax({0}.flatten(-2), dim=-1).view_as({0})", "exp({0}) / Σ exp({0})"),
}
# A fully masked row stays NaN, in NumPy too.
SOFTMAX = {
    axis: Operation(
        functools.partial(softmax.over, axis=axis),
        line,
        formula,
        f"np.exp({{0}} - np.logaddexp.reduce({{0}}, axis={softmax.AXES[axis]}, keepdims=True))  # softmax",
    )
    for axis, (line, formula) in LINES.items()
}
CHECK = """\
sums = weights.sum(dim=-1)
tolerance = 2 * torch.finfo(weights.dtype).eps + weights.shape[-1] * torch.finfo(torch.float32).eps
assert torch.allclose(sums, torch.ones_like(sums), rtol=0, atol=tolerance)
"""


def draw(page: Page) -> blocks.Blocks:
    yield blocks.text("axes.intro")
    if len(page.settings.tokens) > 1:
        yield blocks.asking("soft_axis", _ask)
        if page.own.axis != QUESTION_AXIS:
            yield blocks.picture(_after_the_answer)
    yield blocks.control(_choose)
    yield blocks.picture(_picture)
    yield blocks.aside(_about_nan)
    yield blocks.aside(_program)
    yield blocks.aside(_check, follows="released")


def _ask(page: Page) -> bool:
    computation = steps.of(page)
    before = [_scores(page, computation)]
    return questions.ask(page, "soft_axis", matrices=before, sources=[computation.find])


def _choose(page: Page) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        page.choose("axis", AXES, lambda name: page.t(f"axes.{name}"))
        st.code(f"weights = {LINES[page.own.axis][0].format('scores')}", language="python", width="content")


def _about_nan(page: Page) -> None:
    if any(_weights(steps.of(page), axis).isnan().any() for axis in ("keys", "queries")):  # by the mask
        say.markdown(page.t("axes.nan"))


def _program(page: Page) -> None:
    say.markdown(f"##### {page.t('axes.title_check')}\n\n{page.t('axes.why_check', **false_alarms())}")
    st.code(CHECK, language="python")


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


def steps_of(page: Page, masked: Traced, axis: str, prefix: str = "") -> dict[str, Traced]:
    """The weights along an axis, and their sums. prefix: of their ids."""
    weights = Traced(
        SOFTMAX[axis],
        (masked,),
        masked.rows,
        masked.cols,
        lambda: picture.softmax(masked.id, OVER[axis]),
        "weights",
    )
    weights = weights.called(
        "weights", f"A{masked.symbol[1:]}", id=f"{prefix}weights", title=page.t("panel.weights")
    )
    sums = [learner.total(page, weights, over, id=prefix + name) for over, name in learner.SUMS.items()]
    return by_name(weights, *sums)


def _scores(page: Page, computation: steps.Steps) -> Matrix:
    tensor = computation.head.masked_scores
    finite = tensor.where(tensor.isfinite(), 0.0)
    return matrix.number(
        page,
        computation.numbers["masked_scores"],
        title=computation.symbol("S"),
        masked=steps.hidden(computation.head.mask),
        bound=picture.nice_bound(finite.tolist()),
    )


def _weights_and_sums(page: Page, computation: steps.Steps, axis: str, prefix: str = "") -> list[Matrix]:
    """As the picture shows them; sums that are 1 are ringed."""
    masked = computation.numbers["masked_scores"].shown_as(f"{prefix or 'masked_'}scores")
    weights, *sums = steps_of(page, masked, axis, prefix).values()
    off = softmax.row_sum_tolerance(torch.float64, weights.value.numel())
    rings = [((number.value - 1).abs() <= off).nonzero().tolist() for number in sums]
    return [
        matrix.number(page, weights, masked=steps.hidden(computation.head.mask)),
        *(
            learner.sums(page, number).looking(ringed=[*map(tuple, ringed)])
            for number, ringed in zip(sums, rings, strict=True)
        ),
    ]


def axes(page: Page, computation: steps.Steps) -> list[Matrix]:
    """X, the scores, their weights along the chosen axis, and the sums."""
    shown = _weights_and_sums(page, computation, page.own.axis)
    return [*learner.source(page, computation), _scores(page, computation), *shown]


def _answer(page: Page, computation: steps.Steps) -> tuple[list[Matrix], list[Grid]]:
    """What the program of the question computes: each column is normalised."""
    shown = _weights_and_sums(page, computation, QUESTION_AXIS, "asked_")[:3]
    matrices = [replace(_scores(page, computation), id="asked_scores"), *shown]
    scores, pieces, rows, columns = (table.id for table in matrices)
    return matrices, [Grid([[scores, pieces, rows], [None, columns, None]])]


def layout(page: Page, computation: steps.Steps) -> list[Flow | Grid]:
    rows: GridRows = [
        ["x", "masked_scores", "weights", "row_sums"],
        [None, None, "column_sums", "whole_sum"],
    ]
    return [*learner.heads(page, computation), Grid(rows)]


def _check(page: Page) -> None:
    """The check on all three: which passes."""
    computation = steps.of(page)
    sentences = [
        page.t(
            "axes.passes" if softmax.rows_sum_to_one(_weights(computation, axis)) else "axes.fails",
            axis=page.t(f"axes.{axis}"),
        )
        for axis in AXES
    ]
    say.sentence(page.t.joined(sentences))
