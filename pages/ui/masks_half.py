"""−10⁹ in half precision, a float mask against a boolean one, and which way True points."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st
import torch
from torch.nn import functional as F

from attention import AttentionTrace

from . import lesson, state
from .figures import StepView, mask_panel, signed, weights
from .masks_dead import choose_closed
from .masks_libraries import layer_weights
from .masks_scene import (
    Contents,
    attend,
    by_name,
    closed,
    closed_row,
    escaped,
    figure,
    listed,
    mask_or_causal,
    note_without_mask,
    say,
    show,
    steps_of,
)
from .mistakes import half_precision_error, plain_softmax
from .numbers import short
from .results import size
from .settings import Settings
from .sidebar import bound
from .steps import StepBuilder
from .texts import Texts

QUESTION = "polarity"
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def half_weights(t: Texts, now: Settings, steps: StepBuilder) -> StepView:
    """The learner's scores in float16, one row closed: −∞ and the smallest number there is."""
    mask = closed(now, mask_or_causal(now))
    scores = steps.head.scaled_scores.half()
    panels = []
    for title, masked in (("−∞", -math.inf), ("finfo.min", torch.finfo(torch.float16).min)):
        tensor = plain_softmax(scores.masked_fill(~mask, masked))
        without = (~mask & (tensor == 0)).tolist()
        panels.append(weights(title, tensor, steps.queries, steps.keys_across, "cell", without))
    return figure("half_weights", panels[0], replace(panels[1], lit=""))


def additive(mask: torch.Tensor) -> torch.Tensor:
    """The float mask that means the same: 0 where the query may attend, −∞ where it may not."""
    return torch.zeros(mask.shape, dtype=torch.float64).masked_fill(~mask, -math.inf)


def two_forms(t: Texts, now: Settings, steps: StepBuilder) -> StepView:
    mask = mask_or_causal(now)
    axes, hidden = (steps.queries, steps.keys_across), (~mask).tolist()
    return figure(
        "two_forms",
        mask_panel(t("panel.boolean"), mask, *axes, "cell"),
        signed(t("panel.float"), additive(mask), *axes, "cell", masked=hidden),
        weights(t("panel.weights"), attend(steps.head, mask).weights, *axes, masked=hidden),
    )


def forms_difference(head: AttentionTrace, mask: torch.Tensor) -> float:
    """Between PyTorch's outputs for the boolean and for the float mask."""
    outputs = [
        F.scaled_dot_product_attention(head.query, head.key, head.value, attn_mask=form, scale=head.scale)
        for form in (mask, additive(mask))
    ]
    return (outputs[0] - outputs[1]).abs().max().item()


def ones_added(head: AttentionTrace, mask: torch.Tensor) -> torch.Tensor:
    """The weights where a mask of 1 and 0 is taken for a float mask, and added."""
    return plain_softmax(head.scaled_scores + mask.to(head.scaled_scores.dtype))


def trap(t: Texts, now: Settings, steps: StepBuilder) -> StepView:
    mask = mask_or_causal(now)
    axes = (steps.queries, steps.keys_across)
    right = attend(steps.head, mask).weights
    return figure(
        "trap",
        signed(t("panel.ones"), mask.to(torch.float64), *axes, "cell"),
        weights(t("panel.right"), right, *axes, "cell", (~mask).tolist()),
        weights(t("panel.added"), ones_added(steps.head, mask), *axes),
    )


def given_mask(now: Settings) -> torch.Tensor:
    """The mask that both calls get: the chosen one, or it turned round."""
    mask = mask_or_causal(now)
    return ~mask if now.reversed else mask


def polarity(t: Texts, now: Settings, steps: StepBuilder) -> StepView:
    """One mask, given to both of PyTorch's functions as it is; before the guess to the first only."""
    mask, axes = given_mask(now), (steps.queries, steps.keys_across)
    given = mask_panel(t("panel.given"), mask, *axes, "cell")
    ours = weights("SDPA", attend(steps.head, mask).weights, *axes, "", (~mask).tolist())
    if lesson.guess_of(now, QUESTION) is None:
        return figure("before_polarity", given, ours)
    layer = layer_weights(steps.head, mask)
    theirs = weights("nn.MultiheadAttention", layer, *axes, "", mask.tolist())
    return figure("polarity", given, replace(ours, lit="cell"), theirs)


