"""The charts of the lesson `Why √d_k`: points with their error, histograms, bars, and lines against a width.

Each is a Vega-Lite spec, made once a shape, for the data set "source" that comes on every run (see heatmaps).
Column i is a row's own number: marks keep their identity while numbers change. Scales are fixed in the spec.
"""

from __future__ import annotations

import functools
import itertools
import json
import math

import altair as alt

from . import palette
from .heatmaps import finished

TICKS = (1, 4, 16, 64, 256, 1024)
QUIET = {"tooltip": None, "aria": False}
WIDE, NARROW = 410, 250


def _log(domain: tuple[float, float], base: int = 10) -> alt.Scale:
    return alt.Scale(type="log", base=base, domain=list(domain), nice=False)


def _linear(domain: tuple[float, float]) -> alt.Scale:
    return alt.Scale(domain=list(domain), nice=False, zero=False)


def _sizes_axis(title: str | None, ticks: tuple[int, ...] = TICKS) -> alt.Axis:
    return alt.Axis(title=title, values=list(ticks), format="d", grid=False, labelOverlap=False)


def _powers(title: str, domain: tuple[float, float]) -> alt.Axis:
    """Powers of ten on a log axis, as 0.01, 1, 100, and as 1e−6 where that is shorter."""
    low, high = math.ceil(math.log10(domain[0])), math.floor(math.log10(domain[1]))
    ticks = [10.0**power for power in range(low, high + 1, 1 + (high - low) // 6)]
    far = "datum.value < 0.001 || datum.value >= 100000"
    short = f"{far} ? format(datum.value, '.0e') : format(datum.value, '~g')"
    return alt.Axis(title=title, labelExpr=short, values=ticks)


def _named(field: str, names: tuple[str, ...], colours: tuple[str, ...], **legend) -> alt.Color:
    """Colours with the names of the series, over the chart; the column holds their numbers."""
    labels = json.dumps(list(names), ensure_ascii=False)
    return alt.Color(
        f"{field}:O",
        scale=alt.Scale(domain=list(range(len(names))), range=list(colours[: len(names)])),
        legend=alt.Legend(
            title=None,
            orient="top",
            direction="horizontal",
            labelExpr=f"{labels}[datum.value]",
            labelLimit=320,
            symbolType="stroke",
            symbolStrokeWidth=3,
            **legend,
        ),
    )


# ---- the experiment


@functools.lru_cache(maxsize=64)
def _variances(domain: tuple[float, float], top: float, words: tuple[str, ...], narrow: bool) -> str:
    x_title, y_title, ratio_title, theory, claim = words
    width = NARROW if narrow else WIDE
    colours = (palette.SERIES[1], palette.SERIES[0])

    def panel(y: str, low: str, high: str, title: str, scale: alt.Scale, height: int) -> alt.LayerChart:
        log = y == "y"
        axis = _powers(title, domain) if log else alt.Axis(title=title, tickCount=4)
        bottom = None if log else x_title
        base = alt.Chart().encode(
            x=alt.X("d:Q", scale=_log((0.8, 1280), 2), axis=_sizes_axis(bottom)),
            y=alt.Y(f"{y}:Q", scale=scale, axis=axis),
        )
        line = base.transform_filter("datum.kind == 'line'").mark_line(strokeWidth=2, **QUIET)
        points = base.transform_filter("datum.kind == 'point'").encode(key=alt.Key("i:Q"))
        chosen = base.transform_filter("datum.kind == 'chosen'").encode(key=alt.Key("i:Q"))
        return alt.layer(
            chosen.mark_rule(color=palette.HIGHLIGHT, strokeDash=[2, 3], **QUIET).encode(
                y=alt.value(0), y2=alt.value(height)
            ),
            line.encode(
                color=_named("series", (theory, claim), colours),
                strokeDash=alt.condition("datum.series == 1", alt.value([6, 4]), alt.value([1, 0])),
            ),
            points.mark_rule(color="currentColor", strokeWidth=1.5, **QUIET).encode(
                y=f"{low}:Q", y2=f"{high}:Q"
            ),
            points.mark_point(filled=True, size=45, opacity=1, color="currentColor", tooltip=None).encode(
                description="said:N"
            ),
        ).properties(width=width, height=height)

    whole = panel("y", "low", "high", y_title, _log(domain), 210)
    ratio = panel("ratio", "ratio_low", "ratio_high", ratio_title, _linear((0, top)), 110)
    return finished(alt.vconcat(whole, ratio, spacing=8))


def variances(domain: tuple[float, float], top: float, words: tuple[str, ...], *, narrow: bool) -> dict:
    """Variance against d_k on log axes, and below it the variance a d_k.

    Columns: kind "line" (series 0 theory, 1 claim), "point" or "chosen"; d, y, low, high, ratio and its
    bounds, said. words: the three axis titles, and the names of both lines.
    """
    return json.loads(_variances(domain, top, words, narrow))


@functools.lru_cache(maxsize=64)
def _histograms(
    domain: tuple[float, float], tops: tuple[float, float], words: tuple[str, ...], narrow: bool
) -> str:
    share, before, after = words
    charts = []
    for number, (title, top) in enumerate(zip((before, after), tops, strict=True)):
        base = alt.Chart().transform_filter(f"datum.panel == {number}")
        x = alt.X("x0:Q", scale=_linear(domain), axis=alt.Axis(title=title, grid=False))
        y = alt.Y("y:Q", scale=_linear((0, top)), axis=alt.Axis(title=share, tickCount=3, format="~%"))
        # Squares, no rounded corners: a bin may be a pixel wide.
        bars = base.mark_rect(color=palette.SERIES[number], clip=True, **QUIET)
        floor = alt.YDatum(0)
        chart = bars.encode(x=x, x2="x1:Q", y=y, y2=floor, key=alt.Key("i:Q"))
        charts.append(chart.properties(width=280 if narrow else 680, height=110))
    return finished(alt.vconcat(*charts, spacing=10))


def histograms(
    domain: tuple[float, float], tops: tuple[float, float], words: tuple[str, ...], *, narrow: bool
) -> dict:
    """Before and after the division, over one common axis. Columns: i, panel, x0, x1, y.

    words: the vertical axis, the horizontal ones.
    """
    return json.loads(_histograms(domain, tops, words, narrow))


# ---- the weights under four scalings


@functools.lru_cache(maxsize=16)
def _bars(names: tuple[str, ...], queries: tuple[str, ...], words: tuple[str, str], narrow: bool) -> str:
    key_title, weight_title = words
    width = 126 if narrow else 168

    def one(scaling: int, query: int, first: bool) -> alt.Chart:
        last = query == len(queries) - 1
        return (
            alt.Chart()
            .transform_filter(f"datum.scaling == {scaling} && datum.query == {query}")
            .mark_bar(color=palette.SERIES[scaling], **QUIET)
            .encode(
                x=alt.X(
                    "token:O",
                    sort=None,
                    axis=alt.Axis(title=key_title if last else None, labelAngle=0, labels=last, ticks=False),
                    scale=alt.Scale(paddingInner=0.2),
                ),
                y=alt.Y(
                    "weight:Q",
                    scale=_linear((0, 1)),
                    axis=alt.Axis(
                        title=[queries[query], weight_title] if first else None,
                        values=[0, 0.5, 1],
                        labels=first,
                    ),
                ),
                key=alt.Key("i:Q"),
            )
            .properties(
                width=width,
                height=70,
                title=alt.TitleParams(names[scaling] if query == 0 else "", frame="group"),
            )
        )

    def block(scalings: range) -> alt.VConcatChart:
        lines = [
            alt.hconcat(*(one(s, q, s == scalings[0]) for s in scalings), spacing=14)
            for q in range(len(queries))
        ]
        return alt.vconcat(*lines, spacing=6)

    count = len(names)
    blocks = [range(0, 2), range(2, count)] if narrow else [range(count)]
    return finished(alt.vconcat(*map(block, blocks), spacing=20))


def bars(names: tuple[str, ...], queries: tuple[str, ...], words: tuple[str, str], *, narrow: bool) -> dict:
    """Each query's weights as bars, a column of pictures a scaling.

    Columns: i, scaling, query, token, weight.
    """
    return json.loads(_bars(names, queries, words, narrow))


# ---- lines against a width


@functools.lru_cache(maxsize=64)
def _lines(
    titles: tuple[str, ...],
    names: tuple[str, ...],
    x_title: str,
    x_ticks: tuple[int, ...],
    domains: tuple[tuple[float, float], ...],
    rows: tuple[int, ...],
    narrow: bool,
) -> str:
    charts = []
    for number, (title, domain) in enumerate(zip(titles, domains, strict=True)):
        reach = (x_ticks[0] * 0.9, x_ticks[-1] * 1.1)
        base = (
            alt.Chart()
            .transform_filter(f"datum.panel == {number}")
            .encode(x=alt.X("d:Q", scale=_log(reach, 2), axis=_sizes_axis(x_title, x_ticks)))
        )
        y = alt.Y("y:Q", scale=_log(domain), axis=_powers(title, domain))
        curves = base.transform_filter("datum.kind == 'point'").encode(
            y=y, color=_named("series", names, palette.SERIES, columns=2 if narrow else 4)
        )
        height = 190
        chosen = base.transform_filter("datum.kind == 'chosen'").encode(key=alt.Key("i:Q"))
        theory = base.transform_filter("datum.kind == 'theory'").encode(y=y, detail="series:O")
        charts.append(
            alt.layer(
                chosen.mark_rule(color=palette.HIGHLIGHT, strokeDash=[2, 3], clip=True, **QUIET).encode(
                    y=alt.value(0), y2=alt.value(height)
                ),
                theory.mark_line(color="currentColor", opacity=0.5, strokeDash=[2, 3], clip=True, **QUIET),
                curves.mark_line(strokeWidth=2, clip=True, **QUIET),
                curves.mark_point(filled=True, size=36, opacity=1, clip=True, tooltip=None).encode(
                    shape=alt.Shape("series:O", legend=None), description="said:N", key=alt.Key("i:Q")
                ),
            ).properties(width=NARROW if narrow else 350, height=height)
        )
    if narrow:
        return finished(alt.vconcat(*charts, spacing=24))
    ends = list(itertools.accumulate(rows))
    lines = [
        alt.hconcat(*charts[end - count : end], spacing=24) for count, end in zip(rows, ends, strict=True)
    ]
    return finished(alt.vconcat(*lines, spacing=24))


def lines(
    titles: tuple[str, ...],
    names: tuple[str, ...],
    x_title: str,
    x_ticks: tuple[int, ...],
    domains: tuple[tuple[float, float], ...],
    rows: tuple[int, ...],
    *,
    narrow: bool,
) -> dict:
    """A panel a title, each with a line a name, on log axes. rows: how many panels stand side by side.

    Columns: i, kind "point", "theory" (a dotted line) or "chosen" (upright), panel, series, d, y, said.
    """
    return json.loads(_lines(titles, names, x_title, x_ticks, domains, rows, narrow))
