"""A row of weights at the learner's d_k; then how far the products q·k spread, and the division by √d_k."""

import math
from typing import Any

import torch
from torch import Tensor

from attention.lab.scaling import variance as theory
from attention.lab.scaling.draws import ROWS
from attention.lab.scaling.variance import KEYS, Sample
from pages import picture
from pages.ask import blocks, questions
from pages.draw import inputs, matrix, palette, placing, plots
from pages.draw.charts import SUPPORT, Axis, Chart, Plot
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.model.progress import Takeaway

from . import densities
from .assumptions import products
from .spread import FAILS, typical_row

QUESTION = "wide_row"
FROM, TO = 4, 64  # the first width, and the least one that the learner is to try
FAIR = Sample()
WAYS = ("plain", "divided")
TOP = {"plain": 0.27, "divided": 0.55}  # of the upright axis
REACH = 4.0  # of the axis of what is divided, in standard deviations
# Where the names are, by the width: deviations from the mean, share of the histogram's top.
NAMED = ((0.5, 1.0), (1.0, 0.75))
LOWEST = 0.15  # name, as a share of the axis: below it the curve would cross the name


def draw(page: Page) -> blocks.Blocks:
    """A row of weights to try out, and the question; then the row and the products with the division."""
    yield blocks.picture(_plain)
    yield blocks.said(_row_read)
    yield blocks.asking(QUESTION, _ask)
    yield blocks.picture(_divided)
    yield blocks.text("experiment.variances")
    yield blocks.chart("widths", _charts, _file, heading=False)
    yield blocks.said(reading)


def task(page: Page) -> bool:
    """Whether d_k is large enough to see the spread."""
    return page.own.tried_d_k >= TO


def keep(page: Page) -> Takeaway:
    """The spread at the learner's d_k, before the division and after it."""
    facts = _facts(page.own.tried_d_k)
    return Takeaway({name: str(facts[name]) for name in ("d_k", "root", "deviation", "scaled")})


def _ask(page: Page) -> bool:
    """What becomes of a typical row of weights as d_k grows, where the scores are divided by √d_k?"""
    facts: dict[str, Any] = {"high": FAILS, "first": _facts(FROM)["divided"], **_facts(FAILS)}
    return questions.ask(page, QUESTION, **facts)


def _both(page: Page) -> list[int]:
    """The two widths; the first one alone where the learner's is the same."""
    return list(dict.fromkeys((FROM, page.own.tried_d_k)))


def _deviation(d_k: int) -> float:
    return products(FAIR, d_k).std(correction=0).item()


def _divisor(way: str, d_k: int) -> float:
    return math.sqrt(d_k) if way == "divided" else 1.0


def _histogram(way: str, d_k: int) -> tuple[list[float], list[float]]:
    """The edges and the densities of q·k, or of what is left of it after the division."""
    edges, by = theory.bins(FAIR, d_k), _divisor(way, d_k)
    return [edge / by for edge in edges], [
        by * density for density in theory.densities(products(FAIR, d_k), edges)
    ]


def _charts(page: Page) -> list[Chart]:
    return [_chart(page, way) for way in WAYS]


def _chart(page: Page, way: str) -> Chart:
    t, d_k = page.t, page.own.tried_d_k
    ends = densities.reach(FAIR, max(d_k, 4 * FROM)) if way == "plain" else (-REACH, REACH)
    up = Axis(t("axis.density"), (0.0, TOP[way]))
    plot = Plot(Axis(t(f"axis.{way}"), ends), up, height=SUPPORT, used=palette.SERIES[:2])
    for series, width in enumerate(_both(page)):
        edges, density = _histogram(way, width)
        plot.curve("steps", edges, [*density, 0.0], series)
        aside, share = NAMED[series]
        deviation = _deviation(width) / _divisor(way, width)
        label = t("experiment.named", d_k=width, deviation=short(deviation))
        height = max(share * max(density), LOWEST * TOP[way])
        plot.mark("name", aside * deviation, height, series, text=label)
    return plot.chart()


def _file(page: Page) -> plots.Columns:
    """Both histograms of both widths."""
    columns: dict[str, list] = {"d_k": [], "which": [], "x0": [], "x1": [], "density": []}
    for width in _both(page):
        for way in WAYS:
            edges, density = _histogram(way, width)
            columns["d_k"] += [width] * len(density)
            columns["which"] += [page.t(f"axis.{way}")] * len(density)
            columns["x0"] += edges[:-1]
            columns["x1"] += edges[1:]
            columns["density"] += density
    return {page.t(f"column.{name}"): values for name, values in columns.items()}


def _weights(way: str, d_k: int) -> tuple[Tensor, Tensor]:
    """The scores of a typical query, the largest first, divided or not, and their softmax."""
    scores = typical_row(d_k, FAIR.seed)[0].sort(descending=True).values / _divisor(way, d_k)
    return scores, scores.softmax(-1)


def _plain(page: Page) -> None:
    _row(page, "plain")


def _divided(page: Page) -> None:
    _row(page, "divided")


def _row(page: Page, way: str) -> None:
    """d_k, and the weights of a typical query with that many numbers."""
    d_k = page.own.tried_d_k
    scores, weights = _weights(way, d_k)
    look: dict[str, Any] = {"kind": "weights", "symbol": "A", "col_axis": page.t("axis.key")}
    recipe = picture.softmax_of([scores.tolist()])
    row = matrix.of(
        f"row_{way}", page.t(f"experiment.{way}"), weights[None], [f"dₖ = {d_k}"], recipe=recipe, **look
    )
    placing.draw(page, way, [inputs.slider(page, "tried_d_k"), row])


def _row_read(page: Page) -> str:
    """The largest weight, and how little the second one follows its score where d_k is large."""
    d_k = page.own.tried_d_k
    scores, weights = _weights("plain", d_k)
    raised = (scores + torch.eye(KEYS)[1]).softmax(-1)
    facts = {"second": short(weights[1].item()), "raised": short(raised[1].item())}
    name = "row" if facts["second"] != facts["raised"] else "row_still"
    return page.t(f"experiment.{name}", **_facts(d_k), **facts, rows=ROWS)


def _facts(d_k: int) -> dict[str, object]:
    deviation, root = _deviation(d_k), math.sqrt(d_k)
    tops = {way: short(_weights(way, d_k)[1].max().item()) for way in WAYS}
    return {
        "d_k": d_k,
        "deviation": short(deviation),
        "root": short(root),
        "scaled": short(deviation / root),
        "times": short(deviation / _deviation(FROM)),
        "low": FROM,
        "top": tops["plain"],
        "divided": tops["divided"],
        "keys": KEYS,
    }


def reading(page: Page) -> str:
    """The spread and the largest weight, before the division and after it."""
    d_k = page.own.tried_d_k
    return page.t("experiment.first" if d_k == FROM else "experiment.grown", **_facts(d_k))