def answer(head: AttentionTrace, mask: torch.Tensor) -> str:
    """What nn.MultiheadAttention does with a mask made for SDPA: found by asking it."""
    try:
        theirs = layer_weights(head, mask).nan_to_num()
    except (RuntimeError, TypeError):
        return "error"
    return "same" if torch.allclose(theirs, attend(head, mask).weights) else "turned"


def contents(t: Texts, now: Settings) -> Contents:
    steps, mask = steps_of(t, now), mask_or_causal(now)
    views = [build(t, now, steps) for build in (half_weights, two_forms, trap, polarity)]
    hidden = ones_added(steps.head, mask)[~mask]
    largest = hidden.max().item() if hidden.numel() else 0.0
    given, names = given_mask(now), steps.labels.tokens
    texts = {
        "forms": t("half.forms", difference=size(forms_difference(steps.head, mask))),
        "trap": t("half.trap", weight=short(largest)),
        "blind": t(
            "half.blind",
            sdpa=listed(t, names, ~given.any(-1)),
            layer=listed(t, names, given.all(-1)),
        ),
    }
    return Contents(by_name(*views), texts)


def draw(t: Texts, now: Settings) -> None:
    steps, shown = steps_of(t, now), contents(t, now)
    names = escaped(steps.labels.tokens)
    note_without_mask(t, now)
    _error(t)
    if state.is_first_run():
        return
    choose_closed(t, now, names)
    show(t, now, shown.views["half_weights"], t("page.half_weights", query=names[closed_row(now)]))
    if steps.head.scaled_scores.half().isinf().any():
        st.caption(t("page.half_overflow"))
    show(t, now, shown.views["two_forms"], t("page.two_forms"))
    say(shown, "forms")
    show(t, now, shown.views["trap"], t("page.trap"))
    say(shown, "trap")
    _polarity(t, now, steps, shown)


def _error(t: Texts) -> None:
    """The real error, why, and which dtypes can hold the number."""
    st.markdown(f"#### {t('page.half')}")
    st.code("scores = scores.half()\nscores.masked_fill(~mask, -1e9)", language="python")
    st.code(half_precision_error() or t("page.half_none"), language=None)
    top = f"{torch.finfo(torch.float16).max:g}"
    st.markdown(t("page.half_why", top=top))
    head = f"| dtype | {t('column.largest')} | {t('column.fits')} | `torch.finfo(dtype).min` |\n"
    lines = []
    for dtype in DTYPES:
        fits = t("word.yes") if half_precision_error(dtype) is None else t("word.no")
        limits = torch.finfo(dtype)
        lines.append(f"| `{dtype}` | {limits.max:.5g} | {fits} | {limits.min:.5g} |")
    st.markdown(head + "| --- | --- | --- | --- |\n" + "\n".join(lines))
    st.markdown(t("page.half_instead"))
    st.code(
        "scores.masked_fill(~mask, float('-inf'))\nscores.masked_fill(~mask, torch.finfo(scores.dtype).min)",
        language="python",
    )


def _polarity(t: Texts, now: Settings, steps: StepBuilder, shown: Contents) -> None:
    options = {name: t(f"polarity.{name}") for name in ("same", "turned", "error")}
    st.markdown(f"#### {t('page.polarity_title')}")
    known = lesson.ask(t, now, QUESTION, options, answer(steps.head, mask_or_causal(now)))
    st.toggle(t("page.reversed"), **bound("reversed", now.reversed))
    if not known:
        show(t, now, shown.views["before_polarity"], t("page.before_polarity"))
        return
    show(t, now, shown.views["polarity"], t("page.polarity"))
    say(shown, "blind")
    st.code(
        "F.scaled_dot_product_attention(q, k, v, attn_mask=mask)\n"
        "nn.MultiheadAttention(...)(x, x, x, attn_mask=~mask)",
        language="python",
    )
