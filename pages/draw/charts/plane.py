"""Charts with a number on either axis: curves, bands, points, arrows, histograms."""

import functools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from .. import palette
from .theme import (
    HEIGHT,
    LABEL,
    LONGEST,
    MOST_SPECS,
    QUIET,
    Axis,
    Chart,
    colours,
    finished,
    in_lines,
    inks,
    legend,
    length,
    on_axes,
    series_colours,
)

COLUMNS = ("kind", "series", "line", "x", "y", "low", "high", "text", "said")

DOT = {"filled": True, "opacity": 1}
CURVE = {"strokeWidth": 2.5}
NAME = {"align": "left", "dx": 7, "fontSize": LABEL, "clip": False, "lineBreak": "\n"}
# From back to front: the kinds of rows that it draws, its mark, the mark's look, and what of a row it reads.
LAYERS = (
    ({"rule"}, "rule", {"color": palette.OTHERS, "strokeDash": [3, 3]}, "across"),
    ({"cursor"}, "rule", {"color": palette.FOLLOWED, "strokeDash": [3, 3]}, "across"),
    ({"band", "area"}, "area", {"opacity": 0.2}, "between"),
    ({"steps"}, "area", {"opacity": 0.3, "interpolate": "step-after"}, "between"),
    ({"steps"}, "line", {"strokeWidth": 1.5, "interpolate": "step-after"}, "line"),
    ({"band", "line", "measured", "path"}, "line", CURVE, "line"),
    ({"dashed"}, "line", CURVE | {"strokeDash": [5, 4]}, "line"),
    ({"span"}, "rule", {"strokeWidth": 1.5}, "between"),
    ({"speck", "path"}, "point", DOT | {"size": 20}, "place"),
    ({"band", "span", "measured", "dot"}, "point", DOT | {"size": 50, "aria": True}, "said"),
    ({"ring"}, "point", {"size": 130, "strokeWidth": 2, "color": "currentColor"}, "bare"),
    (
        {"label"},
        "text",
        {"align": "left", "dx": 8, "dy": -8, "color": "currentColor", "clip": False},
        "text",
    ),
    ({"name"}, "text", NAME, "name"),
    ({"room"}, "text", NAME | {"opacity": 0.01}, "text"),
)
# Kinds of rows whose series is named at its right end; no more series than that, and so many px apart.
ENDING = {"line", "dashed", "measured", "band", "path", "span"}
MOST, GAP = 5, 15
NARROW = 250  # px: a chart on a phone
KINDS = frozenset().union(*(drawn for drawn, *_ in LAYERS))


