"""The part `limits` of the lesson `Why √d_k`: weights drawn too large, which no √d_k mends, and what does."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st
from torch import Tensor

from . import lesson, scale_charts, scale_learning, state, step_view
from .figures import StepView, weights
from .heatmaps import Axis
from .numbers import short
from .scale_learning import LIMIT_TOKENS, STARTS, WIDTHS, Start
from .scale_scene import choose_seed, drag_d_k, figure, four_heatmaps, grid, worked
from .step_view import is_narrow
from .texts import Texts

NOTE_WIDTH = 8  # note 002's own
PANELS = ("deviation", "top", "share")
DOMAINS = ((0.1, 1000.0), (0.01, 1.2), (0.001, 1.2))


@st.cache_data(max_entries=600, show_spinner=False)
def _start(start: str, width: int, seed: int) -> Start:
    return scale_learning.start_of(start, width, seed)


@st.cache_data(max_entries=600, show_spinner=False)
def _few(start: str, width: int, seed: int) -> Tensor:
    return scale_learning.start_weights(start, width, seed)


class LimitsPart:
    """draw() and live() for the present settings; d_k stands for the whole width here."""

    def __init__(self, t: Texts):
        self.t, self.now = t, state.settings()
        self.width = min(self.now.sample_d_k, WIDTHS[-1])
        self.names = tuple(t(f"start.{start}") for start in STARTS)

    def draw(self) -> None:
        t = self.t
        choose_seed(t, self.now)
        answer = round(scale_learning.theory_deviation("raw", NOTE_WIDTH))
        if not lesson.ask_number(t, self.now, "note_start", answer, width=NOTE_WIDTH):
            return
        drag_d_k(t, lambda: LimitsPart(t).live())
        self._draw_weights()
        jobs = [(start, width, self.now.sample_seed) for start in STARTS for width in WIDTHS]
        found = worked(t, jobs, _start)
        by_start = [found[i * len(WIDTHS) : (i + 1) * len(WIDTHS)] for i in range(len(STARTS))]
        self._chart(by_start)
        ends = (WIDTHS[0], WIDTHS[-1])
        header = [t("column.start")]
        header += [t(f"column.{name}_at", width=width) for name in ("deviation", "top") for width in ends]
        grid("starts", header, [self._row(*pair) for pair in zip(self.names, by_start, strict=True)])
        st.markdown(t("note.limits"))

    def live(self) -> dict:
        view = self._weights()
        charts = {view.name: step_view.live_table(self.now, view), "starts": {"d": self._places()}}
        return {"charts": charts, "texts": {"width": self._sentence()}}

    def _weights(self) -> StepView:
        """A few tokens' attention at the chosen width, under each start."""
        t, numbers = self.t, tuple(str(i + 1) for i in range(scale_learning.TOKENS))
        rows, cols = Axis(t("axis.query"), numbers), Axis(t("axis.key"), numbers)
        panels = [
            replace(weights(name, _few(start, self.width, self.now.sample_seed), rows, cols), dense=True)
            for name, start in zip(self.names, STARTS, strict=True)
        ]
        return StepView("start_weights", panels, lambda row, col: "")

    def _draw_weights(self) -> None:
        four_heatmaps(self.t, self.now, self._weights())
        lesson.say("width", self._sentence())

    def _sentence(self) -> str:
        tops = [_few(start, self.width, self.now.sample_seed).amax(dim=-1).mean().item() for start in STARTS]
        facts = {start: f"{top:.0%}" for start, top in zip(STARTS, tops, strict=True)}
        return self.t("page.start_tops", width=self.width, **facts)

    def _row(self, name: str, starts: list[Start]) -> tuple[str, ...]:
        ends = (starts[0], starts[-1])
        return (name, *(short(one.deviation) for one in ends), *(f"{one.top:.1%}" for one in ends))

    def _chart(self, by_start: list[list[Start]]) -> None:
        t = self.t
        titles = tuple(t(f"axis.start_{name}") for name in PANELS)
        spec = scale_charts.lines(
            titles, self.names, t("axis.width"), WIDTHS, DOMAINS, (1, 2), narrow=is_narrow()
        )
        starts = [(name, one) for name, group in zip(self.names, by_start, strict=True) for one in group]
        file = {
            t("column.start"): [name for name, _ in starts],
            t("column.width"): [one.width for _, one in starts],
            t("column.deviation"): [one.deviation for _, one in starts],
            t("column.theory_deviation"): [
                scale_learning.theory_deviation(start, width) for start in STARTS for width in WIDTHS
            ],
            t("column.top"): [one.top for _, one in starts],
            t("column.share"): [one.share for _, one in starts],
        }
        figure(t, "starts", self._lines(by_start), spec, file, tokens=LIMIT_TOKENS)

    def _places(self) -> list[float]:
        """Where the chart's rows lie: the chosen width in each panel, the theory's lines, the points."""
        lines = len(STARTS) * (1 + len(PANELS))
        return [float(self.width)] * len(PANELS) + [float(width) for width in WIDTHS] * lines

    def _lines(self, by_start: list[list[Start]]) -> dict[str, list]:
        rows = [("chosen", panel, 0, math.nan, "") for panel in range(len(PANELS))]
        rows += [
            ("theory", 0, series, scale_learning.theory_deviation(start, width), "")
            for series, start in enumerate(STARTS)
            for width in WIDTHS
        ]
        for panel, name in enumerate(PANELS):
            for series, group in enumerate(by_start):
                rows += [
                    ("point", panel, series, getattr(one, name), self._said(series, one, name))
                    for one in group
                ]
        kind, panel, series, y, said = map(list, zip(*rows, strict=True))
        y = [value if value > 0 else math.nan for value in y]  # a log axis has no 0
        columns = {"kind": kind, "panel": panel, "series": series, "d": self._places(), "y": y, "said": said}
        return {"i": list(range(len(rows)))} | columns

    def _said(self, series: int, one: Start, name: str) -> str:
        return f"{self.names[series]}, {one.width}: {short(getattr(one, name), 3)}"
