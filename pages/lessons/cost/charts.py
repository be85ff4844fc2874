"""The charts of the lesson on cost. Every specification is built once for its words and axes, and kept."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Sequence

import altair as alt

from pages.ui import palette, plots

WIDTH, HEIGHT = 270, 160
PATH_WIDTH, PATH_HEIGHT = 175, 150
KEPT = 64
SHAPES = ["circle", "square", "triangle-up"]

Chart = tuple[dict[str, list], dict]
Domain = tuple[float, float]


def decades(values: Sequence[float]) -> Domain:
    """The ends of a logarithmic axis in whole powers of ten, so that it holds still while a number moves."""
    positive = [value for value in values if value > 0]
    return (
        10.0 ** math.floor(math.log10(min(positive))),
        10.0 ** math.ceil(math.log10(max(positive) * 1.0001)),
    )


def _log(domain: Domain) -> alt.Scale:
    return alt.Scale(type="log", domain=list(domain), nice=False)


def _axis(title: str, domain: Domain) -> alt.Axis:
    """At most six powers of ten, in full up to 10,000."""
    low, high = round(math.log10(domain[0])), round(math.log10(domain[1]))
    ticks = [10.0**power for power in range(low, high + 1, 1 + (high - low) // 6)]
    far = "datum.value >= 100000 || datum.value < 0.001"
    short = f"{far} ? format(datum.value, '.0e') : format(datum.value, '~g')"
    return alt.Axis(title=title, values=ticks, labelExpr=short)


def _colours(names: tuple[str, ...], *, symbol: str = "stroke") -> alt.Color:
    labels = json.dumps(list(names), ensure_ascii=False)
    legend = alt.Legend(
        title=None, orient="top", columns=2, labelExpr=f"{labels}[datum.value]", labelLimit=150,
        symbolType=symbol, symbolStrokeWidth=3, symbolOpacity=1,
    )  # fmt: skip
    scale = alt.Scale(domain=list(range(len(names))), range=[*palette.SERIES, palette.MASKED][: len(names)])
    return alt.Color("series:O", scale=scale, legend=legend)


# ---- curves on two logarithmic axes


def curves(
    title: str,
    axes: tuple[str, str],
    xs: Sequence[float],
    series: dict[str, Sequence[float]],
    *,
    now: float = math.nan,
    marks: Sequence[tuple[float, float]] = (),
    up: Domain | None = None,
    points: bool = False,
) -> Chart:
    """A curve per series, with an upright line at x = now, and rings where curves cross.

    points: the values are measured, so each is drawn as a point too; a missing one is NaN.
    """
    names, across = tuple(series), (float(xs[0]), float(xs[-1]))
    values = [value for name in names for value in series[name]]
    data = {
        "kind": ["curve"] * len(values) + ["now"] + ["mark"] * len(marks),
        "series": [i for i in range(len(names)) for _ in xs] + [0] * (1 + len(marks)),
        "x": [float(x) for _ in names for x in xs] + [float(now)] + [float(x) for x, _ in marks],
        "y": [float(value) for value in values] + [math.nan] + [float(y) for _, y in marks],
    }
    up = up or decades([value for value in values if value == value])
    return data, json.loads(_curves(title, *axes, names, across, up, points))


@functools.lru_cache(maxsize=KEPT)
def _curves(
    title: str, x: str, y: str, names: tuple[str, ...], across: Domain, up: Domain, points: bool
) -> str:
    over = alt.X(
        "x:Q", title=x, scale=_log(across), axis=alt.Axis(tickCount=5, format="~s", labelOverlap=True)
    )
    height = alt.Y("y:Q", scale=_log(up), axis=_axis(y, up))
    base, look = alt.Chart(), {"clip": True} | plots.QUIET

    def rows(kind: str) -> alt.Chart:
        return base.transform_filter(f"datum.kind == '{kind}'")

    line = rows("curve").mark_line(strokeWidth=2.5, point={"size": 35} if points else False, **look)
    layers = [
        rows("now").mark_rule(color=palette.HIGHLIGHT, strokeDash=[3, 3], **look).encode(x=over),
        line.encode(over, height, _colours(names)),
        rows("mark")
        .mark_point(size=130, strokeWidth=2.5, color=palette.HIGHLIGHT, **look)
        .encode(over, height),
    ]
    return plots.finished(alt.layer(*layers).properties(title=title, width=WIDTH, height=HEIGHT))


# ---- a path through layers or time steps


def route(title: str, axes: tuple[str, str], positions: Sequence[int], n: int) -> Chart:
    """The positions that a number passes, one edge after another, from the first input up."""
    last = len(positions) - 1
    data = {
        "kind": ["place"] * (2 * n) + ["way"] * len(positions),
        "x": [float(i + 1) for i in range(n)] * 2 + [float(p + 1) for p in positions],
        "y": [0.0] * n + [float(last)] * n + [float(i) for i in range(len(positions))],
    }
    return data, json.loads(_route(title, *axes, n, last))


@functools.lru_cache(maxsize=4 * KEPT)
def _route(title: str, x: str, y: str, n: int, last: int) -> str:
    def linear(low: float, high: float) -> alt.Scale:
        return alt.Scale(domain=[low, high], nice=False, zero=False)

    over = alt.X(
        "x:Q", title=x, scale=linear(0.5, n + 0.5), axis=alt.Axis(tickMinStep=1, tickCount=4, grid=False)
    )
    height = alt.Y(
        "y:Q", title=y, scale=linear(-0.2, last + 0.2), axis=alt.Axis(tickMinStep=1, tickCount=4, format="d")
    )
    base, look = alt.Chart().encode(over, height), plots.QUIET
    places = base.transform_filter("datum.kind == 'place'")
    way = base.transform_filter("datum.kind == 'way'")
    layers = alt.layer(
        places.mark_point(size=12, filled=True, color=palette.MASKED, opacity=0.7, **look),
        way.mark_line(strokeWidth=2, color=palette.SERIES[0], **look).encode(order="y:Q"),
        way.mark_point(size=28, filled=True, color=palette.SERIES[0], opacity=1, **look),
    )
    return plots.finished(layers.properties(title=title, width=PATH_WIDTH, height=PATH_HEIGHT))


# ---- points on one logarithmic axis, a line per name


def dots(
    title: str, x: str, names: Sequence[str], series: dict[str, Sequence[float]], domain: Domain
) -> Chart:
    """A row per name, and in it a point per series."""
    data = {
        "name": [name for _ in series for name in names],
        "series": [i for i in range(len(series)) for _ in names],
        "x": [float(value) for values in series.values() for value in values],
    }
    return data, json.loads(_dots(title, x, tuple(series), len(names), domain))


@functools.lru_cache(maxsize=KEPT)
def _dots(title: str, x: str, names: tuple[str, ...], rows: int, domain: Domain) -> str:
    powers = range(round(math.log2(domain[0])), round(math.log2(domain[1])) + 1)
    ticks = [2.0**power for power in powers if power % 10 == 0]
    units = json.dumps(["B", "KiB", "MiB", "GiB", "TiB", "PiB"])
    # A tick is a power of 1024; a little more than its logarithm, against rounding.
    label = f"'1 ' + {units}[floor(log(datum.value) / log(1024) + 0.01)]"
    axis = alt.Axis(title=x, values=ticks, labelExpr=label)
    chart = (
        alt.Chart()
        .mark_point(filled=True, size=70, opacity=1, clip=True, **plots.QUIET)
        .encode(
            x=alt.X("x:Q", scale=_log(domain), axis=axis),
            y=alt.Y("name:N", sort=None, axis=alt.Axis(title=None, labelLimit=130, grid=True)),
            color=_colours(names, symbol="circle"),
            shape=alt.Shape(
                "series:O", legend=None, scale=alt.Scale(range=["circle", "square", "triangle-up"])
            ),
        )
    )
    return plots.finished(chart.properties(title=title, width=WIDTH - 40, height=rows * 26))
