"""The part `learning` of the lesson `Why √d_k`: the softmax's Jacobian, the gradients that get through."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from . import lesson, scale_charts, scale_learning, state, step_view
from .figures import StepView, signed
from .heatmaps import Axis
from .scale_facts import KEYS, SCALINGS, queries_and_keys, spreads
from .scale_learning import GRADIENT_SIZES, METRICS, TOKENS
from .scale_scene import (
    choose_seed,
    drag_d_k,
    figure,
    four_heatmaps,
    grid,
    named_cells,
    scaling_names,
    scientific,
    worked,
)
from .softmax_facts import jacobian
from .step_view import is_narrow
from .texts import Texts

LARGEST_ENTRY = 0.25  # of a softmax's Jacobian: p (1 − p) at p = ½
FROM, TO = 4, 512  # the widths of the question
FACTORS = {"two": 2, "thirty": 30, "thousand": 1000}
DOMAINS = ((1e-5, 1.0), (1e-4, 10.0), (1e-4, 10.0), (1e-2, 100.0), (1e-2, 100.0))


@st.cache_data(max_entries=400, show_spinner=False)
def _gradients(d_k: int, seed: int) -> dict[tuple[str, str], float]:
    return scale_learning.gradients(d_k, seed)


class LearningPart:
    """draw() and live() for the present settings."""

    def __init__(self, t: Texts):
        self.t, self.now = t, state.settings()
        self.d_k = self.now.sample_d_k
        self.found = spreads(*queries_and_keys(self.d_k, self.now.sample_seed))

    def draw(self) -> None:
        t = self.t
        choose_seed(t, self.now)
        if not self._ask_fall():
            return
        drag_d_k(t, lambda: LearningPart(t).live())
        self._draw_jacobians()
        self._draw_norms()

    def live(self) -> dict:
        view = self._jacobians()
        charts = {view.name: step_view.live_table(self.now, view), "norms": {"d": self._places()}}
        return {"charts": charts, "texts": named_cells("jacobian", self._rows())}

    def _ask_fall(self) -> bool:
        """By how much does the middle Jacobian's norm fall, without scaling?"""
        before, after = (_gradients(d_k, self.now.sample_seed)["jacobian", "none"] for d_k in (FROM, TO))
        fall = math.log(before / max(after, 1e-300))
        answer = min(FACTORS, key=lambda option: abs(math.log(FACTORS[option]) - fall))
        options = {option: self.t(f"option.{option}") for option in FACTORS}
        facts = {"low": FROM, "high": TO, "before": scientific(before), "after": scientific(after)}
        return lesson.ask(self.t, self.now, "fall", options, answer, **facts)

    # ---- one query's Jacobian

    def _jacobians(self) -> StepView:
        """The first query's, under each scaling."""
        t, numbers = self.t, tuple(str(i + 1) for i in range(KEYS))
        rows, cols = Axis(t("axis.changed_score"), numbers), Axis(t("axis.answering_weight"), numbers)
        matrices = [jacobian(one.weights[0]) for one in self.found]
        panels = [
            replace(signed(name, matrix, rows, cols, dense=True), bound=LARGEST_ENTRY)
            for name, matrix in zip(scaling_names(t), matrices, strict=True)
        ]
        return StepView("jacobians", panels, lambda row, col: "")

    def _draw_jacobians(self) -> None:
        four_heatmaps(self.t, self.now, self._jacobians())
        header = [self.t(f"column.{name}") for name in ("scaling", "weights", "norm", "against")]
        grid("jacobian", header, self._rows())

    def _rows(self) -> list[tuple[str, ...]]:
        norms = [scale_learning.jacobian_norm(one.weights[0]).item() for one in self.found]
        ours = norms[SCALINGS.index("sqrt_d_k")]
        return [
            (
                name,
                f"{one.weights[0].max().item():.1%}",
                scientific(norm),
                scientific(norm / ours) if ours else "–",
            )
            for name, one, norm in zip(scaling_names(self.t), self.found, norms, strict=True)
        ]

    # ---- norms against d_k

    def _places(self) -> list[float]:
        """Where the rows of the chart lie: in each panel the chosen d_k, then the points of each scaling."""
        chosen = float(min(self.d_k, GRADIENT_SIZES[-1]))
        return [chosen, *map(float, GRADIENT_SIZES * len(SCALINGS))] * len(METRICS)

    def _draw_norms(self) -> None:
        t, names = self.t, scaling_names(self.t)
        jobs = [(d_k, self.now.sample_seed) for d_k in GRADIENT_SIZES]
        found = worked(t, jobs, _gradients)
        points = [
            (panel, series, d_k, values[metric, scaling])
            for panel, metric in enumerate(METRICS)
            for series, scaling in enumerate(SCALINGS)
            for d_k, values in zip(GRADIENT_SIZES, found, strict=True)
        ]
        titles = tuple(t(f"axis.{metric}") for metric in METRICS)
        spec = scale_charts.lines(
            titles, names, t("axis.sample_d_k"), GRADIENT_SIZES, DOMAINS, (1, 2, 2), narrow=is_narrow()
        )
        file = {
            t("column.metric"): [titles[panel] for panel, *_ in points],
            t("column.scaling"): [names[series] for _, series, *_ in points],
            t("column.d_k"): [d_k for _, _, d_k, _ in points],
            t("column.value"): [value for *_, value in points],
        }
        facts = {"tokens": TOKENS, "draws": scale_learning.DRAWS}
        figure(t, "norms", self._lines(points), spec, file, **facts)
        st.markdown(t("note.learning", **self._whole(found[-1])))

    def _lines(self, points: list[tuple[int, int, int, float]]) -> dict[str, list]:
        """Each panel begins with the row of its upright line."""
        names, rows = scaling_names(self.t), []
        for panel in range(len(METRICS)):
            rows.append(("chosen", panel, 0, math.nan, ""))
            rows += [
                ("point", panel, series, value, f"{names[series]}, d_k = {d_k}: {scientific(value)}")
                for where, series, d_k, value in points
                if where == panel
            ]
        kind, panel, series, y, said = map(list, zip(*rows, strict=True))
        columns = {"kind": kind, "panel": panel, "series": series, "y": y, "said": said}
        return {"i": list(range(len(rows))), "d": self._places()} | columns

    def _whole(self, last: dict[tuple[str, str], float]) -> dict[str, str]:
        """At the largest d_k: one query's part and the whole gradient, without scaling and with √d_k."""
        facts = {"width": str(GRADIENT_SIZES[-1])}
        for metric in ("query_part", "query_all"):
            facts[f"{metric}_none"] = scientific(last[metric, "none"])
            facts[f"{metric}_root"] = scientific(last[metric, "sqrt_d_k"])
        return facts