class Plot:
    """Collects the rows of a chart; `chart` returns its table and its specification.

    names: of the series; used: their colours; shapes: of their points. level: a unit has the same length on
    both axes, so that angles are right. Marks beyond the axes are cut off. A few series have their names at
    the ends of their lines, several above the chart. named: False if a chart next to it has the names.

    Kinds of rows, each a mark or more: "line" and "dashed"; "measured", a line with points; "path", one with
    small points; "band", as measured, with an area from low to high; "area" and "steps", only that; "dot";
    "span", a dot with a bar from low to high; "speck", a small dot; "ring"; "label", a text at a point;
    "name", a text in the colour of its series; "room", as much room without a text, so that charts above each
    other are aligned; "rule", an upright line at x, and "cursor", where the learner follows it. Without rows
    the axes are drawn.
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
        named: bool = True,
    ) -> None:
        self._x, self._y, self._level = x, y, level
        self._names, self._height = tuple(names) if named else (), height
        self._look = (title, used or series_colours(tuple(names)), shapes, height, level)
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
        sentence: str = "",
        line: int = 0,
    ) -> None:
        """One row. NaN: not drawn. sentence: for screen readers. line: distinguishes lines of one series."""
        if kind not in KINDS:
            raise LookupError(f"{kind} is none of {', '.join(sorted(KINDS))}")
        self._rows.append((kind, series, line, float(x), float(y), float(low), float(high), text, sentence))

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

    def state(self, x: float, y: float, series: int = 0, *, text: str = "", sentence: str = "") -> None:
        """Adds the present state: a dot with a rule through it."""
        self.mark("rule", x)
        self.mark("dot", x, y, series, sentence=sentence)
        if text:
            self.mark("label", x, y, text=text)

    def chart(self) -> Chart:
        names = self._names if self._rows else ()
        if self._ends_named():
            self._name_ends()
            names = ()
        self._spread_labels()
        rows = self._rows or [("line", 0, 0, *[math.nan] * 4, "", "")]
        columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
        places = zip(columns["x"], columns["y"], strict=True)
        columns["inside"] = [self._x.holds(x) and self._y.holds(y) for x, y in places]
        spec = _spec(frozenset(columns["kind"]), names, self._x.ends is not None, *self._look)
        return columns, on_axes(spec, x=self._x.channel(stretched=self._level), y=self._y.channel())

    def _ends_named(self) -> bool:
        """Whether each series has a line with an end, and room for its name there."""
        names = self._names
        ending = {row[1] for row in self._rows if row[0] in ENDING}
        few = 1 < len(names) <= MOST and ending == set(range(len(names)))
        lines = [line for name in names for line in in_lines(name)]
        return few and self._y.ends is not None and max(length(line, LABEL) for line in lines) <= LONGEST

    def _name_ends(self) -> None:
        """The names of the series right of their last points, one below another."""
        last: dict[int, tuple[float, float]] = {}
        for kind, series, _, x, y, *_ in self._rows:
            if kind in ENDING and math.isfinite(y) and x >= last.get(series, (-math.inf, 0.0))[0]:
                last[series] = x, y
        across = max((x for x, _ in last.values()), default=0.0)
        lines = [in_lines(name) for name in self._names]
        gap = GAP * max(map(len, lines)) / self._height
        heights = self._y.spread([y for _, y in last.values()], gap)
        for series, height in zip(last, heights, strict=True):
            self.mark("name", across, height, series, text="\n".join(lines[series]))

    def _spread_labels(self) -> None:
        """Moves labels up or down that would lie over one another in a narrow chart."""
        low, high = self._x.ends or (0.0, 0.0)
        if self._y.ends is None or low == high:
            return
        labels = [i for i, (kind, *_, text, _) in enumerate(self._rows) if kind == "label" and text]
        begin = {i: NARROW * (self._rows[i][3] - low) / (high - low) for i in labels}
        end = {i: begin[i] + length(self._rows[i][7]) for i in labels}
        groups: list[list[int]] = []
        for i in sorted(labels, key=begin.__getitem__):
            if groups and begin[i] < max(end[j] for j in groups[-1]):
                groups[-1].append(i)
            else:
                groups.append([i])
        for group in groups:
            heights = [self._rows[i][4] for i in group]
            for i, height in zip(group, self._y.spread(heights, GAP / self._height), strict=True):
                if len(group) > 1:
                    self._rows[i] = (*self._rows[i][:4], height, *self._rows[i][5:])


@functools.lru_cache(maxsize=MOST_SPECS)
def _spec(
    kinds: frozenset[str],
    names: tuple[str, ...],
    cut: bool,
    title: str,
    used: tuple[str, ...],
    shapes: tuple[str, ...],
    height: int,
    level: bool,
) -> str:
    """cut: what leaves the axes is cut off."""
    across: dict[str, Any] = {"x": "x:Q"}
    bare = across | {"y": "y:Q"}
    place = bare | {"color": colours(names, used, **({} if shapes else {"symbolType": "stroke"}))}
    if shapes:
        scale = alt.Scale(domain=list(range(len(shapes))), range=list(shapes))
        place["shape"] = alt.Shape("series:N", scale=scale, legend=legend(names))
    ink = alt.Scale(domain=list(range(len(used))), range=inks(used))
    reads: dict[str, dict[str, Any]] = {
        "across": across,
        "bare": bare,
        "place": place,
        "line": {key: place[key] for key in ("x", "y", "color")} | {"detail": "line:N"},
        "between": place | {"y": "low:Q", "y2": "high:Q"},
        "said": place | {"description": "said:N"},
        "text": bare | {"text": "text:N"},
        "name": bare | {"text": "text:N", "fill": alt.Fill("series:N", scale=ink, legend=None)},
    }
    layers = []
    for drawn, mark, look, read in LAYERS:
        if drawn & kinds:
            rows = alt.Chart().transform_filter(alt.FieldOneOfPredicate("kind", sorted(drawn & kinds)))
            clip = {"clip": cut}
            if mark == "point" and not level:  # it is whole at the ends of an axis, and none is beyond them
                rows, clip = rows.transform_filter("datum.inside"), {}
            draw = getattr(rows, f"mark_{mark}")
            layers.append(draw(**QUIET | clip | look).encode(**reads[read]))
    return finished(alt.layer(*layers), title, height)


def curves(
    x: Axis,
    y: Axis,
    xs: Sequence[float],
    series: Mapping[str, Sequence[float]],
    *,
    kind: str = "line",
    title: str = "",
    at: float | None = None,
    crossing: tuple[float, float] | None = None,
    height: int = HEIGHT,
    named: bool = True,
) -> Chart:
    """A curve per series. at: a vertical rule. crossing: a ring."""
    plot = Plot(x, y, tuple(series), title=title, height=height, named=named)
    for number, values in enumerate(series.values()):
        plot.curve(kind, xs, values, number)
    if at is not None:
        plot.mark("rule", at)
    if crossing is not None:
        plot.mark("ring", *crossing)
    return plot.chart()
