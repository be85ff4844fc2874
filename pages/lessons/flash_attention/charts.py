"""The chart of the lesson: numbers moved, beside plain attention, against the length, on logarithmic axes."""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Sequence

import altair as alt

from pages.ui import palette, plots

HEIGHT = 200

Chart = tuple[dict[str, list], dict]
Domain = tuple[float, float]


def curves(x: str, y: str, xs: Sequence[int], series: dict[str, Sequence[float]], now: int) -> Chart:
    """A curve per series, with a rule at the present length."""
    names = tuple(series)
    data = {
        "series": [name for name in names for _ in xs],
        "x": [float(value) for _ in names for value in xs],
        "y": [float(value) for name in names for value in series[name]],
        "now": [float(now)] * (len(names) * len(xs)),
    }
    return data, json.loads(_curves(x, y, names, (xs[0], xs[-1]), _decades(data["y"])))


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Powers of ten around the values: they hold still while a number is dragged a little."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return 10.0**low, 10.0 ** max(high, 1)


@functools.lru_cache(maxsize=16)
def _curves(x: str, y: str, names: tuple[str, ...], across: Domain, up: Domain) -> str:
    horizontal = alt.Scale(type="log", domain=list(across), nice=False)
    vertical = alt.Scale(type="log", domain=list(up), nice=False)
    ticks = {"tickCount": 5, "labelOverlap": True}
    over = alt.X("x:Q", title=x, scale=horizontal, axis=alt.Axis(format="~s", **ticks))
    colours = alt.Scale(domain=list(names), range=list(palette.SERIES[: len(names)]))
    legend = alt.Legend(title=None, orient="top", columns=1, labelLimit=280, symbolType="stroke")
    base = alt.Chart()
    line = base.mark_line(strokeWidth=2.5, clip=True, **plots.QUIET).encode(
        over,
        alt.Y("y:Q", title=y, scale=vertical, axis=alt.Axis(format="~g", **ticks)),
        alt.Color("series:N", scale=colours, legend=legend),
    )
    rule = base.mark_rule(color="currentColor", strokeDash=[3, 3], **plots.QUIET)
    rule = rule.encode(x=alt.X("now:Q", scale=horizontal, title=x))
    return plots.finished(alt.layer(line, rule).properties(width=plots.WIDTH, height=HEIGHT))
