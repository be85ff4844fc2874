"""The learner's own scores through softmax over keys, over queries, over everything: which sums are 1."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
import torch

from . import choices, lesson, step_view
from . import settings as s
from . import softmax_facts as facts
from .compute import trace_of
from .downloads import cells_of
from .figures import StepView, places, signed, spoken, weights
from .figures import numbers as cell_numbers
from .heatmaps import Axis, Panel
from .numbers import short
from .settings import Settings
from .sidebar import bound
from .softmax_charts import sums_spec
from .softmax_scene import Contents, Drawing, plain
from .steps import axis_labels
from .texts import Texts

EDITED = ()
ONE = 1e-9
CHECK = "assert torch.allclose(weights.sum(dim=-1), torch.ones_like(weights.sum(dim=-1)))"
LINES = {
    "keys": "weights = torch.softmax(scores, dim=-1)",
    "queries": "weights = torch.softmax(scores, dim=-2)",
    "all": "weights = torch.softmax(scores.flatten(-2), dim=-1).view_as(scores)",
}


def scores_of(now: Settings) -> torch.Tensor:
    """The masked scores of the shown head."""
    return trace_of(now).heads.masked_scores[now.head]


def _sides(t: Texts, now: Settings) -> tuple[Axis, Axis]:
    labels = axis_labels(t, now)
    return Axis(labels.query_axis, labels.tokens), Axis(labels.key_axis, labels.tokens)


def _one(t: Texts, now: Settings) -> StepView:
    """The axis chosen: the scores that a weight was made from light up, and its arithmetic stands below."""
    scores, (queries, keys) = scores_of(now), _sides(t, now)
    lit = {"keys": "row", "queries": "col", "all": "every"}[now.axis]
    hidden = torch.isneginf(scores).tolist()
    result = facts.over(scores, now.axis)
    source = signed(t("panel.matrix"), scores, queries, keys, masked=hidden)
    source = replace(source, lit=lit)

    def arithmetic(row: int, col: int) -> str:
        part = {"keys": scores[row], "queries": scores[:, col], "all": scores.flatten()}[now.axis]
        top = part.max()
        total = torch.exp(part - top).sum().item()
        share = torch.exp(scores[row, col] - top).item()
        less = f"exp({short(scores[row, col].item(), 3)} − {short(top.item(), 3)})".replace("− −", "+ ")
        shares = f"{short(share, 4)} / {short(total, 4)} = {short(result[row, col].item(), 4)}"
        return f"{less} / Σ {len(part)} exp = {shares}"

    shown = weights(t(f"axis_name.{now.axis}"), result, queries, keys, masked=hidden)
    return StepView("one_axis", [source, shown], arithmetic)


def _four(t: Texts, now: Settings, axis: str) -> list[Panel]:
    """The weights of one axis with the sums of their rows and columns, and of all."""
    (queries, keys), found = _sides(t, now), facts.over(scores_of(now), axis)
    sum_side = Axis(t("axis.sum"), ("Σ",))
    hidden = torch.isneginf(scores_of(now)).tolist()
    return [
        replace(weights(t(f"axis_name.{axis}"), found, queries, keys, "cell"), masked=hidden),
        plain(t("panel.row_sums"), found.sum(1, keepdim=True), queries, sum_side),
        plain(t("panel.column_sums"), found.sum(0, keepdim=True), sum_side, keys),
        plain(t("panel.whole_sum"), found.sum().reshape(1, 1), sum_side, sum_side),
    ]


def _sums(t: Texts, now: Settings) -> Drawing:
    panels = [panel for axis in s.CHOICES["axis"] for panel in _four(t, now, axis)]
    view = StepView("sums", panels, lambda row, col: "")
    data = places(view, None) | cell_numbers(view) | spoken(view)
    data["d"] = [""] * len(data["i"])
    values = [value for panel in panels for row in panel.values for value in row]
    data["s"] = [
        int(panels[p].scale == "mask" and abs(value - 1) < ONE)
        for p, value in zip(data["p"], values, strict=True)
    ]
    return Drawing("sums", data, lambda: sums_spec(panels, stacked=step_view.is_narrow()), cells_of(t, view))


def _check(t: Texts, now: Settings) -> str:
    """The line of code on all three: who passes."""
    said = []
    for axis in s.CHOICES["axis"]:
        passes = facts.rows_sum_to_one(facts.over(scores_of(now), axis))
        said.append(f"{t(f'axis_name.{axis}')}: {t('check.passes' if passes else 'check.caught')}")
    return "; ".join(said) + "."


def contents(t: Texts, now: Settings, *, live: bool = False) -> Contents:
    return Contents(views=[_one(t, now)], drawings=[_sums(t, now)], texts={"check": _check(t, now)})


def draw(t: Texts, now: Settings) -> None:
    choices.shown_head(t, now)
    options = {name: t(f"option.{name}") for name in ("rows", "columns", "both")}
    if len(now.tokens) > 1 and not lesson.ask(t, now, "soft_axis", options, "columns"):
        return
    shown = contents(t, now)
    st.segmented_control(
        t("page.axis"),
        s.CHOICES["axis"],
        required=True,
        format_func=lambda axis: t(f"axis_name.{axis}"),
        **bound("axis", now.axis),
    )
    st.code(LINES[now.axis], language="python")
    shown.draw(t, now, "one_axis")
    shown.draw(t, now, "sums")
    if bool(
        facts.over(scores_of(now), "queries").isnan().any() | facts.over(scores_of(now), "keys").isnan().any()
    ):
        st.caption(t("axes.nan"))
    st.markdown(f"#### {t('title.check')}\n\n{t('why.check')}")
    st.code(CHECK, language="python")
    shown.say("check")
