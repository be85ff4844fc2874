"""The charts of this lesson: what is measured against a width, and histograms.

Every specification is built once for its words and axes, and kept; the numbers come on every run.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterable

import altair as alt

from pages.ui import palette
from pages.ui.plots import QUIET, finished

WIDTH, HEIGHT = 235, 180  # three side by side on a laptop
# The columns of `curves`. A row's kind says what is drawn: see there.
COLUMNS = ("kind", "series", "d", "low", "y", "high", "said")

Domain = tuple[float, float]


def _log(domain: Domain, base: int = 10) -> alt.Scale:
    return alt.Scale(type="log", base=base, domain=list(domain), nice=False)


def _linear(domain: Domain) -> alt.Scale:
    return alt.Scale(domain=list(domain), nice=False, zero=False)


def _powers(title: str, domain: Domain) -> alt.Axis:
    """Powers of ten on a log axis, as 0.01, 1, 100, and as 1e−6 where that is shorter."""
    low, high = math.ceil(math.log10(domain[0])), math.floor(math.log10(domain[1]))
    ticks = [10.0**power for power in range(low, high + 1, 1 + (high - low) // 6)]
    far = "datum.value < 0.001 || datum.value >= 100000"
    short = f"{far} ? format(datum.value, '.0e') : format(datum.value, '~g')"
    return alt.Axis(title=title, labelExpr=short, values=ticks)


def _colours(names: tuple[str, ...], first: int) -> alt.Color:
    """A colour a series, with the names over the chart; the column holds their numbers."""
    labels = json.dumps(list(names), ensure_ascii=False)
    legend = alt.Legend(
        title=None,
        orient="top",
        direction="horizontal",
        columns=2,
        labelExpr=f"{labels}[datum.value]",
        labelLimit=160,
        symbolType="stroke",
        symbolStrokeWidth=3,
        symbolOpacity=1,
    )
    scale = alt.Scale(domain=list(range(len(names))), range=list(palette.SERIES[first : first + len(names)]))
    return alt.Color("series:O", scale=scale, legend=legend)


@functools.lru_cache(maxsize=64)
def _curves(
    words: tuple[str, str],
    names: tuple[str, ...],
    ticks: tuple[int, ...],
    domain: Domain,
    log: bool,
    first: int,
) -> str:
    x_title, y_title = words
    x_axis = alt.Axis(title=x_title, values=list(ticks), format="d", grid=False, labelOverlap=True)
    y_axis = _powers(y_title, domain) if log else alt.Axis(title=y_title, tickCount=5)
    scale = _log(domain) if log else _linear(domain)
    base = alt.Chart().encode(
        x=alt.X("d:Q", scale=_log((ticks[0] * 0.85, ticks[-1] * 1.18), 2), axis=x_axis),
        y=alt.Y("y:Q", scale=scale, axis=y_axis),
        color=_colours(names, first),
    )

    def rows(*kinds: str) -> alt.Chart:
        return base.transform_filter(" || ".join(f"datum.kind == '{kind}'" for kind in kinds))

    look = {"clip": True} | QUIET
    chosen = alt.Chart().transform_filter("datum.kind == 'chosen'").encode(x="d:Q")
    low_high = {"y": alt.Y("low:Q", scale=scale, axis=y_axis), "y2": "high:Q"}
    said = {"description": "said:N"}
    layers = alt.layer(
        chosen.mark_rule(color=palette.HIGHLIGHT, strokeDash=[2, 3], **look),
        rows("band").mark_area(opacity=0.16, **look).encode(**low_high),
        rows("band", "line").mark_line(strokeWidth=2, **look),
        rows("theory").mark_line(strokeDash=[5, 4], strokeWidth=2, **look),
        rows("point").mark_rule(strokeWidth=1.5, **look).encode(**low_high),
        rows("band", "point")
        .mark_point(filled=True, size=30, opacity=1, clip=True, tooltip=None)
        .encode(**said),
    )
    return finished(layers.properties(width=WIDTH, height=HEIGHT))


def curves(
    words: tuple[str, str],
    names: tuple[str, ...],
    ticks: tuple[int, ...],
    domain: Domain,
    *,
    log: bool = False,
    first: int = 0,
) -> dict:
    """What is measured against a width, which has a logarithmic axis.

    Kinds of rows: "band" (a line with points and an area from low to high), "line", "theory" (dashed),
    "point" (with a bar from low to high) and "chosen" (upright). words: the titles of the axes; names: of the
    series; log: whether the upright axis is logarithmic; first: the number of the first series' colour.
    """
    return json.loads(_curves(words, names, ticks, domain, log, first))


def table(rows: Iterable[tuple]) -> dict[str, list]:
    """Rows (kind, series, d, low, y, high, said) as the columns of `curves`."""
    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    return columns | {"d": list(map(float, columns["d"]))}


def chosen(d: float) -> tuple:
    """The upright line at the chosen width."""
    return ("chosen", 0, d, math.nan, math.nan, math.nan, "")


@functools.lru_cache(maxsize=64)
def _histograms(domain: Domain, tops: Domain, words: tuple[str, str, str]) -> str:
    density, *titles = words
    charts = []
    for number, (title, top) in enumerate(zip(titles, tops, strict=True)):
        x = alt.X("x0:Q", scale=_linear(domain), axis=alt.Axis(title=title, grid=False, tickCount=6))
        y = alt.Y("y:Q", scale=_linear((0, top)), axis=alt.Axis(title=density, tickCount=3))
        bars = alt.Chart().transform_filter(f"datum.panel == {number}")
        # Squares, no rounded corners: a bin may be a pixel wide.
        bars = bars.mark_rect(color=palette.SERIES[number], clip=True, **QUIET)
        chart = bars.encode(x=x, x2="x1:Q", y=y, y2=alt.YDatum(0))
        charts.append(chart.properties(width=WIDTH, height=78))
    return finished(alt.vconcat(*charts, spacing=6))


def histograms(domain: Domain, tops: Domain, words: tuple[str, str, str]) -> dict:
    """Densities before and after the division, over one common axis. Columns: panel, x0, x1, y.

    words: the upright axis, and the two others.
    """
    return json.loads(_histograms(domain, tops, words))
