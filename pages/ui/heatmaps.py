"""Heatmaps of a step: its sources and its result side by side, linked.

A chart is a Vega-Lite spec, built by Altair once a shape and kept, and a table of cells, made on every run.
Columns of the table (one row a cell): p panel, r row, c column, u colour (signed: -1 to 1, weights: 0 to 1),
t text, k 1 where masked, s 1 where chosen, and in the result's panel only: a the arithmetic, d what a screen
reader says.
"""

from __future__ import annotations

import functools
import json
import warnings
from dataclasses import dataclass, field, replace

import altair as alt

from . import palette

# One selection that several heatmaps share is what we mean.
warnings.filterwarnings("ignore", message="Automatically deduplicated selection parameter")

CELL = 50
PATH_CELL = 40
# More columns than this, and the head that is shown in full goes below the thumbnails.
PEEK_BESIDE = 6
ROW = 32
FONT = 13
# Past this many columns or rows the numbers no longer fit: small cells, colour alone.
DENSE = 20
DENSE_CELL = 14
THUMBNAIL_CELL = 18
THUMBNAIL = 120  # px: from here on a thumbnail's cells get smaller
ARITHMETIC_LINE = 18
ARITHMETIC_CHARACTER = 8


@dataclass(frozen=True)
class Axis:
    """Labels of one side of a heatmap, what they are, and which of them are shown."""

    title: str
    labels: tuple[str, ...]
    shown: tuple[int, ...] | None = None

    @property
    def indices(self) -> tuple[int, ...]:
        return tuple(range(len(self.labels))) if self.shown is None else self.shown


@dataclass(frozen=True)
class Panel:
    """One heatmap. `lit` says which of its cells made the result's cell under the pointer."""

    title: str
    rows: Axis
    cols: Axis
    scale: str = "signed"  # or "weights", or "mask": open or not
    lit: str = ""  # "row", "col", "cell", "every", or "" for the result itself
    small: bool = False  # a thumbnail: no numbers, no labels
    dense: bool = False  # small cells: colours alone
    shift: int = 0  # this panel's column 0 is the result's column `shift`
    values: list[list[float]] = field(default_factory=list, compare=False)
    masked: list[list[bool]] | None = field(default=None, compare=False)
    bound: float = field(default=1.0, compare=False)  # the value with the full colour

    @property
    def shape_key(self) -> Panel:
        """This panel without its numbers: what the spec depends on."""
        return replace(self, values=[], masked=None, bound=1.0)


def _lit_test(panel: Panel) -> str:
    row = "datum.r == hover.r[0]"
    col = f"datum.c + {panel.shift} == hover.c[0]"
    one = f"{row} && {col}"
    return {"row": row, "col": col, "cell": one, "every": "true", "": one}[panel.lit]


def _axis(axis: Axis, dense: bool, **extra) -> alt.Axis:
    labels = json.dumps(list(axis.labels), ensure_ascii=False)
    every = 4 if dense else 1
    return alt.Axis(
        title=None,
        labelExpr=f"datum.value % {every} == 0 ? {labels}[datum.value] : ''",
        labelLimit=84,
        labelAngle=0,
        labelOverlap=False,
        ticks=False,
        domain=False,
        labelPadding=4,
        **extra,
    )


def _colour_scale(scale: str) -> alt.Scale:
    """One domain stop a colour: -1 … 1 with 0 in the middle, or 0 … 1. For a mask, one colour."""
    if scale == "mask":
        return alt.Scale(domain=[0, 1], range=[palette.OPEN, palette.OPEN])
    low, colours = (-1, palette.DIVERGING) if scale == "signed" else (0, palette.SEQUENTIAL)
    last = len(colours) - 1
    stops = [low + (1 - low) * i / last for i in range(last + 1)]
    return alt.Scale(domain=stops, range=list(colours), interpolate="rgb", clamp=True)


def _base(number: int, panel: Panel, dense: bool) -> alt.Chart:
    def axis(side: Axis, **extra) -> alt.Axis | None:
        return None if panel.small else _axis(side, dense, **extra)

    def band(side: Axis) -> alt.Scale:
        return alt.Scale(domain=list(side.indices), paddingInner=0, paddingOuter=0)

    return (
        alt.Chart()
        .transform_filter(f"datum.p == {number}")
        .encode(
            x=alt.X("c:O", sort=None, scale=band(panel.cols), axis=axis(panel.cols, orient="top")),
            y=alt.Y("r:O", sort=None, scale=band(panel.rows), axis=axis(panel.rows)),
            key=alt.Key("i:Q"),
        )
    )


