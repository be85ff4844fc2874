"""What √d_k depends on: pairs of q and k are drawn, and their variance is held against the theory."""

import functools
import math
from collections.abc import Callable
from typing import Any

import streamlit as st
from torch import Tensor

from attention.lab.scaling import products as lab
from attention.lab.scaling import variance as theory
from attention.lab.scaling.variance import SIZES, Sample, VarianceMeasure
from pages import session
from pages.ask import blocks, questions
from pages.draw import charts, inputs, placing, plots, say
from pages.draw.charts import SUPPORT, Axis, Chart, Plot
from pages.draw.numbers import short
from pages.draw.page import Page
from pages.model.memo import within

from . import densities
from .derivation import derivation
from .shared import results_of, sample_of, widths

WIDTH = 64  # of the question
# What each assumption's number is while it holds, and what it becomes when the assumption is dropped.
DROPPED = {"sample_inside": (0.0, 0.5), "sample_mean": (0.0, 1.0), "sample_variance": (1.0, 2.0)}


def _draw_noise(kind: str, d_k: int, pairs: int, seed: int) -> lab.Noise:
    """The noise of d_k entries, which goes on from that of fewer."""
    fewer = lab.shorter(d_k)
    return lab.noise(kind, d_k, pairs, seed, _noise(kind, fewer, pairs, seed) if fewer else None)


# One view of the part draws for 11 widths, one more, and at most 2 on the way to it: 34 MB for 50,000 pairs,
# 3.4 MB for the pairs at the start.
_noise = within(34_000_000, lambda noise: noise.nbytes, _draw_noise)


def draw(page: Page) -> blocks.Blocks:
    """A question where k = q; then assumptions next to what is measured under them, and below it why."""
    if page.own.sample_case == "same":
        yield blocks.asking("same", _ask_same)
    yield blocks.figure(_scene)
    if page.view.presenting:
        yield blocks.chart("variances", _charts, _file, heading=False)
    yield blocks.aside(_derivation, follows="moved")
    yield blocks.text("note.assumptions")


def _dropped(page: Page) -> list[str]:
    """The assumptions that are dropped, by their numbers."""
    dropped = [field for field, (held, _) in DROPPED.items() if getattr(page.own, field) != held]
    return dropped + (["sample_correlation"] if page.own.sample_case == "correlated" else [])


def _scene(page: Page) -> None:
    sample = sample_of(page.own)
    left, right = st.columns([2, 7], gap="medium")
    with left, st.container(key="assumptions"):
        _controls(page)
        if dropped := _dropped(page):
            placing.draw(page, "dropped", [inputs.slider(page, name) for name in dropped])
    # A visitor who waits for others holds what is measured, and not what is drawn for it.
    results_of(page, [(sample, d_k) for d_k in SIZES], _point)
    with right:
        densities.draw(page, products_of, _sentence)
        if not page.view.presenting:
            _variances(page)


def _derivation(page: Page) -> None:
    say.markdown("\n\n".join(derivation(page, sample_of(page.own))))


def _controls(page: Page) -> None:
    """How pairs are drawn, and a switch for each assumption."""
    t, own = page.t, page.own
    page.choose("sample", tuple(theory.KURTOSIS), lambda name: t(f"choice.{name}"))
    page.number("sample_pairs", where="_page")
    page.number("sample_seed", where="_page")
    for field, (held, without) in DROPPED.items():
        holds = getattr(own, field) == held
        _switch(page, field, holds, functools.partial(_set, field, held, without))
    _switch(page, "sample_case", own.sample_case == "independent", _set_case)
    if own.sample_case != "independent":
        page.choose("sample_case", ("correlated", "same"), lambda name: t(f"choice.{name}"))


def _ask_same(page: Page) -> bool:
    means = {"zero": 0.0, "root": math.sqrt(WIDTH), "width": float(WIDTH)}
    truth = theory.theory_mean(Sample(correlation=1.0), WIDTH)
    answer = min(means, key=lambda option: abs(means[option] - truth))
    options = {option: f"{mean:g}" for option, mean in means.items()}
    x = Axis(page.t("axis.product"), (-1.5 * WIDTH, 1.5 * WIDTH))
    ghost = functools.partial(plots.ghost, page, "same", [densities.axes(page, x)])
    return questions.ask(page, "same", ghost, answer=answer, words=options, width=WIDTH, root=options["root"])


# ---- the assumptions


def _switch(page: Page, field: str, holds: bool, change: Callable[[object], None]) -> None:
    bound = session.bind(f"{field}_holds", holds, change)
    st.toggle(page.t(f"assume.{field}"), help=page.t(f"assume.{field}_help"), **bound)


