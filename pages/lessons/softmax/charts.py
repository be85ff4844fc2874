"""The charts of the lesson on softmax: bars, curves, and ranges.

Each is a specification built once a shape (see plots). Scales are part of it, with round ends, so they hold
still while a number is dragged.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Sequence

import altair as alt

from pages.ui import palette, plots
from pages.ui.numbers import short
from pages.ui.picture import nice_bound

BAR = 24  # px a bar
WIDTH = 190  # of a panel of bars; the numbers stand to its right
HEIGHT = 200
CURVE = "#8a74c9"  # seen on light and on dark
LARGEST = 1e300  # larger numbers do not go through JSON, and no scale shows them
KEPT = 64
LABEL_HEIGHT = 0.08  # of a chart of weights

Domain = tuple[float, float]
Chart = tuple[dict[str, list], dict]


def finite(values: Sequence[float]) -> list[float]:
    """Numbers that a chart's table can hold; NaN is drawn as nothing."""
    return [0.0 if math.isnan(value) else min(max(value, -LARGEST), LARGEST) for value in values]


def reach(values: Sequence[float]) -> Domain:
    """A round range from 0, or from below it, that holds all the numbers."""
    values = finite(values)
    top = nice_bound([values])
    return (-top if min(values) < 0 else 0.0, top if max(values) > 0 else 0.0)


def _axis(title: str, domain: Domain, *, log: bool = False) -> dict:
    kind = "log" if log else "linear"
    scale = alt.Scale(domain=list(domain), type=kind, clamp=not log, nice=False, zero=False)
    ticks = {"format": "~g"} if log else {}
    return {"scale": scale, "axis": alt.Axis(title=title, tickCount=4, labelOverlap=True, **ticks)}


# ---- bars


def bars(title: str, side: str, axis: str, values: Sequence[float], domain: Domain) -> Chart:
    """A horizontal bar per score, with its number beside it. side: the name of the axis of the scores."""
    names = [str(i + 1) for i in range(len(values))]
    texts = [short(value, 3) for value in values]
    spoken = [f"{side} {name}: {text}" for name, text in zip(names, texts, strict=True)]
    data = {"i": names, "value": finite(values), "text": texts, "d": spoken}
    return data, json.loads(_bars(title, side, axis, len(values), domain))


@functools.lru_cache(maxsize=KEPT)
def _bars(title: str, side: str, axis: str, count: int, domain: Domain) -> str:
    base = alt.Chart().encode(y=alt.Y("i:O", sort=None, axis=_names_axis(side)))
    signed = domain[0] < 0
    below = alt.condition("datum.value < 0", alt.value(palette.DIVERGING[1]), alt.value(palette.DIVERGING[5]))
    colour = below if signed else alt.value(palette.SEQUENTIAL[2])
    bar = base.mark_bar(tooltip=None).encode(
        x=alt.X("value:Q", **_axis(axis, domain)), x2=alt.X2Datum(0), color=colour, description="d:N"
    )
    text = base.mark_text(align="left", fontSize=13, color="currentColor", **plots.QUIET)
    text = text.encode(x=alt.value(WIDTH + 6), text="text:N")
    return plots.finished((bar + text).properties(title=title, width=WIDTH, height=count * BAR))


def _names_axis(side: str) -> alt.Axis:
    return alt.Axis(title=side, ticks=False, domain=False, labelLimit=90)


def pairs(side: str, axis: str, series: dict[str, Sequence[float]], domain: Domain) -> Chart:
    """Two bars or more per score, one per series."""
    names = list(series)
    count = len(series[names[0]])
    data = {
        "i": [str(i + 1) for _ in names for i in range(count)],
        "series": [name for name in names for _ in range(count)],
        "value": [value for name in names for value in finite(series[name])],
    }
    data["d"] = [
        f"{side} {i}, {name}: {short(value, 4)}"
        for i, name, value in zip(data["i"], data["series"], data["value"], strict=True)
    ]
    return data, json.loads(_pairs(side, axis, count, tuple(names), domain))


@functools.lru_cache(maxsize=KEPT)
def _pairs(side: str, axis: str, count: int, names: tuple[str, ...], domain: Domain) -> str:
    colours = alt.Scale(domain=list(names), range=list(palette.SERIES[: len(names)]))
    legend = alt.Legend(title=None, orient="top", labelLimit=200)
    chart = (
        alt.Chart()
        .mark_bar(tooltip=None)
        .encode(
            y=alt.Y("i:O", sort=None, axis=_names_axis(side)),
            yOffset=alt.YOffset("series:N", sort=list(names)),
            x=alt.X("value:Q", **_axis(axis, domain)),
            color=alt.Color("series:N", scale=colours, legend=legend),
            description="d:N",
        )
    )
    return plots.finished(chart.properties(width=plots.WIDTH, height=max(3, count) * 2 * BAR * 0.7))


# ---- curves


