"""Dropout on the weights: one draw, whose rows no longer sum to 1, and the mean over many, whose rows do."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
import torch

from attention import AttentionTrace

from . import choices, edits, lesson, state
from . import settings as s
from . import softmax_facts as facts
from .compute import trace_of
from .figures import StepView, signed, weights
from .heatmaps import Axis
from .numbers import short
from .settings import Settings
from .softmax_scene import Contents, plain
from .steps import axis_labels
from .texts import Texts

EDITED = ("dropout",)
DRAWS = 1000
MANY_ERRORS = 5.0  # standard errors: the full colour
CODE = """\
weights = F.softmax(scores, dim=-1)
weights = nn.Dropout(p)(weights)  # {comment}
output = weights @ value
"""


def _one_draw(t: Texts, now: Settings, head: AttentionTrace, found: torch.Tensor, *sides: Axis) -> StepView:
    hidden = None if head.mask is None else (~head.mask).tolist()
    before = weights(t("panel.weights"), head.weights, *sides, "cell", masked=hidden)
    after = weights(t("panel.dropped"), found, *sides, masked=hidden)

    def arithmetic(row: int, col: int) -> str:
        weight, value = head.weights[row, col].item(), found[row, col].item()
        if value == 0:
            return f"{short(weight, 4)} → 0"
        return f"{short(weight, 4)} / (1 − {now.dropout:g}) = {short(value, 4)}"

    return StepView("one_draw", [before, after], arithmetic)


def in_errors(head: AttentionTrace, draws: facts.Draws) -> torch.Tensor:
    """How far the mean is from the weights, in standard errors; 0 where nothing is left to chance."""
    off = (draws.mean - head.weights) / draws.expected_error
    return off.where(draws.expected_error > 0, 0.0)


def _mean(t: Texts, head: AttentionTrace, draws: facts.Draws, queries: Axis, keys: Axis) -> StepView:
    mean = weights(t("panel.mean_of_draws", count=DRAWS), draws.mean, queries, keys, "cell")
    sums = plain(
        t("panel.row_sums"), draws.mean.sum(1, keepdim=True), queries, Axis(t("axis.sum"), ("Σ",)), "row"
    )
    off = replace(signed(t("panel.off"), in_errors(head, draws), queries, keys), bound=MANY_ERRORS)

    def arithmetic(row: int, col: int) -> str:
        m, w = short(draws.mean[row, col].item(), 4), short(head.weights[row, col].item(), 4)
        expected = short(draws.expected_error[row, col].item(), 4)
        measured = short(draws.measured_error[row, col].item(), 4)
        return t("dropout.arithmetic", mean=m, weight=w, expected=expected, measured=measured)

    return StepView("mean_draw", [mean, sums, off], arithmetic)


def _reading(t: Texts, head: AttentionTrace, draws: facts.Draws) -> str:
    """How far the mean is from the weights, in standard errors."""
    counted = draws.expected_error > 0
    if not bool(counted.any()):
        return t("dropout.none")
    off = in_errors(head, draws)[counted]
    return t(
        "dropout.reading",
        count=DRAWS,
        largest=short(off.abs().max().item()),
        share=f"{(off.abs() <= 2).double().mean().item():.0%}",
        cells=int(counted.sum()),
    )


def contents(t: Texts, now: Settings, *, live: bool = False) -> Contents:
    labels = axis_labels(t, now)
    sides = Axis(labels.query_axis, labels.tokens), Axis(labels.key_axis, labels.tokens)
    head = trace_of(now).heads.head(now.head)
    draws = facts.many_draws(head, now.dropout, now.dropout_seed, DRAWS)
    found = facts.dropped(head, now.dropout, now.dropout_seed)
    views = [_one_draw(t, now, head, found, *sides), _mean(t, head, draws, *sides)]
    sums = ", ".join(short(total) for total in found.sum(1).tolist())
    return Contents(
        views=views, texts={"sums": t("dropout.sums", sums=sums), "mean": _reading(t, head, draws)}
    )


def _redrawn(now: Settings) -> Settings:
    low, high = s.COUNTS["dropout_seed"]
    seed = now.dropout_seed + 1
    return edits.with_choice(now, dropout_seed=seed if seed <= high else low)


def draw(t: Texts, now: Settings) -> None:
    choices.shown_head(t, now)
    options = {name: t(f"option.{name}") for name in ("divided", "same", "renormalised")}
    if not lesson.ask(t, now, "soft_drop", options, "divided"):
        return
    st.code(CODE.format(comment=t("code.dropout")), language="python")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(t("dropout.again"), key="redraw", on_click=state.edit, args=(_redrawn,))
        st.markdown(t("dropout.seed", seed=now.dropout_seed))
    shown = contents(t, now)
    shown.draw(t, now, "one_draw")
    shown.say("sums")
    shown.draw(t, now, "mean_draw")
    shown.say("mean")
    st.caption(t("dropout.eval"))
