"""A row that may attend to nothing: NaN, all keys alike, or 0; and which library does which."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st
import torch

from attention import AttentionTrace

from . import lesson, state
from .compute import mask_of
from .figures import StepView, nice_bound, signed, weights
from .masks_libraries import MEASURED, torch_fates
from .masks_scene import (
    Contents,
    attend,
    by_name,
    closed,
    closed_row,
    escaped,
    figure,
    open_mask,
    say,
    show,
    steps_of,
)
from .mistakes import plain_softmax
from .numbers import short
from .settings import Settings
from .sidebar import bound
from .steps import StepBuilder
from .texts import Texts

QUESTION = "closed"
BILLION = -1e9


def closed_mask(now: Settings) -> torch.Tensor:
    return closed(now, open_mask(now, mask_of(now)))


def fates(head: AttentionTrace, mask: torch.Tensor) -> dict[str, torch.Tensor]:
    """The weights in the three ways: −∞ in a plain softmax, −10⁹, and the core."""
    return {
        "nan": plain_softmax(head.scaled_scores.masked_fill(~mask, -math.inf)),
        "alike": attend(head, mask, masked_score=BILLION).weights,
        "zero": attend(head, mask).weights,
    }


def closed_scores(t: Texts, steps: StepBuilder, mask: torch.Tensor) -> StepView:
    axes = (steps.queries, steps.keys_across)
    before = signed(t("panel.scaled"), steps.head.scaled_scores, *axes, "cell")
    after = steps.head.scaled_scores.masked_fill(~mask, -math.inf)
    result = signed(t("axis.masked"), after, *axes, masked=(~mask).tolist())
    return figure("closed_scores", before, replace(result, bound=nice_bound(after.tolist())))


def fate_weights(t: Texts, steps: StepBuilder, mask: torch.Tensor) -> StepView:
    """Grey is what got no weight: a closed row with weights shows their colours."""
    panels = []
    for name, tensor in fates(steps.head, mask).items():
        without = (~mask & (tensor == 0)).tolist()
        panels.append(weights(t(f"panel.{name}"), tensor, steps.queries, steps.keys_across, "cell", without))
    return figure("fates", *panels[:-1], replace(panels[-1], lit=""))


def fate_outputs(t: Texts, steps: StepBuilder, mask: torch.Tensor) -> StepView:
    axes = (steps.queries, steps.value_dims)
    panels = [
        signed(t(f"panel.{name}"), tensor @ steps.head.value, *axes, "cell")
        for name, tensor in fates(steps.head, mask).items()
    ]
    return figure("fate_outputs", *panels[:-1], replace(panels[-1], lit=""))


def answer(head: AttentionTrace, mask: torch.Tensor, row: int) -> str:
    """What −10⁹ gives the closed row, read off its weights."""
    shares = fates(head, mask)["alike"][row]
    if shares.isnan().any():
        return "nan"
    return "zero" if (shares == 0).all() else "alike"


def contents(t: Texts, now: Settings) -> Contents:
    steps, mask, row = steps_of(t, now), closed_mask(now), closed_row(now)
    views = [closed_scores(t, steps, mask)]
    if lesson.guess_of(now, QUESTION) is not None:
        views += [fate_weights(t, steps, mask), fate_outputs(t, steps, mask)]
    mean = ", ".join(short(v) for v in steps.head.value.mean(0).tolist())
    names = steps.labels.tokens
    said = t("dead.mean", query=names[row], mean=mean, share=short(1 / len(names), 4))
    return Contents(by_name(*views), {"mean": said})


def draw(t: Texts, now: Settings) -> None:
    steps, shown = steps_of(t, now), contents(t, now)
    names, row, mask = escaped(steps.labels.tokens), closed_row(now), closed_mask(now)
    st.markdown(t("page.dead"))
    choose_closed(t, now, names)
    show(t, now, shown.views["closed_scores"], t("page.closed_scores", query=names[row]))
    if state.is_first_run():
        return
    options = {name: t(f"share.{name}") for name in ("zero", "alike", "nan")}
    share = short(1 / len(names), 4)
    facts = {"query": names[row], "count": len(names), "share": share}
    if lesson.ask(t, now, QUESTION, options, answer(steps.head, mask, row), **facts):
        show(t, now, shown.views["fates"], t("page.fates"))
        show(t, now, shown.views["fate_outputs"], t("page.fate_outputs"))
        say(shown, "mean")
        _who(t, now, steps, mask, row)


def choose_closed(t: Texts, now: Settings, names: tuple[str, ...]) -> None:
    st.segmented_control(
        t("page.closed_row"),
        range(len(names)),
        required=True,
        format_func=names.__getitem__,
        **bound("row", closed_row(now), where="_closed"),
    )


def _who(t: Texts, now: Settings, steps: StepBuilder, mask: torch.Tensor, row: int) -> None:
    """A table: the calls of PyTorch as they are now, the others as they were measured."""
    here = f"torch {torch.__version__.partition('+')[0]}, {t('page.measured_here')}"
    found = torch_fates(steps.head, steps.trace.query_input, mask, row)
    rows = [(name, kind, here) for name, kind in found] + list(MEASURED)
    head = f"| {t('column.call')} | {t('column.gets')} | {t('column.measured')} |\n| --- | --- | --- |\n"
    lines = (f"| `{name}` | {t(f'fate.{kind}')} | {where} |" for name, kind, where in rows)
    st.markdown(f"#### {t('page.who')}\n\n{t('page.who_why')}\n\n" + head + "\n".join(lines))
    st.caption(t("page.who_measured"))
