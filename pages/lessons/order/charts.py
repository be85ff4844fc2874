"""The charts of the lesson on order. Every specification is built once for its words and axes, and kept."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence

import altair as alt

from pages.ui import palette, plots

WIDTH, HEIGHT = 250, 170
BARS = 220  # the names and the numbers of bars take room on both sides
KEPT = 64

Chart = tuple[dict[str, list], dict]
Domain = tuple[float, float]


def _linear(domain: Domain) -> alt.Scale:
    return alt.Scale(domain=list(domain), nice=False, zero=False)


# ---- a table as colours


def heat(title: str, x: str, y: str, table: Sequence[Sequence[float]]) -> Chart:
    """A row of colours per row of the table, with values from −1 to 1."""
    rows, cols = len(table), len(table[0])
    data = {
        "row": [r for r in range(rows) for _ in range(cols)],
        "col": [c + 1 for _ in range(rows) for c in range(cols)],
        "value": [value for row in table for value in row],
    }
    return data, json.loads(_heat(title, x, y, rows, cols))


@functools.lru_cache(maxsize=KEPT)
def _heat(title: str, x: str, y: str, rows: int, cols: int) -> str:
    colour = alt.Scale(domain=[-1, 1], range=list(palette.DIVERGING))
    band = {"paddingInner": 0, "paddingOuter": 0}
    chart = (
        alt.Chart()
        .mark_rect(**plots.QUIET)
        .encode(
            x=alt.X(
                "col:O", title=x, axis=alt.Axis(labelOverlap=True, labelAngle=0), scale=alt.Scale(**band)
            ),
            y=alt.Y("row:O", title=y, axis=alt.Axis(labelOverlap=True), scale=alt.Scale(**band)),
            color=alt.Color("value:Q", scale=colour, legend=alt.Legend(title=None, gradientLength=HEIGHT)),
        )
    )
    return plots.finished(chart.properties(title=title, width=12 * cols, height=4 * rows))


# ---- curves


def curves(
    title: str,
    x: str,
    y: str,
    xs: Sequence[float],
    series: dict[str, Sequence[float]],
    domain: Domain,
    *,
    log: bool = False,
    now: float | None = None,
) -> Chart:
    """y against x, a curve per series; with `log` both axes are logarithmic. now: a rule at that x."""
    names = tuple(series)
    data = {
        "series": [i for i in range(len(names)) for _ in xs],
        "x": [value for _ in names for value in xs],
        "y": [value for name in names for value in series[name]],
        "now": [xs[0] if now is None else now] * (len(names) * len(xs)),
    }
    spec = _curves(title, x, y, names, (xs[0], xs[-1]), domain, log, now is not None)
    return data, json.loads(spec)


@functools.lru_cache(maxsize=KEPT)
def _curves(
    title: str, x: str, y: str, names: tuple[str, ...], across: Domain, up: Domain, log: bool, rule: bool
) -> str:
    def scale(domain: Domain) -> alt.Scale:
        return alt.Scale(type="log", domain=list(domain), nice=False) if log else _linear(domain)

    axis = {"format": "~s"} if log else {}
    over = alt.X("x:Q", title=x, scale=scale(across), axis=alt.Axis(tickCount=5, labelOverlap=True, **axis))
    height = alt.Y("y:Q", title=y, scale=scale(up), axis=alt.Axis(tickCount=5, **axis))
    base = alt.Chart()
    line = base.mark_line(strokeWidth=2.5, clip=True, **plots.QUIET).encode(over, height, _colours(names))
    layers = [line]
    if rule:
        mark = base.mark_rule(color="currentColor", strokeDash=[3, 3], **plots.QUIET)
        layers.append(mark.encode(x=alt.X("now:Q", scale=scale(across), title=x)))
    return plots.finished(alt.layer(*layers).properties(title=title, width=WIDTH, height=HEIGHT))


def _colours(names: tuple[str, ...]) -> alt.Color:
    """A colour a series, from the palette and then lighter to darker; one alone needs no legend."""
    own = [*palette.SERIES, "#8a74c9", "#7f7f7f", "#c49a00", "#5b8c00", "#a0522d"]
    labels = json.dumps(list(names), ensure_ascii=False)
    legend = None
    if len(names) > 1:
        legend = alt.Legend(
            title=None, orient="top", columns=3, labelExpr=f"{labels}[datum.value]", labelLimit=90,
            symbolType="stroke", symbolStrokeWidth=3, symbolOpacity=1,
        )  # fmt: skip
    scale = alt.Scale(domain=list(range(len(names))), range=own[: len(names)])
    return alt.Color("series:O", scale=scale, legend=legend)


# ---- arrows


def arrows(
    title: str,
    axes: tuple[str, str],
    points: Sequence[tuple[float, float]],
    labels: Sequence[str],
    chosen: int,
    reach: float,
) -> Chart:
    """Arrows from 0 to points of the plane, each with a label at its head; the chosen one stands out."""
    data = {"x": [], "y": [], "i": [], "label": [], "head": [], "own": []}
    for i, ((x, y), label) in enumerate(zip(points, labels, strict=True)):
        for at, end in (((0.0, 0.0), 0), ((x, y), 1)):
            for key, value in zip(data, (*at, i, label, end, int(i == chosen)), strict=True):
                data[key].append(value)
    return data, json.loads(_arrows(title, *axes, reach))


@functools.lru_cache(maxsize=KEPT)
def _arrows(title: str, x: str, y: str, reach: float) -> str:
    domain = (-reach, reach)
    base = alt.Chart().encode(
        x=alt.X("x:Q", title=x, scale=_linear(domain), axis=alt.Axis(tickCount=3)),
        y=alt.Y("y:Q", title=y, scale=_linear(domain), axis=alt.Axis(tickCount=3)),
        color=alt.condition("datum.own == 1", alt.value(palette.SERIES[0]), alt.value(palette.SERIES[1])),
    )
    line = base.mark_line(strokeWidth=2, **plots.QUIET).encode(detail="i:N", order="head:Q")
    heads = base.transform_filter("datum.head == 1")
    dot = heads.mark_point(filled=True, size=60, opacity=1, **plots.QUIET)
    text = heads.mark_text(dx=8, dy=-8, fontSize=12, **plots.QUIET).encode(text="label:N")
    return plots.finished(alt.layer(line, dot, text).properties(title=title, width=HEIGHT, height=HEIGHT))


# ---- bars


def bars(title: str, x: str, values: dict[str, float], top: float) -> Chart:
    """A horizontal bar per name with its number, from 0 to `top`."""
    data = {
        "name": list(values),
        "value": list(values.values()),
        "text": [f"{value:.2g}".replace("-", "−") for value in values.values()],
    }
    return data, json.loads(_bars(title, x, len(values), top))


@functools.lru_cache(maxsize=KEPT)
def _bars(title: str, x: str, count: int, top: float) -> str:
    base = alt.Chart().encode(y=alt.Y("name:N", sort=None, axis=alt.Axis(title=None, labelLimit=120)))
    scale = _linear((0.0, top))
    bar = base.mark_bar(color=palette.SEQUENTIAL[2], clip=True, **plots.QUIET)
    bar = bar.encode(x=alt.X("value:Q", title=x, scale=scale, axis=alt.Axis(tickCount=4)))
    text = base.mark_text(align="left", dx=6, color="currentColor", **plots.QUIET)
    text = text.encode(x=alt.value(BARS), text="text:N")
    return plots.finished(alt.layer(bar, text).properties(title=title, width=BARS, height=count * 30))
