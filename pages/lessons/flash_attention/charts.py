"""The chart of the lesson: numbers moved against the length, on logarithmic axes."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence

import altair as alt

from pages.ui import palette, plots

HEIGHT = 200
LOWEST, HIGHEST = 1e2, 1e14  # of the numbers moved: the axis holds still while a number is dragged

Chart = tuple[dict[str, list], dict]


def curves(x: str, y: str, xs: Sequence[int], series: dict[str, Sequence[int]], now: int) -> Chart:
    """A curve per series, with a rule at the present length."""
    names = tuple(series)
    data = {
        "series": [name for name in names for _ in xs],
        "x": [float(value) for _ in names for value in xs],
        "y": [float(value) for name in names for value in series[name]],
        "now": [float(now)] * (len(names) * len(xs)),
    }
    return data, json.loads(_curves(x, y, names, xs[0], xs[-1]))


@functools.lru_cache(maxsize=16)
def _curves(x: str, y: str, names: tuple[str, ...], first: int, last: int) -> str:
    across = alt.Scale(type="log", domain=[first, last], nice=False)
    up = alt.Scale(type="log", domain=[LOWEST, HIGHEST], nice=False)
    ticks = {"format": "~s", "tickCount": 5, "labelOverlap": True}
    over = alt.X("x:Q", title=x, scale=across, axis=alt.Axis(**ticks))
    colours = alt.Scale(domain=list(names), range=list(palette.SERIES[: len(names)]))
    legend = alt.Legend(title=None, orient="top", columns=1, labelLimit=280, symbolType="stroke")
    base = alt.Chart()
    line = base.mark_line(strokeWidth=2.5, clip=True, **plots.QUIET).encode(
        over,
        alt.Y("y:Q", title=y, scale=up, axis=alt.Axis(**ticks)),
        alt.Color("series:N", scale=colours, legend=legend),
    )
    rule = base.mark_rule(color="currentColor", strokeDash=[3, 3], **plots.QUIET)
    rule = rule.encode(x=alt.X("now:Q", scale=across, title=x))
    return plots.finished(alt.layer(line, rule).properties(width=plots.WIDTH, height=HEIGHT))
