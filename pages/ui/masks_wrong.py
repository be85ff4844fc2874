"""Three wrong ways to mask, each beside the right one, with the sums of its rows."""

from __future__ import annotations

import streamlit as st
import torch

from attention import AttentionTrace, padding_mask

from . import lesson, state
from .figures import StepView, signed, weights
from .heatmaps import Axis
from .masks_scene import (
    Contents,
    attend,
    by_name,
    figure,
    listed,
    mask_or_causal,
    note_without_mask,
    say,
    show,
    steps_of,
)
from .mistakes import mask_after_softmax, multiply_by_zero, padding_on_query_rows
from .numbers import short
from .settings import Settings
from .sidebar import mask_numbers
from .steps import StepBuilder
from .texts import Texts

QUESTION = "times_zero"


def beside(
    t: Texts, steps: StepBuilder, name: str, right: AttentionTrace, wrong: torch.Tensor, hidden: torch.Tensor
) -> StepView:
    """The right weights, the wrong ones, and the sums of their rows. hidden: their grey cells."""
    axes = (steps.queries, steps.keys_across)
    shares = weights(t("panel.wrong"), wrong, *axes, "row", hidden.tolist())
    sums = weights(t("panel.sums"), wrong.sum(-1, keepdim=True), steps.queries, Axis(t("axis.sum"), ("Σ",)))

    def arithmetic(row: int, col: int) -> str:
        return " + ".join(map(short, shares.values[row])) + f" = {short(sums.values[row][0], 4)}"

    before = weights(t("panel.right"), right.weights, *axes, "row", (~right.mask).tolist())
    return figure(name, before, shares, sums, arithmetic=arithmetic)


def mask_after(t: Texts, now: Settings, steps: StepBuilder) -> StepView:
    mask = mask_or_causal(now)
    wrong = mask_after_softmax(steps.head.scaled_scores, mask)
    return beside(t, steps, "mask_after", attend(steps.head, mask), wrong, ~mask)


def times_zero(t: Texts, now: Settings, steps: StepBuilder) -> StepView:
    """Before the guess the scores multiplied by the mask, after it the weights that come of them."""
    mask, scores = mask_or_causal(now), steps.head.scaled_scores
    if lesson.guess_of(now, QUESTION) is None:
        axes = (steps.queries, steps.keys_across)
        before = signed(t("panel.scaled"), scores, *axes, "cell")
        return figure("zeroed", before, signed(t("panel.zeroed"), scores * mask, *axes))
    wrong = multiply_by_zero(scores, mask)
    return beside(t, steps, "times_zero", attend(steps.head, mask), wrong, torch.zeros_like(mask))


def padding_rows(t: Texts, now: Settings, steps: StepBuilder) -> StepView:
    n = len(now.tokens)
    right = attend(steps.head, padding_mask([now.padding], n).expand(n, n))
    rows = padding_on_query_rows(now.padding, n)
    return beside(t, steps, "padding_rows", right, attend(steps.head, rows).weights, ~rows)


def largest_hidden(head: AttentionTrace, mask: torch.Tensor) -> float | None:
    """The largest weight of a key that should be hidden, its score multiplied by 0; None: no such key."""
    hidden = multiply_by_zero(head.scaled_scores, mask)[~mask]
    return hidden.max().item() if hidden.numel() else None


def answer(head: AttentionTrace, mask: torch.Tensor) -> str:
    largest = largest_hidden(head, mask)
    if largest is None or largest == 0:
        return "zero"
    return "more" if largest == largest else "nan"


def contents(t: Texts, now: Settings) -> Contents:
    steps, mask = steps_of(t, now), mask_or_causal(now)
    sums = mask_after_softmax(steps.head.scaled_scores, mask).sum(-1)
    names = steps.labels.tokens
    row = int(sums.argmin())
    leak = attend(steps.head, padding_on_query_rows(now.padding, len(names))).weights[:, now.padding :]
    worst = {"query": names[row], "sum": short(sums[row].item())}
    all_count = now.padding == len(names)
    texts = {
        "after": t("wrong.after", **worst) if sums[row] < 1 - 5e-3 else t("wrong.after_none"),
        "zero": t("wrong.zero", weight=short(largest_hidden(steps.head, mask) or 0.0)),
        "padding": t("wrong.padding_none")
        if all_count
        else t(
            "wrong.padding",
            padded=listed(t, names, torch.arange(len(names)) >= now.padding),
            share=short(leak.sum(-1).max().item()),
        ),
    }
    views = [build(t, now, steps) for build in (mask_after, times_zero, padding_rows)]
    return Contents(by_name(*views), texts)


def draw(t: Texts, now: Settings) -> None:
    steps, shown, mask = steps_of(t, now), contents(t, now), mask_or_causal(now)
    note_without_mask(t, now)
    show(t, now, shown.views["mask_after"], t("page.mask_after"), traced=True)
    say(shown, "after")
    if state.is_first_run():
        return
    if not mask.all():
        _times_zero(t, now, steps, shown, mask)
    show(t, now, shown.views["padding_rows"], t("page.padding_rows"), traced=True)
    say(shown, "padding")
    with st.container(width=260):
        mask_numbers(t, now, {"padding"}, where="_here")


def _times_zero(t: Texts, now: Settings, steps: StepBuilder, shown: Contents, mask: torch.Tensor) -> None:
    options = {name: t(f"times.{name}") for name in ("zero", "more", "nan")}
    largest = short(largest_hidden(steps.head, mask) or 0.0)
    if lesson.ask(t, now, QUESTION, options, answer(steps.head, mask), weight=largest):
        show(t, now, shown.views["times_zero"], t("page.times_zero"), traced=True)
        say(shown, "zero")
    else:
        show(t, now, shown.views["zeroed"])
