"""How q·k is distributed at one d_k, before and after the division, over one axis."""

import functools
import math
from collections.abc import Callable

import streamlit as st
from torch import Tensor

from attention.lab.scaling import variance as theory
from attention.lab.scaling.variance import Sample
from pages.draw import charts, inputs, palette, plots, say
from pages.draw.charts import HERO, Axis, Chart, Plot
from pages.draw.numbers import short
from pages.draw.page import Page

from .shared import sample_of

DEVIATION = 4.0  # standard deviations on each side of the axis
NAMED = {"before": (0.5, 1.08), "after": (0.6, 0.9)}  # where a name is: deviations from the mean, of the top


def draw(page: Page, products: Callable[[Page], Tensor], result: Callable[[Page], str]) -> None:
    """Both densities, under what they show and next to their d_k."""
    t, sample = page.t, sample_of(page.own)
    left, right = st.columns([5, 4], vertical_alignment="bottom")
    say.markdown(f"##### {t('title.products' if _fair(sample) else 'title.products_unfair')}", left)
    with right:
        inputs.draw_sliders(page, "sample_d_k")
    chart, file = both(page, sample, page.own.sample_d_k, products(page))
    plots.draw(page, "products", [chart], file, heading=False, result=result(page))


def both(page: Page, sample: Sample, d_k: int, products: Tensor) -> tuple[Chart, plots.Columns]:
    """The densities of q·k before and after the division, and their numbers."""
    t = page.t
    edges, root = theory.bins(sample, d_k), math.sqrt(d_k)
    before = theory.densities(products, edges)
    after = [density * root for density in before]
    scaled = [edge / root for edge in edges]
    x = Axis(t("axis.product"), reach(sample, d_k))
    plot = Plot(x, Axis(t("axis.density"), charts.reach(after)), height=HERO, used=palette.SERIES[:2])
    mean, deviation = products.mean().item(), products.std(correction=0).item()
    for series, (name, by, at, density) in enumerate(
        (("before", 1.0, edges, before), ("after", root, scaled, after))
    ):
        plot.curve("steps", at, [*density, 0.0], series)
        aside, share = NAMED[name]
        label = t(f"density.{name}", deviation=short(deviation / by))
        plot.mark("name", (mean + aside * deviation) / by, share * max(density), series, text=label)
    which = [t("column.before")] * len(before) + [t("column.after")] * len(after)
    names = {"x0": edges[:-1] + scaled[:-1], "x1": edges[1:] + scaled[1:], "density": before + after}
    file = {t("column.which"): which} | {t(f"column.{name}"): values for name, values in names.items()}
    return plot.chart(), file


def _fair(sample: Sample) -> bool:
    """Whether the division undoes all that d_k does: the variance grows with d_k, and the mean is 0."""
    single, two = (theory.theory_variance(sample, d_k) / d_k for d_k in (1, 2))
    return math.isclose(single, two) and theory.theory_mean(sample, 1) == 0


def axes(page: Page, x: Axis) -> Chart:
    """The axes alone."""
    return Plot(x, Axis(page.t("axis.density"), (0.0, 0.25)), height=HERO).chart()


@functools.lru_cache(maxsize=256)
def reach(sample: Sample, d_k: int) -> tuple[float, float]:
    """The axis: wide enough for all d_k from one power of 4 to the next, so that they are seen to widen.

    It holds them before the division and after it.
    """
    top = 4 ** math.ceil(math.log(d_k, 4) - 1e-9)
    ends = []
    for width in {max(1, top // 4), top}:
        mean, around = theory.theory_mean(sample, width), math.sqrt(theory.theory_variance(sample, width))
        around = DEVIATION * around or max(1.0, abs(mean) / 10)
        for by in (1.0, math.sqrt(width)):
            ends += [(mean - around) / by, (mean + around) / by]
    return float(f"{min(ends):.3g}"), float(f"{max(ends):.3g}")
