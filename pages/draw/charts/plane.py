"""Charts with a number on either axis: curves, bands, points, arrows, histograms."""

import functools
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from .. import palette
from .theme import HEIGHT, KEPT, QUIET, Axis, Chart, colours, finished, legend, series_colours

COLUMNS = ("kind", "series", "line", "x", "y", "low", "high", "text", "said")

DOT = {"filled": True, "opacity": 1}
CURVE = {"strokeWidth": 2.5}
# From back to front: the kinds of rows that it draws, its mark, the mark's look, and what of a row it reads.
LAYERS = (
    ({"rule"}, "rule", {"color": palette.HIGHLIGHT, "strokeDash": [3, 3]}, "across"),
    ({"band", "area"}, "area", {"opacity": 0.2}, "between"),
    ({"steps"}, "area", {"opacity": 1, "interpolate": "step-after"}, "between"),
    ({"band", "line", "measured", "path"}, "line", CURVE, "line"),
    ({"dashed"}, "line", CURVE | {"strokeDash": [5, 4]}, "line"),
    ({"span"}, "rule", {"strokeWidth": 1.5}, "between"),
    ({"speck", "path"}, "point", DOT | {"size": 20}, "place"),
    ({"band", "span", "measured", "dot"}, "point", DOT | {"size": 50, "aria": True}, "said"),
    ({"ring"}, "point", {"size": 130, "strokeWidth": 2.5, "color": palette.HIGHLIGHT}, "bare"),
    (
        {"label"},
        "text",
        {"align": "left", "dx": 8, "dy": -8, "color": "currentColor", "clip": False},
        "text",
    ),
)
KINDS = frozenset().union(*(drawn for drawn, *_ in LAYERS))


class Plot:
    """The rows of a chart, collected one by one; `chart` gives its table and its specification.

    names: of the series; used: their colours; shapes: of their points. level: as many px a unit across as
    upwards, so that an angle is seen as it is. What leaves the axes is cut off.

    Kinds of rows, each a mark or more: "line" and "dashed"; "measured", a line with points; "path", one with
    small points; "band", as measured, with an area from low to high; "area" and "steps", only that; "dot";
    "span", a dot with a bar from low to high; "speck", a small dot; "ring"; "label", a text at a point; and
    "rule", an upright line at x.
    """

    def __init__(
        self,
        x: Axis,
        y: Axis,
        names: Sequence[str] = (),
        *,
        title: str = "",
        used: tuple[str, ...] = (),
        shapes: tuple[str, ...] = (),
        height: int = HEIGHT,
        level: bool = False,
    ) -> None:
        names = tuple(names)
        self._look = (x, y, names, title, used or series_colours(names), shapes, height, level)
        self._rows: list[tuple] = []

    def mark(
        self,
        kind: str,
        x: float,
        y: float = math.nan,
        series: int = 0,
        *,
        low: float = math.nan,
        high: float = math.nan,
        text: str = "",
        said: str = "",
        line: int = 0,
    ) -> None:
        """One row. NaN: not drawn. said: for screen readers. line: distinguishes lines of one series."""
        if kind not in KINDS:
            raise LookupError(f"{kind} is none of {', '.join(sorted(KINDS))}")
        self._rows.append((kind, series, line, float(x), float(y), float(low), float(high), text, said))

    def curve(
        self,
        kind: str,
        xs: Sequence[float],
        ys: Sequence[float],
        series: int = 0,
        *,
        floor: Sequence[float] | None = None,
        line: int = 0,
    ) -> None:
        """A row for each x. floor: where the area below the curve begins."""
        for x, y, low in zip(xs, ys, floor or [0.0] * len(xs), strict=True):
            self.mark(kind, x, y, series, low=low, high=y, line=line)

    def now(self, x: float, y: float, series: int = 0, *, text: str = "", said: str = "") -> None:
        """The present state: a dot with a rule through it."""
        self.mark("rule", x)
        self.mark("dot", x, y, series, said=said)
        if text:
            self.mark("label", x, y, text=text)

    def chart(self) -> Chart:
        columns = dict(zip(COLUMNS, map(list, zip(*self._rows, strict=True)), strict=True))
        return columns, json.loads(_spec(frozenset(columns["kind"]), *self._look))


@functools.lru_cache(maxsize=KEPT)
def _spec(
    kinds: frozenset[str],
    x: Axis,
    y: Axis,
    names: tuple[str, ...],
    title: str,
    used: tuple[str, ...],
    shapes: tuple[str, ...],
    height: int,
    level: bool,
) -> str:
    across: dict[str, Any] = {"x": alt.X("x:Q", **x.channel(stretched=level))}
    bare = across | {"y": alt.Y("y:Q", **y.channel())}
    place = bare | {"color": colours(names, used, **({} if shapes else {"symbolType": "stroke"}))}
    if shapes:
        scale = alt.Scale(domain=list(range(len(shapes))), range=list(shapes))
        place["shape"] = alt.Shape("series:N", scale=scale, legend=legend(names))
    reads: dict[str, dict[str, Any]] = {
        "across": across,
        "bare": bare,
        "place": place,
        "line": {key: place[key] for key in ("x", "y", "color")} | {"detail": "line:N"},
        "between": place | {"y": alt.Y("low:Q", **y.channel()), "y2": "high:Q"},
        "said": place | {"description": "said:N"},
        "text": bare | {"text": "text:N"},
    }
    cut = {"clip": x.ends is not None}
    layers = []
    for drawn, mark, look, read in LAYERS:
        if drawn & kinds:
            rows = alt.Chart().transform_filter(alt.FieldOneOfPredicate("kind", sorted(drawn & kinds)))
            draw = getattr(rows, f"mark_{mark}")
            layers.append(draw(**QUIET | cut | look).encode(**reads[read]))
    return finished(alt.layer(*layers), title, height)


def curves(
    x: Axis,
    y: Axis,
    xs: Sequence[float],
    series: Mapping[str, Sequence[float]],
    *,
    kind: str = "line",
    title: str = "",
    now: float | None = None,
    crossing: tuple[float, float] | None = None,
) -> Chart:
    """A curve per series. now: a rule at that x. crossing: a ring there."""
    plot = Plot(x, y, tuple(series), title=title)
    for number, values in enumerate(series.values()):
        plot.curve(kind, xs, values, number)
    if now is not None:
        plot.mark("rule", now)
    if crossing is not None:
        plot.mark("ring", *crossing)
    return plot.chart()