def _set(field: str, held: float, without: float, on: object) -> None:
    session.set_own(**{field: held if on else without})


def _set_case(on: object) -> None:
    session.set_own(sample_case="independent" if on else "correlated")


# ---- measuring


# The chart and the sentence have the same, as have the two widths of the experiment.
@functools.lru_cache(maxsize=3)
def products(sample: Sample, d_k: int) -> Tensor:
    """q·k for every pair."""
    return lab.products(_noise(sample.kind, d_k, sample.pairs, sample.seed), sample)


def products_of(page: Page) -> Tensor:
    """q·k for every pair, at the chosen d_k."""
    sample, d_k = sample_of(page.own), page.own.sample_d_k
    results_of(page, [(sample, d_k)], _point)
    return products(sample, d_k)


@functools.lru_cache(maxsize=1024)
def _point(sample: Sample, d_k: int) -> VarianceMeasure:
    """What the chart shows at d_k: the same while another d_k is chosen."""
    return theory.measure(d_k, products(sample, d_k))


def _points(page: Page) -> list[VarianceMeasure]:
    return [_point(sample_of(page.own), d_k) for d_k in SIZES]


def _expected(page: Page) -> list[float]:
    return [theory.theory_variance(sample_of(page.own), d_k) for d_k in SIZES]


def _variances(page: Page) -> None:
    """The variance against d_k, and next to it the same for each entry; with theory and claim."""
    sample, points = sample_of(page.own), _points(page)
    inside = theory.within(points, sample, 3)
    facts: dict[str, Any] = {"inside": inside, "all": len(points), "pairs": sample.pairs}
    plots.draw(page, "variances", _charts, _file, heading=False)
    say.markdown(page.t("why.variances", **facts))


def _charts(page: Page) -> list[Chart]:
    t, points, expected = page.t, _points(page), _expected(page)
    names = tuple(t(f"series.{name}") for name in ("measured", "theory", "claim"))

    def chart(title: str, up: Axis, over: bool) -> Chart:
        plot = Plot(widths(t("axis.d_k"), SIZES), up, names, title=t(title), height=SUPPORT, named=not over)
        plot.mark("rule", page.own.sample_d_k)
        for d_k, exact, point in zip(SIZES, expected, points, strict=True):
            by = d_k if over else 1
            low, high = point.variance - point.error, point.variance + point.error
            text = f"dₖ = {d_k}: {short(point.variance / by)} ± {short(point.error / by)}"
            low, y, high = (_positive(value / by) for value in (low, point.variance, high))
            plot.mark("span", d_k, y, 0, low=low, high=high, sentence=text)
            plot.mark("line", d_k, _positive(exact / by), 1)
            plot.mark("dashed", d_k, d_k / by, 2)
        return plot.chart()

    ends = charts.log_reach([*expected, *SIZES, *(p.variance + p.error for p in points)])
    return [
        chart("panel.variance", Axis(t("axis.variance"), ends, log=True), over=False),
        chart("panel.ratio", Axis(t("axis.ratio"), _near(points, expected)), over=True),
    ]


def _near(points: list[VarianceMeasure], expected: list[float]) -> tuple[float, float]:
    """The axis of variance / d_k: near 1 where theory and measurements are, else from 0 up."""
    ratios = [value / d_k for value, d_k in zip(expected, SIZES, strict=True)]
    ratios += [(p.variance + side * p.error) / p.d_k for p in points for side in (-1, 1)]
    low, high = min(1.0, *ratios), max(1.0, *ratios)
    return (low, high) if low > 0.5 else charts.reach(ratios)


def _file(page: Page) -> plots.Columns:
    points = _points(page)
    columns: plots.Columns = {
        "d_k": [p.d_k for p in points],
        "mean": [p.mean for p in points],
        "variance": [p.variance for p in points],
        "error": [p.error for p in points],
        "theory": _expected(page),
    }
    return {page.t(f"column.{name}"): values for name, values in columns.items()}


def _sentence(page: Page) -> str:
    d_k, drawn = page.own.sample_d_k, products_of(page)
    point, root = theory.measure(d_k, drawn), math.sqrt(d_k)
    return page.t(
        "assumptions.measured",
        d_k=d_k,
        count=len(drawn),
        mean=short(point.mean),
        variance=short(point.variance),
        theory=short(theory.theory_variance(sample_of(page.own), d_k)),
        root=short(root),
        scaled_mean=short(point.mean / root),
        scaled=short(point.variance / d_k),
    )


def _positive(value: float) -> float:
    """What a log axis can show; a variance of 0 is drawn as nothing."""
    return value if value > 0 else math.nan
