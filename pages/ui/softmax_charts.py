"""The charts of the lesson on softmax: bars and lines that follow a dragged number, weights with sums.

Each is a Vega-Lite spec made once a shape, for a table that comes on every run (see heatmaps). Scales are
part of the spec, so they hold still while a number is dragged: what leaves them stops at their edge.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass

import altair as alt

from . import heatmaps, palette
from .heatmaps import Panel

BAR = 26  # px a bar
BAR_WIDTH = 190
LINE_WIDTH = 345
NARROW_WIDTH = 240
LINE_HEIGHT = 230
CURVE = "#8a74c9"  # seen on light and on dark


@dataclass(frozen=True)
class Bars:
    """One panel of horizontal bars. `field` holds the lengths, `text` what is written beside them."""

    title: str
    field: str
    text: str
    axis: str
    domain: tuple[float, float]
    tick: str = ""  # a field that is marked across the bar
    signed: bool = False


@dataclass(frozen=True)
class Lines:
    """One panel of curves: y against x, a curve a series; the chosen one (column s) stands out."""

    title: str
    x: str
    y: str
    x_domain: tuple[float, float]
    y_domain: tuple[float, float]
    x_log: bool = False
    y_log: bool = False
    panel: int = 0  # the rows with this number in column p
    area: bool = False  # filled from column y to column z


def _axis(field: str, title: str, domain: tuple[float, float], *, log: bool = False) -> dict:
    """The arguments of an axis for numbers."""
    scale = alt.Scale(
        domain=list(domain), type="log" if log else "linear", clamp=True, nice=False, zero=False
    )
    axis = alt.Axis(title=title, tickCount=4, labelOverlap=True, **({"format": "~g"} if log else {}))
    return {"shorthand": f"{field}:Q", "scale": scale, "axis": axis}


def _bars(bars: Bars, names: tuple[str, ...], side: str, named: bool) -> alt.LayerChart:
    labels = json.dumps(list(names), ensure_ascii=False)
    axis = alt.Axis(title=side, labelExpr=f"{labels}[datum.value]", ticks=False, domain=False, labelLimit=90)
    band = alt.Scale(domain=list(range(len(names))), paddingInner=0.25, paddingOuter=0.12)
    base = alt.Chart().encode(
        y=alt.Y("i:O", sort=None, scale=band, axis=axis if named else None), key=alt.Key("i:Q")
    )
    x = _axis(bars.field, bars.axis, bars.domain)
    sign = alt.condition(
        f"datum.{bars.field} < 0", alt.value(palette.DIVERGING[1]), alt.value(palette.DIVERGING[5])
    )
    colour = sign if bars.signed else alt.value(palette.SEQUENTIAL[2])
    ring = alt.condition("datum.s == 1", alt.value(palette.HIGHLIGHT), alt.value("transparent"))
    layers = [
        base.mark_bar(strokeWidth=2, tooltip=None).encode(
            x=alt.X(**x), x2=alt.X2Datum(0), color=colour, stroke=ring, description="d:N"
        )
    ]
    if bars.tick:
        mark = base.mark_tick(thickness=3, size=BAR, color="currentColor", tooltip=None, aria=False)
        layers.append(mark.encode(x=alt.X(**(x | {"shorthand": f"{bars.tick}:Q"}))))
    text = base.mark_text(align="left", fontSize=13, color="currentColor", tooltip=None, aria=False)
    layers.append(text.encode(x=alt.value(BAR_WIDTH + 6), text=f"{bars.text}:N"))
    return alt.layer(*layers).properties(title=bars.title, width=BAR_WIDTH, height=len(names) * BAR)


@functools.lru_cache(maxsize=64)
def _bars_spec(panels: tuple[Bars, ...], names: tuple[str, ...], side: str, stacked: bool) -> str:
    charts = [_bars(bars, names, side, stacked or not number) for number, bars in enumerate(panels)]
    return heatmaps.finished(alt.concat(*charts, columns=1 if stacked else len(charts), spacing=24))


def bars_spec(panels: list[Bars], names: tuple[str, ...], side: str, *, stacked: bool = False) -> dict:
    """Panels of bars side by side, a line a score. Columns: i, s 1 for the chosen score, d what is spoken."""
    return json.loads(_bars_spec(tuple(panels), names, side, stacked))


def _lines(lines: Lines, width: int) -> alt.LayerChart:
    x = alt.X(**_axis("x", lines.x, lines.x_domain, log=lines.x_log))
    y = alt.Y(**_axis("y", lines.y, lines.y_domain, log=lines.y_log))
    base = alt.Chart().transform_filter(f"datum.p == {lines.panel}")
    curves = base.transform_filter("datum.k == 0").encode(x=x, y=y, detail="c:N")
    points = base.transform_filter("datum.k == 1").encode(x=x, key=alt.Key("i:Q"))
    quiet = {"tooltip": None, "aria": False}
    own = palette.HIGHLIGHT if lines.area else CURVE
    chosen = alt.condition("datum.s == 1", alt.value(own), alt.value(palette.MASKED))
    if lines.area:
        drawn = [curves.mark_area(color=palette.SEQUENTIAL[2], opacity=0.5, **quiet).encode(y2="z:Q")]
    else:
        others = curves.transform_filter("datum.s == 0")
        drawn = [
            others.mark_line(color=palette.MASKED, strokeWidth=1.5, **quiet).encode(order="x:Q"),
            curves.transform_filter("datum.s == 1")
            .mark_line(color=CURVE, strokeWidth=3, **quiet)
            .encode(order="x:Q"),
        ]
    return alt.layer(
        *drawn,
        points.mark_rule(color="currentColor", strokeDash=[3, 3], **quiet),
        points.mark_point(filled=True, size=70, opacity=1, tooltip=None).encode(
            y=y, color=chosen, description="d:N"
        ),
        points.mark_text(align="left", dx=8, dy=-8, fontSize=13, color="currentColor", **quiet).encode(
            y=y, text="t:N"
        ),
    ).properties(title=lines.title, width=width, height=LINE_HEIGHT)


@functools.lru_cache(maxsize=64)
def _lines_spec(panels: tuple[Lines, ...], narrow: bool) -> str:
    charts = [_lines(lines, NARROW_WIDTH if narrow else LINE_WIDTH) for lines in panels]
    return heatmaps.finished(alt.concat(*charts, columns=1 if narrow else 2, spacing=40))


def lines_spec(panels: list[Lines], *, narrow: bool = False) -> dict:
    """Panels of curves. Columns: i, p panel, k 1 for the present point, c which curve, s, x, y, t, d."""
    return json.loads(_lines_spec(tuple(panels), narrow))


@functools.lru_cache(maxsize=64)
def _sums_spec(panels: tuple[Panel, ...], stacked: bool) -> str:
    blocks = []
    for start in range(0, len(panels), 4):
        four = [
            heatmaps.ringed(start + i, panel, "datum.s == 1", heatmaps.PATH_CELL)
            for i, panel in enumerate(panels[start : start + 4])
        ]
        blocks.append(alt.concat(*four, columns=2, spacing=8).resolve_scale(color="independent"))
    tokens = len(panels[0].rows.labels)
    beside = 1 if stacked or tokens > 6 else 2 if tokens > 3 else 3
    chart = alt.concat(*blocks, columns=beside, spacing=24)
    return heatmaps.finished(chart.resolve_scale(color="independent"))


def sums_spec(panels: list[Panel], *, stacked: bool = False) -> dict:
    """Matrices with their sums, four panels each: the matrix, row sums, column sums, the whole sum."""
    return json.loads(_sums_spec(tuple(panel.shape_key for panel in panels), stacked))