class Curves:
    """The rows of a chart of curves, collected one by one."""

    def __init__(self) -> None:
        self.rows: list[tuple] = []

    def line(self, curve: int, chosen: bool, xs: Sequence[float], ys: Sequence[float], floor=None) -> None:
        """A curve; with `floor`, the area from there up to it."""
        for x, y, z in zip(xs, ys, floor or [0.0] * len(xs), strict=True):
            self.rows.append((0, curve, int(chosen), x, y, "", "", z))

    def point(self, chosen: bool, x: float, y: float, text: str = "", spoken: str = "") -> None:
        """A point with a rule through it, such as the present state."""
        self.rows.append((1, 0, int(chosen), x, y, text, f"{spoken or text}: {short(y, 3)}", 0.0))

    def data(self) -> dict[str, list]:
        return dict(
            zip(
                ("k", "c", "s", "x", "y", "t", "d", "z"), map(list, zip(*self.rows, strict=True)), strict=True
            )
        )


def curves(
    rows: Curves,
    title: str,
    x: str,
    y: str,
    x_domain: Domain,
    y_domain: Domain,
    *,
    x_log: bool = False,
    y_log: bool = False,
    area: bool = False,
) -> Chart:
    """y against x, a line per curve; the chosen one stands out. What leaves the scales is cut off."""
    return rows.data(), json.loads(_curves(title, x, y, x_domain, y_domain, x_log, y_log, area))


@functools.lru_cache(maxsize=KEPT)
def _curves(
    title: str, x: str, y: str, x_domain: Domain, y_domain: Domain, x_log: bool, y_log: bool, area: bool
) -> str:
    over = alt.X("x:Q", **_axis(x, x_domain, log=x_log))
    up = alt.Y("y:Q", **_axis(y, y_domain, log=y_log))
    lines = alt.Chart().transform_filter("datum.k == 0").encode(x=over, y=up, detail="c:N")
    points = alt.Chart().transform_filter("datum.k == 1").encode(x=over)
    quiet = plots.QUIET | {"clip": True}
    if area:
        drawn = [lines.mark_area(color=palette.SEQUENTIAL[2], opacity=0.5, **quiet).encode(y2="z:Q")]
    else:
        others, chosen = lines.transform_filter("datum.s == 0"), lines.transform_filter("datum.s == 1")
        drawn = [
            others.mark_line(color=palette.MASKED, strokeWidth=1.5, **quiet).encode(order="x:Q"),
            chosen.mark_line(color=CURVE, strokeWidth=3, **quiet).encode(order="x:Q"),
        ]
    own = palette.HIGHLIGHT if area else CURVE
    colour = alt.condition("datum.s == 1", alt.value(own), alt.value(palette.MASKED))
    mark = points.mark_point(filled=True, size=70, opacity=1, tooltip=None, clip=True)
    text = points.mark_text(align="left", dx=8, dy=-8, fontSize=13, color="currentColor", **plots.QUIET)
    layers = [
        *drawn,
        points.mark_rule(color="currentColor", strokeDash=[3, 3], **quiet),
        mark.encode(y=up, color=colour, description="d:N"),
        text.encode(y=up, text="t:N"),
    ]
    return plots.finished(alt.layer(*layers).properties(title=title, width=plots.WIDTH, height=HEIGHT))


def labels(weights: Sequence[float]) -> list[str]:
    """Each curve's name at its point; where points lie close, the uppermost has the names of all."""
    groups: list[list[int]] = []
    for i in sorted(range(len(weights)), key=lambda i: -weights[i]):
        if groups and weights[groups[-1][0]] - weights[i] < LABEL_HEIGHT:
            groups[-1].append(i)
        else:
            groups.append([i])
    names = [""] * len(weights)
    for group in groups:
        names[group[0]] = ", ".join(str(i + 1) for i in sorted(group))
    return names


# ---- ranges


def ranges(side: str, axis: str, spans: dict[str, Domain], now: float, domain: Domain) -> Chart:
    """A bar from the one end to the other for each name, the ends written beside it, and a rule at `now`."""
    data = {
        "name": list(spans),
        "low": [low for low, _ in spans.values()],
        "high": [high for _, high in spans.values()],
        "now": [min(max(now, domain[0]), domain[1])] * len(spans),
    }
    for end in ("low", "high"):
        data[f"{end}_text"] = [f"{value:.2f}".replace("-", "−") for value in data[end]]
    texts = zip(spans, data["low_text"], data["high_text"], strict=True)
    data["d"] = [f"{name}: {low} … {high}" for name, low, high in texts]
    return data, json.loads(_ranges(side, axis, len(spans), domain))


@functools.lru_cache(maxsize=KEPT)
def _ranges(side: str, axis: str, count: int, domain: Domain) -> str:
    base = alt.Chart().encode(y=alt.Y("name:N", sort=None, axis=_names_axis(side)))
    bar = base.mark_bar(tooltip=None, color=palette.SEQUENTIAL[2], height=12)
    layers = [
        bar.encode(x=alt.X("low:Q", **_axis(axis, domain)), x2="high:Q", description="d:N"),
        base.mark_tick(thickness=2, size=BAR, color=palette.HIGHLIGHT, **plots.QUIET).encode(x="now:Q"),
        base.mark_text(align="right", dx=-4, color="currentColor", **plots.QUIET).encode(
            x="low:Q", text="low_text:N"
        ),
        base.mark_text(align="left", dx=4, color="currentColor", **plots.QUIET).encode(
            x="high:Q", text="high_text:N"
        ),
    ]
    return plots.finished(alt.layer(*layers).properties(width=plots.WIDTH, height=count * (BAR + 4)))
