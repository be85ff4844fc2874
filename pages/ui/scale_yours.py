"""The part `yours` of the lesson `Why √d_k`: the scaling switched on the learner's own matrices."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from torch import Tensor

from . import choices, inputs, lesson, state, step_view
from . import settings as s
from .compute import trace_of
from .downloads import cells_of, csv_button
from .figures import StepView, signed, weights
from .heatmaps import Axis
from .numbers import short
from .results import TIE
from .scale_facts import SCALINGS, divisor, total_variation
from .scale_scene import grid, named_cells, scaling_names
from .sidebar import bound
from .steps import token_names
from .texts import Texts, literal


def weights_under(now: s.Settings, by: float) -> Tensor:
    """The shown head's weights with the scores divided by that, all else as on the first page."""
    return trace_of(replace(now, scaling="own", own_divisor=by)).heads.weights[now.head]


class YoursPart:
    """draw() and live() for the present settings."""

    def __init__(self, t: Texts):
        self.t, self.now = t, state.settings()
        self.names = token_names(t, self.now)
        self.head = trace_of(self.now).head(self.now.head)
        self.plain = weights_under(self.now, 1.0)
        self.chosen = self.head.weights

    def draw(self) -> None:
        t, now = self.t, self.now
        with st.expander(t("page.numbers")):
            inputs.inputs(t, self.names, lambda: YoursPart(t).live())
            inputs.fill_tools(t)
        if len(now.tokens) > 1 and not self._ask_row():
            return
        with st.container(horizontal=True, vertical_alignment="bottom"):
            self._choose_scaling()
            choices.shown_head(t, now)
        view = self._moved()
        text = f"#### {t('title.moved')}\n\n{t('why.moved')}"
        step_view.draw_figure(t, now, view, text)
        csv_button(t, view.name, cells_of(t, view))
        st.markdown(f"#### {t('title.rows')}\n\n{t('why.rows')}")
        grid("rows", [t("column.row"), *scaling_names(t)[1:], t("column.lead")], self._rows())
        st.markdown(t("note.yours"))
        if now.d_model == now.head_dim:
            st.markdown(t("note.yours_same", width=now.head_dim))

    def live(self) -> dict:
        view = self._moved()
        charts = {view.name: step_view.live_table(self.now, view)}
        return {"charts": charts, "texts": named_cells("rows", self._rows())}

    def _choose_scaling(self) -> None:
        """The first page's own switch."""
        st.segmented_control(
            self.t("sidebar.scaling"),
            s.SCALINGS,
            required=True,
            format_func=lambda name: self.t(f"scaling.{name}"),
            **bound("scaling", self.now.scaling, where="_page"),
        )
        if self.now.scaling == "own":
            value = bound("own_divisor", self.now.own_divisor, where="_page")
            st.number_input(self.t("sidebar.own_divisor"), step=0.1, format="%g", width=160, **value)

    def _ask_row(self) -> bool:
        """Which row changes most when √d_k is switched on?"""
        moved = total_variation(self._under("sqrt_d_k"), self.plain).tolist()
        most = max(moved)
        answer = next(str(i + 1) for i, share in enumerate(moved) if most - share <= TIE)
        options = {str(i + 1): literal(name) for i, name in enumerate(self.names)}
        reasons = {str(i + 1): self.t("because.row", share=f"{v:.1%}") for i, v in enumerate(moved)}
        return lesson.ask(self.t, self.now, "row", options, answer, reasons)

    def _under(self, scaling: str) -> Tensor:
        return weights_under(self.now, divisor(scaling, self.now.head_dim, self.now.d_model))

    def _moved(self) -> StepView:
        """The weights without scaling, under the chosen one, and the difference."""
        t, now = self.t, self.now
        queries, keys = Axis(t("axis.query"), self.names), Axis(t("axis.key"), self.names)
        mask = self.head.mask
        masked = None if mask is None else (~mask).tolist()
        before = weights(t("panel.plain"), self.plain, queries, keys, "cell", masked)
        by = t("panel.divided", divisor=short(now.divisor))
        after = weights(by, self.chosen, queries, keys, "cell", masked)
        result = replace(
            signed(t("panel.difference"), self.chosen - self.plain, queries, keys, masked=masked), bound=1.0
        )

        def arithmetic(row: int, col: int) -> str:
            x, y = after.values[row][col], before.values[row][col]
            return f"{short(x, 4)} − {short(y, 4)} = {short(x - y, 4)}"

        return StepView("moved", [before, after, result], arithmetic)

    def _rows(self) -> list[tuple[str, ...]]:
        """For each token: the share of its weight that moves, under each scaling, and its scores' lead."""
        moved = [total_variation(self._under(scaling), self.plain).tolist() for scaling in SCALINGS[1:]]
        leads = [self._lead(i) for i in range(len(self.names))]
        return [
            (name, *(f"{share:.1%}" for share in shares), lead)
            for name, *shares, lead in zip(self.names, *moved, leads, strict=True)
        ]

    def _lead(self, row: int) -> str:
        """By how much the largest score, not yet divided, leads the second one."""
        scores = self.head.scores[row]
        if self.head.mask is not None:
            scores = scores[self.head.mask[row]]
        if len(scores) < 2:
            return "–"
        first, second = scores.topk(2).values.tolist()
        return short(first - second)
