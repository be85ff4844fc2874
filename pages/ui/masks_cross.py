"""Cross-attention: queries from one sequence, keys and values from another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import streamlit as st
import torch

from . import edits, source, state, step_view
from . import settings as s
from .compute import cross_trace_of
from .figures import StepView
from .heatmaps import Axis
from .masks_scene import Contents, by_name, say
from .results import CHECKS, reading
from .sidebar import bound
from .steps import StepBuilder, axis_labels
from .texts import Texts

STEPS = ("query", "key", "value", "scores", "scaled_scores", "masked_scores", "weights", "output")


class CrossSteps(StepBuilder):
    """The steps, with keys and values of the second sequence."""

    def __init__(self, t: Texts, now: s.Settings):
        now = replace(now, row=None, mask=now.cross_mask)
        super().__init__(now, cross_trace_of(now), axis_labels(t, now))
        self.queries = Axis(t("axis.cross_query"), self.labels.tokens)
        self.keys_down = self.keys_across = Axis(t("axis.cross_key"), source_names(t, now))

    def _input(self, letter: str) -> tuple[str, torch.Tensor, tuple[str, ...]]:
        if letter == "Q":
            return super()._input(letter)
        return "Y", self.trace.key_input, self.keys_down.labels

    def cross_views(self) -> list[StepView]:
        """Under names of their own: the cells of this part are not those of self-attention."""
        names = [*STEPS[:-1], "head_output" if self.several else "output"]
        return [
            replace(getattr(self, name)(), name=f"cross_{step}")
            for step, name in zip(STEPS, names, strict=True)
        ]


def source_names(t: Texts, now: s.Settings) -> tuple[str, ...]:
    return tuple(f"{token} {t.gloss(token)}".strip() for token in now.source)


def contents(t: Texts, now: s.Settings) -> Contents:
    steps = CrossSteps(t, now)
    head, names = steps.head, steps.labels.tokens
    texts = {name: check(t, head) for name, check in CHECKS.items()}
    texts["reading"] = reading(t, head, names, None, source_names(t, now))
    return Contents(by_name(*steps.cross_views()), texts)


def draw(t: Texts, now: s.Settings) -> None:
    shown = contents(t, now)
    st.markdown(t("page.cross"))
    if (now.source, now.y) == (s.Settings().source, s.Settings().y):
        st.markdown(t("page.cross_by_hand"))
    _controls(t, now)
    for name in STEPS[: 1 if state.is_first_run() else None]:
        if name == "masked_scores" and now.cross_mask == "none":
            continue
        step_view.draw_figure(t, now, shown.views[f"cross_{name}"], _text(t, now, name))
    if state.is_first_run():
        return
    st.markdown(f"#### {t('reading.title')}")
    say(shown, "reading")
    st.markdown(f"#### {t('checks.title')}")
    for name in CHECKS:
        say(shown, name)


def _text(t: Texts, now: s.Settings, name: str) -> str:
    line = source.line("head_output" if name == "output" else name, now.num_heads > 1)
    text = t(f"cross.{name}", divisor=step_view.divisor_tex(now))
    return f"#### {t(f'title.cross_{name}')}\n\n{text}\n\n`{line}`"


def _controls(t: Texts, now: s.Settings) -> None:
    """The second sequence, and what its keys' mask is."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(t("page.source"), **bound("source", " ".join(now.source), edits.set_source), width=320)
        _choice(t, now, "cross_mask", s.CROSS_MASKS, lambda name: t(f"kind.{name}"))
        if now.cross_mask == "padding":
            change = bound("source_padding", now.source_padding)
            st.number_input(t("page.source_padding"), 1, len(now.source), step=1, width=200, **change)
        if now.cross_mask == "causal":
            _choice(t, now, "alignment", s.ALIGNMENTS, lambda name: t(f"alignment.{name}"))
    if now.cross_mask == "causal":
        st.caption(t("page.cross_causal"))


def _choice(
    t: Texts, now: s.Settings, field: str, options: tuple[str, ...], word: Callable[[str], str]
) -> None:
    st.segmented_control(
        t(f"page.{field}"),
        options,
        required=True,
        format_func=word,
        **bound(field, getattr(now, field)),
    )
