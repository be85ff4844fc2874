"""Charts with a row for each name: bars, ranges, points; and a table as colours."""

import functools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import altair as alt

from .. import palette
from ..numbers import minus, short
from .theme import (
    HEIGHT,
    MOST_SPECS,
    QUIET,
    SUPPORT,
    Axis,
    Chart,
    colours,
    finished,
    legend,
    on_axes,
    series_colours,
)

BAR = 26  # px a row
SHADES = 41  # of a heat map; an odd number, so that 0 has its own
# px left of the legend, for the longest name, and below it, where no name of an axis is.
ABOVE: dict[str, Any] = {"beside": 125, "offset": 8}
NUMBERS = 60  # px right of the bars, for their numbers
SHAPES = ("circle", "square", "triangle-up", "diamond")
LARGEST = 1e300  # larger numbers do not go through JSON, and no scale shows them
END: dict[str, Any] = {"color": "currentColor", "align": "right"} | QUIET


def _finite(values: Sequence[float]) -> list[float]:
    """The numbers limited to a range that JSON can hold; NaN becomes 0, which is not drawn."""
    return [0.0 if math.isnan(value) else min(max(value, -LARGEST), LARGEST) for value in values]


def _three(value: float) -> str:
    return short(value, 3)


def bars(
    x: Axis,
    names: Sequence[str],
    values: Sequence[float],
    *,
    side: str = "",
    title: str = "",
    number: Callable[[float], str] = _three,
    weights: bool = False,
) -> Chart:
    """A bar per name with its number next to it, in the colours of a matrix of weights or of signed numbers.

    side: the kind of names, for screen readers.
    """
    texts = [number(value) for value in values]
    data: dict[str, list] = {
        "name": list(names),
        "series": [int(value < 0) for value in values],
        "low": [0.0] * len(values),
        "high": _finite(values),
        "text": texts,
        "said": [f"{side} {name}: {text}".strip() for name, text in zip(names, texts, strict=True)],
    }
    used = (palette.WEIGHTS,) * 2 if weights else (palette.ABOVE, palette.BELOW)
    spec = _spec("bars", side, title, (), used, len(data["name"]))
    return data, on_axes(spec, x=x.channel())


def groups(
    x: Axis,
    names: Sequence[str],
    series: Mapping[str, Sequence[float]],
    *,
    side: str = "",
    title: str = "",
    dots: bool = False,
) -> Chart:
    """A bar per name and series, or with `dots` points on one line."""
    rows = [
        (name, number, value, f"{side} {name}, {label}: {short(value, 4)}".strip())
        for number, (label, values) in enumerate(series.items())
        for name, value in zip(names, _finite(values), strict=True)
    ]
    name, number, high, sentences = map(list, zip(*rows, strict=True))
    low = [0.0] * len(rows)
    data: dict[str, list] = {"name": name, "series": number, "low": low, "high": high, "said": sentences}
    of_series = tuple(series)
    kind, used = ("dots" if dots else "groups"), series_colours(of_series)
    return data, on_axes(_spec(kind, side, title, of_series, used, len(names)), x=x.channel())


def ranges(x: Axis, spans: dict[str, tuple[float, float]], at: float) -> Chart:
    """A bar from the one end to the other for each name, the ends written next to it, and a rule at `at`."""
    low, high = (list(ends) for ends in zip(*spans.values(), strict=True))
    data: dict[str, list] = {"name": list(spans), "series": [0] * len(spans), "low": low, "high": high}
    data["now"] = [at if x.ends is None else min(max(at, x.ends[0]), x.ends[1])] * len(spans)
    data["low_text"], data["high_text"] = ([_exact(end) for end in ends] for ends in (low, high))
    texts = zip(spans, data["low_text"], data["high_text"], strict=True)
    data["said"] = [f"{name}: {first} … {last}" for name, first, last in texts]
    return data, on_axes(_spec("ranges", "", "", (), (palette.OTHERS,), len(spans)), x=x.channel())


def _exact(value: float) -> str:
    return minus(f"{value:.2f}")


@functools.lru_cache(maxsize=MOST_SPECS)
def _spec(
    kind: str, side: str, title: str, series: tuple[str, ...], used: tuple[str, ...], count: int
) -> str:
    names = alt.Axis(title=side or None, ticks=False, domain=False, grid=kind == "dots")
    base = alt.Chart().encode(y=alt.Y("name:N", sort=None, axis=names))
    bar = base.mark_bar(tooltip=None).encode(
        x="high:Q", x2="low:Q", color=colours(series, used), description="said:N"
    )
    height: float = max(SUPPORT, count * BAR)
    if kind == "bars":
        numbers = base.mark_text(dx=NUMBERS, **END).encode(x=alt.value("width"), text="text:N")
        chart = bar + numbers
    elif kind == "groups":
        chart = bar.encode(yOffset=alt.YOffset("series:N"))
        height = max(HEIGHT, count * len(series) * BAR * 0.7)
    elif kind == "dots":
        shapes = alt.Scale(domain=list(range(len(series))), range=list(SHAPES[: len(series)]))
        shape = alt.Shape("series:N", scale=shapes, legend=legend(series, **ABOVE))
        dot = base.mark_point(filled=True, size=80, opacity=1, tooltip=None)
        color = colours(series, used, **ABOVE)
        chart = dot.encode(x="high:Q", color=color, shape=shape, description="said:N")
    else:
        rule = alt.Chart().mark_rule(color="currentColor", strokeWidth=2, **QUIET).encode(x="now:Q")
        left = base.mark_text(dx=-4, **END).encode(x="low:Q", text="low_text:N")
        right = base.mark_text(dx=4, **END | {"align": "left"}).encode(x="high:Q", text="high_text:N")
        chart = alt.layer(bar, rule, left, right)
    return finished(chart, title, height)


def heat(x: str, y: str, table: Sequence[Sequence[float]], *, title: str = "") -> Chart:
    """A row of cells per row of the table, values from −1 to 1, in a picture's colours with the bound 1."""
    rows, cols = len(table), len(table[0])
    data: dict[str, list] = {
        "row": [r for r in range(rows) for _ in range(cols)],
        "col": [c + 1 for _ in range(rows) for c in range(cols)],
        "shade": [
            round((palette.signed_share(value) + 1) / 2 * (SHADES - 1)) for row in table for value in row
        ],
    }
    return data, json.loads(_heat(x, y, title))


@functools.lru_cache(maxsize=MOST_SPECS)
def _heat(x: str, y: str, title: str) -> str:
    def place(name: str) -> dict:
        scale = alt.Scale(paddingInner=0, paddingOuter=0)
        return {"title": name, "scale": scale, "axis": alt.Axis(labelOverlap=True, labelAngle=0)}

    # A theme's colours cannot be mixed by the browser, so each shade is a colour of its own.
    scale = alt.Scale(domain=list(range(SHADES)), range=list(palette.signed_shades(SHADES)))
    ends = {SHADES - 1: "1", SHADES // 2: "0", 0: minus("-1")}
    labels = " : ".join(f"datum.value == {shade} ? '{number}'" for shade, number in ends.items()) + " : ''"
    key = alt.Legend(
        title=None,
        orient="right",
        direction="vertical",
        values=list(ends),
        labelExpr=labels,
        symbolType="square",
    )
    chart = alt.Chart().mark_rect(**QUIET)
    chart = chart.encode(
        x=alt.X("col:O", **place(x)),
        y=alt.Y("row:O", **place(y)),
        color=alt.Color("shade:O", scale=scale, legend=key),
    )
    return finished(chart, title, HEIGHT)
