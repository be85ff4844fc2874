"""What the parts of the lesson `Masks` share: attention under another mask, and how a figure stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import streamlit as st
import torch

from attention import AttentionTrace, causal_mask, scaled_dot_product_attention

from . import lesson, step_view
from .compute import mask_of, trace_of
from .figures import StepView
from .heatmaps import Panel
from .settings import Settings
from .steps import StepBuilder, axis_labels
from .texts import Texts, literal


class Contents(NamedTuple):
    """What is on the screen and follows the numbers: figures by name, sentences by the id of their place."""

    views: dict[str, StepView]
    texts: dict[str, str]


def steps_of(t: Texts, now: Settings) -> StepBuilder:
    """The steps of self-attention, all rows of them: this lesson compares rows."""
    now = replace(now, row=None)
    return StepBuilder(now, trace_of(now), axis_labels(t, now))


def attend(head: AttentionTrace, mask: torch.Tensor | None, **options) -> AttentionTrace:
    """The same queries, keys and values under another mask."""
    return scaled_dot_product_attention(
        head.query, head.key, head.value, mask=mask, scale=head.scale, **options
    )


def open_mask(now: Settings, mask: torch.Tensor | None) -> torch.Tensor:
    """The mask, or one that hides nothing."""
    n = len(now.tokens)
    return torch.ones(n, n, dtype=torch.bool) if mask is None else mask


def mask_or_causal(now: Settings) -> torch.Tensor:
    """The chosen mask; the causal one where there is none, so that there is something to see."""
    mask = mask_of(now)
    return causal_mask(len(now.tokens)) if mask is None else mask


def closed(now: Settings, mask: torch.Tensor) -> torch.Tensor:
    """The mask with one query's row closed: the followed one's, else the first."""
    mask = mask.clone()
    mask[closed_row(now)] = False
    return mask


def closed_row(now: Settings) -> int:
    return now.row or 0


def figure(name: str, *panels: Panel, arithmetic: Callable[[int, int], str] | None = None) -> StepView:
    return StepView(name, list(panels), arithmetic or (lambda row, col: ""))


def by_name(*views: StepView) -> dict[str, StepView]:
    return {view.name: view for view in views}


def show(t: Texts, now: Settings, view: StepView, text: str = "", *, traced: bool = False) -> None:
    """A figure under its title and a sentence."""
    heading = f"#### {t(f'title.{view.name}')}"
    step_view.draw_figure(t, now, view, f"{heading}\n\n{text}", traced=traced)


def say(contents: Contents, name: str) -> None:
    """A sentence that follows the numbers, in its place."""
    lesson.say(name, contents.texts[name])


def listed(t: Texts, names: tuple[str, ...], chosen: torch.Tensor) -> str:
    """The names of the rows that are chosen, or the word for none."""
    return ", ".join(name for name, yes in zip(names, chosen.tolist(), strict=True) if yes) or t("word.none")


def note_without_mask(t: Texts, now: Settings) -> None:
    """Says where the causal mask stands in for none."""
    if now.mask == "none":
        st.caption(t("page.stand_in"))


def escaped(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(literal, names))