def _heatmap(number: int, panel: Panel, hover: alt.Parameter) -> alt.LayerChart:
    """A step's panel: the result listens to the pointer, its sources light up."""
    lit = "" if panel.small else f"(isDefined(hover.r) && {_lit_test(panel)}) || datum.s == 1"
    listens = hover if not panel.lit and not panel.small else None
    return _drawn(_base(number, panel, _is_dense(panel)), panel, lit, listens)


def _is_dense(panel: Panel) -> bool:
    return panel.small or panel.dense or max(len(panel.cols.indices), len(panel.rows.indices)) > DENSE


def _drawn(
    base: alt.Chart, panel: Panel, lit: str, listens: alt.Parameter | None, cell: int = CELL
) -> alt.LayerChart:
    """Cells, ringed where `lit`, with their numbers if there is room; `listens`: what the pointer sets."""
    dense = _is_dense(panel)
    count = max(len(panel.cols.indices), len(panel.rows.indices))
    thumbnail = min(THUMBNAIL_CELL, THUMBNAIL // count) if panel.small else None
    small = thumbnail or (DENSE_CELL if dense else None)
    cursor = "default" if panel.lit else "pointer"
    special = [
        {"test": "datum.t == 'NaN'", "value": palette.BROKEN},
        {"test": "datum.k == 1", "value": palette.MASKED},
    ]
    colour = alt.Color("u:Q", scale=_colour_scale(panel.scale), legend=None, condition=special)
    cells = base.mark_rect(strokeWidth=2, cursor=cursor, tooltip=None, aria=listens is not None).encode(
        color=colour
    )
    if lit:
        cells = cells.encode(
            stroke=alt.condition(lit, alt.value(palette.HIGHLIGHT), alt.value("transparent"))
        )
    if listens:
        cells = cells.encode(description="d:N").add_params(listens)
    layers = [cells] if dense else [cells, _cell_text(base, panel, cursor)]
    return alt.layer(*layers).properties(
        title=_title(panel),
        width=len(panel.cols.indices) * (small or cell),
        height=len(panel.rows.indices) * (small or ROW),
    )


def ringed(number: int, panel: Panel, lit: str, cell: int = CELL) -> alt.LayerChart:
    """A panel of a chart that does not listen to the pointer; its cells are ringed where `lit`."""
    return _drawn(_base(number, panel, _is_dense(panel)), panel, lit, None, cell)


def _title(panel: Panel) -> alt.TitleParams:
    """The matrix, and which way its rows and columns run."""
    sides = [] if panel.small else [f"↓ {panel.rows.title}", f"→ {panel.cols.title}"]
    return alt.TitleParams(
        panel.title, subtitle=sides, subtitleFontSize=12, subtitlePadding=4, subtitleColor="currentColor"
    )


def _cell_text(base: alt.Chart, panel: Panel, cursor: str) -> alt.Chart:
    dark_cell = f"datum.k == 1 || datum.t == 'NaN' || abs(datum.u) > {palette.INK_SWITCH[panel.scale]}"
    ink = alt.condition(dark_cell, alt.value(palette.INK_LIGHT), alt.value(palette.INK_DARK))
    return base.mark_text(fontSize=FONT, cursor=cursor, tooltip=None, aria=False).encode(
        text="t:N", color=ink
    )


def _arithmetic(result: int, lines: int, line: int) -> alt.LayerChart:
    """The line under the heatmaps: the arithmetic of the cell under the pointer, else of the chosen one."""
    base = (
        alt.Chart()
        .transform_filter(f"datum.p == {result}")
        .mark_text(
            aria=False,
            align="left",
            baseline="top",
            lineBreak="\n",
            lineHeight=ARITHMETIC_LINE,
            font="monospace",
            fontSize=FONT,
            color="currentColor",
            limit=4000,
        )
        .encode(x=alt.value(0), y=alt.value(2), text="a:N")
    )
    hovered = base.transform_filter("isDefined(hover.r) && datum.r == hover.r[0] && datum.c == hover.c[0]")
    chosen = base.transform_filter("!isDefined(hover.r) && datum.s == 1")
    return alt.layer(hovered, chosen).properties(
        width=line * ARITHMETIC_CHARACTER, height=lines * ARITHMETIC_LINE
    )


@functools.lru_cache(maxsize=256)
def _spec(panels: tuple[Panel, ...], lines: int, line: int, stacked: bool) -> str:
    hover = alt.selection_point(
        name="hover", on="pointerover", clear="pointerout", fields=["r", "c"], toggle=False
    )
    charts = [_heatmap(i, panel, hover) for i, panel in enumerate(panels)]
    heatmaps = alt.concat(*charts, columns=1 if stacked else len(charts), spacing=18).resolve_scale(
        color="independent"
    )
    chart = alt.vconcat(heatmaps, _arithmetic(len(panels) - 1, lines, line), spacing=6) if lines else heatmaps
    return finished(chart)


def finished(chart: alt.TopLevelMixin) -> str:
    """The spec as JSON, for data that come on each run."""
    chart = chart.configure_view(stroke=None).configure_title(anchor="start", fontSize=15, offset=8)
    chart.usermeta = {"embedOptions": {"renderer": "svg"}}
    chart = chart.properties(data=alt.NamedData("source"))
    spec = chart.to_dict()
    spec.pop("data")
    spec.pop("datasets", None)
    return json.dumps(spec)


def spec(panels: list[Panel], *, lines: int = 0, line: int = 0, stacked: bool = False) -> dict:
    """The Vega-Lite spec for these panels; the last one is the result. Made once a shape.

    lines: of arithmetic below, of `line` characters each; none for thumbnails. stacked: for narrow screens.
    """
    return json.loads(_spec(tuple(p.shape_key for p in panels), lines, line, stacked))


@functools.lru_cache(maxsize=64)
def _peek_spec(panels: tuple[Panel, ...], pinned: int) -> str:
    peek = alt.selection_point(name="peek", on="pointerover", clear="pointerout", fields=["p"], toggle=False)
    small = []
    for i, panel in enumerate(replace(panel, small=True) for panel in panels):
        title = alt.TitleParams(panel.title, color=palette.HIGHLIGHT if i == pinned else "currentColor")
        small.append(_drawn(_base(i, panel, True), panel, "", peek).properties(title=title))
    shown = f"isDefined(peek.p) ? peek.p[0] : {pinned}"
    big = replace(panels[0], title="")
    base = _base(0, big, _is_dense(big)).transform_filter(f"datum.p == ({shown})")
    base.transform = base.transform[1:]  # not panel 0's cells, but those of the head under the pointer
    names = json.dumps([panel.title for panel in panels], ensure_ascii=False)
    title = alt.TitleParams(alt.expr(f"{names}[{shown}]"), subtitle=_title(big).subtitle, subtitlePadding=4)
    large = _drawn(base, big, "", None).properties(title=title)
    thumbnails = alt.concat(*small, columns=4, spacing=12).resolve_scale(color="independent")
    beside = alt.vconcat if len(big.cols.indices) > PEEK_BESIDE else alt.hconcat
    return finished(beside(thumbnails, large, spacing=36).resolve_scale(color="independent"))


def peek_spec(panels: list[Panel], pinned: int) -> dict:
    """Thumbnails of these panels, and beside them the one under the pointer in full, else the pinned one."""
    return json.loads(_peek_spec(tuple(panel.shape_key for panel in panels), pinned))


def _compatible(coordinates: tuple[str, ...]) -> str:
    """A cell is on the way of the one under the pointer if no coordinate says otherwise (−1: any)."""
    agree = [f"(hover.{c}[0] < 0 || datum.{c} < 0 || datum.{c} == hover.{c}[0])" for c in coordinates]
    return f"isDefined(hover.{coordinates[0]}) && " + " && ".join(agree)


@functools.lru_cache(maxsize=64)
def _path_spec(rows: tuple[tuple[Panel, ...], ...], coordinates: tuple[str, ...]) -> str:
    hover = alt.selection_point(
        name="hover", on="pointerover", clear="pointerout", fields=list(coordinates), toggle=False
    )
    lit = _compatible(coordinates)
    lines, number = [], 0
    for row in rows:
        line = []
        for panel in row:
            line.append(_drawn(_base(number, panel, _is_dense(panel)), panel, lit, hover, PATH_CELL))
            number += 1
        lines.append(alt.hconcat(*line, spacing=18).resolve_scale(color="independent"))
    return finished(alt.vconcat(*lines, spacing=26).resolve_scale(color="independent"))


def path_spec(rows: list[list[Panel]], coordinates: tuple[str, ...]) -> dict:
    """Heatmaps in rows; the pointer on any cell lights all cells whose coordinates agree with its own.

    The table needs a column for each of `coordinates`: a cell's place on the way through, −1 where it lies on
    every way. Panels are numbered row by row.
    """
    return json.loads(_path_spec(tuple(tuple(p.shape_key for p in row) for row in rows), coordinates))
